"""Transforms over columns and their arguments: the terms of PARTITIONED BY and of PARTITION FIELD."""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import upper
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.terms import Argument, Literal, Ref, Term

_TWO_STRINGS = regex(r"""'.*[^\\]''.+'|".*[^\\]"".+\"""", re.DOTALL)  # to Iceberg's grammar
_INTEGER = regex(r"([0-9]+)([LlSsYy\u017f]?)")
_UNITS = frozenset(
    unit + plural
    for unit in (
        "NANOSECOND",
        "MICROSECOND",
        "MILLISECOND",
        "SECOND",
        "MINUTE",
        "HOUR",
        "DAY",
        "WEEK",
        "MONTH",
        "YEAR",
    )
    for plural in ("", "S")
)
# int() refuses longer strings of digits; such numbers exceed every limit that is checked.
_DIGITS = 4000


def read_term(cursor: Cursor) -> Term:
    """Read a transform over columns, or a column."""
    first = cursor.token
    if first.kind in STRINGS:
        cursor.stop("a column or a transform", "quoted-column")
    column = cursor.path("a column or a transform")
    # IDENTIFIER('id'): Spark looks for a column with exactly that name
    if cursor.words[cursor.i - 1] == ")":
        column = Ref((column.text,), column.span, column.text)
    if cursor.words[cursor.i] != "(" or len(column.parts) > 1:
        return Term(None, (column,), column.span, column.span)
    cursor.i += 1
    arguments = [_argument(cursor)]
    while cursor.take(","):
        arguments.append(_argument(cursor))
    if cursor.words[cursor.i] != ")":
        cursor.stop("`,` or `)`", _argument_mistake(cursor))
    cursor.i += 1
    return Term(column.parts[0], tuple(arguments), cursor.since(first.start), column.span)


def _argument_mistake(cursor: Cursor) -> str:
    if cursor.word == "(":
        return "nested-transform"
    return "expression" if cursor.word in ("+", "-", "*", "/", "%", "||", "=") else ""


def _argument(cursor: Cursor) -> Argument:
    kind, text, start, end = cursor.tokens[cursor.i]
    if cursor.words[cursor.i + 1] in (",", ")"):  # a name or a small number, as most are
        if kind is Kind.WORD:
            return cursor.path("a column or a constant")
        if kind is Kind.NUMBER and text.isdigit() and len(text) < 10:
            cursor.i += 1
            return Literal("integer", text, (start, end), int(text))
    if kind is Kind.NUMBER or (
        cursor.word == "-" and cursor.tokens[cursor.i + 1].kind is Kind.NUMBER
    ):
        sign = "-" if cursor.word == "-" else ""
        cursor.i += 2 if sign else 1
        number = cursor.tokens[cursor.i - 1].text
        span = cursor.since(start)
        whole = _INTEGER.fullmatch(number)
        if whole is None:
            return Literal("decimal", sign + number, span)
        digits = int(sign + whole[1]) if len(whole[1]) < _DIGITS else int(sign + "9" * _DIGITS)
        return Literal("integer", sign + number, span, digits, upper(whole[2]))
    if kind is Kind.STRING and text[0] in "rR" and cursor.iceberg:
        cursor.i += 1  # a word and a string in Iceberg's grammar, with the same meaning
        return _literal(cursor, "string", start)
    if kind in STRINGS:
        while cursor.at_string and not (cursor.iceberg and cursor.token.text[0] in "rR"):
            cursor.i += 1
        return _literal(cursor, "string", start)
    if cursor.at_parameter:
        if cursor.iceberg:
            cursor.stop("a column or a constant", "parameter")
        cursor.parameter = cursor.skip_parameter()
        return _literal(cursor, "parameter", start)
    if kind is Kind.WORD:
        if cursor.tokens[cursor.i + 1].kind in STRINGS and not _at_interval(cursor):
            if cursor.iceberg and _TWO_STRINGS.fullmatch(cursor.tokens[cursor.i + 1].text):
                raise Stop(cursor.tokens[cursor.i + 1], "one string without doubled quotes")
            cursor.i += 2
            return _literal(cursor, "typed", start)
        if _at_interval(cursor):
            _skip_interval(cursor)
            return _literal(cursor, "typed", start)
    if cursor.word in ("(", ")"):
        cursor.stop(
            "a column or a constant", "expression" if cursor.word == "(" else "no-arguments"
        )
    return cursor.path("a column or a constant")


def _literal(cursor: Cursor, kind: str, start: int) -> Literal:
    span = cursor.since(start)
    return Literal(kind, cursor.script[span[0] : span[1]], span)


def _at_interval(cursor: Cursor) -> bool:
    if cursor.iceberg or cursor.word != "INTERVAL":
        return False
    ahead = cursor.i + (2 if cursor.words[cursor.i + 1] in ("+", "-") else 1)
    if cursor.tokens[ahead].kind not in (*STRINGS, Kind.NUMBER):
        return False
    while cursor.tokens[ahead].kind in STRINGS and cursor.tokens[ahead + 1].kind in STRINGS:
        ahead += 1
    return cursor.words[ahead + 1] in _UNITS


def _skip_interval(cursor: Cursor) -> None:
    cursor.i += 1
    while cursor.token.kind in (*STRINGS, Kind.NUMBER) or cursor.word in ("+", "-"):
        cursor.i += 2 if cursor.word in ("+", "-") else 1
        while cursor.at_string:
            cursor.i += 1
        if cursor.word not in _UNITS:
            cursor.stop("a unit of time")
        cursor.i += 1
        if cursor.take("TO"):
            cursor.i += 1
