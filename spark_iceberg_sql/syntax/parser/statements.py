"""DROP, CALL, INSERT, USE and SET, and the statements about Hive's partitions."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.model.runtime.procedures import BY_NAME
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.nodes import (
    Call,
    CallArgument,
    DropNamespace,
    DropTable,
    DropView,
    HivePartition,
    Insert,
    Node,
    SetConfig,
    Use,
)
from spark_iceberg_sql.syntax.parser.clauses import properties
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.terms import Name, NamePath, Offsets, Property


def drop(cursor: Cursor, span: Offsets) -> Node | None:
    """DROP TABLE, VIEW, NAMESPACE."""
    cursor.index += 1
    object_type = cursor.word
    if object_type not in ("TABLE", "VIEW", "NAMESPACE", "DATABASE", "SCHEMA"):
        return None
    cursor.index += 1
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.table()
    if object_type == "VIEW":
        return DropView(span, name)
    if object_type != "TABLE":
        return DropNamespace(span, name, cursor.take("CASCADE"))
    cursor.take("PURGE")
    return DropTable(span, name, if_exists) if cursor.done else None


def call(cursor: Cursor, span: Offsets) -> Node | None:
    """CALL catalog.system.procedure(...)."""
    cursor.index += 1
    name = cursor.path("a procedure name").parts
    name_span = cursor.tokens[cursor.index - 1].span
    if len(name) < 2 or name[-2].lower() != "system" or cursor.word != "(":
        return None
    cursor.index += 1
    procedure = BY_NAME.get(name[-1].lower())
    arguments = tuple(_arguments(cursor))
    tables: list[Name] | None = []
    if procedure is not None and procedure.creates_table:
        index = procedure.parameters.index("table")
        values = [a.value for i, a in enumerate(arguments) if a.name == "table" or (not a.name and i == index)]
        tables = [split_name(value) for value in values if value is not None] or None
        if None in values:
            tables = None
    table_names = None if tables is None else tuple(tables)
    return Call(span, name[-1].lower(), name_span, name[:-2], arguments, table_names)


def _arguments(cursor: Cursor) -> Iterator[CallArgument]:
    """The arguments of a call."""
    depth = 0
    name: Token | None = None
    value: list[Token] = []
    while not cursor.done:
        word = cursor.word
        if word == ")" and not depth:
            break
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and not depth:
            yield _argument(name, value)
            name, value = None, []
        elif word == "=>" and not depth and len(value) == 1:
            name, value = value[0], []
        else:
            value.append(cursor.token)
        cursor.index += 1
    if name is not None or value:
        yield _argument(name, value)


def _argument(name: Token | None, value: list[Token]) -> CallArgument:
    is_string = len(value) == 1 and value[0].kind in STRINGS
    tokens = value if name is None else [name]
    return CallArgument(
        "" if name is None else name.text.strip("`").lower(),
        (tokens[0].start, tokens[-1].end) if tokens else (0, 0),
        unescape(value[0].text) if is_string else None,
        (value[0].start, value[-1].end) if value else (0, 0),
    )


def hive_partitions(cursor: Cursor, span: Offsets) -> Node | None:
    """MSCK REPAIR TABLE, SHOW PARTITIONS and TRUNCATE TABLE ... PARTITION: about Hive's partitions."""
    first_token = cursor.token
    for keywords in (("MSCK", "REPAIR", "TABLE"), ("REPAIR", "TABLE"), ("SHOW", "PARTITIONS")):
        if cursor.take(*keywords):
            verb = " ".join(keywords).lower()
            return HivePartition(span, cursor.table(), verb, cursor.since(first_token.start))
    if cursor.take("TRUNCATE", "TABLE"):
        table = cursor.table()
        verb_span = (first_token.start, table.span[1])
        return HivePartition(span, table, "truncate", verb_span) if cursor.is_at("PARTITION") else None
    return None


def insert(cursor: Cursor, span: Offsets) -> Node | None:
    """INSERT INTO and INSERT OVERWRITE, up to PARTITION (...)."""
    overwrite = cursor.words[cursor.index + 1] == "OVERWRITE"
    if not overwrite and cursor.words[cursor.index + 1] != "INTO":
        return None
    cursor.index += 2
    cursor.take("TABLE")
    if cursor.word in ("LOCAL", "DIRECTORY") and cursor.words[cursor.index + 1] != ".":
        return None
    table = cursor.table()
    options: tuple[Property, ...] = ()
    if cursor.is_at("WITH", "("):
        cursor.index += 1
        start = cursor.index
        try:
            options = properties(cursor, expressions=True)
        except ParseError:  # Spark's parser reports it
            cursor.index = start
            cursor.skip_brackets()
    columns: list[NamePath] = []
    if cursor.take("PARTITION", "("):
        for _ in cursor.comma_list():
            columns.append(cursor.path("a column name"))
            depth = 0
            while not cursor.done and (depth or cursor.word not in (",", ")")):
                depth += {"(": 1, ")": -1}.get(cursor.word, 0)
                cursor.index += 1
    return Insert(span, table, overwrite, tuple(columns), options)


def use(cursor: Cursor, span: Offsets) -> Node | None:
    """USE and SET CATALOG."""
    is_set_catalog = cursor.take("SET")
    if not is_set_catalog:
        cursor.index += 1
    keyword = ""
    has_name = is_set_catalog or cursor.words[cursor.index + 1] not in ("", ".")
    if has_name and cursor.word in ("CATALOG", "NAMESPACE", "DATABASE", "SCHEMA"):
        keyword = cursor.word.lower()
        cursor.index += 1
    if is_set_catalog and cursor.at_string:
        start = cursor.token.start
        text, name_span = cursor.string()
        return Use(span, NamePath((text,), (start, name_span[1]), text), keyword)
    name = cursor.table()
    return Use(span, name, keyword) if cursor.done else None


def set_config(cursor: Cursor, span: Offsets) -> Node | None:
    """SET TIME ZONE and SET key = value."""
    cursor.index += 1
    if cursor.take("TIME", "ZONE"):
        key, value_index = "spark.sql.session.timeZone", cursor.index
    else:
        value_index = next((i for i in range(cursor.index, cursor.count) if cursor.words[i] == "="), 0)
        if not value_index:
            return None
        key = cursor.script[cursor.token.start : cursor.tokens[value_index - 1].end].strip("`")
        value_index += 1
    start = cursor.tokens[value_index].start
    value = cursor.script[start : span[1]]
    return SetConfig(span, key, value.strip("'\"`"), (start, span[1]))
