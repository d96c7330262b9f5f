"""Functions that work with and without Spark: the only place that chooses between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.checker import plan as offline
from spark_iceberg_sql.checker.plan import Plan
from spark_iceberg_sql.model.table import Tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def plan(source: Tables | SparkSession, text: str) -> Plan:
    """What one statement would do to its table's partitioning; planning never changes the table.

    source: Tables, or a session: then the data files are counted too. text: one CREATE
    or REPLACE TABLE or ALTER TABLE statement. Raises IcebergSqlError for text that is not exactly one
    statement that could change a partitioning.
    """
    if isinstance(source, Tables):
        return offline.plan(source, text)
    from spark_iceberg_sql.spark.gate import live_plan

    return live_plan.plan(source, text)
