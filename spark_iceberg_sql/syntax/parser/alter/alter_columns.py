"""ALTER TABLE that changes columns, and constraints: ADD, DROP, RENAME, ALTER, CHANGE, REPLACE."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax.clickhouse.procedures import PROCEDURES, UnknownArgumentError, execute_arguments
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted, string_literal
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token
from spark_iceberg_sql.syntax.nodes import (
    AddColumns,
    AlterColumn,
    AlterConstraint,
    DropColumns,
    Node,
    RenameColumn,
    ReplaceColumns,
)
from spark_iceberg_sql.syntax.parser.columns import column_after, column_position, skip_expression, type_and_span
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.terms import ColumnDef, NamePath, Offsets

_COLUMNS = ("COLUMN", "COLUMNS")
_ACTIONS = ("TYPE", "COMMENT", "SET", "DROP", "FIRST", "AFTER")
_CONSTRAINTS = frozenset({"CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "FOREIGN"})


def change_columns(cursor: Cursor, span: Offsets, table: NamePath) -> Node | None:
    """Read from the verb on; None if the statement changes no columns.

    Raises ParseError, with `is_partition_ddl` set on the cursor, if it changes columns in a syntax that Spark lacks.
    """
    verb, next_word = cursor.word, cursor.words[cursor.index + 1]
    if verb in ("ADD", "DROP") and next_word in _CONSTRAINTS and not _is_column_name(cursor, next_word):
        return AlterConstraint(span, table, (cursor.token.start, span[1]), verb.lower())
    if verb in ("ALTER", "CHANGE"):
        cursor.is_partition_ddl = True
        cursor.index += 1
        return _alter_columns(cursor, span, table, is_hive=verb == "CHANGE")
    if verb == "REPLACE" and next_word == "COLUMNS":
        cursor.is_partition_ddl = True
        cursor.index += 2
        return _replace_columns(cursor, span, table)
    if verb == "MODIFY" and cursor.index + 1 < cursor.count:
        cursor.fail_in_ddl("`ALTER COLUMN`", "modify-elsewhere")
    if verb == "EXECUTE" and cursor.index + 1 < cursor.count:
        cursor.fail_in_ddl(
            f"`{_procedure_call(cursor.tokens[cursor.index + 1 : cursor.count], table)}`", "execute-elsewhere"
        )
    if verb not in ("ADD", "DROP", "RENAME"):
        return None
    if next_word not in (_COLUMNS if verb != "RENAME" else ("COLUMN",)):
        _reject_missing_column(cursor, verb)
        return None
    cursor.is_partition_ddl = True
    cursor.index += 2
    if cursor.is_at("IF") and cursor.words[cursor.index + 1] in ("NOT", "!") and verb == "ADD":
        cursor.fail("a column name", "column-if-exists")
    if verb == "ADD":
        return AddColumns(span, table, _new_columns(cursor))
    if verb == "DROP":
        if_exists = cursor.take("IF", "EXISTS")
        names = tuple([cursor.path("a column name") for _ in cursor.comma_list(may_have_brackets=True)])
        expect_end(cursor)
        return DropColumns(span, table, names, if_exists)
    return _rename(cursor, span, table)


def _procedure_call(tokens: Sequence[Token], table: NamePath) -> str:
    """The CALL of the procedure that another engine calls by EXECUTE. tokens: from the procedure's name on."""
    word = tokens[0].text.lower()
    try:
        procedure, arguments = execute_arguments(tokens) or (PROCEDURES.get(word, word), {})
    except UnknownArgumentError as error:
        procedure, arguments = error.procedure, error.safe_arguments
    if procedure == "remove_orphan_files":
        arguments = {**arguments, "dry_run": "true"}  # it lists what would be deleted
    catalog, name = ("catalog", table.parts) if len(table.parts) < 3 else (quoted(table.parts[0]), table.parts[1:])
    pairs = {"table": string_literal(qualified_name(name)), **arguments}
    return f"CALL {catalog}.system.{procedure}({', '.join(f'{key} => {value}' for key, value in pairs.items())})"


def _is_column_name(cursor: Cursor, word: str) -> bool:
    """True if the word is a column of that name, with COLUMN omitted: `ADD check INT`."""
    next_word = cursor.words[cursor.index + 2]
    if word in ("PRIMARY", "FOREIGN"):
        return next_word != "KEY"
    if word == "CONSTRAINT":
        return cursor.index + 2 >= cursor.count
    return next_word != "("


def _reject_missing_column(cursor: Cursor, verb: str) -> None:
    """Raise ParseError for `ADD x INT`, `DROP x`, `RENAME x TO y`: other engines let one omit COLUMN."""
    name = cursor.tokens[cursor.index + 1]
    next_token = cursor.tokens[cursor.index + 2]
    is_name_like = name.kind in NAME_KINDS or name.text == "("
    if verb == "DROP" and cursor.index + 2 < cursor.count:
        return
    if verb == "RENAME" and cursor.words[cursor.index + 2] != "TO":
        _reject_missing_to(cursor)
        return
    if is_name_like and (verb == "DROP" or next_token.text):
        cursor.index += 1
        cursor.fail_in_ddl("`COLUMN`", "missing-column")


def _reject_missing_to(cursor: Cursor) -> None:
    """Raise ParseError for `RENAME new_name`, at the name."""
    names = cursor.tokens[cursor.index + 1 : cursor.count]
    if names and all(t.text == "." if i % 2 else t.kind in NAME_KINDS for i, t in enumerate(names)) and len(names) % 2:
        cursor.index += 1
        new_name = cursor.script[names[0].start : names[-1].end]
        cursor.fail_in_ddl(f"`RENAME TO {new_name}`", "missing-to")


def _rename(cursor: Cursor, span: Offsets, table: NamePath) -> Node:
    old = cursor.path("a column name")
    cursor.expect("TO")
    new_name = cursor.single_name("a column name")
    expect_end(cursor, "nested-new-name" if cursor.word == "." else "")
    return RenameColumn(span, table, old, new_name)


def expect_end(cursor: Cursor, error_kind: str = "") -> None:
    """Raise ParseError unless the statement ends here."""
    if not cursor.done:
        cursor.fail("the end of the statement", error_kind)


def _replace_columns(cursor: Cursor, span: Offsets, table: NamePath) -> Node:
    if cursor.word != "(":
        cursor.fail("`(`")
    columns = _new_columns(cursor)
    for name, definition in columns:
        refused_span = definition.position or definition.default
        if len(name.parts) > 1:
            refused_span = name.span
        if refused_span is None and definition.required:
            refused_span = next(t.span for t in cursor.tokens if t.start >= definition.type_span[1])
        if refused_span is not None:
            cursor.fail_at(refused_span, "a column name, its type and a comment", "plain-columns")
    return ReplaceColumns(span, table, tuple(d for _, d in columns))


def _new_columns(cursor: Cursor) -> tuple[tuple[NamePath, ColumnDef], ...]:
    columns = []
    for _ in cursor.comma_list(may_have_brackets=True):
        name = cursor.path("a column name")
        columns.append((name, column_after(cursor, name.parts[-1], name.span, position=True)))
    expect_end(cursor)
    return tuple(columns)


def _alter_columns(cursor: Cursor, span: Offsets, table: NamePath, *, is_hive: bool) -> AlterColumn:
    """Read the changes, with COLUMN as a keyword, or if that fails, as a column's name."""
    start = cursor.index
    if not cursor.take("COLUMN"):
        return _changes(cursor, span, table, is_hive=is_hive)
    try:
        return _changes(cursor, span, table, is_hive=is_hive)
    except ParseError as error:
        cursor.index = start
        try:
            return _changes(cursor, span, table, is_hive=is_hive)
        except ParseError:
            raise error from None


def _changes(cursor: Cursor, span: Offsets, table: NamePath, *, is_hive: bool) -> AlterColumn:
    changes = [_alter_column(cursor, span, table, is_hive=is_hive)]
    while not is_hive and cursor.take(","):
        changes.append(_alter_column(cursor, span, table, is_hive=False))
    if cursor.word in _ACTIONS and not is_hive:
        rest = cursor.script[cursor.token.start : cursor.tokens[cursor.count - 1].end]
        cursor.fail(f"`ALTER TABLE {table.text} ALTER COLUMN {changes[-1].column.text} {rest}`", "several-actions")
    expect_end(cursor)
    return replace(changes[0], other_changes=tuple(changes[1:]))


def _alter_column(cursor: Cursor, span: Offsets, table: NamePath, *, is_hive: bool) -> AlterColumn:
    name = cursor.path("a column name")
    start = cursor.index
    try:
        change = _action(cursor, span, table, name)
        if cursor.done or not is_hive:
            return change
    except ParseError:
        if not is_hive or start >= cursor.count:
            raise
    cursor.index = start
    return _hive_change(cursor, span, table, name)


def _action(cursor: Cursor, span: Offsets, table: NamePath, name: NamePath) -> AlterColumn:
    first_token, word = cursor.token, cursor.word
    if cursor.take("TYPE"):
        return AlterColumn(span, table, name, *type_and_span(cursor))
    if cursor.take("COMMENT"):
        cursor.string()
        return AlterColumn(span, table, name)
    if word in ("FIRST", "AFTER"):
        after_column = column_position(cursor)
        position = cursor.since(first_token.start)
        return AlterColumn(span, table, name, position=position, after_column=after_column)
    next_words = cursor.words[cursor.index + 1 : cursor.index + 3]
    if word == "SET" and (next_words[0] == "TYPE" or next_words == ["DATA", "TYPE"]):
        cursor.fail(f"`ALTER TABLE {table.text} ALTER COLUMN {name.text} TYPE ...`", "set-type")
    if word not in ("SET", "DROP"):
        cursor.fail("`TYPE`, `COMMENT`, `SET`, `DROP`, `FIRST` or `AFTER`", "nothing-to-alter")
    cursor.index += 1
    if cursor.take("NOT", "NULL") or cursor.take("!", "NULL"):
        return AlterColumn(span, table, name, required=word == "SET")
    cursor.expect("DEFAULT")
    if word == "SET":
        skip_expression(cursor)
    return AlterColumn(span, table, name, default=cursor.since(first_token.start))


def _hive_change(cursor: Cursor, span: Offsets, table: NamePath, name: NamePath) -> AlterColumn:
    """Read the new name, type and position of CHANGE COLUMN."""
    new_name = cursor.single_name("a column name")
    definition = column_after(cursor, new_name.parts[0], new_name.span, position=True)
    return AlterColumn(
        span,
        table,
        name,
        definition.type,
        definition.type_text,
        definition.type_span,
        True if definition.required else None,
        new_name,
        definition.default or definition.generated,
        definition.position,
        definition.after_column,
    )
