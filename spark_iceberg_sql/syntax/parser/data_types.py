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
from spark_iceberg_sql.syntax import grammar
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, TokenKind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, TooDeep

_MAX_DEPTH = 100


_INTERVAL = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})


_MAX_PRECISION = 38

# A length, or the number of a reference system.
_WITH_NUMBER = ("CHAR", "CHARACTER", "VARCHAR", "GEOMETRY", "GEOGRAPHY")
# The types of one word, by that word.
SIMPLE_TYPES = {name.upper(): primitive_from_spark(name) for name in FROM_SPARK if name.upper() not in _WITH_NUMBER}


def data_type(cursor: Cursor, depth: int = 0) -> Type | None:
    """Read a type; None if Spark or Iceberg has no such type."""
    if depth > _MAX_DEPTH:
        raise TooDeep
    word, token_kind = cursor.word, cursor.token.kind
    if token_kind is TokenKind.WORD and word in ("ARRAY", "MAP", "STRUCT"):
        cursor.index += 1
        if word == "STRUCT":
            return _struct(cursor, depth)
        if not cursor.take("<"):
            return None  # Spark requires the element's type
        first_type = data_type(cursor, depth + 1)
        if word == "ARRAY":
            cursor.expect(">")
            return first_type and List(Field("element", first_type))
        cursor.expect(",")
        second_type = data_type(cursor, depth + 1)
        cursor.expect(">")
        return first_type and second_type and Map(Field("key", first_type, True), Field("value", second_type))
    if token_kind not in NAME_KINDS:
        cursor.fail("a type")
    if token_kind is TokenKind.QUOTED:
        cursor.index += 1
        _arguments(cursor)
        return None
    return _primitive(cursor)


def _struct(cursor: Cursor, depth: int) -> Type | None:
    if cursor.take("<>"):
        return Struct(())
    if not cursor.take("<"):
        return None
    fields: list[Field] = []
    is_known = True
    for _ in cursor.comma_list() if cursor.word != ">" else ():
        name = cursor.name("a field name")
        cursor.take(":")
        field_type = data_type(cursor, depth + 1)
        required = skip_not_null(cursor)
        if cursor.take("COMMENT"):
            cursor.string()
        if field_type is None:
            is_known = False
        else:
            fields.append(Field(name, field_type, required))
    cursor.expect(">")
    return Struct(tuple(fields)) if is_known else None


def _primitive(cursor: Cursor) -> Type | None:
    name = cursor.word
    cursor.name("a type")
    if name == "INTERVAL":
        if cursor.word in _INTERVAL:
            cursor.index += 1
            if cursor.is_at("TO") and cursor.words[cursor.index + 1] in _INTERVAL:
                cursor.index += 2
        return None
    arguments = _arguments(cursor)
    if name in ("TIMESTAMP", "TIME") and cursor.take("WITHOUT", "TIME", "ZONE"):
        name = "TIMESTAMP_NTZ" if name == "TIMESTAMP" else name
    elif name == "TIMESTAMP" and grammar.has((4, 2)) and cursor.take("WITH", "LOCAL", "TIME", "ZONE"):
        pass
    elif name == "TIMESTAMP" and (cursor.is_at("WITH", "TIME") or cursor.is_at("WITH", "LOCAL", "TIME")):
        cursor.fail("`,` or `)`", "time-zone")
    elif name == "STRING" and cursor.take("COLLATE"):
        cursor.path("a collation")
    # Iceberg has geometry and geography in one reference system, Spark's `(ANY)` is none.
    if arguments is None or (name in _WITH_NUMBER and not arguments):
        return None
    try:
        primitive = primitive_from_spark(name.lower(), arguments)
    except UnknownTypeError:
        return None
    return primitive if _is_valid(primitive, arguments) else None


def _is_valid(primitive: Primitive, arguments: tuple[int, ...]) -> bool:
    if primitive.name == "decimal" and primitive.arguments:
        precision, scale = primitive.arguments
        return precision <= _MAX_PRECISION and scale <= precision
    return not arguments or primitive.spark is not None or primitive.name in ("geometry", "geography", "string")


def _arguments(cursor: Cursor) -> tuple[int, ...] | None:
    """Read `(10, 2)` after a type's name; None if they are not plain integers."""
    if not cursor.take("("):
        return ()
    numbers: list[int] = []
    is_plain = True
    for _ in cursor.comma_list():
        if cursor.token.kind is TokenKind.NUMBER and cursor.word.isdigit() and len(cursor.word) < 10:
            numbers.append(int(cursor.word))
            cursor.index += 1
        elif cursor.at_parameter:
            cursor.string()
            is_plain = False
        elif not cursor.take("ANY"):
            cursor.fail("an integer")
    cursor.expect(")")
    return tuple(numbers) if is_plain else None


def skip_not_null(cursor: Cursor) -> bool:
    """Skip NOT NULL if it comes next."""
    return cursor.take("NOT", "NULL") or cursor.take("!", "NULL")
