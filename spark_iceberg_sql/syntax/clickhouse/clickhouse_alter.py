"""ClickHouse's ALTER TABLE in Spark's words.

ALTER TABLE t ADD COLUMN a Nullable(Int64)               ALTER TABLE t ADD COLUMNS (a BIGINT) ALTER TABLE t MODIFY
COLUMN a Nullable(Int64)            ALTER TABLE t ALTER COLUMN a TYPE BIGINT ALTER TABLE t UPDATE a = 1 WHERE b UPDATE t
SET a = 1 WHERE b
"""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.clickhouse.clickhouse_tables import comment_of, name_end
from spark_iceberg_sql.syntax.clickhouse.clickhouse_types import column_name, is_clickhouse_type, spark_type
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind


@dataclass(frozen=True, slots=True)
class AlterTranslation:
    """An ALTER TABLE in Spark's syntax.

    text: replaces the tokens from `start` on. changed_table: its name. column, nullable: of the one whose type changes.
    """

    start: int
    text: str
    changed_table: str
    column: str | None = None
    nullable: bool = True


def translate_alter(tokens: list[Token], text: str) -> AlterTranslation | None:
    """The translation of an ALTER TABLE in syntax that Spark does not have; None for any other statement.

    tokens: from ALTER on. text: of the full statement. Raises IcebergSqlError for syntax without an equivalent.
    """
    end = name_end(tokens, 2)
    if [t.word for t in tokens[:2]] != ["ALTER", "TABLE"] or end == 2 or end >= len(tokens):
        return None
    name = text[tokens[2].start : tokens[end - 1].end]
    actions = between_commas(tokens[end:])
    action_words = [[t.word for t in action[:2]] for action in actions]
    if action_words[0][:1] in (["UPDATE"], ["DELETE"]) and not any(t.word == "WHERE" for t in tokens[end:]):
        verb = action_words[0][0]
        raise IcebergSqlError(
            f"ALTER TABLE ... {verb} has no WHERE", help=f"write the condition; {verb} ... WHERE true is every row"
        )
    if action_words[0][:2] == ["DROP", "PARTITION"] and _is_value(tokens[end + 2 :]):
        is_all = [t.word for t in tokens[end + 2 :]] == ["ALL"]
        condition = "true" if is_all else "..., with the partition's range of values"
        raise IcebergSqlError(
            "Iceberg has no DROP PARTITION by a value: rows are deleted by a condition on their columns",
            help=f"write DELETE FROM {name} WHERE {condition}",
        )
    if action_words[0][:1] == ["UPDATE"]:
        last = tokens[-2:]
        updates_all_rows = len(last) == 2 and last[0].word == "WHERE" and last[1].text == "1"
        assignments = text[tokens[end + 1].start : tokens[-1].start if updates_all_rows else tokens[-1].end]
        assignments += "true" if updates_all_rows else ""
        return AlterTranslation(tokens[0].start, f"UPDATE {name} SET {assignments}", name)
    if action_words[0] == ["MODIFY", "COLUMN"]:
        return _modified_column(tokens[0].start, actions, name)
    type_index = next((i for i, t in enumerate(actions[0]) if t.word == "TYPE"), None)
    if action_words[0] == ["ALTER", "COLUMN"] and len(actions) == 1 and type_index is not None:
        if type_index == name_end(actions[0], 2) and is_clickhouse_type(actions[0][type_index + 1 :]):
            column = actions[0][:type_index] + actions[0][type_index + 1 :]
            return _modified_column(tokens[0].start, [column], name)
        return None
    column_actions = [action[2:] for action in actions]
    if all(w == ["ADD", "COLUMN"] for w in action_words) and (
        len(actions) > 1 or is_clickhouse_type(column_actions[0][1:])
    ):
        columns = ", ".join(_added_column(action) for action in column_actions)
        return AlterTranslation(tokens[0].start, f"ALTER TABLE {name} ADD COLUMNS ({columns})", name)
    return None


def _is_value(tokens: list[Token]) -> bool:
    """True for what ClickHouse has after DROP PARTITION: a value, a tuple of values, an ID, or ALL."""
    if not tokens:
        return False
    if tokens[0].kind in (*STRINGS, TokenKind.NUMBER) or tokens[0].word in ("ALL", "TUPLE"):
        return tokens[0].word != "ALL" or len(tokens) == 1
    if tokens[0].word == "ID":
        return len(tokens) == 2 and tokens[1].kind in STRINGS
    literals = [token for token in tokens[1:-1] if token.text not in (",", "(", ")", "-")]
    is_tuple = (tokens[0].text, tokens[-1].text) == ("(", ")") and len(tokens) > 2
    return is_tuple and all(token.kind in (*STRINGS, TokenKind.NUMBER) for token in literals)


def _added_column(tokens: list[Token]) -> str:
    if [t.word for t in tokens[:3]] == ["IF", "NOT", "EXISTS"]:
        raise IcebergSqlError("ADD COLUMN has no IF NOT EXISTS in Spark\nhelp: leave it out")
    name = column_name(tokens[0])
    column_type, remaining = spark_type(name, tokens[1:])
    if not column_type.nullable and not column_type.nested:
        type_text = "".join(t.text for t in tokens[1 : len(tokens) - len(remaining)])
        raise IcebergSqlError(
            f"existing rows have no value for the new column `{name}`, so it must be nullable",
            help=f"write ADD COLUMN {name} Nullable({type_text})",
        )
    position_clause = ""
    if remaining and remaining[-1].word == "FIRST":
        remaining, position_clause = remaining[:-1], " FIRST"
    elif len(remaining) > 1 and remaining[-2].word == "AFTER":
        remaining, position_clause = remaining[:-2], f" AFTER {quoted(column_name(remaining[-1]))}"
    return f"{quoted(name)} {column_type.text}{comment_of(name, remaining)}{position_clause}"


def _modified_column(start: int, actions: list[list[Token]], name: str) -> AlterTranslation:
    if len(actions) > 1:
        raise IcebergSqlError("Spark changes one column in a statement\nhelp: write one ALTER TABLE for each column")
    tokens = actions[0][2:]
    if not tokens:
        raise IcebergSqlError("MODIFY COLUMN names no column\nhelp: write MODIFY COLUMN a Nullable(Int64)")
    parts = tokens[: name_end(tokens, 0) or 1]
    column = ".".join(quoted(column_name(t)) for t in parts[::2])
    remaining = tokens[len(parts) :]
    prefix = f"ALTER TABLE {name} ALTER COLUMN {column}"
    if remaining and remaining[0].word == "COMMENT":
        return AlterTranslation(start, prefix + comment_of(column, remaining), name)
    if [t.word for t in remaining] == ["FIRST"]:
        return AlterTranslation(start, f"{prefix} FIRST", name)
    if [t.word for t in remaining[:1]] == ["AFTER"] and len(remaining) == 2:
        return AlterTranslation(start, f"{prefix} AFTER {quoted(column_name(remaining[1]))}", name)
    if [t.word for t in tokens[:2]] == ["IF", "EXISTS"]:
        raise IcebergSqlError("MODIFY COLUMN has no IF EXISTS in Spark\nhelp: leave it out")
    if [t.word for t in remaining[:1]] == ["REMOVE"]:
        raise IcebergSqlError(f"Spark has no `{' '.join(t.text for t in remaining)}` for a column")
    column_type, extra_tokens = spark_type(column, remaining)
    if extra_tokens:
        raise IcebergSqlError(
            f"`{extra_tokens[0].text}` is not supported after MODIFY COLUMN and a type", help="leave it out"
        )
    return AlterTranslation(
        start, f"{prefix} TYPE {column_type.text}", name, column, column_type.nullable or column_type.nested
    )
