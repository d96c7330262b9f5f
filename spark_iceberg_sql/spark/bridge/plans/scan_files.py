"""The files that the scans of a query read of each table, by partition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import PartitionFiles, PartitionValue
from spark_iceberg_sql.spark.bridge.plans import read_branches, read_notes, schemas
from spark_iceberg_sql.spark.bridge.plans.scan_metrics import EVERY_ROW, limited_scans, scan_key, scans

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_METADATA_TABLE = "org.apache.iceberg.BaseMetadataTable"
_FILES = "FileSourceScanExec"
_MAX_FILES = 200_000  # the maximum number of data files to count by partition: takes under a second
_LOADERS: WeakKeyDictionary[Any, Java] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition of a table: the number and bytes of its data files, and of those read."""

    spec_id: int
    files: int
    size: int
    files_read: int
    size_read: int
    values: tuple[PartitionValue, ...]


@dataclass(frozen=True)
class TableRead:
    """The files that a scan reads of a table.

    table: its name. partitions: of the snapshot. counted: whether they include those that are not read; a
    table with very many files is not counted. sized: whether the sizes of files that are not read are known.
    at_most: whether some of the files may not have been read. reason: why fewer files were read than the filters
    need, such as `top 10 by ts`. needs_few: whether the first of its files have the rows that a LIMIT needs.
    """

    table: str
    partitions: tuple[Partition, ...]
    counted: bool = True
    sized: bool = True
    at_most: bool = False
    reason: str | None = None
    needs_few: bool = False

    @cached_property
    def files(self) -> int:
        """The number of data files read."""
        return sum(p.files_read for p in self.partitions)

    @cached_property
    def size(self) -> int:
        """The bytes of the data files read."""
        return sum(p.size_read for p in self.partitions)

    @cached_property
    def total_files(self) -> int | None:
        """The number of the table's data files; None if they were not counted."""
        return sum(p.files for p in self.partitions) if self.counted else None

    @cached_property
    def total_size(self) -> int | None:
        """The bytes of the table's data files; None if unknown."""
        return sum(p.size for p in self.partitions) if self.counted and self.sized else None


def tables_read(rows: DataFrame, *, executed: bool = True) -> list[TableRead]:
    """The tables that a query reads, one entry per scan of a table, in plan order.

    executed: whether an action has run; if not, the result of planning alone. A scan that cannot be read is
    skipped.
    """
    tables = []
    plan = rows._jdf.queryExecution().executedPlan()
    limited = {scan_key(scan) for scan in limited_scans(plan)}
    unfiltered = {scan_key(scan) for scan in limited_scans(plan, EVERY_ROW)}
    for scan in scans(plan, ("BatchScanExec", _FILES)):
        try:
            read = (
                _files(rows, scan)
                if scan.getClass().getSimpleName() == _FILES
                else _read(rows, scan, executed, scan_key(scan) in limited)
            )
        except BRIDGE_ERRORS:
            continue
        if read is not None:
            tables.append(replace(read, needs_few=scan_key(scan) in unfiltered))
    return [*tables, *_answered(rows)]


def _answered(rows: DataFrame) -> Iterator[TableRead]:
    """The tables of whose metadata an optimizer rule made rows of a query, of which no file was read."""
    for leaf in gateway.from_seq(rows._jdf.queryExecution().optimizedPlan().collectLeaves()):
        if row := read_notes.answered(leaf):
            yield TableRead(row.table, (), counted=False, reason=read_notes.answer_text(row))


def _files(rows: DataFrame, scan: Java) -> TableRead | None:
    """The files that a scan reads of a table that is not an Iceberg table: Parquet files in folders, for
    example.
    """
    metrics = {entry._1(): entry._2().value() for entry in gateway.from_seq(scan.metrics().toSeq())}
    if "numFiles" not in metrics or not scan.tableIdentifier().isDefined():
        return None
    name = str(scan.tableIdentifier().get().quotedString())
    total_files = len(rows.sparkSession.table(name).inputFiles())
    partition = Partition(0, total_files, 0, int(metrics["numFiles"]), int(metrics["filesSize"]), ())
    return TableRead(name.replace("`", ""), (partition,), sized=False)


def _read(rows: DataFrame, scan: Java, executed: bool, is_limited: bool) -> TableRead | None:
    table = scan.table()
    if str(table.getClass().getName()) not in (_SPARK_TABLE, schemas.WITH_SCHEMA):
        return None
    iceberg_table, snapshot_number = table.table(), read_branches.snapshot_id(table)
    if gateway.java_class(_METADATA_TABLE)._java_lang_class.isInstance(iceberg_table):
        return None
    snapshot = (
        iceberg_table.snapshot(snapshot_number) if snapshot_number is not None else iceberg_table.currentSnapshot()
    )
    reader = _reader(iceberg_table)
    partitions, at_most = scan.partitions() if executed else scan.inputPartitions(), False
    if not scan.runtimeFilters().isEmpty():  # known, and applied, only when the join runs
        filtered = reader.filtered(scan) if executed else None
        at_most = filtered is None
        partitions = partitions if at_most else filtered
    if is_limited and not at_most:  # a LIMIT ends a scan when it has its rows
        at_most = not executed or _rows_of(scan) < int(reader.rows(partitions))
    text = reader.text(snapshot, partitions, _MAX_FILES)
    counted = snapshot is None or int(snapshot.summary().get("total-data-files") or 0) <= _MAX_FILES
    return TableRead(
        read_branches.scan_title(table), tuple(_partitions(text)), counted, at_most=at_most, reason=_reason(rows, scan)
    )


def _reason(rows: DataFrame, scan: Java) -> str | None:
    """The note of an optimizer rule on the leaf of the optimized plan that became a scan.

    Spark forgets which leaf that is where it gives both sides of a join the same partitions.
    """
    link = scan.logicalLink()
    plan = link.get() if link.isDefined() else rows._jdf.queryExecution().optimizedPlan()
    for leaf in gateway.from_seq(plan.collectLeaves()):
        if leaf.getClass().getSimpleName() == "DataSourceV2ScanRelation" and leaf.scan().equals(scan.scan()):
            return read_notes.reason(leaf)
    return None


def _rows_of(scan: Java) -> int:
    """The number of rows that an executed scan returned."""
    return int(scan.metrics().apply("numOutputRows").value())


def _reader(table: Java) -> Java:
    py4j_gateway = gateway.gateway()
    if py4j_gateway not in _LOADERS:
        loader = compiler.with_records(compiler.base_loader(), PartitionValue, PartitionFiles)
        loader = compiler.compiled(__package__ or "", "ScanFiles", loader)
        _LOADERS[py4j_gateway] = loader
    reader_class = _LOADERS[py4j_gateway].loadClass("sparkicebergsql.ScanFiles")
    return reader_class.getConstructors()[0].newInstance(gateway.array("java.lang.Object", [table]))


def _partitions(text: str) -> Iterator[Partition]:
    for row in list_from_json(PartitionFiles, text):
        yield Partition(
            spec_id=row.spec_id,
            files=row.files,
            size=row.bytes,
            files_read=row.files_read,
            size_read=row.bytes_read,
            values=tuple(row.values),
        )


def is_query(spark: SparkSession, text: str) -> bool:
    """True if a statement is only a query, which Spark does not run until its rows are fetched.

    An INSERT may start like a query, with WITH or FROM, but cannot be in parentheses.
    """
    try:
        requests.parser_without_gate(spark).parsePlan(f"SELECT * FROM (\n{text}\n)")
    except JVM_ERRORS:
        return False
    return True


def physical_plan(rows: DataFrame) -> str:
    """Spark's physical plan of a query, as EXPLAIN FORMATTED writes it."""
    mode = gateway.java_class("org.apache.spark.sql.execution.ExplainMode").fromString("formatted")
    return str(rows._jdf.queryExecution().explainString(mode))
