"""The types of a query's expressions, and the columns that they reference."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from spark_iceberg_sql.facts.query_types import (
    BARE,
    OF_STRINGS,
    RETURNS,
    SAME,
    TYPED,
    finest,
    is_coarse,
    literal,
    rounded,
)
from spark_iceberg_sql.model.schema import Column, Schema, folded
from spark_iceberg_sql.model.types import UNKNOWN, Primitive, Type
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import between_commas, closing
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.data_types import data_type
from spark_iceberg_sql.syntax.terms import Name

DEEPEST = 30


class UnknownError(Exception):
    """The query contains syntax that is not supported here."""


@record(frozen=True, slots=True)
class Relation:
    """A table or subquery in FROM: the qualifiers of its columns, and the columns."""

    name: Name
    schema: Schema | None


@record(frozen=True, slots=True)
class Value:
    """An expression's type, and the name of its column without AS."""

    type: Type
    name: str | None = None


def value_of(script: str, tokens: Sequence[Token], relations: list[Relation], depth: int) -> Value:
    """The value of an expression over some relations.

    script: the text that contains its tokens. depth: its nesting depth.
    Raises UnsupportedQueryError, and Stop if it is not valid SQL.
    """
    if not tokens or depth > DEEPEST:
        raise UnknownError
    inner = unwrapped(tokens)
    if inner is not None:
        return value_of(script, inner, relations, depth + 1)
    if len(tokens) > 2 and any(t.text == "::" for _, t, _ in top(tokens)):
        cut = max(i for i, t, _ in top(tokens) if t.text == "::")
        value = value_of(script, tokens[:cut], relations, depth + 1)
        return Value(_type(script, tokens[cut + 1 :]), value.name)
    first = tokens[0]
    if len(tokens) == 1 and first.kind in (*STRINGS, Kind.NUMBER):
        return Value(_sure(literal(first)))
    if len(tokens) == 2 and first.text == "-" and tokens[1].kind is Kind.NUMBER:
        return Value(_sure(literal(tokens[1])))
    if len(tokens) == 2 and tokens[1].kind in STRINGS and first.word in TYPED:
        return Value(TYPED[first.word])
    if len(tokens) == 1 and first.word in ("TRUE", "FALSE"):
        return Value(Primitive("boolean"))
    if len(tokens) == 1 and first.word in BARE:
        return Value(RETURNS[first.word])
    if len(tokens) > 2 and tokens[1].text == "(" and first.kind is Kind.WORD:
        return _call(script, tokens, relations, depth)
    return _column(script, tokens, relations)


def _column(script: str, tokens: Sequence[Token], relations: list[Relation]) -> Value:
    cursor = Cursor(script, list(tokens), tokens[-1].end)
    if not is_name(tokens[0]):
        raise UnknownError
    parts = cursor.path("a column's name").parts
    if not cursor.done or any(relation.schema is None for relation in relations):
        raise UnknownError
    found: list[Column] = []
    for relation in relations:
        paths = [parts]
        if relation.name and folded(parts[0]) == folded(relation.name[-1]) and len(parts) > 1:
            paths.append(parts[1:])
        for path in paths:
            found += relation.schema.find_all(path) if relation.schema is not None else ()
    if len(found) != 1:
        raise UnknownError
    return Value(found[0].field.type, parts[-1])


def _call(script: str, tokens: Sequence[Token], relations: list[Relation], depth: int) -> Value:
    name = tokens[0].word
    end = closing_at(tokens, 1)
    rest = tokens[end + 1 :]
    if rest and (rest[0].word not in ("OVER", "FILTER") or rest[-1].text != ")"):
        raise UnknownError
    arguments = between_commas(tokens[2:end])
    if name in ("CAST", "TRY_CAST"):
        cut = max((i for i, _, word in top(tokens[2:end]) if word == "AS"), default=-1)
        if cut < 1:
            raise UnknownError
        named = None
        try:
            named = _column(script, tokens[2 : 2 + cut], relations).name
        except (UnknownError, Stop):
            named = None
        kind = _type(script, tokens[2 + cut + 1 : end])
        with suppress(UnknownError, Stop):
            operand = value_of(script, tokens[2 : 2 + cut], relations, depth + 1).type
            return Value(rounded(kind, operand), named)
        return Value(kind, named)
    if name in RETURNS:
        whole = name == "DATE_TRUNC" and bool(arguments) and is_coarse(arguments[0])
        return Value(rounded(RETURNS[name], RETURNS["DATE"]) if whole else RETURNS[name])
    if name in OF_STRINGS:
        kinds = [value_of(script, item, relations, depth + 1).type for item in arguments[:1]]
        if kinds == [Primitive("string")]:
            return Value(kinds[0])
    if name in SAME and arguments:
        kinds = [value_of(script, item, relations, depth + 1).type for item in arguments]
        if all(kind == kinds[0] for kind in kinds) and kinds[0] != UNKNOWN:
            return Value(finest(kinds))
    raise UnknownError


def _type(script: str, tokens: Sequence[Token]) -> Type:
    if not tokens:
        raise UnknownError
    cursor = Cursor(script, list(tokens), tokens[-1].end)
    kind = data_type(cursor)
    if kind is None or not cursor.done or (isinstance(kind, Primitive) and kind.spark):
        raise UnknownError
    return kind


def top(tokens: Sequence[Token]) -> list[tuple[int, Token, str]]:
    """The tokens outside all brackets, opening brackets included: index, token, word."""
    found = []
    depth = 0
    for i, token in enumerate(tokens):
        if token.text in (")", "]"):
            depth -= 1
            continue
        if not depth:
            found.append((i, token, token.word))
        if token.text in ("(", "["):
            depth += 1
    return found


def closing_at(tokens: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at `opening`. Raises UnsupportedQueryError if there is none."""
    found = closing(tokens, opening)
    if found == len(tokens):
        raise UnknownError
    return found


def unwrapped(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """The tokens inside the brackets that enclose all others; None if there are none."""
    if tokens and tokens[0].text == "(" and closing_at(tokens, 0) == len(tokens) - 1:
        return tokens[1:-1]
    return None


def is_name(token: Token) -> bool:
    """True if a token can be a column's name."""
    return token.kind is Kind.QUOTED or (
        token.kind is Kind.WORD and token.word not in ("END", "NULL", "TRUE", "FALSE", *BARE)
    )


def ends_value(token: Token) -> bool:
    """True if an expression can end with a token, so that a name after it is an alias."""
    return token.text == ")" or token.kind in (*STRINGS, Kind.NUMBER, Kind.WORD, Kind.QUOTED)


def _sure(kind: Type | None) -> Type:
    if kind is None:
        raise UnknownError
    return kind
