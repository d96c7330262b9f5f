"""A predicate for the same rows that keeps fewer files: tested on values near its constants, and planned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.explain.predicate_rewrites import COLUMN, probe_values, rewrites
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.logs import without_error_logs
from spark_iceberg_sql.spark.bridge.plans import expression_data, expressions, iceberg_filters, plan_leaves
from spark_iceberg_sql.spark.bridge.plans import query_plans as plans
from spark_iceberg_sql.syntax.identifiers import backticked, quoted, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A comparison with such a column itself skips files with NaN or -0.0 by Iceberg's bounds, which Spark would return.
_FLOATING = ("FLOAT", "DOUBLE")
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_DATE = re.compile(r"\d{4}-")


def find_rewrite(spark: SparkSession, conjunct: Java, text: str, relation: Java, total: int) -> tuple[str, int] | None:
    """A rewrite of a conjunct and how many files it keeps; None if none keeps fewer than `total`.

    text: the conjunct as written.
    """
    columns = expressions.references(conjunct)
    if len(columns) != 1:
        return None
    expression = expression_data.spark_expression(conjunct)
    column = columns[0]
    if str(column.dataType().sql()) in _FLOATING:
        return None
    for candidate in rewrites(expression):
        with without_error_logs():
            try:
                values = list(dict.fromkeys(probe_values(expression, candidate)))
                if not _are_equivalent(spark, conjunct, column, candidate, values):
                    continue
                files = _files_kept(spark, candidate.replace(COLUMN, backticked(column.name())), relation)
            except BRIDGE_ERRORS:  # not a rewrite if Spark refuses it
                continue
        if files is not None and files < total:
            return candidate.replace(COLUMN, column_as_written(text, str(column.name()))), files
    return None


def column_as_written(text: str, column: str) -> str:
    """A column as the conjunct's text spells it, with its qualifier."""
    name = re.escape(column)
    match = re.search(rf"(?:(?:`[^`]+`|\w+)\.)*(?:`{name}`|\b{name}\b)", text, re.IGNORECASE)
    return match[0] if match is not None else quoted(column)


def rename_column(sql: str, column: str, name: str) -> str:
    """SQL over a bare column, with the column renamed; quoted text stays."""
    parts = re.split(r"('[^']*')", sql)
    pattern = re.compile(rf"(?<![\w.`]){re.escape(column)}(?![\w`])")
    return "".join(part if part.startswith("'") else pattern.sub(lambda _: name, part) for part in parts)


def _are_equivalent(
    spark: SparkSession, conjunct: Java, column: Java, candidate: str, values: list[str | None]
) -> bool:
    """True if both predicates accept the same of these values; evaluated by the optimizer, without a job."""
    old = str(conjunct.sql()).replace(str(column.sql()), "c")
    new = candidate.replace(COLUMN, "c")
    if str(column.dataType().sql()) in _TIMES:  # `20230505` is a year, of which a timestamp overflows
        values = [value for value in values if value is None or _DATE.match(value)]
    rows = ", ".join("(NULL)" if value is None else f"({string_literal(value)})" for value in values)
    result_rows = plans.constant_rows(
        spark,
        f"SELECT coalesce({old}, false) = coalesce({new}, false) AS same FROM "
        f"(SELECT try_cast(c AS {column.dataType().sql()}) AS c FROM VALUES {rows} AS t(c))",
    )
    return result_rows is not None and bool(result_rows) and all(row.getBoolean(0) for row in result_rows)


def _files_kept(spark: SparkSession, predicate: str, relation: Java) -> int | None:
    """The number of files that a scan with the predicate reads."""
    query_plans = plans.of_condition(spark, predicate, relation)
    for leaf in plan_leaves.leaves(query_plans.optimized):
        if leaf.class_name == "DataSourceV2ScanRelation":
            metrics = iceberg_filters.planning_metrics(leaf.node.scan())
            return None if metrics is None else metrics["resultDataFiles"]
    return None
