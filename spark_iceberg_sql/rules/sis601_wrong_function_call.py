"""A call of a transform function that Spark refuses.

## Why
`iceberg_bucket(16, id)` and `catalog.system.bucket(16, id)` take what the transform takes in DDL: for bucket and
truncate a constant integer from 1 to 2147483647, and then one column of a type that the transform accepts. Hive's and
Trino's functions have the column first; Spark refuses that when the query is analysed. `catalog.system` has no
singular names, and none for identity and void. `iceberg_functions`, the catalog that Iceberg's expressions spec
reserves, has the singular names alone, with the arguments and values of `iceberg_*`.

## Instead
The number first, then one column. For weeks and quarters, days or months.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_bucket(id, 16) FROM events;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT count(*) FROM events WHERE iceberg_days(id) = DATE '2024-05-17';
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_weeks(ts) FROM events;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_functions.years(ts) FROM events;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_bucket(16, id), iceberg_days(ts), local.system.hours(ts), iceberg_functions.year(ts) FROM events;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.function_calls import FUNCTION_PREFIX, SYSTEM_FUNCTIONS, FunctionCall, calls
from spark_iceberg_sql.facts.target_context import UnknownFactError
from spark_iceberg_sql.model.transform_record import TransformParameter
from spark_iceberg_sql.model.transforms import BY_FUNCTION, BY_OTHER_NAME, BY_SPELLING, SPEC_FUNCTIONS
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.rules.argument_swap import number_first_fix
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.terms import Literal, NamePath

# Names of other engines for which nobody has their own function.
_TIME_NAMES = frozenset({"week", "weeks", "quarter", "quarters", "minute", "minutes", "trunc"})


@rule(Severity.ERROR, on=(nodes.Expressions,), spec="Partition Transforms", category=Category.QUERY)
def wrong_function_call(context: Context) -> Findings:
    """Every call with a wrong name, number of arguments, order, constant or type."""
    checks = (_no_function, _name_finding, _count_finding, _number_finding, _type_finding)
    for call in calls(context):
        findings = (check(context, call) for check in (checks[:1] if call.transform is None else checks[1:]))
        if (finding := next(filter(None, findings), None)) is not None:
            yield finding


def _no_function(context: Context, call: FunctionCall) -> Finding | None:
    """A name that is nearly a function's: one letter differs, or it is another engine's name."""
    if call.is_spec:
        return _no_spec_function(call)
    from spark_iceberg_sql.model.functions.metadata_functions import NAMES  # the command starts sooner

    if call.function in NAMES or f"function {call.function}" in context.text.lower():
        return None
    function_name = call.function if call.is_system else call.function.removeprefix(FUNCTION_PREFIX)
    names = set(SYSTEM_FUNCTIONS) if call.is_system else {n.removeprefix(FUNCTION_PREFIX) for n in BY_FUNCTION}
    transform = BY_SPELLING.get(function_name) if call.is_system else None
    transform = BY_OTHER_NAME[function_name][0] if function_name in _TIME_NAMES else transform
    is_misspelling = transform is None
    name = next((n for n in sorted(names) if len(function_name) > 2 and _is_one_edit_apart(function_name, n)), None)
    if transform is not None:
        name = transform.spark_function if call.is_system else transform.spelling
    if name is None or (call.is_system and name not in names):
        return None
    suggestion = f"{call.name[: len(call.name) - len(function_name)]}{name}"
    edits = (Edit(call.name_span[1] - len(function_name), call.name_span[1], name),)
    fix = (
        Fix(f"write `{suggestion}`", edits, safe=False)
        if is_misspelling and call.name.endswith(function_name)
        else None
    )
    reason = f": {BY_OTHER_NAME[function_name][1]}" if function_name in _TIME_NAMES else ""
    message = f"there is no function `{call.name}`"
    return Finding(call.name_span, message, f"write `{suggestion}`{reason}", fix)


def _no_spec_function(call: FunctionCall) -> Finding | None:
    """A name that the expressions spec does not have: it lists all functions of its catalog."""
    if call.function in SPEC_FUNCTIONS:
        return None  # of no transform
    transform = BY_SPELLING.get(call.function)
    transform = BY_OTHER_NAME[call.function][0] if call.function in _TIME_NAMES else transform
    names = [name for name in SPEC_FUNCTIONS if _is_one_edit_apart(call.function, name)]
    if transform is not None and transform.name in SPEC_FUNCTIONS:
        names = [transform.name]
    catalog = call.name[: len(call.name) - len(call.function)]
    suggestion = " or ".join(f"`{catalog}{name}`" for name in (names or SPEC_FUNCTIONS))
    return Finding(call.name_span, f"there is no function `{call.name}`", f"write {suggestion}")


def _is_one_edit_apart(left: str, right: str) -> bool:
    """True if one letter is missing, extra or different, or if two neighbouring letters are swapped."""
    short, long = sorted((left, right), key=len)
    if len(long) - len(short) > 1 or left == right:
        return False
    index = next((i for i, c in enumerate(short) if c != long[i]), len(short))
    if len(short) < len(long):
        return short[index:] == long[index + 1 :]
    is_swapped = short[index : index + 2][::-1] == long[index : index + 2]
    return short[index + 1 :] == long[index + 1 :] or (is_swapped and short[index + 2 :] == long[index + 2 :])


def _name_finding(context: Context, call: FunctionCall) -> Finding | None:
    """An argument by a name that is no parameter's; `catalog.system` takes none by name."""
    if call.unknown_parameter is None:
        return None
    if call.is_system:
        message = f"`{call.name}` takes no arguments by name"
    else:
        message = f"`{call.name}` has no parameter `{call.unknown_parameter.text}`"
    argument_texts = [call.argument_text(i, context.text) for i in range(len(call.arguments))]
    numbers = [text for i, text in enumerate(argument_texts) if call.integer_argument(i) is not None]
    other_texts = [text for text in argument_texts if text not in numbers]
    return Finding(
        (call.unknown_parameter.start, call.unknown_parameter.end),
        message,
        f"write `{call.name}({', '.join([*numbers, *other_texts])})`",
    )


def _count_finding(context: Context, call: FunctionCall) -> Finding | None:
    transform = call.transform
    parameter = transform.parameter if transform is not None else None
    expected_count = 1 if parameter is None else 2
    if len(call.arguments) == expected_count:
        return None
    takes = "one column" if parameter is None else f"the {parameter.noun} and one column"
    argument_count = len(call.arguments)
    column = next(
        (context.text_at(call.argument_span(i)) for i in range(argument_count) if _is_column(call.arguments[i])), "col"
    )
    numbers = [n for i in range(argument_count) if (n := call.integer_argument(i)) is not None]
    number_prefix = "" if parameter is None else f"{next(iter(numbers), parameter.example)}, "
    return Finding(
        call.span,
        f"`{call.name}` takes {takes}, not {plural(argument_count, 'argument')}",
        f"write `{call.name}({number_prefix}{column})`",
    )


def _number_finding(context: Context, call: FunctionCall) -> Finding | None:
    """The finding about the argument in the number's position."""
    parameter = call.transform.parameter if call.transform is not None else None
    if parameter is None:
        return None
    first, number = call.arguments[0], call.integer_argument(0)
    text = call.argument_text(0, context.text)
    other = call.integer_argument(1)
    if number is None and other is not None and _is_column(first):
        if call.is_system and call.first_type == Primitive("int"):
            return None  # Iceberg's own functions take an int column for the number
        if call.is_system and call.first_type is None:
            raise UnknownFactError(f"the type of `{text}`", "its table is unknown")
        column = NamePath((), call.argument_span(0), text)
        literal = Literal("integer", str(other), call.argument_span(1))
        fix = number_first_fix(context, column, literal, str(other), "put the number first")
        return Finding(
            (call.argument_span(0)[0], call.argument_span(1)[1]),
            f"`{call.name}` takes the {parameter.noun} before the column",
            f"write `{call.name}({other}, {text})`",
            fix,
        )
    if number is None:
        is_accepted = not _is_no_integer(first)
    else:  # Iceberg's own functions have no minimum
        is_accepted = number <= parameter.maximum and (call.is_system or parameter.minimum <= number)
    return None if is_accepted else _bad_number(context, call, parameter, text)


def _bad_number(context: Context, call: FunctionCall, parameter: TransformParameter, text: str) -> Finding:
    column = call.argument_text(1, context.text)
    limits = f"an integer from {parameter.minimum} to {parameter.maximum}"
    return Finding(
        call.argument_span(0),
        f"the {parameter.noun} of `{call.name}` must be {limits}, not `{text}`",
        f"write `{call.name}({parameter.example}, {column})`",
    )


def _type_finding(context: Context, call: FunctionCall) -> Finding | None:
    transform, data_type = call.transform, call.last_type
    if transform is None or data_type is None or transform.is_void or transform.takes(data_type):
        return None
    index = len(call.arguments) - 1
    column = call.argument_text(index, context.text)
    return Finding(
        call.argument_span(index),
        f"`{call.name}` needs {transform.accepts.removesuffix(' column')}, but `{column}` is "
        f"{type_with_article(data_type)}",
        f"name a column of such a type, or cast `{column}`",
    )


def _is_column(tokens: tuple[Token, ...]) -> bool:
    """True if an argument is the name of a column."""
    is_name_path = all(t.kind in NAME_KINDS or t.text == "." for t in tokens)
    return is_name_path and tokens[0].word not in ("NULL", "TRUE", "FALSE")


def _is_no_integer(tokens: tuple[Token, ...]) -> bool:
    """True if an argument is a constant, but no integer."""
    last = tokens[-1]
    return len(tokens) == 1 and (
        last.kind in STRINGS or last.kind is TokenKind.NUMBER or last.word in ("NULL", "TRUE", "FALSE")
    )
