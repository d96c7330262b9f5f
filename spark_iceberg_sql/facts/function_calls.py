"""The calls of `iceberg_*` and `catalog.system.*` functions in a statement, with arguments in parameter order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_FUNCTION, TRANSFORMS
from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import between_commas, closing
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets

_FUNCTIONS = r"\biceberg_\w+\s*\(|\.\s*system\s*\."
MENTIONED = regex(_FUNCTIONS, re.IGNORECASE)
# Text that a statement must contain to be checked by the rules for queries.
_QUERIES = regex(rf"{_FUNCTIONS}|\bwhere\b", re.IGNORECASE)
PREFIX = "iceberg_"
# The functions of `catalog.system`.
IN_SYSTEM = {t.spark_function: t for t in TRANSFORMS if t.spark_function is not None}
_NO_QUERY = frozenset(
    {"CALL", "DESCRIBE", "DESC", "SHOW", "DROP", "ALTER", "REFRESH", "SET", "USE"}
)
_DEEPEST = 30  # brackets
_INTEGER = regex(r"([0-9]{1,18})([LlSsYy]?)")


def may_be_query(statement: Statement) -> bool:
    """True if a statement may contain a call or a filter, which the rules for queries check."""
    if statement.text.isascii():
        return statement.says("where") or _mentions(statement)
    # An upper-case letter may have a lower-case one of another length.
    return _QUERIES.search(statement.script, statement.start, statement.end) is not None


def _mentions(statement: Statement) -> bool:
    """True if a statement may contain a call of one of these functions."""
    letters = statement.says("iceberg_") or statement.says("system")
    return (letters or not statement.text.isascii()) and (
        MENTIONED.search(statement.script, statement.start, statement.end) is not None
    )


@record(frozen=True, slots=True)
class FunctionCall:
    """A call. name: as written, with the catalog. is_system: true for a function of `catalog.system`.

    function: its name alone, in lower case. transform: the one that it computes; None if there is no such
    function. arguments: the tokens of each, without names, in the order of the parameters.
    unknown_parameter: the first argument name that is not a parameter's. last_type, first_type: the types
    of the last and of the first argument, if these are columns of known types. span, name_span: of the
    call, and of its name.
    """

    name: str
    system: bool
    function: str
    transform: Transform | None
    arguments: tuple[tuple[Token, ...], ...]
    misnamed: Token | None
    kind: Type | None
    first_kind: Type | None
    span: Offsets
    name_span: Offsets

    def number(self, place: int) -> int | None:
        """The integer value of an argument, with its sign; None if it is not an integer."""
        tokens = self.arguments[place]
        sign = -1 if len(tokens) == 2 and tokens[0].text == "-" else 1
        found = (
            _INTEGER.fullmatch(tokens[-1].text) if len(tokens) == (1 if sign == 1 else 2) else None
        )
        return sign * int(found[1]) if found is not None else None

    def text(self, place: int, script: str) -> str:
        """The text of an argument."""
        tokens = self.arguments[place]
        return script[tokens[0].start : tokens[-1].end]

    def place(self, place: int) -> Offsets:
        """The offsets of an argument."""
        return self.arguments[place][0].start, self.arguments[place][-1].end


def calls(context: Context) -> Iterator[FunctionCall]:
    """The statement's calls, in order; without those that contain a placeholder or a star, or are deeply nested."""
    statement = context.statement
    if statement.first in _NO_QUERY:
        return
    if not _mentions(statement):
        return
    tokens = statement.tokens
    type_of = _types(context, tokens)
    inside: list[int] = []
    for i, token in enumerate(tokens):
        if token.text == "(":
            inside.append(i)
        elif token.text == ")" and inside:
            inside.pop()
        found = _named(tokens, i) if len(inside) <= _DEEPEST else None
        if found is None:
            continue
        first, system = found
        function = token.text.strip("`").lower()
        transform = IN_SYSTEM.get(function) if system else BY_FUNCTION.get(function)
        end = closing(tokens, i + 1)
        given = between_commas(tokens[i + 2 : end])
        arguments = tuple(tuple(each) for each in given) if end > i + 2 else ()
        if end == len(tokens) or not _plain(arguments):
            continue
        names = [each[0] if len(each) > 2 and each[1].text == "=>" else None for each in arguments]
        misnamed = next(
            (n for n in names if n and (system or n.text.lower() not in parameters(transform))),
            None,
        )
        arguments = _in_order(arguments, names, () if system else parameters(transform))
        kinds = [type_of(a) if _is_known(tokens, inside, [a]) else None for a in arguments]
        name_span = tokens[first].start, token.end
        yield FunctionCall(
            context.words(name_span),
            system,
            function,
            transform,
            arguments,
            misnamed,
            kinds[-1] if kinds else None,
            kinds[0] if kinds else None,
            (name_span[0], tokens[end].end),
            name_span,
        )


def parameters(transform: Transform | None) -> tuple[str, ...]:
    """The names of the parameters of a function `iceberg_*`."""
    parameter = transform.parameter if transform is not None else None
    return ("col",) if parameter is None else (parameter.name, "col")


def _in_order(
    arguments: Sequence[tuple[Token, ...]], names: Sequence[Token | None], known: Sequence[str]
) -> tuple[tuple[Token, ...], ...]:
    """The arguments without their names, in the order of the parameters if all names are theirs."""
    low = [name.text.lower() if name is not None else None for name in names]
    bare = [each[2:] if name else each for each, name in zip(arguments, low, strict=True)]
    places = [
        known.index(n) if n in known else i for i, n in enumerate(low) if n is None or n in known
    ]
    if sorted(places) == list(range(len(bare))):
        bare = [
            each for _, each in sorted(zip(places, bare, strict=True), key=lambda pair: pair[0])
        ]
    return tuple(bare)


def _named(tokens: Sequence[Token], i: int) -> tuple[int, bool] | None:
    """The index at which the name of a call begins if token i ends it, and whether it is in `system`."""
    token = tokens[i]
    if token.kind not in (Kind.WORD, Kind.QUOTED) or i + 1 >= len(tokens):
        return None
    if tokens[i + 1].text != "(":
        return None
    first = i
    while first >= 2 and tokens[first - 1].text == ".":
        first -= 2
    parts = [t.text.strip("`").lower() for t in tokens[first : i + 1 : 2]]
    if len(parts) == 3 and parts[1] == "system":
        return first, True
    return (i, False) if len(parts) == 1 and parts[0].startswith(PREFIX) else None


def _plain(arguments: Sequence[Sequence[Token]]) -> bool:
    """True if every argument is complete: not empty, a star, a placeholder or an invalid token."""
    for each in arguments:
        if not each or each[-1].text == "*":
            return False
        if any(t.kind in (Kind.STRAY, Kind.UNCLOSED) or t.text in ("?", ":") for t in each):
            return False
    return True


def _is_known(
    tokens: Sequence[Token], inside: Sequence[int], arguments: Sequence[Sequence[Token]]
) -> bool:
    """True if the last argument is a name, and the call is not in a subquery.

    open_brackets: the indices of the brackets around the call.
    """
    if not arguments or arguments[-1][0].kind not in (Kind.WORD, Kind.QUOTED):
        return False
    if any(t.kind not in (Kind.WORD, Kind.QUOTED) and t.text != "." for t in arguments[-1]):
        return False
    return all(tokens[at + 1].word not in ("SELECT", "WITH") for at in inside)


def _types(context: Context, tokens: Sequence[Token]) -> Callable[[Sequence[Token]], Type | None]:
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
    from spark_iceberg_sql.facts.query import type_in  # the command starts sooner

    return type_in(tokens[start:], context.text, context.columns_of_table)
