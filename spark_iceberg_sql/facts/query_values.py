"""The types of a query's expressions, and the columns that they reference."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from spark_iceberg_sql.facts.query_types import (
    ARGUMENT_TYPE_FUNCTIONS,
    BARE_FUNCTIONS,
    RETURN_TYPES,
    STRING_FUNCTIONS,
    TYPED_LITERALS,
    is_coarse_unit,
    least_rounded,
    literal_type,
    with_rounding,
)
from spark_iceberg_sql.model.schema import Column, Schema, folded
from spark_iceberg_sql.model.types import UNKNOWN, Primitive, Type
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.data_types import data_type
from spark_iceberg_sql.syntax.terms import Name

MAX_DEPTH = 30


class UnsupportedQueryError(Exception):
    """The query contains syntax that is not supported here."""


@record(frozen=True, slots=True)
class Relation:
    """A table or subquery in FROM: the qualifiers of its columns, and the columns."""

    name: Name
    schema: Schema | None


@record(frozen=True, slots=True)
class SelectedValue:
    """An expression's type, and the name of its column without AS."""

    type: Type
    name: str | None = None


def value_of(script: str, tokens: Sequence[Token], relations: list[Relation], depth: int) -> SelectedValue:
    """The value of an expression over some relations.

    script: the text that contains its tokens. depth: its nesting depth.
    Raises UnsupportedQueryError, and Stop if it is not valid SQL.
    """
    if not tokens or depth > MAX_DEPTH:
        raise UnsupportedQueryError
    if (inner := without_brackets(tokens)) is not None:
        return value_of(script, inner, relations, depth + 1)
    if len(tokens) > 2 and any(t.text == "::" for _, t, _ in top_level_tokens(tokens)):
        operator_index = max(i for i, t, _ in top_level_tokens(tokens) if t.text == "::")
        value = value_of(script, tokens[:operator_index], relations, depth + 1)
        return SelectedValue(_cast_type(script, tokens[operator_index + 1 :]), value.name)
    first = tokens[0]
    if len(tokens) == 1 and first.kind in (*STRINGS, TokenKind.NUMBER):
        return SelectedValue(_require_type(literal_type(first)))
    if len(tokens) == 2 and first.text == "-" and tokens[1].kind is TokenKind.NUMBER:
        return SelectedValue(_require_type(literal_type(tokens[1])))
    if len(tokens) == 2 and tokens[1].kind in STRINGS and first.word in TYPED_LITERALS:
        return SelectedValue(TYPED_LITERALS[first.word])
    if len(tokens) == 1 and first.word in ("TRUE", "FALSE"):
        return SelectedValue(Primitive("boolean"))
    if len(tokens) == 1 and first.word in BARE_FUNCTIONS:
        return SelectedValue(RETURN_TYPES[first.word])
    if len(tokens) > 2 and tokens[1].text == "(" and first.kind is TokenKind.WORD:
        return _call(script, tokens, relations, depth)
    return _column(script, tokens, relations)


def _column(script: str, tokens: Sequence[Token], relations: list[Relation]) -> SelectedValue:
    cursor = Cursor(script, list(tokens), tokens[-1].end)
    if not is_name(tokens[0]):
        raise UnsupportedQueryError
    parts = cursor.path("a column's name").parts
    if not cursor.done or any(relation.schema is None for relation in relations):
        raise UnsupportedQueryError
    columns: list[Column] = []
    for relation in relations:
        paths = [parts]
        if relation.name and folded(parts[0]) == folded(relation.name[-1]) and len(parts) > 1:
            paths.append(parts[1:])
        for path in paths:
            columns += relation.schema.find_all(path) if relation.schema is not None else ()
    if len(columns) != 1:
        raise UnsupportedQueryError
    return SelectedValue(columns[0].field.type, parts[-1])


def _call(script: str, tokens: Sequence[Token], relations: list[Relation], depth: int) -> SelectedValue:
    name = tokens[0].word
    end = closing_index_or_raise(tokens, 1)
    suffix_tokens = tokens[end + 1 :]
    if suffix_tokens and (suffix_tokens[0].word not in ("OVER", "FILTER") or suffix_tokens[-1].text != ")"):
        raise UnsupportedQueryError
    arguments = between_commas(tokens[2:end])
    if name in ("CAST", "TRY_CAST"):
        as_index = max((i for i, _, word in top_level_tokens(tokens[2:end]) if word == "AS"), default=-1)
        if as_index < 1:
            raise UnsupportedQueryError
        try:
            column_name = _column(script, tokens[2 : 2 + as_index], relations).name
        except (UnsupportedQueryError, ParseError):
            column_name = None
        result_type = _cast_type(script, tokens[2 + as_index + 1 : end])
        with suppress(UnsupportedQueryError, ParseError):
            operand = value_of(script, tokens[2 : 2 + as_index], relations, depth + 1).type
            return SelectedValue(with_rounding(result_type, operand), column_name)
        return SelectedValue(result_type, column_name)
    if name in RETURN_TYPES:
        rounds_to_hours = name == "DATE_TRUNC" and bool(arguments) and is_coarse_unit(arguments[0])
        return SelectedValue(
            with_rounding(RETURN_TYPES[name], RETURN_TYPES["DATE"]) if rounds_to_hours else RETURN_TYPES[name]
        )
    if name in STRING_FUNCTIONS:
        types = [value_of(script, item, relations, depth + 1).type for item in arguments[:1]]
        if types == [Primitive("string")]:
            return SelectedValue(types[0])
    if name in ARGUMENT_TYPE_FUNCTIONS and arguments:
        types = [value_of(script, item, relations, depth + 1).type for item in arguments]
        if all(result_type == types[0] for result_type in types) and types[0] != UNKNOWN:
            return SelectedValue(least_rounded(types))
    raise UnsupportedQueryError


def _cast_type(script: str, tokens: Sequence[Token]) -> Type:
    if not tokens:
        raise UnsupportedQueryError
    cursor = Cursor(script, list(tokens), tokens[-1].end)
    parsed_type = data_type(cursor)
    if parsed_type is None or not cursor.done or (isinstance(parsed_type, Primitive) and parsed_type.spark):
        raise UnsupportedQueryError
    return parsed_type


def top_level_tokens(tokens: Sequence[Token]) -> list[tuple[int, Token, str]]:
    """The tokens outside all brackets, opening brackets included: index, token, word."""
    top_tokens = []
    depth = 0
    for i, token in enumerate(tokens):
        if token.text in (")", "]"):
            depth -= 1
            continue
        if not depth:
            top_tokens.append((i, token, token.word))
        if token.text in ("(", "["):
            depth += 1
    return top_tokens


def closing_index_or_raise(tokens: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at `opening`. Raises UnsupportedQueryError if there is none."""
    index = closing_index(tokens, opening)
    if index == len(tokens):
        raise UnsupportedQueryError
    return index


def without_brackets(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """The tokens inside the brackets that enclose all others; None if there are none."""
    is_enclosed = tokens and tokens[0].text == "(" and closing_index_or_raise(tokens, 0) == len(tokens) - 1
    return tokens[1:-1] if is_enclosed else None


def is_name(token: Token) -> bool:
    """True if a token can be a column's name."""
    return token.kind is TokenKind.QUOTED or (
        token.kind is TokenKind.WORD and token.word not in ("END", "NULL", "TRUE", "FALSE", *BARE_FUNCTIONS)
    )


def ends_value(token: Token) -> bool:
    """True if an expression can end with a token, so that a name after it is an alias."""
    return token.text == ")" or token.kind in (*STRINGS, TokenKind.NUMBER, TokenKind.WORD, TokenKind.QUOTED)


def _require_type(inferred_type: Type | None) -> Type:
    if inferred_type is None:
        raise UnsupportedQueryError
    return inferred_type
