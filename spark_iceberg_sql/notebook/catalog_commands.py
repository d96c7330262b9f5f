"""`%iceberg_sql tables`, `describe` and `history`: what there is, without SQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.listing import spark as listing
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.optional_dependencies import only_in_server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STATEMENTS = 20  # of the history that are shown
# In lower case, with at most one name: `DESCRIBE t`, `describe extended t` and all else is SQL.
_COMMAND = re.compile(r"(tables|describe|history)(?:\s+((?:`[^`]*`|[^\s`])+))?\s*")


def catalog_command(text: str) -> tuple[str, str | None] | None:
    """The command and its argument; None if the text is SQL. Raises IcebergSqlError for a pattern of several words."""
    match = _COMMAND.fullmatch(text.rstrip().removesuffix(";"))
    if match is not None:
        return match[1], match[2]
    if text.split(maxsplit=1)[:1] == ["history"]:
        raise IcebergSqlError("`history` takes one number", help="%iceberg_sql history 50")
    if text.split(maxsplit=1)[:1] == ["tables"]:
        raise IcebergSqlError(
            "`tables` takes one name or pattern", help="%iceberg_sql tables, or %iceberg_sql tables local.demo.f*"
        )
    return None


def history_count(argument: str | None) -> int:
    """How many statements `history` shows. Raises IcebergSqlError for what is no such number."""
    if argument is None:
        return _STATEMENTS
    if not argument.isascii() or not argument.isdigit() or not int(argument):
        raise IcebergSqlError(f"`history` takes a number, not `{argument}`", help="%iceberg_sql history 50")
    return int(argument)


def view_of(spark: SparkSession, command: str, argument: str | None) -> Result:
    """What a command shows. spark: the session. Raises IcebergSqlError, as `sis.tables` and `sis.describe` do."""
    if is_remote(spark):
        raise only_in_server(command)
    if command == "tables":
        return listing.tables(spark, argument)
    if argument is None:
        raise IcebergSqlError("`describe` takes the name of a table", help="%iceberg_sql describe local.db.t")
    return listing.describe(spark, argument)
