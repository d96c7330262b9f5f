"""A call of a transform function that Spark refuses.

## Why
`iceberg_bucket(16, id)` and `catalog.system.bucket(16, id)` take what the transform takes in DDL: for bucket and
truncate a constant integer from 1 to 2147483647, and then one column of a type that the transform accepts. Hive's and
Trino's functions have the column first; Spark refuses that when the query is analysed. `catalog.system` has no
singular names, and none for identity and void.

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
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_bucket(16, id), iceberg_days(ts), local.system.hours(ts) FROM events;
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.function_calls import IN_SYSTEM, PREFIX, FunctionCall, calls
from spark_iceberg_sql.facts.target import NotKnownError
from spark_iceberg_sql.model.transform_record import Parameter
from spark_iceberg_sql.model.transforms import BY_FUNCTION, BY_OTHER_NAME, BY_SPELLING
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.swaps import number_first
from spark_iceberg_sql.rules.words import a_type
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token
from spark_iceberg_sql.syntax.terms import Literal, Ref

# Names of other engines for which nobody has their own function.
_TIMES = frozenset({"week", "weeks", "quarter", "quarters", "minute", "minutes", "trunc"})


@rule(Severity.ERROR, on=(nodes.Query,), spec="Partition Transforms", category=Category.QUERY)
def wrong_function_call(context: Context) -> Iterator[Finding]:
    """Every call with a wrong name, number of arguments, order, constant or type."""
    for call in calls(context):
        if call.transform is None:
            finding = _no_function(context, call)
        else:
            finding = (
                _name(context, call)
                or _count(context, call)
                or _number(context, call)
                or _type(context, call)
            )
        if finding is not None:
            yield finding


def _no_function(context: Context, call: FunctionCall) -> Finding | None:
    """A name that is nearly a function's: one letter differs, or it is another engine's name."""
    from spark_iceberg_sql.model.metadata_functions import NAMES  # the command starts sooner

    if call.function in NAMES or f"function {call.function}" in context.text.lower():
        return None
    own = call.function if call.system else call.function.removeprefix(PREFIX)
    names = set(IN_SYSTEM) if call.system else {n.removeprefix(PREFIX) for n in BY_FUNCTION}
    record = BY_SPELLING.get(own) if call.system else None
    record = BY_OTHER_NAME[own][0] if own in _TIMES else record
    slip = record is None
    name = next((n for n in sorted(names) if len(own) > 2 and _differs_once(own, n)), None)
    if record is not None:
        name = record.spark_function if call.system else record.spelling
    if name is None or (call.system and name not in names):
        return None
    right = f"{call.name[: len(call.name) - len(own)]}{name}"
    edits = (Edit(call.name_span[1] - len(own), call.name_span[1], name),)
    fix = Fix(f"write `{right}`", edits, safe=False) if slip and call.name.endswith(own) else None
    why = f": {BY_OTHER_NAME[own][1]}" if own in _TIMES else ""
    message = f"there is no function `{call.name}`"
    return Finding(call.name_span, message, f"write `{right}`{why}", fix)


def _differs_once(one: str, other: str) -> bool:
    """True if one letter is missing, extra or different, or if two neighbouring letters are swapped."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or one == other:
        return False
    at = next((i for i, c in enumerate(short) if c != long[i]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2][::-1] == long[at : at + 2]
    return short[at + 1 :] == long[at + 1 :] or (swapped and short[at + 2 :] == long[at + 2 :])


def _name(context: Context, call: FunctionCall) -> Finding | None:
    """An argument by a name that is no parameter's; `catalog.system` takes none by name."""
    if call.misnamed is None:
        return None
    if call.system:
        message = f"`{call.name}` takes no arguments by name"
    else:
        message = f"`{call.name}` has no parameter `{call.misnamed.text}`"
    given = [call.text(i, context.text) for i in range(len(call.arguments))]
    numbers = [text for i, text in enumerate(given) if call.number(i) is not None]
    others = [text for text in given if text not in numbers]
    return Finding(
        (call.misnamed.start, call.misnamed.end),
        message,
        f"write `{call.name}({', '.join([*numbers, *others])})`",
    )


def _count(context: Context, call: FunctionCall) -> Finding | None:
    record = call.transform
    parameter = record.parameter if record is not None else None
    wanted = 1 if parameter is None else 2
    if len(call.arguments) == wanted:
        return None
    takes = "one column" if parameter is None else f"the {parameter.noun} and one column"
    given = len(call.arguments)
    column = next(
        (context.words(call.place(i)) for i in range(given) if _is_column(call.arguments[i])), "col"
    )
    numbers = [n for i in range(given) if (n := call.number(i)) is not None]
    lead = "" if parameter is None else f"{next(iter(numbers), parameter.example)}, "
    return Finding(
        call.span,
        f"`{call.name}` takes {takes}, not {given} argument{'s' if given != 1 else ''}",
        f"write `{call.name}({lead}{column})`",
    )


def _number(context: Context, call: FunctionCall) -> Finding | None:
    """The finding about the argument in the number's position."""
    parameter = call.transform.parameter if call.transform is not None else None
    if parameter is None:
        return None
    first, number = call.arguments[0], call.number(0)
    text = call.text(0, context.text)
    other = call.number(1)
    if number is None and other is not None and _is_column(first):
        if call.system and call.first_kind == Primitive("int"):
            return None  # Iceberg's own functions take an int column for the number
        if call.system and call.first_kind is None:
            raise NotKnownError(f"the type of `{text}`", "its table is unknown")
        column = Ref((), call.place(0), text)
        literal = Literal("integer", str(other), call.place(1))
        fix = number_first(context, column, literal, str(other), "put the number first")
        return Finding(
            (call.place(0)[0], call.place(1)[1]),
            f"`{call.name}` takes the {parameter.noun} before the column",
            f"write `{call.name}({other}, {text})`",
            fix,
        )
    if number is not None and (parameter.minimum <= number <= parameter.maximum):
        return None
    if number is None and not _is_no_integer(first):
        return None
    if call.system and number is not None and number <= parameter.maximum:
        return None  # Iceberg's own functions do not look
    return _bad(context, call, parameter, text)


def _bad(context: Context, call: FunctionCall, parameter: Parameter, text: str) -> Finding:
    column = call.text(1, context.text)
    limits = f"an integer from {parameter.minimum} to {parameter.maximum}"
    return Finding(
        call.place(0),
        f"the {parameter.noun} of `{call.name}` must be {limits}, not `{text}`",
        f"write `{call.name}({parameter.example}, {column})`",
    )


def _type(context: Context, call: FunctionCall) -> Finding | None:
    record, kind = call.transform, call.kind
    if record is None or kind is None or record.is_void or record.takes(kind):
        return None
    place = len(call.arguments) - 1
    column = call.text(place, context.text)
    return Finding(
        call.place(place),
        f"`{call.name}` needs {record.accepts.removesuffix(' column')}, but `{column}` is {a_type(kind)}",
        f"name a column of such a type, or cast `{column}`",
    )


def _is_column(tokens: tuple[Token, ...]) -> bool:
    """True if an argument is the name of a column."""
    words = all(t.kind in (Kind.WORD, Kind.QUOTED) or t.text == "." for t in tokens)
    return words and tokens[0].word not in ("NULL", "TRUE", "FALSE")


def _is_no_integer(tokens: tuple[Token, ...]) -> bool:
    """True if an argument is a constant, but no integer."""
    last = tokens[-1]
    alone = len(tokens) == 1
    return alone and (
        last.kind in STRINGS or last.kind is Kind.NUMBER or last.word in ("NULL", "TRUE", "FALSE")
    )
