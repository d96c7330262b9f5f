"""spj(spark, statement): which joins, groups and windows of a query need no shuffle, by planning it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.spj.model import Operator, ShuffleReport
from spark_iceberg_sql.spark.bridge.jvm import logs, sessions
from spark_iceberg_sql.spark.bridge.plans import query_plans, relations, shuffles
from spark_iceberg_sql.spark.gate import read_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.java_rows import ShuffleRow

_NO_RULE = "this session does not have the rule `colocate`: iceberg_rules() says why, or sis.install(spark) adds it"


def spj(spark: SparkSession, statement: str | DataFrame) -> ShuffleReport:
    """Which joins, groups and windows of a query need no shuffle, as the rule `colocate` decides; why the others do.

    The query is planned and does not run.

    spark: an installed session. statement: a query, or a statement with one, in SQL, or a DataFrame. Raises pyspark's
    exceptions for one that Spark refuses, and ReadError if a table's metadata cannot be read.
    """
    planning, shown = read_errors.reading("the query cannot be planned"), spark_progress.show_progress(spark, "spj")
    with planning, shown, sessions.working_in(spark), logs.without_error_logs(), relations.separate_origin():
        rows = shuffles.decisions(query_plans.plan_statement(spark, statement).optimized)
    return ShuffleReport(tuple(map(_operator, rows or ())), None if rows is not None else _NO_RULE)


def _operator(row: ShuffleRow) -> Operator:
    return Operator(
        kind=row.operator,
        keys=row.keys,
        tables=row.tables,
        fields=row.fields,
        is_shuffled=row.is_shuffled,
        is_broadcast=row.is_broadcast,
        bytes=row.bytes,
        why=row.reason,
        statement=shuffles.statement_text(row),
    )
