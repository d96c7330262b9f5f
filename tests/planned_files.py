"""What Iceberg itself plans to read of hypothetical files, and costs by query: for tests and benchmarks of advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_iceberg_sql.insight.advise.spark_costs import Costs, SpecFields
from spark_iceberg_sql.spark.bridge.jvm.gateway import java_class
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables


def planned_by_spec(table: Any, filters: Sequence[Any]) -> dict[int, tuple[int, int]]:
    """The number of files and bytes that Iceberg's planner keeps, by partition spec. filters: combined with AND."""
    scan = table.newScan()
    for condition in filters:
        scan = scan.filter(condition)
    tasks = scan.planFiles()
    lists = java_class("org.apache.iceberg.relocated.com.google.common.collect.Lists")
    collectors = java_class("java.util.stream.Collectors")
    of_file, proxy = hypothetical_tables._file_method, hypothetical_tables._proxy
    size = proxy("java.util.function.ToLongFunction", of_file("fileSizeInBytes", "long"))
    spec = proxy("java.util.function.Function", of_file("specId", "int"))
    sums = collectors.groupingBy(spec, collectors.summarizingLong(size))
    entries = lists.newArrayList(tasks).stream().collect(sums).entrySet()
    tasks.close()
    return {
        int(entry.getKey()): (int(entry.getValue().getCount()), int(entry.getValue().getSum())) for entry in entries
    }


def by_text(costs: Costs) -> dict[str, Mapping[SpecFields, int]]:
    """The cost of each query, by its text; weights do not count."""
    texts = [planned.query.text for planned in costs.planned_queries]
    return dict(zip(texts, costs.costs_by_query, strict=True))
