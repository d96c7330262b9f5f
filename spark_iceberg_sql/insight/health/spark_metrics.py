"""A table's figures, from its metadata tables: of a table in a catalog, or at a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.health.model import SMALL_SHARE, TableMetrics
from spark_iceberg_sql.insight.health.partition_counts import partition_counts
from spark_iceberg_sql.insight.hypothetical.spark_source import (
    DEFAULT_TARGET_SIZE,
    TARGET_SIZE,
    naming_argument,
    refuse_numbers,
)
from spark_iceberg_sql.insight.preview.spark import preview
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge.jvm.java_rows import Rewrite
from spark_iceberg_sql.spark.bridge.plans import read_branches
from spark_iceberg_sql.spark.bridge.tables import file_statistics, rewrites
from spark_iceberg_sql.spark.bridge.tables.tables_as_read import TableAsRead, metadata_table
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.optimizer import bounds
from spark_iceberg_sql.syntax.identifiers import backticked, dotted, qualified_name, string_literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# Converts each type's bounds to numbers.
_NUMBER_SQL = {
    "timestamp": "unix_micros({})",
    "timestamp_ntz": "unix_micros(CAST({} AS TIMESTAMP))",
    "date": "unix_date({})",
    **dict.fromkeys(("int", "bigint", "float", "double"), "{}"),
}


@dataclass(frozen=True)
class ExaminedTable:
    """A table whose metadata is examined.

    path: as the user wrote it; empty for a name. name: its parts, catalog first; empty for a path. table: its metadata.
    read: Iceberg's table as the session reads it.
    """

    path: str
    name: tuple[str, ...]
    table: Table
    read: TableAsRead

    @property
    def title(self) -> str:
        """Its name or path, with the branch that is examined."""
        return read_branches.title(qualified_name(self.name) or self.path, self.read.branch)

    @property
    def rewritable_name(self) -> tuple[str, ...]:
        """Its name, if a statement that is proposed acts on the files that are examined; empty otherwise."""
        return () if self.read.branch else self.name

    def metadata_table(self, kind: str) -> str:
        """One of its metadata tables, in SQL. kind: such as files."""
        if not self.name:  # the functions read the branch that the session reads
            return f"iceberg_{kind}({string_literal(self.path)})"
        return metadata_table(dotted((*self.name, kind)), self.read.read_snapshot if kind != "snapshots" else None)


def small_files_after(
    spark: SparkSession, examined: ExaminedTable, metrics: TableMetrics, planned_rewrite: Rewrite | None
) -> int:
    """About how many files the small ones of the current spec become.

    Not fewer than Iceberg's planning makes of them, nor than the files that one rewrite made together in a
    partition: a writer counts rows in memory uncompressed, so it may end files far below the target size,
    again and again.
    """
    count_after = max(
        metrics.small_after, metrics.small - planned_rewrite.file_reduction if planned_rewrite is not None else 0
    )
    specs = examined.table.specs
    assert specs is not None
    snapshots = examined.metadata_table("snapshots")
    if not _row(spark, f"SELECT count_if(operation = 'replace') AS count FROM {snapshots}")["count"]:
        return count_after
    entries = examined.metadata_table("entries")
    is_partitioned = "partition" in _relation(spark, examined.metadata_table("files")).columns
    partition = "e.data_file." + ("partition" if is_partitioned else "spec_id")
    row = _row(
        spark,
        f"""WITH f AS (
          SELECT {partition} AS partition, s.committed_at AS at, count(*) AS files,
            sum(e.data_file.file_size_in_bytes) AS bytes
          FROM {entries} e LEFT JOIN {snapshots} s ON s.snapshot_id = e.snapshot_id AND s.operation = 'replace'
          WHERE e.status < 2 AND e.data_file.content = 0 AND e.data_file.spec_id = {specs.current}
            AND e.data_file.file_size_in_bytes < {int(SMALL_SHARE * metrics.target_size)}
          GROUP BY {partition}, s.snapshot_id, s.committed_at),
        p AS (SELECT partition, sum(files) AS files, sum(bytes) AS bytes, max(IF(at IS NULL, 0, files)) AS together,
            max(at) AS last
          FROM f GROUP BY partition)
        SELECT coalesce(sum(greatest(ceil(bytes / {metrics.target_size}), together)), 0) AS after,
          coalesce(unix_millis(max(last)), -1) AS last
        FROM p WHERE files > 1""",
    )
    if row.last < 0:
        return count_after
    target_at_rewrite = rewrites.property_at(examined.read.table, row.last, TARGET_SIZE, str(DEFAULT_TARGET_SIZE))
    return (
        count_after if target_at_rewrite not in (None, str(metrics.target_size)) else max(count_after, int(row.after))
    )


def files_after_rewrite(spark: SparkSession, name: tuple[str, ...], spec: str) -> int | None:
    """The number of files of all rows under the current spec; None if the bounds do not determine it."""
    try:
        return preview(spark, dotted(name), spec, using="metadata").files
    except IcebergSqlError:  # a field that the bounds do not determine, or an older Iceberg
        return None


def table_metrics(spark: SparkSession, examined: ExaminedTable) -> TableMetrics:
    """The counts over a table's current snapshot. Raises IcebergSqlError for a property that is no number."""
    files, table = examined.metadata_table("files"), examined.table
    with naming_argument("table"):
        refuse_numbers(table.properties)
    target_size = int(table.properties.get(TARGET_SIZE, DEFAULT_TARGET_SIZE))
    assert table.specs is not None
    sizes = file_statistics.partition_sizes(examined.read.table, int(SMALL_SHARE * target_size))
    is_partitioned = "partition" in _relation(spark, files).columns
    group_key = "spec_id, partition" if is_partitioned else "spec_id"
    delete_bytes, kinds = 0, {}
    if delete_files := file_statistics.delete_file_count(examined.read.table):
        delete_bytes = _row(
            spark, f"SELECT coalesce(sum(file_size_in_bytes), 0) AS bytes FROM {files} WHERE content > 0"
        )["bytes"]
        kinds = _delete_kinds(spark, examined.metadata_table("entries"), is_partitioned)
    sort_column = _sort_column(spark, files, table)
    return TableMetrics(
        title=examined.title,
        name=examined.rewritable_name,
        target_size=target_size,
        fields=table.specs.spec.fields,
        sort_column=sort_column,
        sort_span=_span(spark, files, group_key, sort_column) if sort_column is not None else 0.0,
        wrong_bounds=bounds.wrong_bounds(examined.read.table),
        delete_files=delete_files,
        delete_bytes=int(delete_bytes),
        **{**partition_counts([*zip(*sizes, strict=True)], table.specs.current, target_size), **kinds},
    )


def _delete_kinds(spark: SparkSession, entries: str, is_partitioned: bool) -> dict[str, int]:
    """The number of equality deletes, and of the delete files that are sure to belong to no data file.

    Position deletes name data files of their partition that were there when they were committed.
    """
    partition = "data_file." + ("partition" if is_partitioned else "spec_id")
    row = _row(
        spark,
        f"""WITH e AS (
          SELECT data_file.content AS content, data_file.spec_id AS spec_id, {partition} AS partition, sequence_number,
            file_sequence_number
          FROM {entries} WHERE status < 2),
        d AS (SELECT spec_id, partition, min(file_sequence_number) AS first FROM e WHERE content = 0
          GROUP BY spec_id, partition)
        SELECT count_if(e.content = 2) AS equality_deletes,
          count_if(e.content = 1 AND (d.spec_id IS NULL OR d.first > e.sequence_number)) AS dangling_deletes
        FROM e LEFT JOIN d ON e.spec_id = d.spec_id AND e.partition <=> d.partition WHERE e.content > 0""",
    )
    return row.asDict()


def _row(spark: SparkSession, query: str) -> Row:
    (row,) = intercept.unchecked_sql(spark)(query).collect()
    return row


def _relation(spark: SparkSession, relation: str) -> DataFrame:
    return intercept.unchecked_sql(spark)(f"SELECT * FROM {relation}")


def _bound_type(spark: SparkSession, files: str, column: str) -> str:
    ((_, type_name),) = _relation(spark, files).select(f"readable_metrics.{backticked(column)}.lower_bound").dtypes
    return type_name


def _sort_column(spark: SparkSession, files: str, table: Table) -> str | None:
    """The first column of the table's sort order, if its bounds are numbers or times; None if there is none."""
    if table.schema is None or not table.order or not table.order[0].transform.transform.is_identity:
        return None
    column = table.schema.by_id(table.order[0].source_id)
    if column is None or column.parents:
        return None
    return column.name if _bound_type(spark, files, column.name) in _NUMBER_SQL else None


def _span(spark: SparkSession, files: str, key: str, column: str) -> float:
    """The share of its partition's range of a column that a file spans on average, in partitions of 4 files or more."""
    metrics = f"readable_metrics.{backticked(column)}"
    to_number = _NUMBER_SQL[_bound_type(spark, files, column)]
    low, high = (to_number.format(f"{metrics}.{end}_bound") for end in ("lower", "upper"))
    row = _row(
        spark,
        f"""WITH p AS (
          SELECT count(*) AS files, avg(CAST({high} AS DOUBLE) - CAST({low} AS DOUBLE)) AS span,
            CAST(max({high}) AS DOUBLE) - CAST(min({low}) AS DOUBLE) AS range
          FROM {files} WHERE content = 0 GROUP BY {key})
        SELECT sum(files * span / range) / sum(files) AS share FROM p WHERE files >= 4 AND range > 0""",
    )
    return float(row["share"] or 0)
