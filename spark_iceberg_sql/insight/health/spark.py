"""health(spark, table): figures on a table's current snapshot, from its metadata tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise.model import Proposal
from spark_iceberg_sql.insight.advise.spark import searching
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.health.findings import health as health_of
from spark_iceberg_sql.insight.health.findings import rewrite_deletes_call
from spark_iceberg_sql.insight.health.model import OPTIONS, SMALL_SHARE, Finding, Health, TableMetrics
from spark_iceberg_sql.insight.health.workload import judged_by_queries
from spark_iceberg_sql.insight.hypothetical.spark_source import load_entry, naming_argument, refuse_numbers
from spark_iceberg_sql.insight.preview.spark import preview
from spark_iceberg_sql.insight.specs import clause
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_rows import Rewrite
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, rewrites
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.spark.optimizer import bounds
from spark_iceberg_sql.syntax.identifiers import backticked, dotted

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_TARGET = "write.target-file-size-bytes"
_DEFAULT_TARGET = 512 * 1024 * 1024
_HELP = "give a table's name in a catalog, as in SQL"
# Converts each type's bounds to numbers.
_NUMBER_SQL = {
    "timestamp": "unix_micros({})",
    "timestamp_ntz": "unix_micros(CAST({} AS TIMESTAMP))",
    "date": "unix_date({})",
    **dict.fromkeys(("int", "bigint", "float", "double"), "{}"),
}


def health(spark: SparkSession, table: str, queries: str | Iterable[str | tuple[str, float]] | None = None) -> Health:
    """What slows down a table's queries, judged by its metadata, and the statement that fixes it.

    Runs Spark jobs over the metadata tables of the current snapshot; changes nothing.

    spark: the session. table: its name in a catalog, as in SQL. queries: as for `advise`. With them, what they would
    read after each statement is computed, for another spec or order as an estimate from a sample of the rows; what
    lets them read more files or bytes is not proposed, and advise's best spec is, if it is better than today's.

    Raises IcebergSqlError if it is not an Iceberg table, if its metadata cannot be read, or if no query reads it.
    """
    name = _full_name(spark, table)
    with read_errors.reading(f"`{table}` cannot be read"), sessions.working_in(spark):
        loaded = load_entry(spark, table, name)
        if loaded.relation_kind != "iceberg" or loaded.metadata is None:
            raise IcebergSqlError(f"`{table}` is not an Iceberg table: {loaded.relation_kind}", help=_HELP)
        current_table = table_from_metadata(name, loaded.metadata)
        result = _by_metadata(spark, name, current_table)
    if queries is None:
        return result
    if not result.files:
        return replace(result, notes=("the table has no data files, so the queries decide nothing",))
    with searching(spark, dotted(name), queries) as search:
        return judged_by_queries(result, search.result(), partial(_after, search))


def _after(search: AdviceSearch, finding: Finding) -> Proposal | None:
    """What the queries read after a finding's statement."""
    if finding.problem == "unsorted":
        return search.proposal_under(is_sorted=True)
    return search.reads_after(OPTIONS[finding.problem]) or search.proposal_under(is_sorted=False)


def _full_name(spark: SparkSession, table: str) -> tuple[str, ...]:
    try:
        parts = relations.name_parts(spark, table)
    except JVM_ERRORS:
        raise IcebergSqlError(f"`{table}` is not the name of a table", help=_HELP) from None
    if catalog_entries.is_temporary_view(spark, parts):
        raise IcebergSqlError(f"`{table}` is a temporary view, not a table", help=_HELP)
    with read_errors.reading(f"`{table}` cannot be read"), sessions.working_in(spark):
        return tuple(relations.full_name(dotted(parts)))


def _by_metadata(spark: SparkSession, name: tuple[str, ...], current_table: Table) -> Health:
    assert current_table.schema is not None
    metrics = _table_metrics(spark, name, current_table)
    if metrics.old_files:
        fields = tuple(f for f in metrics.fields if not f.transform.is_void)
        spec = clause(Spec(0, fields), current_table.schema)
        metrics = replace(metrics, files_after_rewrite=_files_after_rewrite(spark, name, spec))
    java_table = relations.catalog_table(dotted(name))
    planned_rewrite = cache(lambda problem: rewrites.planned_rewrite(java_table, OPTIONS[problem]))
    if metrics.small > metrics.small_after and not metrics.old_small:
        count_after = _small_files_after(spark, java_table, current_table, metrics, planned_rewrite("small files"))
        metrics = replace(metrics, small_after=count_after)
    result = health_of(metrics)
    findings = tuple(
        _with_cost(finding, planned_rewrite(finding.problem), name)
        if finding.call is not None and finding.problem in OPTIONS
        else finding
        for finding in result.findings
    )
    return replace(result, findings=findings)


def _files_after_rewrite(spark: SparkSession, name: tuple[str, ...], spec: str) -> int | None:
    """The number of files of all rows under the current spec; None if the bounds do not determine it."""
    try:
        return preview(spark, dotted(name), spec, using="metadata").files
    except IcebergSqlError:  # a field that the bounds do not determine, or an older Iceberg
        return None


def _small_files_after(
    spark: SparkSession, java_table: Java, table: Table, metrics: TableMetrics, planned_rewrite: Rewrite | None
) -> int:
    """About how many files the small ones of the current spec become.

    Not fewer than Iceberg's planning makes of them, nor than the files that one rewrite made together in a
    partition: a writer counts rows in memory uncompressed, so it may end files far below the target size,
    again and again.
    """
    count_after = max(
        metrics.small_after, metrics.small - planned_rewrite.file_reduction if planned_rewrite is not None else 0
    )
    assert table.specs is not None
    entries, snapshots = (dotted((*metrics.name, metadata_table)) for metadata_table in ("entries", "snapshots"))
    is_partitioned = "partition" in spark.table(dotted((*metrics.name, "files"))).columns
    partition = "e.data_file." + ("partition" if is_partitioned else "spec_id")
    row = _row(
        spark,
        f"""WITH f AS (
          SELECT {partition} AS partition, s.committed_at AS at, count(*) AS files,
            sum(e.data_file.file_size_in_bytes) AS bytes
          FROM {entries} e LEFT JOIN {snapshots} s ON s.snapshot_id = e.snapshot_id AND s.operation = 'replace'
          WHERE e.status < 2 AND e.data_file.content = 0 AND e.data_file.spec_id = {table.specs.current}
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
    target_at_rewrite = rewrites.property_at(java_table, row.last, _TARGET, str(_DEFAULT_TARGET))
    return (
        count_after if target_at_rewrite not in (None, str(metrics.target_size)) else max(count_after, int(row.after))
    )


def _with_cost(finding: Finding, planned_rewrite: Rewrite | None, name: tuple[str, ...]) -> Finding:
    if planned_rewrite is None:
        return finding
    if finding.problem == "delete files" and not planned_rewrite.files and not rewrites.removes_deletes_alone():
        finding = replace(finding, call=rewrite_deletes_call(name))
    return replace(finding, rewritten_files=planned_rewrite.files, rewritten_bytes=planned_rewrite.bytes)


def _table_metrics(spark: SparkSession, name: tuple[str, ...], table: Table) -> TableMetrics:
    files = dotted((*name, "files"))
    with naming_argument("table"):
        refuse_numbers(table.properties)
    target_size = int(table.properties.get(_TARGET, _DEFAULT_TARGET))
    is_partitioned = "partition" in spark.table(files).columns
    group_key = "spec_id, partition" if is_partitioned else "spec_id"
    assert table.specs is not None
    current = table.specs.current
    small_limit = int(SMALL_SHARE * target_size)
    is_current = f"spec_id = {current}"
    shared = f"{is_current} AND small > 1"
    counts = _row(
        spark,
        f"""WITH p AS (
          SELECT {group_key}, count(*) AS files, sum(file_size_in_bytes) AS bytes,
            count_if(file_size_in_bytes < {small_limit}) AS small,
            sum(IF(file_size_in_bytes < {small_limit}, file_size_in_bytes, 0)) AS small_bytes
          FROM {files} WHERE content = 0 GROUP BY {group_key})
        SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes,
          count_if({is_current}) AS partitions, coalesce(max(IF({is_current}, bytes, NULL)), 0) AS largest,
          coalesce(max_by(IF({is_current}, files, NULL), IF({is_current}, bytes, NULL)), 0) AS largest_files,
          coalesce(CAST(median(IF({is_current}, bytes, NULL)) AS BIGINT), 0) AS median,
          coalesce(sum(IF({shared}, small, 0)), 0) AS small,
          coalesce(sum(IF({shared}, small_bytes, 0)), 0) AS small_bytes,
          coalesce(sum(IF({shared}, ceil(small_bytes / {target_size}), 0)), 0) AS small_after,
          coalesce(sum(IF(spec_id <> {current}, small, 0)), 0) AS old_small,
          coalesce(sum(IF(spec_id <> {current}, small_bytes, 0)), 0) AS old_small_bytes,
          count_if({is_current} AND files = 1 AND small = 1) AS alone,
          coalesce(sum(IF(spec_id <> {current}, files, 0)), 0) AS old_files,
          coalesce(sum(IF(spec_id <> {current}, bytes, 0)), 0) AS old_bytes
        FROM p""",
    )
    delete_counts = _row(
        spark, f"SELECT count(*) AS files, coalesce(sum(file_size_in_bytes), 0) AS bytes FROM {files} WHERE content > 0"
    )
    sort_column = _sort_column(spark, table)
    return TableMetrics(
        name=name,
        target_size=target_size,
        fields=table.specs.spec.fields,
        sort_column=sort_column,
        sort_span=_span(spark, files, group_key, sort_column) if sort_column is not None else 0.0,
        wrong_bounds=bounds.wrong_bounds(relations.catalog_table(dotted(name))),
        delete_files=int(delete_counts["files"]),
        delete_bytes=int(delete_counts["bytes"]),
        **{column: int(value) for column, value in counts.asDict().items()},
    )


def _row(spark: SparkSession, query: str) -> Row:
    (row,) = spark.sql(query).collect()
    return row


def _sort_column(spark: SparkSession, table: Table) -> str | None:
    """The first column of the table's sort order, if its bounds are numbers or times; None if there is none."""
    if table.schema is None or not table.order or not table.order[0].transform.transform.is_identity:
        return None
    column = table.schema.by_id(table.order[0].source_id)
    if column is None or column.parents:
        return None
    return column.name if dict(spark.table(dotted(table.name)).dtypes).get(column.name) in _NUMBER_SQL else None


def _span(spark: SparkSession, files: str, key: str, column: str) -> float:
    """The share of its partition's range of a column that a file spans on average, in partitions of 4 files or more."""
    bounds = f"readable_metrics.{backticked(column)}"
    (type_name,) = (t for name, t in spark.table(files).select(f"{bounds}.lower_bound").dtypes)
    low, high = (_NUMBER_SQL[type_name].format(f"{bounds}.{end}_bound") for end in ("lower", "upper"))
    row = _row(
        spark,
        f"""WITH p AS (
          SELECT count(*) AS files, avg(CAST({high} AS DOUBLE) - CAST({low} AS DOUBLE)) AS span,
            CAST(max({high}) AS DOUBLE) - CAST(min({low}) AS DOUBLE) AS range
          FROM {files} WHERE content = 0 GROUP BY {key})
        SELECT sum(files * span / range) / sum(files) AS share FROM p WHERE files >= 4 AND range > 0""",
    )
    return float(row["share"] or 0)
