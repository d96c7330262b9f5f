"""Clauses of CREATE TABLE that do not partition an Iceberg table: stepped over, or read as properties."""

from __future__ import annotations

from spark_iceberg_sql.syntax.lexer import Kind
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.nodes import Property
from spark_iceberg_sql.syntax.parser.columns import skip_expression
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop


def bracketed(cursor: Cursor) -> None:
    """Step over a stretch in parentheses."""
    if cursor.word != "(":
        cursor.stop("`(`")
    cursor.skip_brackets()


def clustered_by(cursor: Cursor) -> None:
    """Step over CLUSTERED BY (...) [SORTED BY (...)] INTO n BUCKETS."""
    cursor.i += 1
    cursor.expect("BY")
    _columns(cursor)
    if cursor.take("SORTED"):
        cursor.expect("BY")
        _columns(cursor, ordered=True)
    cursor.expect("INTO")
    if cursor.at_parameter:
        cursor.string()
    elif cursor.token.kind is Kind.NUMBER:
        cursor.i += 1
    else:
        cursor.stop("the number of buckets")
    cursor.expect("BUCKETS")


def _columns(cursor: Cursor, *, ordered: bool = False) -> None:
    cursor.expect("(")
    while True:
        cursor.name("a column name")
        if ordered and cursor.word == "DESC":
            cursor.stop("`ASC`, the only order that Spark supports here", "hive-clause")
        if ordered:
            cursor.take("ASC")
        if not cursor.take(","):
            break
    cursor.expect(")")


def hive_clause(cursor: Cursor, *, provider: bool) -> None:
    """Step over STORED AS or ROW FORMAT; beside USING, Spark refuses them."""
    if provider or cursor.at("SKEWED") or cursor.at("STORED", "BY"):
        cursor.stop("a clause that Spark supports for this table", "hive-clause")
    if cursor.take("STORED"):
        cursor.expect("AS")
        if cursor.take("INPUTFORMAT"):
            cursor.string()
            cursor.expect("OUTPUTFORMAT")
            cursor.string()
        else:
            cursor.name("a file format")
        return
    cursor.i += 1
    cursor.expect("FORMAT")
    if cursor.take("SERDE"):
        cursor.string()
        _serde_properties(cursor)
        return
    cursor.expect("DELIMITED")
    for words in (
        ("FIELDS", "TERMINATED", "BY"),
        ("ESCAPED", "BY"),
        ("COLLECTION", "ITEMS", "TERMINATED", "BY"),
        ("MAP", "KEYS", "TERMINATED", "BY"),
        ("LINES", "TERMINATED", "BY"),
        ("NULL", "DEFINED", "AS"),
    ):
        if cursor.take(*words):
            cursor.string()


def _serde_properties(cursor: Cursor) -> None:
    if cursor.take("WITH", "SERDEPROPERTIES"):
        properties(cursor)


def properties(
    cursor: Cursor, *, expressions: bool = False, values: bool = True
) -> tuple[Property, ...]:
    """Read `(key = value, ...)`.

    expressions: a value may be any expression, as in OPTIONS. values: there are values, each key once.
    """
    cursor.expect("(")
    found: list[Property] = []
    seen: set[str] = set()
    while True:
        first = cursor.token
        start = first.start
        if cursor.at_string or cursor.at_parameter:
            key = _string_key(cursor)
        else:
            key = ".".join(cursor.path("a property name").parts)
        key_span = cursor.since(start)
        if values and key in seen:
            raise Stop(first, "each property once", "duplicate-key")
        seen.add(key)
        if values:
            cursor.take("=")
        value_start = cursor.token.start
        value = _value(cursor, expressions=expressions) if values else ""
        found.append(
            Property(key, value, key_span, cursor.since(value_start) if values else key_span)
        )
        if not cursor.take(","):
            break
    cursor.expect(")")
    return tuple(found)


def _string_key(cursor: Cursor) -> str:
    """Before `=` adjacent strings are one; without it, the first is the key and the rest its value."""
    start = cursor.i
    key, _ = cursor.string()
    if cursor.word != "=" and cursor.i > start + 1 and cursor.tokens[start].text not in ("?", ":"):
        cursor.i = start + 1
        return unescape(cursor.tokens[start].text)
    return key


def _value(cursor: Cursor, *, expressions: bool) -> str:
    if cursor.at_string:
        first = cursor.i
        text, _ = cursor.string()
        if not expressions or cursor.word in (",", ")"):
            return text
        cursor.i = first
    start = cursor.token.start
    if expressions:
        skip_expression(cursor)
    elif cursor.token.kind is Kind.NUMBER or cursor.word in ("TRUE", "FALSE"):
        cursor.i += 1
    else:
        cursor.string("a value in quotes")
    first, last = cursor.since(start)
    return cursor.script[first:last]
