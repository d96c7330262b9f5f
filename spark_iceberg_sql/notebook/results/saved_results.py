"""`%%iceberg_sql --save name`: a cell's query under a name that later cells can read from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NAME = re.compile(r"[A-Za-z_]\w*")


def checked_view_name(name: str) -> str:
    """A name for a view, which needs no quotes. Raises IcebergSqlError for any other."""
    if not _NAME.fullmatch(name):
        fact = f"`{name}` cannot be the name of a view" if name else "--save takes the name of a view"
        raise IcebergSqlError(fact, help="write letters, digits and underscores: --save monthly_delays")
    return name


class SavedResults:
    """The views that cells have saved in this kernel, and may replace."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def refuse_taken(self, spark: SparkSession, name: str) -> None:
        """Raise IcebergSqlError if a view of this name would replace or hide something that no cell has saved."""
        if name.lower() not in self._names and spark.catalog.tableExists(name):
            raise IcebergSqlError(
                f"`{name}` is already the name of a table or view, which --save would hide",
                help=f"give the result another name: --save {name}_rows",
            )

    def save(self, result: DataFrame | None, name: str) -> str:
        """Make a temporary view of a result; returns a line about it. Raises IcebergSqlError if that is impossible."""
        if result is None or not result.columns:
            raise IcebergSqlError(
                f"there is no result to save as `{name}`: no statement of the cell returns rows",
                help="end the cell with a query",
            )
        result.createOrReplaceTempView(name)
        self._names.add(name.lower())
        return f"saved as the temporary view `{name}`: a query FROM {name} runs this one again"
