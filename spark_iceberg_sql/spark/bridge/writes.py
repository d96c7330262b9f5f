"""The commits of a statement to an Iceberg table, from the summaries of its snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge import jvm
from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_WAP = "write.wap.enabled"  # write, audit, publish: a setting of the session names the branch
_MOST = 1_000  # snapshots of one statement: a CALL may commit many


@dataclass(frozen=True, slots=True)
class Written:
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


def written(rows: DataFrame, since_ms: int) -> Written | None:
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
            target = _target(command.table())
        return _committed(rows.sparkSession, target, since_ms, 1)
    except BRIDGE_ERRORS:
        return None


def called(
    spark: SparkSession, catalog: str, table: Sequence[str], since_ms: int
) -> Written | None:
    """The commits of a CALL to an Iceberg table; None as for `statement_commit`.

    catalog: of the procedure; empty for the current one. table: the name that the procedure was given, as its
    parts.
    """
    session = jvm.java_session(spark)
    try:
        manager = session.sessionState().catalogManager()
        own = manager.catalog(catalog) if catalog else manager.currentCatalog()
        found = jvm.java_class("org.apache.iceberg.spark.Spark3Util").catalogAndIdentifier(
            "the table of a CALL", session, dotted(table), own
        )
        target = found.catalog().loadTable(found.identifier())
        return _committed(spark, target, since_ms, _MOST)
    except BRIDGE_ERRORS:
        return None


def _committed(spark: SparkSession, target: Java, since_ms: int, most: int) -> Written | None:
    """The snapshots of this session's application since a time, the newest first, up to a maximum number."""
    if str(target.getClass().getName()) != _SPARK_TABLE:
        return None
    table = target.table()
    table.refresh()
    own = spark.sparkContext.applicationId
    if most == 1 and (found := _staged(spark, table, since_ms)) is not None:
        return Written(str(found.operation()), _counts(_summary(found)), staged=_wap_id(spark))
    branch = _branch(spark, target)
    counts: Counter[str] = Counter()
    number, operation = 0, ""
    snapshot = table.snapshot(branch) if branch else table.currentSnapshot()
    while snapshot is not None and number < most and snapshot.timestampMillis() >= since_ms:
        summary = _summary(snapshot)
        if _application(summary) != own:
            break
        number += 1
        operation = operation or str(snapshot.operation())
        counts.update(_counts(summary))
        parent = snapshot.parentId()
        snapshot = table.snapshot(parent) if parent is not None else None
    return Written(operation, dict(counts), number, branch) if number else None


def _staged(spark: SparkSession, table: Java, since_ms: int) -> Java | None:
    """The newest snapshot that this session has staged since a time; a DELETE of whole files is not staged."""
    if not (wap_id := _wap_id(spark)) or table.properties().get(_WAP) != "true":
        return None
    snapshots, current = table.snapshots(), table.currentSnapshot()
    for i in reversed(range(snapshots.size())):
        snapshot = snapshots.get(i)
        if snapshot.timestampMillis() < since_ms:
            return None
        if current is not None and snapshot.snapshotId() == current.snapshotId():
            return None
        summary = _summary(snapshot)
        if (
            summary.get("wap.id") == wap_id
            and _application(summary) == spark.sparkContext.applicationId
        ):
            return snapshot
    return None


def _wap_id(spark: SparkSession) -> str:
    return str(spark.conf.get("spark.wap.id", None) or "")


def _summary(snapshot: Java) -> dict[str, str]:
    return {str(k): str(v) for k, v in dict(snapshot.summary()).items()}


def _counts(summary: dict[str, str]) -> dict[str, int]:
    return {key: int(value) for key, value in summary.items() if value.isdigit()}


def _application(summary: dict[str, str]) -> str | None:
    return summary.get("spark.app.id", summary.get("app-id"))


def _branch(spark: SparkSession, target: Java) -> str:
    """The table branch that a statement writes to; empty for main."""
    named = target.branch()
    if named is None and target.table().properties().get(_WAP) == "true":
        named = spark.conf.get("spark.wap.branch", None)
    return "" if named in (None, "main") else str(named)


def _target(relation: Java) -> Java:
    """The table that a command writes to, without Spark's wrappers."""
    while str(relation.getClass().getSimpleName()) == "SubqueryAlias":
        relation = relation.child()
    table = relation.table()
    wrapped = str(table.getClass().getSimpleName()) == "RowLevelOperationTable"
    return table.table() if wrapped else table
