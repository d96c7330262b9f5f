"""What Iceberg itself plans to read of hypothetical files, and costs by query: for tests and benchmarks of advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_iceberg_sql.insight.advise.costs.spark_costs import Costs, SpecFields
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class

_ICEBERG = "org.apache.iceberg"


def _proxy(interface: str, handle: Java) -> Java:
    """A method handle as an object of an interface: a Python loop would need a call per file."""
    proxies = java_class("java.lang.invoke.MethodHandleProxies")
    return proxies.asInterfaceInstance(_class_named(interface), handle)


def _file_of_task() -> Java:
    """ContentScanTask.file, as a method handle."""
    method_type = java_class("java.lang.invoke.MethodType").methodType
    return (
        java_class("java.lang.invoke.MethodHandles")
        .publicLookup()
        .findVirtual(
            _class_named(f"{_ICEBERG}.ContentScanTask"), "file", method_type(_class_named(f"{_ICEBERG}.ContentFile"))
        )
    )


def _file_method(method: str, result: str) -> Java:
    """A method of a task's file, as a method handle that takes the task. result: a primitive type."""
    boxes = {"int": "java.lang.Integer", "long": "java.lang.Long"}
    handles = java_class("java.lang.invoke.MethodHandles")
    result_class = getattr(java_class(boxes[result]), "TYPE")  # noqa: B009 - a field of the class
    handle = handles.publicLookup().findVirtual(
        _class_named(f"{_ICEBERG}.ContentFile"),
        method,
        java_class("java.lang.invoke.MethodType").methodType(result_class),
    )
    return handles.filterReturnValue(_file_of_task(), handle)


def _class_named(name: str) -> Java:
    """The Class object of a class in Spark's jars or the added jars."""
    return java_class("org.apache.spark.util.Utils").classForName(name, True, False)


def planned_by_spec(table: Any, filters: Sequence[Any]) -> dict[int, tuple[int, int]]:
    """The number of files and bytes that Iceberg's planner keeps, by partition spec. filters: combined with AND."""
    scan = table.newScan()
    for condition in filters:
        scan = scan.filter(condition)
    tasks = scan.planFiles()
    lists = java_class(f"{_ICEBERG}.relocated.com.google.common.collect.Lists")
    collectors = java_class("java.util.stream.Collectors")
    size = _proxy("java.util.function.ToLongFunction", _file_method("fileSizeInBytes", "long"))
    spec = _proxy("java.util.function.Function", _file_method("specId", "int"))
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
