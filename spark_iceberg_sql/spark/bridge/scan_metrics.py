"""How much the scans of an executed query read, from Iceberg's own metrics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import Java, from_seq

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Nodes that wrap the executed plan: class -> the method that returns it.
_HIDES = {
    "AdaptiveSparkPlanExec": "executedPlan",
    "BroadcastQueryStageExec": "plan",
    "ResultQueryStageExec": "plan",
    "ShuffleQueryStageExec": "plan",
}


@dataclass(frozen=True, slots=True)
class Read:
    """The data files of all scans of a query: how many were read, and the total.

    Iceberg does not count the files in manifests that were skipped entirely, so `total` is the table's number
    of files only if no manifest was skipped.
    """

    files: int
    total: int


def files_read(rows: DataFrame) -> Read:
    """How much a DataFrame's scans read; run an action on it first."""
    read = skipped = 0
    for scan in scans(rows._jdf.queryExecution().executedPlan()):
        metrics = {entry._1(): entry._2().value() for entry in from_seq(scan.metrics().toSeq())}
        read += metrics.get("resultDataFiles", 0)
        skipped += metrics.get("skippedDataFiles", 0)
    return Read(read, read + skipped)


def scans(node: Java, kinds: tuple[str, ...] = ("BatchScanExec",)) -> Iterator[Java]:
    """The scans of an executed plan, in plan order. kinds: the simple names of their classes."""
    kind = node.getClass().getSimpleName()
    if kind in _HIDES:
        yield from scans(getattr(node, _HIDES[kind])(), kinds)
    elif kind in kinds:
        yield node
    else:
        for child in from_seq(node.children()):
            yield from scans(child, kinds)
