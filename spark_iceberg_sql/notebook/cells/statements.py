"""The title of a statement in a line of output, and the table argument of a CALL."""

from __future__ import annotations

from spark_iceberg_sql import markup
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.script import Statement

# The first words of statements, other than queries, that may read tables to write rows.
READING = frozenset({"CACHE", "CREATE", "DELETE", "FROM", "INSERT", "MERGE", "REPLACE", "UPDATE", "WITH"})
_TITLE_ENDS = frozenset({"AS", "SELECT", "VALUES", "USING", "WHERE", "SET"})


def statement_title(statement: Statement) -> str:
    """The title of a statement: the command and its object, without values."""
    if statement.first in ("SELECT", "WITH", "VALUES", "FROM"):
        return statement.first
    end = statement.start
    for token in statement.opening(14):
        is_in_name = token.kind in NAME_KINDS or token.text == "."
        if not is_in_name or (end > statement.start and token.word in _TITLE_ENDS):
            break
        end = token.end
        if token.word == "FIELD":
            break
    return markup.truncated(" ".join(statement.script[statement.start : end].split()), 80) or "statement"


def table_of_call(statement: Statement) -> tuple[str, tuple[str, ...]] | None:
    """The catalog of a procedure, empty for the current one, and the table argument, as its parts."""
    tokens = statement.tokens
    opening = next((i for i, t in enumerate(tokens) if t.text == "("), len(tokens))
    if statement.first != "CALL" or opening + 1 >= len(tokens):
        return None
    name = [t.text.strip("`") for t in tokens[1:opening:2]]
    table_token = tokens[opening + 1]
    for key, arrow, value in zip(tokens[opening:], tokens[opening + 1 :], tokens[opening + 2 :], strict=False):
        if key.word == "TABLE" and arrow.text == "=>":
            table_token = value
    if table_token.kind not in STRINGS:
        return None
    return ".".join(name[:-2]), split_name(unescape(table_token.text))
