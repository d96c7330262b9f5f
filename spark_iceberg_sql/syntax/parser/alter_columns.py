"""ALTER TABLE that changes columns, and constraints: ADD, DROP, RENAME, ALTER, CHANGE, REPLACE."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.nodes import (
    AddColumns,
    AlterColumn,
    AlterConstraint,
    DropColumns,
    Node,
    RenameColumn,
    ReplaceColumns,
)
from spark_iceberg_sql.syntax.parser.columns import column_after, place, skip_expression
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.data_types import data_type
from spark_iceberg_sql.syntax.terms import ColumnDef, Offsets, Ref

T = TypeVar("T")

_COLUMNS = ("COLUMN", "COLUMNS")
_CONSTRAINTS = frozenset({"CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "FOREIGN"})


def change_columns(cursor: Cursor, span: Offsets, table: Ref) -> Node | None:
    """Read from the verb on; None if the statement changes no columns.

    Raises ParseError, with `is_partition_ddl` set on the cursor, if it changes columns in a syntax that Spark
    lacks.
    """
    verb, what = cursor.word, cursor.words[cursor.i + 1]
    if verb in ("ADD", "DROP") and what in _CONSTRAINTS and not _is_name(cursor, what):
        return _constraint(cursor, span, table)
    if verb in ("ALTER", "CHANGE"):
        cursor.partition = True
        cursor.i += 1
        return _alter_columns(cursor, span, table, hive=verb == "CHANGE")
    if verb == "REPLACE" and what == "COLUMNS":
        cursor.partition = True
        cursor.i += 2
        return _replace_columns(cursor, span, table)
    if verb in ("MODIFY", "EXECUTE") and cursor.i + 1 < cursor.count:
        cursor.partition = True
        cursor.stop("`ALTER COLUMN`", f"{verb.lower()}-elsewhere")
    if verb not in ("ADD", "DROP", "RENAME"):
        return None
    if what not in (_COLUMNS if verb != "RENAME" else ("COLUMN",)):
        _without_column(cursor, verb)
        return None
    cursor.partition = True
    cursor.i += 2
    if cursor.at("IF") and cursor.words[cursor.i + 1] in ("NOT", "!") and verb == "ADD":
        cursor.stop("a column name", "column-if-exists")
    if verb == "ADD":
        return AddColumns(span, table, _new_columns(cursor))
    if verb == "DROP":
        if_exists = cursor.take("IF", "EXISTS")
        return DropColumns(span, table, _names(cursor), if_exists)
    return _rename(cursor, span, table)


def _is_name(cursor: Cursor, what: str) -> bool:
    """True if the word is a column of that name, with COLUMN omitted: `ADD check INT`."""
    after = cursor.words[cursor.i + 2]
    if what in ("PRIMARY", "FOREIGN"):
        return after != "KEY"
    if what == "CONSTRAINT":
        return cursor.i + 2 >= cursor.count
    return after != "("


def _constraint(cursor: Cursor, span: Offsets, table: Ref) -> Node:
    start = cursor.token.start
    return AlterConstraint(span, table, (start, span[1]), cursor.word.lower())


def _without_column(cursor: Cursor, verb: str) -> None:
    """Raise ParseError for `ADD x INT`, `DROP x`, `RENAME x TO y`: other engines let one omit COLUMN."""
    name = cursor.tokens[cursor.i + 1]
    after = cursor.tokens[cursor.i + 2]
    named = name.kind in (Kind.WORD, Kind.QUOTED) or name.text == "("
    if verb == "DROP" and cursor.i + 2 < cursor.count:
        return
    if verb == "RENAME" and cursor.words[cursor.i + 2] != "TO":
        return
    if named and (verb == "DROP" or after.text):
        cursor.partition = True
        cursor.i += 1
        cursor.stop("`COLUMN`", "missing-column")


def _rename(cursor: Cursor, span: Offsets, table: Ref) -> Node:
    old = cursor.path("a column name")
    cursor.expect("TO")
    start = cursor.token.start
    name = cursor.name("a column name")
    new = cursor.since(start)
    end(cursor, "nested-new-name" if cursor.word == "." else "")
    return RenameColumn(span, table, old, Ref((name,), new, cursor.script[new[0] : new[1]]))


def end(cursor: Cursor, like: str = "") -> None:
    """Raise ParseError unless the statement ends here."""
    if not cursor.done:
        cursor.stop("the end of the statement", like)


def _replace_columns(cursor: Cursor, span: Offsets, table: Ref) -> Node:
    if cursor.word != "(":
        cursor.stop("`(`")
    columns = _new_columns(cursor)
    for name, definition in columns:
        odd = definition.position or definition.default
        if len(name.parts) > 1:
            odd = name.span
        if odd is None and definition.required:
            odd = definition.type_span[1], definition.type_span[1]
            odd = next((t.start, t.end) for t in cursor.tokens if t.start >= odd[0])
        if odd is not None:
            token = Token(Kind.WORD, cursor.script[odd[0] : odd[1]], *odd)
            raise Stop(token, "a column name, its type and a comment", "plain-columns")
    return ReplaceColumns(span, table, tuple(d for _, d in columns))


def _new_columns(cursor: Cursor) -> tuple[tuple[Ref, ColumnDef], ...]:
    def one() -> tuple[Ref, ColumnDef]:
        name = cursor.path("a column name")
        return name, column_after(cursor, name.parts[-1], name.span, position=True)

    return _listed(cursor, one)


def _names(cursor: Cursor) -> tuple[Ref, ...]:
    return _listed(cursor, lambda: cursor.path("a column name"))


def _listed(cursor: Cursor, one: Callable[[], T]) -> tuple[T, ...]:
    """The remaining statement: a comma-separated list, with or without brackets. read_item: reads one item."""
    brackets = cursor.take("(")
    found = [one()]
    while cursor.take(","):
        found.append(one())
    if brackets:
        cursor.expect(")")
    end(cursor)
    return tuple(found)


def _alter_columns(cursor: Cursor, span: Offsets, table: Ref, *, hive: bool) -> AlterColumn:
    """Read the changes, with COLUMN as a keyword, or if that fails, as a column's name."""
    start = cursor.i
    if cursor.take("COLUMN"):
        try:
            return _changes(cursor, span, table, hive=hive)
        except Stop as stop:
            first = stop
        cursor.i = start
        try:
            return _changes(cursor, span, table, hive=hive)
        except Stop:
            raise first from None
    return _changes(cursor, span, table, hive=hive)


def _changes(cursor: Cursor, span: Offsets, table: Ref, *, hive: bool) -> AlterColumn:
    changes = [_alter_column(cursor, span, table, hive=hive)]
    while not hive and cursor.take(","):
        changes.append(_alter_column(cursor, span, table, hive=False))
    end(cursor)
    return replace(changes[0], more=tuple(changes[1:]))


def _alter_column(cursor: Cursor, span: Offsets, table: Ref, *, hive: bool) -> AlterColumn:
    name = cursor.path("a column name")
    start = cursor.i
    try:
        change = _action(cursor, span, table, name)
        if cursor.done or not hive:
            return change
    except Stop:
        if not hive or start >= cursor.count:
            raise
    cursor.i = start
    return _hive_change(cursor, span, table, name)


def _action(cursor: Cursor, span: Offsets, table: Ref, name: Ref) -> AlterColumn:
    first, word = cursor.token, cursor.word
    if cursor.take("TYPE"):
        start = cursor.token.start
        kind = data_type(cursor)
        type_span = cursor.since(start)
        text = cursor.script[type_span[0] : type_span[1]]
        return AlterColumn(span, table, name, kind, text, type_span)
    if cursor.take("COMMENT"):
        cursor.string()
        return AlterColumn(span, table, name)
    if word in ("FIRST", "AFTER"):
        after = place(cursor)
        position = cursor.since(first.start)
        return AlterColumn(span, table, name, position=position, after=after)
    if word not in ("SET", "DROP"):
        cursor.stop("`TYPE`, `COMMENT`, `SET`, `DROP`, `FIRST` or `AFTER`", "nothing-to-alter")
    cursor.i += 1
    if cursor.take("NOT", "NULL") or cursor.take("!", "NULL"):
        return AlterColumn(span, table, name, required=word == "SET")
    cursor.expect("DEFAULT")
    if word == "SET":
        skip_expression(cursor)
    return AlterColumn(span, table, name, default=cursor.since(first.start))


def _hive_change(cursor: Cursor, span: Offsets, table: Ref, name: Ref) -> AlterColumn:
    """Read the new name, type and position of CHANGE COLUMN."""
    start = cursor.token.start
    new = cursor.name("a column name")
    new_span = cursor.since(start)
    definition = column_after(cursor, new, new_span, position=True)
    return AlterColumn(
        span,
        table,
        name,
        definition.type,
        definition.type_text,
        definition.type_span,
        True if definition.required else None,
        Ref((new,), new_span, cursor.script[new_span[0] : new_span[1]]),
        definition.default or definition.generated,
        definition.position,
        definition.after,
    )
