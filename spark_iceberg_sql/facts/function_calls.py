"""The calls of `iceberg_*`, `iceberg_functions.*` and `catalog.system.*` in a statement, with arguments in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_FUNCTION, FUNCTION_CALL, SPEC_CATALOG, SPEC_FUNCTIONS, TRANSFORMS
from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token, TokenKind
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets

_CALL_PATTERN = regex(FUNCTION_CALL, re.IGNORECASE)
# Text that a statement must contain to be checked by the rules for queries.
_QUERY_PATTERN = regex(rf"{FUNCTION_CALL}|\bwhere\b|\"", re.IGNORECASE)
# Text without which a statement has no clause of `syntax/foreign_clauses.py`, and nothing for
# `facts/null_expressions.py` but what a filter has.
_CLAUSE_PATTERN = regex(
    r"\btop\s+[0-9]|\b(?:from|join)\s*(?:'|read_)|\bat\s*\(\s*(?:timestamp|version|snapshot)\b"
    r"|[=<>]\s*null\b|trunc\s*\(",
    re.IGNORECASE,
)
# The aggregates that `facts/ungrouped_columns.py` reads.
AGGREGATES = ("AVG", "COUNT", "MAX", "MEAN", "MIN", "STDDEV", "SUM")
_AGGREGATE_PATTERN = regex(rf"\b(?:{'|'.join(AGGREGATES)})\s*\(", re.IGNORECASE)
FUNCTION_PREFIX = "iceberg_"
_SYSTEM = "system"
# The functions of `catalog.system`.
SYSTEM_FUNCTIONS = {t.spark_function: t for t in TRANSFORMS if t.spark_function is not None}
_NON_QUERY_KEYWORDS = frozenset({"CALL", "DESCRIBE", "DESC", "SHOW", "DROP", "ALTER", "REFRESH", "SET", "USE"})
_MAX_DEPTH = 30  # brackets
_INTEGER = regex(r"([0-9]{1,18})([LlSsYy]?)")


def may_be_query(statement: Statement) -> bool:
    """True if a statement may contain what the rules for queries check: calls, filters, strings in double quotes ..."""
    if statement.first == "SELECT" and (statement.may_contain("from") or "*" in statement.text):
        return True  # it may name a partition field
    if statement.first in ("MERGE", "DELETE", "UPDATE"):
        return True
    if statement.text.isascii():
        return (
            statement.may_contain("where")
            or '"' in statement.text
            or _may_contain_call(statement)
            or _CLAUSE_PATTERN.search(statement.script, statement.start, statement.end) is not None
            or _may_lack_group_by(statement)
        )
    # An upper-case letter may have a lower-case one of another length.
    return any(
        pattern.search(statement.script, statement.start, statement.end)
        for pattern in (_QUERY_PATTERN, _CLAUSE_PATTERN, _AGGREGATE_PATTERN)
    )


def _may_lack_group_by(statement: Statement) -> bool:
    """True if a query may have a column beside an aggregate, and no GROUP BY."""
    return (
        statement.first in ("SELECT", "WITH")
        and not statement.may_contain("group")
        and _AGGREGATE_PATTERN.search(statement.script, statement.start, statement.end) is not None
    )


def _may_contain_call(statement: Statement) -> bool:
    """True if a statement may contain a call of one of these functions."""
    has_substring = statement.may_contain("iceberg_") or statement.may_contain("system")
    return (has_substring or not statement.text.isascii()) and (
        _CALL_PATTERN.search(statement.script, statement.start, statement.end) is not None
    )


@record(frozen=True, slots=True)
class FunctionCall:
    """A call. name: as written, with the catalog. is_system: true for a function of `catalog.system`. is_spec: true
    for one of the catalog that Iceberg's expressions spec reserves.

    function: its name alone, in lower case. transform: the one that it computes; None if there is no such function.
    arguments: the tokens of each, without names, in the order of the parameters.
    unknown_parameter: the first argument name that is not a parameter's. last_type, first_type: the types of the last
    and of the first argument, if these are columns of known types. span, name_span: of the call, and of its name.
    """

    name: str
    is_system: bool
    is_spec: bool
    function: str
    transform: Transform | None
    arguments: tuple[tuple[Token, ...], ...]
    unknown_parameter: Token | None
    last_type: Type | None
    first_type: Type | None
    span: Offsets
    name_span: Offsets

    def integer_argument(self, index: int) -> int | None:
        """The integer value of an argument, with its sign; None if it is not an integer."""
        tokens = self.arguments[index]
        sign = -1 if len(tokens) == 2 and tokens[0].text == "-" else 1
        match = _INTEGER.fullmatch(tokens[-1].text) if len(tokens) == (1 if sign == 1 else 2) else None
        return sign * int(match[1]) if match is not None else None

    def argument_text(self, index: int, script: str) -> str:
        """The text of an argument."""
        tokens = self.arguments[index]
        return script[tokens[0].start : tokens[-1].end]

    def argument_span(self, index: int) -> Offsets:
        """The offsets of an argument."""
        return self.arguments[index][0].start, self.arguments[index][-1].end


def calls(context: Context) -> Iterator[FunctionCall]:
    """The statement's calls, in order; without those that contain a placeholder or a star, or are deeply nested."""
    statement = context.statement
    if statement.first in _NON_QUERY_KEYWORDS or not _may_contain_call(statement):
        return
    tokens = statement.tokens
    type_of = _type_resolver(context, tokens)
    open_brackets: list[int] = []
    for i, token in enumerate(tokens):
        if token.text == "(":
            open_brackets.append(i)
        elif token.text == ")" and open_brackets:
            open_brackets.pop()
        name_match = _call_name(tokens, i) if len(open_brackets) <= _MAX_DEPTH else None
        if name_match is None:
            continue
        first, catalog = name_match
        is_system, is_spec = catalog == _SYSTEM, catalog == SPEC_CATALOG
        function = token.text.strip("`").lower()
        session_function = SPEC_FUNCTIONS.get(function, "") if is_spec else function
        transform = SYSTEM_FUNCTIONS.get(function) if is_system else BY_FUNCTION.get(session_function)
        end = closing_index(tokens, i + 1)
        argument_tokens = between_commas(tokens[i + 2 : end])
        arguments = tuple(tuple(argument) for argument in argument_tokens) if end > i + 2 else ()
        if end == len(tokens) or not _are_complete(arguments):
            continue
        names = [argument[0] if len(argument) > 2 and argument[1].text == "=>" else None for argument in arguments]
        unknown_parameter = next(
            (n for n in names if n and (is_system or n.text.lower() not in parameters(transform))), None
        )
        arguments = _in_parameter_order(arguments, names, () if is_system else parameters(transform))
        types = [type_of(a) if _is_resolvable_column(tokens, open_brackets, a) else None for a in arguments]
        name_span = tokens[first].start, token.end
        yield FunctionCall(
            context.text_at(name_span),
            is_system,
            is_spec,
            function,
            transform,
            arguments,
            unknown_parameter,
            types[-1] if types else None,
            types[0] if types else None,
            (name_span[0], tokens[end].end),
            name_span,
        )


def parameters(transform: Transform | None) -> tuple[str, ...]:
    """The names of the parameters of a function `iceberg_*`."""
    parameter = transform.parameter if transform is not None else None
    return ("col",) if parameter is None else (parameter.name, "col")


def _in_parameter_order(
    arguments: Sequence[tuple[Token, ...]], names: Sequence[Token | None], parameter_names: Sequence[str]
) -> tuple[tuple[Token, ...], ...]:
    """The arguments without their names, in the order of the parameters if all names are theirs."""
    lower_names = [name.text.lower() if name is not None else None for name in names]
    values = [argument[2:] if name else argument for argument, name in zip(arguments, lower_names, strict=True)]
    positions = [
        parameter_names.index(n) if n in parameter_names else i
        for i, n in enumerate(lower_names)
        if n is None or n in parameter_names
    ]
    if sorted(positions) == list(range(len(values))):
        values = [argument for _, argument in sorted(zip(positions, values, strict=True), key=lambda pair: pair[0])]
    return tuple(values)


def _call_name(tokens: Sequence[Token], i: int) -> tuple[int, str | None] | None:
    """The index at which the name of a call begins if token i ends it, and `system` or the spec's catalog if it is
    there.
    """
    is_name = tokens[i].kind in NAME_KINDS
    if not is_name or [token.text for token in tokens[i + 1 : i + 2]] != ["("]:
        return None
    first = i
    while first >= 2 and tokens[first - 1].text == ".":
        first -= 2
    parts = [t.text.strip("`").lower() for t in tokens[first : i + 1 : 2]]
    if len(parts) == 3 and parts[1] == _SYSTEM:
        return first, _SYSTEM
    if len(parts) == 2 and parts[0] == SPEC_CATALOG:
        return first, SPEC_CATALOG
    return (i, None) if len(parts) == 1 and parts[0].startswith(FUNCTION_PREFIX) else None


def _are_complete(arguments: Sequence[Sequence[Token]]) -> bool:
    """True if every argument is complete: not empty, a star, a placeholder or an invalid token."""
    invalid_kinds = (TokenKind.STRAY, TokenKind.UNCLOSED)
    return all(
        argument
        and argument[-1].text != "*"
        and not any(token.kind in invalid_kinds or token.text in ("?", ":") for token in argument)
        for argument in arguments
    )


def _is_resolvable_column(tokens: Sequence[Token], open_brackets: Sequence[int], argument: Sequence[Token]) -> bool:
    """True if an argument is a name, and the call is not in a subquery.

    open_brackets: the indices of the brackets around the call.
    """
    name_kinds = NAME_KINDS
    is_name = argument[0].kind in name_kinds and all(t.kind in name_kinds or t.text == "." for t in argument)
    return is_name and all(tokens[index + 1].word not in ("SELECT", "WITH") for index in open_brackets)


def _type_resolver(context: Context, tokens: Sequence[Token]) -> Callable[[Sequence[Token]], Type | None]:
    """A function that returns the type of a column of the statement's only SELECT, or of DELETE."""
    depth, selects, start = 0, 0, 0
    for i, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "->" or (depth == 0 and token.word in ("WITH", "MERGE", "LATERAL")):
            return lambda _: None  # names that are no columns
        if depth == 0 and token.word == "SELECT":
            selects, start = selects + 1, i
    if selects != 1 and not (selects == 0 and context.statement.first == "DELETE"):
        return lambda _: None
    from spark_iceberg_sql.facts.query import type_resolver  # the command starts sooner

    return type_resolver(tokens[start:], context.text, context.columns_of_table)
