"""ClickHouse's ALTER TABLE in Spark's words.

ALTER TABLE t ADD COLUMN a Nullable(Int64)               ALTER TABLE t ADD COLUMNS (a BIGINT)
ALTER TABLE t MODIFY COLUMN a Nullable(Int64)            ALTER TABLE t ALTER COLUMN a TYPE BIGINT
ALTER TABLE t UPDATE a = 1 WHERE b                       UPDATE t SET a = 1 WHERE b
"""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.clickhouse_tables import comment_of, name_end
from spark_iceberg_sql.syntax.clickhouse_types import column_name, is_theirs, spark_type
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Token


@dataclass(frozen=True, slots=True)
class Altered:
    """An ALTER TABLE in Spark's syntax.

    text: replaces the tokens from `start` on. changed_table: its name. column, nullable: of the one whose
    type changes.
    """

    start: int
    text: str
    writes: str
    column: str | None = None
    nullable: bool = True


def altered(tokens: list[Token], text: str) -> Altered | None:
    """The translation of an ALTER TABLE in syntax that Spark does not have; None for any other statement.

    tokens: from ALTER on. text: of the full statement. Raises IcebergSqlError for syntax without an
    equivalent.
    """
    end = name_end(tokens, 2)
    if [t.word for t in tokens[:2]] != ["ALTER", "TABLE"] or end == 2 or end >= len(tokens):
        return None
    name = text[tokens[2].start : tokens[end - 1].end]
    actions = between_commas(tokens[end:])
    words = [[t.word for t in action[:2]] for action in actions]
    if words[0][:1] in (["UPDATE"], ["DELETE"]) and not any(
        t.word == "WHERE" for t in tokens[end:]
    ):
        verb = words[0][0]
        raise IcebergSqlError(
            f"ALTER TABLE ... {verb} has no WHERE",
            help=f"write the condition; {verb} ... WHERE true is every row",
        )
    if words[0][:2] == ["DROP", "PARTITION"] and actions[0][2:] and actions[0][2].kind in STRINGS:
        raise IcebergSqlError(
            "Iceberg has no DROP PARTITION by a value: rows are deleted by a condition on their columns",
            help=f"write DELETE FROM {name} WHERE ..., with the partition's range of values",
        )
    if words[0][:1] == ["UPDATE"]:
        last = tokens[-2:]
        every = len(last) == 2 and last[0].word == "WHERE" and last[1].text == "1"
        rest = text[tokens[end + 1].start : tokens[-1].start if every else tokens[-1].end]
        rest += "true" if every else ""
        return Altered(tokens[0].start, f"UPDATE {name} SET {rest}", name)
    if words[0] == ["MODIFY", "COLUMN"]:
        return _modified(tokens[0].start, actions, name)
    typed = next((i for i, t in enumerate(actions[0]) if t.word == "TYPE"), None)
    if words[0] == ["ALTER", "COLUMN"] and len(actions) == 1 and typed is not None:
        if typed == name_end(actions[0], 2) and is_theirs(actions[0][typed + 1 :]):
            column = actions[0][:typed] + actions[0][typed + 1 :]
            return _modified(tokens[0].start, [column], name)
        return None
    added = [action[2:] for action in actions]
    if all(w == ["ADD", "COLUMN"] for w in words) and (len(actions) > 1 or is_theirs(added[0][1:])):
        columns = ", ".join(_added(action) for action in added)
        return Altered(tokens[0].start, f"ALTER TABLE {name} ADD COLUMNS ({columns})", name)
    return None


def _added(tokens: list[Token]) -> str:
    if [t.word for t in tokens[:3]] == ["IF", "NOT", "EXISTS"]:
        raise IcebergSqlError("ADD COLUMN has no IF NOT EXISTS in Spark\nhelp: leave it out")
    name = column_name(tokens[0])
    kind, rest = spark_type(name, tokens[1:])
    if not kind.nullable and not kind.nested:
        written = "".join(t.text for t in tokens[1 : len(tokens) - len(rest)])
        raise IcebergSqlError(
            f"existing rows have no value for the new column `{name}`, so it must be nullable",
            help=f"write ADD COLUMN {name} Nullable({written})",
        )
    place = ""
    if rest and rest[-1].word == "FIRST":
        rest, place = rest[:-1], " FIRST"
    elif len(rest) > 1 and rest[-2].word == "AFTER":
        rest, place = rest[:-2], f" AFTER {quoted(column_name(rest[-1]))}"
    return f"{quoted(name)} {kind.text}{comment_of(name, rest)}{place}"


def _modified(start: int, actions: list[list[Token]], name: str) -> Altered:
    if len(actions) > 1:
        raise IcebergSqlError(
            "Spark changes one column in a statement\nhelp: write one ALTER TABLE for each column"
        )
    tokens = actions[0][2:]
    if not tokens:
        raise IcebergSqlError(
            "MODIFY COLUMN names no column\nhelp: write MODIFY COLUMN a Nullable(Int64)"
        )
    parts = tokens[: name_end(tokens, 0) or 1]
    column = ".".join(quoted(column_name(t)) for t in parts[::2])
    rest = tokens[len(parts) :]
    head = f"ALTER TABLE {name} ALTER COLUMN {column}"
    if rest and rest[0].word == "COMMENT":
        return Altered(start, head + comment_of(column, rest), name)
    if [t.word for t in rest] == ["FIRST"]:
        return Altered(start, f"{head} FIRST", name)
    if [t.word for t in rest[:1]] == ["AFTER"] and len(rest) == 2:
        return Altered(start, f"{head} AFTER {quoted(column_name(rest[1]))}", name)
    if [t.word for t in tokens[:2]] == ["IF", "EXISTS"]:
        raise IcebergSqlError("MODIFY COLUMN has no IF EXISTS in Spark\nhelp: leave it out")
    if [t.word for t in rest[:1]] == ["REMOVE"]:
        words = " ".join(t.text for t in rest)
        raise IcebergSqlError(f"Spark has no `{words}` for a column")
    kind, after = spark_type(column, rest)
    if after:
        raise IcebergSqlError(
            f"`{after[0].text}` is not supported after MODIFY COLUMN and a type",
            help="leave it out",
        )
    return Altered(start, f"{head} TYPE {kind.text}", name, column, kind.nullable or kind.nested)
