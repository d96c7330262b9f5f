"""health(spark, table): figures on a table's current snapshot, from its metadata tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.model import Proposal
from spark_iceberg_sql.insight.advise.spark import searching
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.health.findings import health as health_of
from spark_iceberg_sql.insight.health.findings import rewrite_deletes_call, rewritten_once
from spark_iceberg_sql.insight.health.model import OPTIONS, Health, HealthFinding
from spark_iceberg_sql.insight.health.spark_metrics import (
    ExaminedTable,
    files_after_rewrite,
    small_files_after,
    table_metrics,
)
from spark_iceberg_sql.insight.health.workload import judged_by_queries
from spark_iceberg_sql.insight.hypothetical.spark_source import (
    NAME_HELP,
    absent_error,
    branch_note,
    is_path,
    load_entry,
    operations_at,
    refuse_branch,
    refuse_unusable,
    table_name,
)
from spark_iceberg_sql.insight.specs import clause
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_rows import Rewrite
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import rewrites, table_metadata
from spark_iceberg_sql.spark.bridge.tables.tables_as_read import as_read
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.spark.gate.unreadable_tables import naming_manifests
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def health(spark: SparkSession, table: str, queries: str | Iterable[str | tuple[str, float]] | None = None) -> Health:
    """What slows down a table's queries, judged by its metadata, and the statement that fixes it.

    Runs Spark jobs over the metadata tables of the snapshot that the session reads; changes nothing.

    spark: the session. table: its name in a catalog, as in SQL, or the path of its folder; a statement needs a name,
    so with a path none is proposed. queries: as for `advise`. With them, what they would
    read after each statement is computed, for another spec or order as an estimate from a sample of the rows; what
    lets them read more files or bytes is not proposed, and advise's best spec is, if it is better than today's.

    Raises IcebergSqlError if it is not an Iceberg table, if its metadata cannot be read, if no query reads it, or for
    queries of a path.
    """
    if is_path(table):
        return _at_path(spark, table, queries)
    name = table_name(spark, table)
    shown = spark_progress.show_progress(spark, f"health of {table}")
    with read_errors.reading(f"`{table}` cannot be read"), sessions.working_in(spark), shown:
        loaded = load_entry(spark, table, name)
        if loaded.relation_kind == "absent":
            raise absent_error(spark, table, name, NAME_HELP)
        refuse_branch(table, name, loaded)
        if loaded.relation_kind != "iceberg" or loaded.metadata is None:
            raise IcebergSqlError(f"`{table}` is not an Iceberg table: {loaded.relation_kind}", help=NAME_HELP)
        refuse_unusable(table, loaded.table)
        java_table = relations.catalog_table(dotted(name))
        examined = ExaminedTable("", name, table_from_metadata(name, loaded.metadata), as_read(java_table))
        result = _by_metadata(spark, examined)
    if queries is None:
        return _for_branch(rewritten_once(result), examined.read.branch)
    if not result.files:
        return replace(result, notes=("the table has no data files, so the queries decide nothing",))
    with searching(spark, dotted(name), queries) as search:
        judged = judged_by_queries(result, search.result(), partial(_after, search), search.in_larger_files)
    return _for_branch(rewritten_once(judged), examined.read.branch)


def _for_branch(health: Health, branch: str) -> Health:
    """The findings without the statements that act on main instead of the branch that was examined."""
    if not branch:
        return health
    reason = branch_note(branch)
    findings = tuple(replace(finding.without_statement(), reason=reason) for finding in health.findings)
    is_new = bool(findings) and reason not in health.notes
    return replace(health, findings=findings, notes=(*health.notes, reason) if is_new else health.notes)


def _at_path(spark: SparkSession, path: str, queries: object) -> Health:
    attach_help = f"sis.attach(spark, {path!r}, 'lake.{path.rstrip('/').rpartition('/')[2]}') gives it one"
    if queries is not None:
        raise IcebergSqlError(
            "queries refer to a table by a name, which a path has not", help=attach_help, argument="queries"
        )
    shown = spark_progress.show_progress(spark, f"health of {path}")
    with read_errors.reading(f"`{path}` cannot be read"), sessions.working_in(spark), shown:
        operations = operations_at(path)
        java_table = relations.base_table(operations, path)
        refuse_unusable(path, java_table)
        table = table_from_metadata((), table_metadata.without_snapshots(operations.current()))
        result = _by_metadata(spark, ExaminedTable(path, (), table, as_read(java_table, is_named=False)))
    reason = f"a statement needs the table's name in a catalog: {attach_help}"
    findings = tuple(replace(finding, call=None, reason=reason) for finding in result.findings)
    return replace(result, findings=findings, notes=(reason,) if findings else ())


def _after(search: AdviceSearch, finding: HealthFinding) -> Proposal | None:
    """What the queries read after a finding's statement."""
    if finding.problem == "unsorted":
        return search.proposal_under(is_sorted=True)
    return search.reads_after(OPTIONS[finding.problem]) or search.proposal_under(is_sorted=False)


def _by_metadata(spark: SparkSession, examined: ExaminedTable) -> Health:
    schema = examined.table.schema
    assert schema is not None
    with naming_manifests(examined.read.table, examined.title):
        metrics = table_metrics(spark, examined)
    if metrics.old_files and examined.name:
        fields = tuple(f for f in metrics.fields if not f.transform.is_void)
        files = files_after_rewrite(spark, examined.name, clause(Spec(0, fields), schema))
        metrics = replace(metrics, files_after_rewrite=files)
    planned_rewrite = cache(lambda problem: rewrites.planned_rewrite(examined.read.table, OPTIONS[problem]))
    if metrics.small > metrics.small_after and not metrics.old_small:
        count_after = small_files_after(spark, examined, metrics, planned_rewrite("small files"))
        metrics = replace(metrics, small_after=count_after)
    result = health_of(metrics)
    findings = tuple(
        _with_cost(finding, planned_rewrite(finding.problem), examined.name)
        if finding.call is not None and finding.problem in OPTIONS
        else finding
        for finding in result.findings
    )
    return replace(result, findings=findings)


def _with_cost(finding: HealthFinding, planned_rewrite: Rewrite | None, name: tuple[str, ...]) -> HealthFinding:
    if planned_rewrite is None or finding.rewritten_files is not None:
        return finding
    if finding.problem == "delete files" and not planned_rewrite.files and not rewrites.removes_deletes_alone():
        finding = replace(finding, call=rewrite_deletes_call(name))
    return replace(finding, rewritten_files=planned_rewrite.files, rewritten_bytes=planned_rewrite.bytes)
