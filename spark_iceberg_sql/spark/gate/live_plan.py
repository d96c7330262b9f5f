"""A plan on a live session: the model's prediction, and counts of the table's current data files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker import planner as offline
from spark_iceberg_sql.checker.plan import FilesUnderSpec, Plan
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_rows import SpecFiles
from spark_iceberg_sql.spark.bridge.tables import catalog_entries
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def tables(spark: SparkSession) -> SessionTables:
    """A session's tables."""
    return SessionTables(spark, intercept.unchecked_sql(spark))


def plan(spark: SparkSession, text: str) -> Plan:
    """The change plan of one statement on a session's tables, with counts of data files (see `api.plan`)."""
    catalog = tables(spark)
    change_plan = offline.plan(catalog, sessions.substitute_settings(spark, text))
    if change_plan.before is None or change_plan.after is None or change_plan.why_no_files is not None:
        return change_plan
    entry = catalog.catalog_entry(change_plan.table)
    return _with_file_counts(spark, change_plan, None if entry is None else entry.table)


def _with_file_counts(spark: SparkSession, change_plan: Plan, table: Java) -> Plan:
    try:
        counted = None if table is None else catalog_entries.files_by_spec(table)
        if counted is None:
            rows = intercept.unchecked_sql(spark)(
                "SELECT spec_id, count(*) AS files, sum(file_size_in_bytes) AS bytes "
                f"FROM {dotted((*change_plan.table, 'data_files'))} GROUP BY spec_id ORDER BY spec_id"
            ).collect()
            counted = [SpecFiles(**row.asDict()) for row in rows]
    except Exception as error:  # a damaged table fails in many ways
        if not catalog_entries.exception_text(error):
            raise
        return replace(change_plan, why_no_files=catalog_entries.first_line(error))
    return replace(change_plan, files=tuple(FilesUnderSpec(row.spec_id, row.files, row.bytes) for row in counted))
