"""The commits of a statement to an Iceberg table, from the summaries of its snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import gateway, sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.plans import read_branches
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_WAP = "write.wap.enabled"  # write, audit, publish
_CHANGED_PARTITIONS = "changed-partition-count"
_MAX_SNAPSHOTS = 1_000  # snapshots of one statement: a CALL may commit many


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """Summary of the snapshots that a statement committed.

    operation: Iceberg's name for it: `append`, `replace`. counts: of its snapshots' summaries, such as
    `added-data-files`. snapshots: their number. branch: the table branch that they are on; empty for main.
    staged: the `spark.wap.id` of a snapshot that is on no branch yet; empty for one that is.
    """

    operation: str
    counts: dict[str, int]
    snapshots: int = 1
    branch: str = ""
    staged: str = ""


def statement_commit(rows: DataFrame, since_ms: int) -> CommitSummary | None:
    """The commit of a statement to an Iceberg table; None if it wrote to none, or if that is uncertain.

    rows: the result of `spark.sql`. since_ms: when the statement began, in milliseconds since 1970.
    """
    try:
        plan = rows._jdf.queryExecution().commandExecuted()
        if str(plan.getClass().getSimpleName()) != "CommandResult":
            return None
        command = plan.commandLogicalPlan()
        if str(command.getClass().getSimpleName()).endswith("AsSelect"):
            name = command.name()
            target = name.catalog().loadTable(name.identifier())
        else:
            target = _written_table(command.table())
        return _commit_since(rows.sparkSession, target, since_ms, 1)
    except BRIDGE_ERRORS:
        return None


def call_commit(spark: SparkSession, catalog: str, table: Sequence[str], since_ms: int) -> CommitSummary | None:
    """The commits of a CALL to an Iceberg table; None as for `statement_commit`.

    catalog: of the procedure; empty for the current one. table: the name that the procedure was given, as its
    parts.
    """
    session = gateway.java_session(spark)
    try:
        manager = session.sessionState().catalogManager()
        java_catalog = manager.catalog(catalog) if catalog else manager.currentCatalog()
        catalog_and_identifier = gateway.java_class("org.apache.iceberg.spark.Spark3Util").catalogAndIdentifier(
            "the table of a CALL", session, dotted(table), java_catalog
        )
        target = catalog_and_identifier.catalog().loadTable(catalog_and_identifier.identifier())
        return _commit_since(spark, target, since_ms, _MAX_SNAPSHOTS)
    except BRIDGE_ERRORS:
        return None


def _commit_since(spark: SparkSession, target: Java, since_ms: int, max_snapshots: int) -> CommitSummary | None:
    """The snapshots of this session's application since a time, the newest first, up to a maximum number."""
    if str(target.getClass().getName()) != _SPARK_TABLE:
        return None
    table = target.table()
    table.refresh()
    application_id = spark.sparkContext.applicationId
    if max_snapshots == 1 and (staged_snapshot := _staged_snapshot(spark, table, since_ms)) is not None:
        return CommitSummary(
            str(staged_snapshot.operation()), _counts(_summary(staged_snapshot), table), staged=_wap_id(spark)
        )
    with sessions.working_in(spark):
        branch = read_branches.written_branch(target)
    counts: Counter[str] = Counter()
    snapshot_count, operation = 0, ""
    newest = table.snapshot(branch) if branch else table.currentSnapshot()
    for snapshot in islice(table_metadata.ancestors(table, newest), max_snapshots):
        summary = _summary(snapshot)
        if snapshot.timestampMillis() < since_ms or _application(summary) != application_id:
            break
        snapshot_count += 1
        operation = operation or str(snapshot.operation())
        counts.update(_counts(summary, table))
    return CommitSummary(operation, dict(counts), snapshot_count, branch) if snapshot_count else None


def _staged_snapshot(spark: SparkSession, table: Java, since_ms: int) -> Java | None:
    """The newest snapshot that this session has staged since a time; a DELETE of whole files is not staged."""
    if not (wap_id := _wap_id(spark)) or table.properties().get(_WAP) != "true":
        return None
    snapshots, current = table.snapshots(), table.currentSnapshot()
    for i in reversed(range(snapshots.size())):
        snapshot = snapshots.get(i)
        is_current = current is not None and snapshot.snapshotId() == current.snapshotId()
        if is_current or snapshot.timestampMillis() < since_ms:
            return None
        summary = _summary(snapshot)
        if summary.get("wap.id") == wap_id and _application(summary) == spark.sparkContext.applicationId:
            return snapshot
    return None


def _wap_id(spark: SparkSession) -> str:
    return str(spark.conf.get("spark.wap.id", None) or "")


def _summary(snapshot: Java) -> dict[str, str]:
    return {str(k): str(v) for k, v in dict(snapshot.summary()).items()}


def _counts(summary: dict[str, str], table: Java) -> dict[str, int]:
    """The figures of a summary; for Iceberg, a table without partition fields is one partition."""
    is_whole = all(spec.isUnpartitioned() for spec in table.specs().values())
    return {
        key: int(value)
        for key, value in summary.items()
        if value.isdigit() and not (is_whole and key == _CHANGED_PARTITIONS)
    }


def _application(summary: dict[str, str]) -> str | None:
    return summary.get("spark.app.id", summary.get("app-id"))


def _written_table(relation: Java) -> Java:
    """The table that a command writes to, without Spark's wrappers."""
    while str(relation.getClass().getSimpleName()) == "SubqueryAlias":
        relation = relation.child()
    table = relation.table()
    return table.table() if str(table.getClass().getSimpleName()) == "RowLevelOperationTable" else table
