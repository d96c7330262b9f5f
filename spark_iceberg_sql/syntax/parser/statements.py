"""DROP, CALL, INSERT, USE and SET, and the statements about Hive's partitions."""

from __future__ import annotations

from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.nodes import (
    Call,
    DropNamespace,
    DropTable,
    DropView,
    HivePartition,
    Insert,
    Node,
    SetConfig,
    Use,
)
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.terms import Name, NamePath, Offsets

# The procedures that create or drop tables, and the arguments, by name and position, that name the tables.
_PROCEDURES: dict[str, dict[str, int]] = {
    "register_table": {"table": 0},
    "snapshot": {"table": 1},
    "migrate": {"table": 0},
    "add_files": {"table": 0},
}


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
    """CALL catalog.system.procedure(...), if the procedure creates or drops tables."""
    cursor.index += 1
    name = cursor.path("a procedure name").parts
    table_parameters = _PROCEDURES.get(name[-1].lower())
    if table_parameters is None or len(name) < 2 or name[-2].lower() != "system" or cursor.word != "(":
        return None
    cursor.index += 1
    tables: list[Name] = []
    for index, (key, value) in enumerate(_arguments(cursor)):
        if key in table_parameters if key else index in table_parameters.values():
            if len(value) != 1 or value[0].kind not in STRINGS:
                return Call(span, name[-1].lower(), name[:-2])
            tables.append(split_name(unescape(value[0].text)))
    return Call(span, name[-1].lower(), name[:-2], tuple(tables) or None)


def _arguments(cursor: Cursor) -> list[tuple[str, list[Token]]]:
    """The arguments of a call, each with its name (or none) and its tokens."""
    arguments: list[tuple[str, list[Token]]] = []
    depth = 0
    key, value = "", list[Token]()
    while not cursor.done:
        word = cursor.word
        if word == ")" and not depth:
            break
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and not depth:
            arguments.append((key, value))
            key, value = "", []
        elif word == "=>" and not depth and len(value) == 1:
            key, value = value[0].text.strip("`").lower(), []
        else:
            value.append(cursor.token)
        cursor.index += 1
    return [*arguments, (key, value)]


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
    if cursor.is_at("WITH", "("):
        cursor.index += 1
        cursor.skip_brackets()
    columns: list[NamePath] = []
    if cursor.take("PARTITION", "("):
        for _ in cursor.comma_list():
            columns.append(cursor.path("a column name"))
            depth = 0
            while not cursor.done and (depth or cursor.word not in (",", ")")):
                depth += {"(": 1, ")": -1}.get(cursor.word, 0)
                cursor.index += 1
    return Insert(span, table, overwrite, tuple(columns))


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
