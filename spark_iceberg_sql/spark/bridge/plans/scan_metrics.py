"""The number of files that the scans of an executed query read, from Iceberg's own metrics."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, from_seq

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Nodes that wrap the executed plan: class -> the method that returns it.
_WRAPPERS = {
    "AdaptiveSparkPlanExec": "executedPlan",
    "BroadcastQueryStageExec": "plan",
    "ResultQueryStageExec": "plan",
    "ShuffleQueryStageExec": "plan",
}
# Subqueries that take the rows of another node, whose scans are counted there. Of the broadcasts of a join and of a
# SubqueryBroadcastExec, one has the scan, and the other, a ReusedExchangeExec, has no child.
_REUSED_SUBQUERIES = ("SubqueryAdaptiveBroadcastExec", "ReusedSubqueryExec")


@dataclass(frozen=True, slots=True)
class ScanTotals:
    """The data files of all scans of a query: how many were read, and the total.

    Iceberg does not count the files in manifests that were skipped entirely, so `total` is the table's number
    of files only if no manifest was skipped.
    """

    files: int
    total: int


def files_read(rows: DataFrame) -> ScanTotals:
    """The data files that a DataFrame's scans read; run an action on it first."""
    read = skipped = 0
    for scan in scans(rows._jdf.queryExecution().executedPlan()):
        metrics = {entry._1(): entry._2().value() for entry in from_seq(scan.metrics().toSeq())}
        read += metrics.get("resultDataFiles", 0)
        skipped += metrics.get("skippedDataFiles", 0)
    return ScanTotals(read, read + skipped)


def scan_key(scan: Java) -> int:
    """The key of a scan in an executed plan."""
    return int(scan.id())


_LIMITS = ("CollectLimitExec", "LocalLimitExec", "GlobalLimitExec")
# Nodes that pass on a row before they take the next one.
_ROW_BY_ROW = (
    "ProjectExec",
    "FilterExec",
    "UnionExec",
    "GenerateExec",
    "SampleExec",
    "CoalesceExec",
    "ExpandExec",
    "BatchEvalPythonExec",
    "ArrowEvalPythonExec",
    "AdaptiveSparkPlanExec",
    "WholeStageCodegenExec",
    "InputAdapter",
    "ColumnarToRowExec",
    "ResultQueryStageExec",
    "BroadcastHashJoinExec",
    "BroadcastNestedLoopJoinExec",  # of the side that is not broadcast
)
# Those of them that pass on every row, so that the first files have the rows that a LIMIT needs.
EVERY_ROW = tuple(name for name in _ROW_BY_ROW if not name.endswith(("FilterExec", "SampleExec", "JoinExec")))


def limited_scans(node: Java, passing: Collection[str] = _ROW_BY_ROW, *, is_limited: bool = False) -> Iterator[Java]:
    """The scans of an executed plan that a LIMIT may end before they have read all their files.

    passing: the classes of the nodes that may be between the scan and the LIMIT.
    """
    class_name = node.getClass().getSimpleName()
    is_limited = class_name in _LIMITS or (is_limited and class_name in passing)
    if class_name in _WRAPPERS:
        yield from limited_scans(getattr(node, _WRAPPERS[class_name])(), passing, is_limited=is_limited)
        return
    for child in from_seq(node.children()):
        if child.getClass().getSimpleName() == "BatchScanExec" and is_limited:
            yield child
        yield from limited_scans(child, passing, is_limited=is_limited)
    for plan in from_seq(node.subqueries()):
        yield from limited_scans(plan, passing)


def scans(node: Java, class_names: tuple[str, ...] = ("BatchScanExec",)) -> Iterator[Java]:
    """The scans of an executed plan, in plan order, each before those of its subqueries.

    class_names: the simple names of their classes.
    """
    class_name = node.getClass().getSimpleName()
    if class_name in _WRAPPERS:
        yield from scans(getattr(node, _WRAPPERS[class_name])(), class_names)
        return
    if class_name in class_names:
        yield node
    for child in from_seq(node.children()):
        yield from scans(child, class_names)
    for plan in from_seq(node.subqueries()):
        if plan.getClass().getSimpleName() not in _REUSED_SUBQUERIES:
            yield from scans(plan, class_names)
