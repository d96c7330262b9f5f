"""Queries with LIMIT, planned with a rule and without it: what they return, and how many rows their scans read."""

from __future__ import annotations

from pyspark.sql import DataFrame, Row, SparkSession
from scans import metrics
from session_settings import settings

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.planChangeValidation": "true",
    "spark.sql.adaptive.enabled": "false",
}
# Many small queries take longer to compile than to run.
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


def planned(spark: SparkSession, query: str, rule: str, *, on: bool) -> DataFrame:
    """The query, planned with a rule on or off."""
    with settings(spark, **{f"spark.iceberg_sql.{rule}": str(on).lower()}):
        rows = spark.sql(query)
        rows._jdf.queryExecution().executedPlan()
        return rows


def rows_read(rows: DataFrame) -> int:
    """Before anything else runs the query: Spark keeps what it has shuffled, and reads nothing the next time."""
    return metrics(rows).get("numOutputRows", 0)


def compared(spark: SparkSession, query: str, rule: str) -> tuple[list[Row], int, list[Row], int]:
    """The rows and the number of rows read, with the rule and without."""
    rows, without = planned(spark, query, rule, on=True), planned(spark, query, rule, on=False)
    read, all_read = rows_read(rows), rows_read(without)
    return rows.collect(), read, without.collect(), all_read
