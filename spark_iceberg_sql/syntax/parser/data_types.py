"""Spark's data types, read from tokens."""

from __future__ import annotations

from spark_iceberg_sql.model.types import (
    FROM_SPARK,
    Field,
    List,
    Map,
    Primitive,
    Struct,
    Type,
    UnknownTypeError,
    primitive_from_spark,
)
from spark_iceberg_sql.syntax.lexer import Kind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, TooDeep

_DEEPEST = 100


_INTERVAL = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})


_MAX_PRECISION = 38

# A length, or the number of a reference system.
_WITH_NUMBER = ("CHAR", "CHARACTER", "VARCHAR", "GEOMETRY", "GEOGRAPHY")
# The types of one word, by that word.
SIMPLE = {
    name.upper(): primitive_from_spark(name)
    for name in FROM_SPARK
    if name.upper() not in _WITH_NUMBER
}


def data_type(cursor: Cursor, depth: int = 0) -> Type | None:
    """Read a type; None if Spark or Iceberg has no such type."""
    if depth > _DEEPEST:
        raise TooDeep
    word, kind = cursor.word, cursor.token.kind
    if kind is Kind.WORD and word in ("ARRAY", "MAP", "STRUCT"):
        cursor.i += 1
        if word == "STRUCT":
            return _struct(cursor, depth)
        if not cursor.take("<"):
            return None  # Spark requires the element's type
        first = data_type(cursor, depth + 1)
        if word == "ARRAY":
            cursor.expect(">")
            return first and List(Field("element", first))
        cursor.expect(",")
        second = data_type(cursor, depth + 1)
        cursor.expect(">")
        return first and second and Map(Field("key", first, True), Field("value", second))
    if kind not in (Kind.WORD, Kind.QUOTED):
        cursor.stop("a type")
    if kind is Kind.QUOTED:
        cursor.i += 1
        _arguments(cursor)
        return None
    return _primitive(cursor)


def _struct(cursor: Cursor, depth: int) -> Type | None:
    if cursor.take("<>"):
        return Struct(())
    if not cursor.take("<"):
        return None
    fields: list[Field] = []
    known = True
    while not (cursor.word == ">" and not fields and known):
        name = cursor.name("a field name")
        cursor.take(":")
        kind = data_type(cursor, depth + 1)
        required = not_null(cursor)
        if cursor.take("COMMENT"):
            cursor.string()
        if kind is None:
            known = False
        else:
            fields.append(Field(name, kind, required))
        if not cursor.take(","):
            break
    cursor.expect(">")
    return Struct(tuple(fields)) if known else None


def _primitive(cursor: Cursor) -> Type | None:
    name = cursor.word
    cursor.name("a type")
    if name == "INTERVAL":
        if cursor.word in _INTERVAL:
            cursor.i += 1
            if cursor.at("TO") and cursor.words[cursor.i + 1] in _INTERVAL:
                cursor.i += 2
        return None
    arguments = _arguments(cursor)
    if name in ("TIMESTAMP", "TIME") and cursor.take("WITHOUT", "TIME", "ZONE"):
        name = "TIMESTAMP_NTZ" if name == "TIMESTAMP" else name
    elif name == "TIMESTAMP" and (cursor.at("WITH", "TIME") or cursor.at("WITH", "LOCAL", "TIME")):
        cursor.stop("`,` or `)`", "time-zone")
    elif name == "STRING" and cursor.take("COLLATE"):
        cursor.path("a collation")
    # Iceberg has geometry and geography in one reference system, Spark's `(ANY)` is none.
    if arguments is None or (name in _WITH_NUMBER and not arguments):
        return None
    try:
        found = primitive_from_spark(name.lower(), arguments)
    except UnknownTypeError:
        return None
    return found if _fits(found, arguments) else None


def _fits(found: Primitive, arguments: tuple[int, ...]) -> bool:
    if found.name == "decimal" and found.arguments:
        precision, scale = found.arguments
        return precision <= _MAX_PRECISION and scale <= precision
    return (
        not arguments
        or found.spark is not None
        or found.name in ("geometry", "geography", "string")
    )


def _arguments(cursor: Cursor) -> tuple[int, ...] | None:
    """Read `(10, 2)` after a type's name; None if they are not plain integers."""
    if not cursor.take("("):
        return ()
    numbers: list[int] = []
    plain = True
    while True:
        if cursor.token.kind is Kind.NUMBER and cursor.word.isdigit() and len(cursor.word) < 10:
            numbers.append(int(cursor.word))
            cursor.i += 1
        elif cursor.take("ANY"):
            pass
        elif cursor.at_parameter:
            cursor.string()
            plain = False
        else:
            cursor.stop("an integer")
        if not cursor.take(","):
            break
    cursor.expect(")")
    return tuple(numbers) if plain else None


def not_null(cursor: Cursor) -> bool:
    """Skip NOT NULL if it comes next."""
    return cursor.take("NOT", "NULL") or cursor.take("!", "NULL")
