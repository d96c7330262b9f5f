"""CREATE TABLE up to its columns, and strings, as several engines write them."""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.model.types import Field
from spark_iceberg_sql.translation.definitions import TableDefinition


def create_head(
    definition: TableDefinition,
    quote: Callable[[str], str],
    column_type: Callable[[Field], str],
    string: Callable[[str], str],
) -> str:
    """CREATE TABLE with the name and the columns.

    quote: a name. column_type: a column's type, with what follows it up to the comment. string: a literal.
    """
    columns = []
    for column in definition.schema.fields:
        comment = definition.comments.get(column.name)
        suffix = "" if comment is None else f" COMMENT {string(comment)}"
        columns.append(f"  {quote(column.name)} {column_type(column)}{suffix}")
    verb = "CREATE OR REPLACE TABLE" if definition.replaces else "CREATE TABLE"
    exists = "IF NOT EXISTS " if definition.if_not_exists else ""
    return f"{verb} {exists}{'.'.join(map(quote, definition.table))} (\n" + ",\n".join(columns) + "\n)"


def standard_string(text: str) -> str:
    """A literal of standard SQL, in which a quote is doubled and a backslash is itself."""
    return "'" + text.replace("'", "''") + "'"
