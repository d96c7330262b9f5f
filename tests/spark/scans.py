"""What the scans of an executed DataFrame read and skipped, from Iceberg's own metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame


def metrics(rows: DataFrame) -> dict[str, int]:
    """Run it; return the sums of its scans' metrics, such as resultDataFiles and skippedDataManifests."""
    rows.collect()
    return metrics_of_run(rows)


def metrics_of_run(rows: DataFrame) -> dict[str, int]:
    """The same of a DataFrame that has run."""
    totals: dict[str, int] = {}
    for leaf in _leaves(rows._jdf.queryExecution().executedPlan()):
        if leaf.nodeName().startswith("BatchScan"):
            entries = leaf.metrics().iterator()
            while entries.hasNext():
                entry = entries.next()
                totals[entry._1()] = totals.get(entry._1(), 0) + entry._2().value()
    return totals


def leaves(rows: DataFrame) -> list[Any]:
    """The leaves of the executed plan, including those of its stages."""
    return list(_leaves(rows._jdf.queryExecution().executedPlan()))


def plan(rows: DataFrame) -> str:
    """The executed plan's text."""
    return str(rows._jdf.queryExecution().executedPlan().toString())


def _leaves(node: Any) -> Iterator[Any]:
    kind = node.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        yield from _leaves(node.executedPlan())
        return
    if kind.endswith("QueryStageExec"):
        yield from _leaves(node.plan())
        return
    children = node.children()
    if children.size() == 0:
        yield node
    for index in range(children.size()):
        yield from _leaves(children.apply(index))
