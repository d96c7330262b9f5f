"""ALTER TABLE: partition fields, columns, properties, names; other changes are not parsed."""

from __future__ import annotations

from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.nodes import (
    AddField,
    DropField,
    HivePartition,
    Node,
    RenameTable,
    ReplaceField,
    SetProperties,
)
from spark_iceberg_sql.syntax.parser.alter_columns import change_columns, end
from spark_iceberg_sql.syntax.parser.alter_iceberg import icebergs_own
from spark_iceberg_sql.syntax.parser.clauses import properties
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.terms import read_term
from spark_iceberg_sql.syntax.parser.typos import change
from spark_iceberg_sql.syntax.routing import says_icebergs
from spark_iceberg_sql.syntax.terms import Offsets, Ref

_AFTER_NAME = ("", "(", ".", "AS", "WITH")  # if IF is a column's name
_FIELD_VERBS = ("ADD", "DROP", "REPLACE")
# Spark's statements that change neither columns nor partitioning; not parsed further.
_SPARKS_OWN =(
    ("SET", "LOCATION"), ("SET", "SERDE"), ("SET", "SERDEPROPERTIES"), ("DEFAULT", "COLLATION"),
    ("CLUSTER", "BY"), ("PARTITION", "("),
)  # fmt: skip
_VERBS = ("ADD", "DROP", "RENAME", "SET", "UNSET", "REPLACE", "RECOVER", "WRITE", "CREATE")
_CHANGES = "`ADD`, `DROP`, `ALTER` or `RENAME COLUMN`, `ADD PARTITION FIELD`, `SET TBLPROPERTIES`"


def alter_table(cursor: Cursor, span: Offsets) -> Node | None:
    """Read from ALTER TABLE (or VIEW) on; None if the statement is not relevant.

    Raises ParseError, with `is_partition_ddl` set on the cursor, for partition DDL that cannot be parsed.
    """
    view = cursor.words[cursor.i + 1] == "VIEW"
    cursor.i += 2
    if cursor.at("IF", "EXISTS"):
        if view:
            return None
        cursor.partition = True
        cursor.stop("a table name", "if-exists" if _mentions_field(cursor) else "alter-if-exists")
    ahead = cursor.words[cursor.i + 1 : cursor.i + 3]
    if cursor.word in _FIELD_VERBS and (ahead == ["PARTITION", "FIELD"] or ahead[0] == "COLUMN"):
        cursor.partition = True
        cursor.stop("a table name", "missing-table")
    cursor.iceberg = not view and says_icebergs(cursor.words[: cursor.count])
    cursor.partition = not view
    table = cursor.target = cursor.table()
    if view and _mentions_field(cursor):
        cursor.partition = True
        raise Stop(cursor.tokens[cursor.i], "a table", "view-field")
    start = cursor.i
    word, after = cursor.word, cursor.words[cursor.i + 1]
    if word in _FIELD_VERBS and after == "PARTITION":
        return _field(cursor, span, table)
    if cursor.iceberg:
        own = icebergs_own(cursor, span, table)
        if own is not None:
            return own
        cursor.i = start
    _foreign(cursor)
    cursor.partition = cursor.iceberg = False
    node = _plain(cursor, span, table)
    if node is None and not view:
        _not_a_change(cursor, start)
    return node


def slip(cursor: Cursor) -> tuple[int, str] | None:
    """The misspelt keyword after the table's name: its token index, and the intended keyword."""
    if cursor.target is None or cursor.words[0] != "ALTER":
        return None
    start = next(i for i, t in enumerate(cursor.tokens) if t.start >= cursor.target.span[1])
    found = change(cursor.words[start : min(start + 5, cursor.count)])
    return (start + found[0], found[1]) if found is not None else None


def _not_a_change(cursor: Cursor, start: int) -> None:
    """Raise ParseError unless Spark's grammar has this table change."""
    words = tuple(cursor.words[start : start + 2])
    if words in _SPARKS_OWN:
        return
    cursor.partition = True
    verb, what = cursor.tokens[start], cursor.tokens[start + 1]
    if not what.text and (not verb.text or words[0] in _VERBS):
        raise Stop(what, _CHANGES)  # too short
    if words[0] in _VERBS:
        verb = Token(Kind.WORD, cursor.script[verb.start : what.end], verb.start, what.end)
    raise Stop(verb, _CHANGES, "unknown-change")


def _mentions_field(cursor: Cursor) -> bool:
    words = cursor.words
    return any(
        word == "PARTITION" and words[i + 1] == "FIELD" and words[i - 1] in _FIELD_VERBS
        for i, word in enumerate(words[: cursor.count])
    )


def _field(cursor: Cursor, span: Offsets, table: Ref) -> Node | None:
    verb = cursor.word
    after = cursor.words[cursor.i + 2]
    if after == "(" and verb in ("ADD", "DROP"):
        return _hive(cursor, span, table)
    cursor.partition = cursor.iceberg = True
    cursor.i += 2
    if after in ("FIELDS", "COLUMN", "COLUMNS", "BY"):
        cursor.stop("`FIELD`", "partition-fields")
    cursor.expect("FIELD", "missing-field")
    like = {"IF": "if-exists", "(": "parenthesised"}.get(cursor.word, "")
    if like and not (cursor.word == "IF" and cursor.words[cursor.i + 1] in _AFTER_NAME):
        cursor.stop("a column or a transform", like)
    term = read_term(cursor)
    if verb == "DROP":
        _end(cursor, "as-in-drop" if cursor.word == "AS" else "")
        return DropField(span, table, term)
    if verb == "ADD":
        name = _field_name(cursor)
        _end(cursor)
        return AddField(span, table, term, name)
    cursor.expect("WITH", "missing-with")
    new = read_term(cursor)
    name = _field_name(cursor)
    _end(cursor)
    return ReplaceField(span, table, term, new, name)


def _field_name(cursor: Cursor) -> Ref | None:
    if not cursor.take("AS"):
        return None
    token = cursor.token
    name = cursor.name("a field name")
    return Ref((name,), (token.start, token.end), token.text)


def _end(cursor: Cursor, like: str = "") -> None:
    """Raise ParseError, with the kind of error, unless a partition field's statement ends here."""
    if cursor.word == ",":
        like = "several-fields"
    elif cursor.word in ("+", "-", "*", "/", "%", "||"):
        like = "expression"
    elif cursor.word == "(":
        like = "nested-transform"
    end(cursor, like)


def _foreign(cursor: Cursor) -> None:
    """Raise ParseError for the partition DDL of other engines."""
    words = cursor.words[cursor.i : cursor.i + 4]
    rest = cursor.words[cursor.i : cursor.count]
    like = ""
    if words[0] == "SET" and words[1] in ("PARTITION", "PARTITIONING", "PARTITIONED"):
        like = "set-partition-spec"
    elif words[0] == "SET" and words[1] == "PROPERTIES" and "PARTITIONING" in rest:
        like = "partitioning-property"
    elif words[:2] in (["PARTITION", "BY"], ["PARTITIONED", "BY"]):
        like = "partition-by"
    elif words[:3] == ["RENAME", "PARTITION", "FIELD"]:
        like = "rename-field"
    elif words[0] in ("ALTER", "CHANGE", "MODIFY", "UPDATE") and words[1:3] == [
        "PARTITION",
        "FIELD",
    ]:
        like = "alter-field"
    elif words[0] in _FIELD_VERBS and words[1] == "FIELD" and words[2] not in ("", "."):
        like = "missing-partition"
    elif words[0] in _FIELD_VERBS and words[1] == "PARTITIONING":
        like = "partition-fields"
    elif cursor.iceberg:
        like = "" if _mentions_field(cursor) else "unknown-change"
    else:
        return
    cursor.partition = True
    cursor.stop("`ADD PARTITION FIELD`, `DROP PARTITION FIELD` or `REPLACE PARTITION FIELD`", like)


def _hive(cursor: Cursor, span: Offsets, table: Ref) -> Node:
    token = cursor.token
    return HivePartition(span, table, cursor.word.lower(), (token.start, token.end))


def _plain(cursor: Cursor, span: Offsets, table: Ref) -> Node | None:
    verb, what = cursor.word, cursor.words[cursor.i + 1]
    if (
        verb in ("ADD", "DROP")
        and what == "IF"
        and "PARTITION" in cursor.words[cursor.i : cursor.i + 6]
    ):
        if "FIELD" in cursor.words[cursor.i : cursor.i + 6]:
            cursor.partition = True
            cursor.i += 1
            cursor.stop("`PARTITION FIELD`", "if-exists")
        return _hive(cursor, span, table)
    if verb == "RECOVER" and what == "PARTITIONS":
        return _hive(cursor, span, table)
    if verb == "PARTITION" and what == "(":
        cursor.i += 1
        cursor.skip_brackets()
        if cursor.at("REPLACE", "COLUMNS") or cursor.at("CHANGE"):
            cursor.partition = True
            cursor.stop("`RENAME TO PARTITION`", "columns-of-partition")
        if not cursor.word:
            cursor.partition = True
            cursor.stop("`RENAME TO PARTITION` or `SET LOCATION`")
        return _hive(cursor, span, table)
    if verb == "RENAME" and what == "TO":
        cursor.partition = True
        cursor.i += 2
        new = cursor.path("a table name")
        _end(cursor)
        return RenameTable(span, table, new)
    if verb in ("SET", "UNSET") and what == "TBLPROPERTIES":
        cursor.partition = True
        cursor.i += 2
        if verb == "UNSET":
            cursor.take("IF", "EXISTS")
        found = properties(cursor, values=verb == "SET")
        _end(cursor)
        if verb == "SET":
            return SetProperties(span, table, found)
        return SetProperties(span, table, removed=tuple(p.key for p in found))
    if verb == "SET" and what in ("PROPERTIES", "(", "OPTIONS"):
        cursor.partition = True
        cursor.i += 1
        cursor.stop("`TBLPROPERTIES`", "set-properties")
    return change_columns(cursor, span, table)
