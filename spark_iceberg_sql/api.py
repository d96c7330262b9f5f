"""The public functions of the checker, which need no Spark; the only place that chooses between plans with and
without Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.checker import engine
from spark_iceberg_sql.model.table import Tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.checker.plan import Plan
    from spark_iceberg_sql.diagnostics import Report


def check(text: str, known: Tables | None = None, *, filename: str | None = None) -> Report:
    """Check every statement of a text, each against the tables as the earlier statements leave them.

    text: any text. known: the tables that exist before it; it is not changed. filename: for the report. A
    statement with an error is assumed not to have run, but the table of a CREATE with an error is recorded as
    intended. If neither `known` nor the text indicates Spark or Iceberg, it may be another engine's SQL: then a
    single note replaces all findings. Never raises: an internal error is SIS000 in the report.
    """
    return engine.check(text, known, filename=filename)


def plan(source: Tables | SparkSession, text: str) -> Plan:
    """What one statement would do to its table's partitioning; planning never changes the table.

    source: Tables, or a session: then the data files are counted too. text: one CREATE
    or REPLACE TABLE or ALTER TABLE statement. Raises IcebergSqlError for text that is not exactly one
    statement that could change a partitioning.
    """
    if isinstance(source, Tables):
        from spark_iceberg_sql.checker import planner

        return planner.plan(source, text)
    from spark_iceberg_sql.spark.gate import live_plan

    return live_plan.plan(source, text)
