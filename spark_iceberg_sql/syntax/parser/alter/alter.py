"""ALTER TABLE: partition fields, columns, properties, names; other changes are not parsed."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.syntax.nodes import (
    AddField,
    DropField,
    HivePartition,
    Node,
    RenameTable,
    ReplaceField,
    SetProperties,
)
from spark_iceberg_sql.syntax.parser.alter.alter_columns import change_columns, expect_end
from spark_iceberg_sql.syntax.parser.alter.alter_iceberg import iceberg_change
from spark_iceberg_sql.syntax.parser.clauses import properties
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.terms import VALUES, read_term
from spark_iceberg_sql.syntax.parser.typos import change_typo
from spark_iceberg_sql.syntax.routing import has_iceberg_phrase
from spark_iceberg_sql.syntax.terms import NamePath, Offsets

_AFTER_NAME = ("", "(", ".", "AS", "WITH")  # if IF is a column's name
_FIELD_VERBS = ("ADD", "DROP", "REPLACE")
# Spark's statements that change neither columns nor partitioning; not parsed further.
_UNPARSED_CHANGES =(
    ("SET", "LOCATION"), ("SET", "SERDE"), ("SET", "SERDEPROPERTIES"), ("DEFAULT", "COLLATION"),
    ("CLUSTER", "BY"), ("PARTITION", "("),
)  # fmt: skip
# Statements of products whose extension of Spark's parser takes them; Spark alone refuses them.
_OF_EXTENSIONS = {
    ("SET", "POLICY"): "OpenHouse", ("UNSET", "POLICY"): "OpenHouse", ("SET", "ROW"): "Databricks",
    ("DROP", "ROW"): "Databricks", ("SET", "TAGS"): "Databricks", ("UNSET", "TAGS"): "Databricks",
    ("DROP", "FEATURE"): "Delta Lake",
}  # fmt: skip
_OF_COLUMNS = {"TAG": "OpenHouse", "TAGS": "Databricks", "MASK": "Databricks", "MASKING": "Dremio"}
_VERBS = ("ADD", "DROP", "RENAME", "SET", "UNSET", "REPLACE", "RECOVER", "WRITE", "CREATE")
_CHANGES = "`ADD`, `DROP`, `ALTER` or `RENAME COLUMN`, `ADD PARTITION FIELD`, `SET TBLPROPERTIES`"


def alter_table(cursor: Cursor, span: Offsets) -> Node | None:
    """Read from ALTER TABLE (or VIEW) on; None if the statement is not relevant.

    Raises ParseError, with `is_partition_ddl` set on the cursor, for partition DDL that cannot be parsed.
    """
    is_view = cursor.words[cursor.index + 1] == "VIEW"
    cursor.index += 2
    if cursor.is_at("IF", "EXISTS"):
        if is_view:
            return None
        cursor.fail_in_ddl("a table name", "if-exists" if _mentions_field(cursor) else "alter-if-exists")
    next_words = cursor.words[cursor.index + 1 : cursor.index + 3]
    if cursor.word in _FIELD_VERBS and (next_words == ["PARTITION", "FIELD"] or next_words[0] == "COLUMN"):
        cursor.fail_in_ddl("a table name", "missing-table")
    cursor.is_iceberg = not is_view and has_iceberg_phrase(cursor.words[: cursor.count])
    cursor.is_partition_ddl = not is_view
    table = cursor.target_table = cursor.table()
    if is_view and _mentions_field(cursor):
        cursor.is_partition_ddl = True
        raise ParseError(cursor.tokens[cursor.index], "a table", "view-field")
    start = cursor.index
    word, next_word = cursor.word, cursor.words[cursor.index + 1]
    if word in _FIELD_VERBS and next_word == "PARTITION":
        return _field(cursor, span, table)
    if cursor.is_iceberg:
        if (iceberg_node := iceberg_change(cursor, span, table)) is not None:
            return iceberg_node
        cursor.index = start
    _reject_foreign_syntax(cursor)
    if (product := _product_of(cursor.words[start : cursor.count])) is not None:
        cursor.fail_in_ddl(product, "of-extension")
    cursor.is_partition_ddl = cursor.is_iceberg = False
    node = _common_change(cursor, span, table)
    if node is None and not is_view:
        _reject_unknown_change(cursor, start)
    return node


def _product_of(keywords: Sequence[str]) -> str | None:
    """The product whose extension takes a table change; None if it is none of these. keywords: from the verb on."""
    if keywords[:1] in (["ALTER"], ["MODIFY"]) and "SET" in keywords[2:4]:
        after = keywords.index("SET", 2) + 1
        return _OF_COLUMNS.get(keywords[after]) if after < len(keywords) else None
    is_column = keywords[:2] == ["DROP", "ROW"] and keywords[2:3] != ["FILTER"]
    return None if is_column else _OF_EXTENSIONS.get((keywords[0], keywords[1])) if len(keywords) > 2 else None


def typo_after_table(cursor: Cursor) -> tuple[int, str] | None:
    """The misspelt keyword after the table's name: its token index, and the intended keyword."""
    if cursor.target_table is None or cursor.words[0] != "ALTER":
        return None
    start = next(i for i, t in enumerate(cursor.tokens) if t.start >= cursor.target_table.span[1])
    typo = change_typo(cursor.words[start : min(start + 5, cursor.count)])
    return (start + typo[0], typo[1]) if typo is not None else None


def _reject_unknown_change(cursor: Cursor, start: int) -> None:
    """Raise ParseError unless Spark's grammar has this table change."""
    keywords = tuple(cursor.words[start : start + 2])
    if keywords in _UNPARSED_CHANGES:
        return
    cursor.is_partition_ddl = True
    verb, object_token = cursor.tokens[start], cursor.tokens[start + 1]
    if not object_token.text and (not verb.text or keywords[0] in _VERBS):
        raise ParseError(object_token, _CHANGES)  # too short
    if keywords[0] in _VERBS:
        cursor.fail_at((verb.start, object_token.end), _CHANGES, "unknown-change")
    raise ParseError(verb, _CHANGES, "unknown-change")


def _mentions_field(cursor: Cursor) -> bool:
    keywords = cursor.words
    return any(
        word == "PARTITION" and keywords[i + 1] == "FIELD" and keywords[i - 1] in _FIELD_VERBS
        for i, word in enumerate(keywords[: cursor.count])
    )


def _field(cursor: Cursor, span: Offsets, table: NamePath) -> Node | None:
    verb = cursor.word
    next_word = cursor.words[cursor.index + 2]
    if next_word == "(" and verb in ("ADD", "DROP"):
        return _hive_partition(cursor, span, table)
    cursor.is_partition_ddl = cursor.is_iceberg = True
    cursor.index += 2
    if next_word in ("FIELDS", "COLUMN", "COLUMNS", "BY"):
        cursor.fail("`FIELD`", "partition-fields")
    if verb == "DROP" and (cursor.token.kind in VALUES or next_word in ("ALL", "ID")):
        cursor.fail("`FIELD`", "drop-rows")
    cursor.expect("FIELD", "missing-field")
    error_kind = {"IF": "if-exists", "(": "parenthesised"}.get(cursor.word, "")
    if error_kind and not (cursor.word == "IF" and cursor.words[cursor.index + 1] in _AFTER_NAME):
        cursor.fail("a column or a transform", error_kind)
    term = read_term(cursor)
    if verb == "DROP":
        _expect_field_end(cursor, "as-in-drop" if cursor.word == "AS" else "")
        return DropField(span, table, term)
    if verb == "ADD":
        name = _field_name(cursor)
        _expect_field_end(cursor)
        return AddField(span, table, term, name)
    cursor.expect("WITH", "missing-with")
    new = read_term(cursor)
    name = _field_name(cursor)
    _expect_field_end(cursor)
    return ReplaceField(span, table, term, new, name)


def _field_name(cursor: Cursor) -> NamePath | None:
    return cursor.single_name("a field name") if cursor.take("AS") else None


def _expect_field_end(cursor: Cursor, error_kind: str = "") -> None:
    """Raise ParseError, with the kind of error, unless a partition field's statement ends here."""
    if cursor.word == ",":
        error_kind = "several-fields"
    elif cursor.word in ("+", "-", "*", "/", "%", "||"):
        error_kind = "expression"
    elif cursor.word == "(":
        error_kind = "nested-transform"
    expect_end(cursor, error_kind)


def _reject_foreign_syntax(cursor: Cursor) -> None:
    """Raise ParseError for the partition DDL of other engines."""
    keywords = cursor.words[cursor.index : cursor.index + 4]
    remaining = cursor.words[cursor.index : cursor.count]
    error_kind = ""
    if keywords[0] == "SET" and keywords[1] in ("PARTITION", "PARTITIONING", "PARTITIONED"):
        error_kind = "set-partition-spec"
    elif keywords[0] == "SET" and keywords[1] == "PROPERTIES" and "PARTITIONING" in remaining:
        error_kind = "partitioning-property"
    elif keywords[:2] in (["PARTITION", "BY"], ["PARTITIONED", "BY"]):
        error_kind = "partition-by"
    elif keywords[:3] == ["RENAME", "PARTITION", "FIELD"]:
        error_kind = "rename-field"
    elif keywords[0] in ("ALTER", "CHANGE", "MODIFY", "UPDATE") and keywords[1:3] == ["PARTITION", "FIELD"]:
        error_kind = "alter-field"
    elif keywords[0] in _FIELD_VERBS and keywords[1] == "FIELD" and keywords[2] not in ("", "."):
        error_kind = "missing-partition"
    elif keywords[0] in _FIELD_VERBS and keywords[1] == "PARTITIONING":
        error_kind = "partition-fields"
    elif cursor.is_iceberg:
        error_kind = "" if _mentions_field(cursor) else "unknown-change"
    else:
        return
    cursor.fail_in_ddl("`ADD PARTITION FIELD`, `DROP PARTITION FIELD` or `REPLACE PARTITION FIELD`", error_kind)


def _hive_partition(cursor: Cursor, span: Offsets, table: NamePath) -> Node:
    return HivePartition(span, table, cursor.word.lower(), cursor.token.span)


def _common_change(cursor: Cursor, span: Offsets, table: NamePath) -> Node | None:
    verb, next_word = cursor.word, cursor.words[cursor.index + 1]
    if verb in ("ADD", "DROP") and next_word == "IF" and "PARTITION" in cursor.words[cursor.index : cursor.index + 6]:
        if "FIELD" in cursor.words[cursor.index : cursor.index + 6]:
            cursor.index += 1
            cursor.fail_in_ddl("`PARTITION FIELD`", "if-exists")
        return _hive_partition(cursor, span, table)
    if verb == "RECOVER" and next_word == "PARTITIONS":
        return _hive_partition(cursor, span, table)
    if verb == "PARTITION" and next_word == "(":
        cursor.index += 1
        cursor.skip_brackets()
        if cursor.is_at("REPLACE", "COLUMNS") or cursor.is_at("CHANGE"):
            cursor.fail_in_ddl("`RENAME TO PARTITION`", "columns-of-partition")
        if not cursor.word:
            cursor.fail_in_ddl("`RENAME TO PARTITION` or `SET LOCATION`")
        return _hive_partition(cursor, span, table)
    if verb == "RENAME" and next_word == "TO":
        cursor.is_partition_ddl = True
        cursor.index += 2
        new = cursor.path("a table name")
        _expect_field_end(cursor)
        return RenameTable(span, table, new)
    if verb in ("SET", "UNSET") and next_word == "TBLPROPERTIES":
        cursor.is_partition_ddl = True
        cursor.index += 2
        if verb == "UNSET":
            cursor.take("IF", "EXISTS")
        property_list = properties(cursor, values=verb == "SET")
        _expect_field_end(cursor)
        if verb == "SET":
            return SetProperties(span, table, property_list)
        return SetProperties(span, table, removed=tuple(p.key for p in property_list))
    if verb == "SET" and next_word in ("PROPERTIES", "(", "OPTIONS"):
        cursor.index += 1
        cursor.fail_in_ddl("`TBLPROPERTIES`", "set-properties")
    return change_columns(cursor, span, table)
