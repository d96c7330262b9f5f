"""Compaction of a table's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.spark.tables.locations import ownership
from spark_iceberg_sql.syntax.identifiers import backticked, dotted, procedure_name, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def optimize(spark: SparkSession, table: str) -> dict[str, int]:
    """Compact a table's data files and merge its delete files into them.

    Old snapshots stay readable; nothing is expired.

    spark: the session. table: its name in a catalog (`attach` gives one to a path).
    Returns how many data files were rewritten and added, and how many delete files were removed, not counting those
    that were rewritten.
    Raises pyspark's AnalysisException if there is no such table, IcebergSqlError if it is not an Iceberg table, or
    its metadata is not at the location that it names.
    """
    with sessions.working_in(spark):
        operations = ownership.owned_table(spark, table, "compact").operations()
        parts = relations.full_name(table)
        start = operations.refresh().currentSnapshot()
        first = None if start is None else start.snapshotId()
    procedures = f"{backticked(parts[0])}.system"
    name = string_literal(dotted(procedure_name(parts)))
    options = "map('delete-file-threshold', '1', 'min-input-files', '2')"
    data = spark.sql(f"CALL {procedures}.rewrite_data_files(table => {name}, options => {options})").collect()[0]
    # The remaining delete files apply to no data file; rewriting all delete files removes them.
    spark.sql(
        f"CALL {procedures}.rewrite_position_delete_files(table => {name}, options => map('rewrite-all', 'true'))"
    ).collect()
    with sessions.working_in(spark):
        removed = _removed_delete_files(operations.refresh(), first)
    return {
        "rewritten_data_files": int(data["rewritten_data_files_count"]),
        "added_data_files": int(data["added_data_files_count"]),
        "removed_delete_files": removed,
    }


def _removed_delete_files(metadata: Java, first: int | None) -> int:
    """Delete files that the rewriting commits after a snapshot removed, minus those that they added. The procedures
    do not count the ones that go with rewritten data files.
    """
    snapshots = table_metadata.ancestors(metadata, metadata.currentSnapshot(), first)
    summaries = [snapshot.summary() for snapshot in snapshots if str(snapshot.operation()) == "replace"]
    return sum(int(s.get("removed-delete-files") or 0) - int(s.get("added-delete-files") or 0) for s in summaries)
