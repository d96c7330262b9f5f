"""A conjunct as the expression that Iceberg receives, and the number of files of a table that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import (
    FileTotal,
    FilterFiles,
    PartitionTerm,
    PruningFields,
    SnapshotFilters,
)
from spark_iceberg_sql.spark.bridge.plans import read_branches

_V2 = "org.apache.spark.sql.execution.datasources"
_ICEBERG = "org.apache.iceberg"


def iceberg_table(relation: Java) -> Java | None:
    """The SparkTable of a relation; None if it is not an Iceberg table with its own data files."""
    table = relation.table()
    if _has_class(table, "RowLevelOperationTable"):
        table = table.table()
    if not _has_class(table, "SparkTable"):
        return None
    metadata = java_class(f"{_ICEBERG}.BaseMetadataTable")._java_lang_class
    return None if metadata.isInstance(table.table()) else table


def _has_class(java_object: Java, class_name: str) -> bool:
    return bool(java_object.getClass().getSimpleName() == class_name)


def to_iceberg(conjunct: Java, relation: Java) -> Java | None:
    """The expression that Iceberg receives for a conjunct; None if Spark or Iceberg does not translate it."""
    if not conjunct.deterministic():
        return None
    try:
        strategy = scala_object(f"{_V2}.DataSourceStrategy")
        # The same steps as Spark's push-down into a scan, so that the result is the expression of a real
        # scan.
        normal = strategy.normalizeExprs(jvm.to_seq([conjunct]), relation.output()).head()
        predicate = scala_object(f"{_V2}.v2.DataSourceV2Strategy").translateFilterV2(normal)
        if predicate.isEmpty():
            return None
        filters = java_class(f"{_ICEBERG}.spark.SparkV2Filters")
        expression = filters.convert(predicate.get())
        if expression is not None:
            _check_binding(relation, expression)
    except BRIDGE_ERRORS:  # as in the scan: Spark evaluates what Iceberg does not accept
        return None
    return expression


def _check_binding(relation: Java, expression: Java) -> None:
    """Check that an expression can be bound to the schema that a relation is read with; fails as the scan
    would.
    """
    table = iceberg_table(relation)
    if table is not None:
        binder = java_class(f"{_ICEBERG}.expressions.Binder")
        binder.bind(_schema(table).asStruct(), expression, _case_sensitive())


def _schema(table: Java) -> Java:
    """The schema that a table is read with: for time travel, that of the snapshot."""
    snapshot = table.snapshotId()
    if snapshot is None or table.branch() is not None:
        return table.table().schema()
    return java_class(f"{_ICEBERG}.util.SnapshotUtil").schemaFor(table.table(), snapshot)


def _case_sensitive() -> bool:
    return bool(jvm.active_session().sessionState().conf().caseSensitiveAnalysis())


def conjunction(expressions: Sequence[Java]) -> Java:
    """The conjunction of Iceberg expressions; true if there are none."""
    factory = java_class(f"{_ICEBERG}.expressions.Expressions")
    result = factory.alwaysTrue()
    for expression in expressions:
        result = getattr(factory, "and")(result, expression)
    return result


def kept_files(table: Java, filters: Sequence[Java]) -> SnapshotFilters | None:
    """The files of a SparkTable's snapshot that each Iceberg expression keeps, counted by FilterFileCounts.java.

    None if the table has no snapshot, and so no files.
    """
    snapshot = read_branches.snapshot_id(table)
    if snapshot is None:
        return None
    counter = _counter(jvm.gateway())
    arguments = jvm.gateway().new_array(java_class("java.lang.Object"), 2)
    arguments[0], arguments[1] = _schema(table), _case_sensitive()
    java_filters = java_class("java.util.ArrayList")()
    for expression in filters:
        java_filters.add(expression)
    inner_table = table.table()
    text = counter.newInstance(arguments).of(inner_table, inner_table.snapshot(snapshot), java_filters)
    return from_json(SnapshotFilters, text)


@lru_cache(maxsize=1)
def _counter(gateway: Java) -> Java:
    records = FileTotal, PartitionTerm, PruningFields, FilterFiles, SnapshotFilters
    loader = compiler.with_records(compiler.base_loader(), *records)
    loader = compiler.compiled(__package__, "FilterFileCounts", loader)
    return loader.loadClass("sparkicebergsql.FilterFileCounts").getConstructors()[0]


def is_of_metadata(scan: Java) -> bool:
    """True for a scan that Iceberg answers from metadata alone, with the aggregates that Spark has pushed to it."""
    return str(scan.getClass().getSimpleName()) == "SparkLocalScan"


def planning_metrics(scan: Java) -> Mapping[str, int] | None:
    """The metrics of a scan's own planning, such as resultDataFiles; None if it counts none."""
    try:
        scan.outputPartitioning()  # plans the files, from the manifests
        metrics = {str(m.name()): int(m.value()) for m in scan.reportDriverMetrics()}
    except BRIDGE_ERRORS:
        return None
    return metrics if "resultDataFiles" in metrics else None  # an incremental read counts none


def partition_fields(table: Java) -> list[tuple[str, str, bool]]:
    """The partition fields of all specs of a table: transform, source column, whether the current spec has it."""
    inner_table = table.table()
    current = inner_table.spec().specId()
    fields = []
    for spec in inner_table.specs().values():
        for field in spec.fields():
            source = spec.schema().findColumnName(field.sourceId())
            fields.append((str(field.transform().toString()), str(source), spec.specId() == current))
    return fields
