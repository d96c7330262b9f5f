"""A plan on a live session: the model's prediction, and where the table's data lies now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spark_iceberg_sql import planner
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.planner import FilesUnderSpec, Plan
from spark_iceberg_sql.spark import gate, jvm_catalog, jvm_sessions
from spark_iceberg_sql.spark.catalog import SessionKnown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def plan(spark: SparkSession, text: str) -> Plan:
    """The plan of one statement on a session's tables, data files counted (see `planner.plan`)."""
    known = SessionKnown(spark, gate.own_sql(spark))
    found = planner.plan(known, jvm_sessions.substituted(spark, text))
    if found.before is None or found.after is None:
        return found
    return _counted(spark, found)


def _counted(spark: SparkSession, found: Plan) -> Plan:
    query = (
        "SELECT spec_id, count(*), sum(file_size_in_bytes) "
        f"FROM {_quoted((*found.table, 'files'))} GROUP BY spec_id ORDER BY spec_id"
    )
    try:
        rows = gate.own_sql(spark)(query).collect()
    except Exception as error:  # a damaged table's `.files` fails in many ways
        if not jvm_catalog.thrown(error):
            raise
        return replace(found, why_no_files=jvm_catalog.first_line(error))
    return replace(found, files=tuple(FilesUnderSpec(*row) for row in rows))


def _quoted(name: Name) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in name)
