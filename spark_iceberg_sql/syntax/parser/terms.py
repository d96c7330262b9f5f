"""Transforms over columns and their arguments: the terms of PARTITIONED BY and of PARTITION FIELD."""

from __future__ import annotations

import re
from typing import Final

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import upper
from spark_iceberg_sql.syntax.lexer import STRINGS, TokenKind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.terms import Argument, Literal, NamePath, Term

_TWO_STRINGS = regex(r"""'.*[^\\]''.+'|".*[^\\]"".+\"""", re.DOTALL)  # to Iceberg's grammar
_INTEGER = regex(r"([0-9]+)([LlSsYy\u017f]?)")
_UNITS = frozenset(
    unit + plural
    for unit in ("NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR")
    for plural in ("", "S")
)
# int() refuses longer strings of digits; such numbers exceed every limit that is checked.
_DIGITS = 4000
VALUES: Final = (*STRINGS, TokenKind.NUMBER)


def read_term(cursor: Cursor) -> Term:
    """Read a transform over columns, or a column."""
    first = cursor.token
    if first.kind in STRINGS:
        cursor.fail("a column or a transform", "quoted-column")
    column = cursor.path("a column or a transform")
    # IDENTIFIER('id'): Spark looks for a column with exactly that name
    if cursor.words[cursor.index - 1] == ")":
        column = NamePath((column.text,), column.span, column.text)
    if cursor.words[cursor.index] != "(" or len(column.parts) > 1:
        return Term(None, (column,), column.span, column.span)
    cursor.index += 1
    arguments = [_argument(cursor) for _ in cursor.comma_list()]
    if cursor.words[cursor.index] != ")":
        cursor.fail("`,` or `)`", term_error(cursor))
    cursor.index += 1
    return Term(column.parts[0], tuple(arguments), cursor.since(first.start), column.span)


def term_error(cursor: Cursor) -> str:
    """The kind of error for the next token, which cannot follow a column or an argument."""
    if cursor.word == "(":
        return "nested-transform"
    return "expression" if cursor.word in ("+", "-", "*", "/", "%", "||", "=") else ""


def _argument(cursor: Cursor) -> Argument:
    token_kind, text, start, end = cursor.tokens[cursor.index]
    if cursor.words[cursor.index + 1] in (",", ")"):  # a name or a small number, as most are
        if token_kind is TokenKind.WORD:
            return cursor.path("a column or a constant")
        if token_kind is TokenKind.NUMBER and text.isdigit() and len(text) < 10:
            cursor.index += 1
            return Literal("integer", text, (start, end), int(text))
    if token_kind is TokenKind.NUMBER or (
        cursor.word == "-" and cursor.tokens[cursor.index + 1].kind is TokenKind.NUMBER
    ):
        sign = "-" if cursor.word == "-" else ""
        cursor.index += 2 if sign else 1
        number = cursor.tokens[cursor.index - 1].text
        span = cursor.since(start)
        integer_match = _INTEGER.fullmatch(number)
        if integer_match is None:
            return Literal("decimal", sign + number, span)
        digits = int(sign + integer_match[1]) if len(integer_match[1]) < _DIGITS else int(sign + "9" * _DIGITS)
        return Literal("integer", sign + number, span, digits, upper(integer_match[2]))
    if token_kind is TokenKind.STRING and text[0] in "rR" and cursor.is_iceberg:
        cursor.index += 1  # a word and a string in Iceberg's grammar, with the same meaning
        return _literal(cursor, "string", start)
    if token_kind in STRINGS:
        while cursor.at_string and not (cursor.is_iceberg and cursor.token.text[0] in "rR"):
            cursor.index += 1
        return _literal(cursor, "string", start)
    if cursor.at_parameter:
        if cursor.is_iceberg:
            cursor.fail("a column or a constant", "parameter")
        cursor.parameter_span = cursor.skip_parameter()
        return _literal(cursor, "parameter", start)
    if token_kind is TokenKind.WORD:
        if cursor.tokens[cursor.index + 1].kind in STRINGS and not _at_interval(cursor):
            if cursor.is_iceberg and _TWO_STRINGS.fullmatch(cursor.tokens[cursor.index + 1].text):
                raise ParseError(cursor.tokens[cursor.index + 1], "one string without doubled quotes")
            cursor.index += 2
            return _literal(cursor, "typed", start)
        if _at_interval(cursor):
            _skip_interval(cursor)
            return _literal(cursor, "typed", start)
    if cursor.word in ("(", ")"):
        cursor.fail("a column or a constant", "expression" if cursor.word == "(" else "no-arguments")
    return cursor.path("a column or a constant")


def _literal(cursor: Cursor, kind: str, start: int) -> Literal:
    span = cursor.since(start)
    return Literal(kind, cursor.script[span[0] : span[1]], span)


def _at_interval(cursor: Cursor) -> bool:
    if cursor.is_iceberg or cursor.word != "INTERVAL":
        return False
    index = cursor.index + (2 if cursor.words[cursor.index + 1] in ("+", "-") else 1)
    if cursor.tokens[index].kind not in VALUES:
        return False
    while cursor.tokens[index].kind in STRINGS and cursor.tokens[index + 1].kind in STRINGS:
        index += 1
    return cursor.words[index + 1] in _UNITS


def _skip_interval(cursor: Cursor) -> None:
    cursor.index += 1
    while cursor.token.kind in VALUES or cursor.word in ("+", "-"):
        cursor.index += 2 if cursor.word in ("+", "-") else 1
        while cursor.at_string:
            cursor.index += 1
        if cursor.word not in _UNITS:
            cursor.fail("a unit of time")
        cursor.index += 1
        if cursor.take("TO"):
            cursor.index += 1
