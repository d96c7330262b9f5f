"""A table's parsed metadata as Python values, and rows of them as logical plans."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spark_iceberg_sql.model.metadata.snapshot_totals import SnapshotTotals, snapshot_totals
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.plans import relations

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"


def without_snapshots(metadata: Java) -> dict[str, Any]:
    """The metadata.json without its snapshots, which make up nearly all of a large one."""
    light = java_class("org.apache.iceberg.TableMetadata").buildFrom(metadata)
    light = light.removeSnapshots(metadata.snapshots()).discardChanges().build()
    metadata_json: dict[str, Any] = json.loads(_parser("TableMetadataParser").toJson(light))
    return metadata_json


def statistics(metadata: Java) -> list[dict[str, Any]]:
    """The entries of statistics files, as in metadata.json."""
    parser = _parser("StatisticsFileParser")
    return [json.loads(parser.toJson(file)) for file in metadata.statisticsFiles()]


def partition_statistics(metadata: Java) -> list[dict[str, Any]]:
    """The entries of partition statistics files, as in metadata.json."""
    parser = _parser("PartitionStatisticsFileParser")
    return [json.loads(parser.toJson(file)) for file in metadata.partitionStatisticsFiles()]


def _parser(name: str) -> Java:
    return java_class(f"org.apache.iceberg.{name}")


def rows(columns: str, values: Iterable[Mapping[str, Any]], *select: str) -> Java:
    """Rows as a logical plan, which does not show them.

    columns: as DDL. values: by column; a missing value is NULL. select: expressions over the columns; by default
    all columns.
    """
    text = relations.text_frame([json.dumps(list(values))])
    frame = text.selectExpr(gateway.to_seq([f"inline(from_json(value, 'array<struct<{columns}>>'))"]))
    return projection(frame, *select) if select else frame.queryExecution().analyzed()


def projection(frame: Java, *expressions: str) -> Java:
    """The logical plan of expressions over a DataFrame."""
    return frame.selectExpr(gateway.to_seq(expressions)).queryExecution().analyzed()


def snapshots(metadata: Java) -> Java:
    """The rows of Iceberg's metadata table `snapshots` as a logical plan: SnapshotRows.java."""
    columns = (
        "committed_at timestamp NOT NULL, snapshot_id bigint NOT NULL, parent_id bigint, operation string, "
        "manifest_list string, summary map<string, string>"
    )
    schema = java_class("org.apache.spark.sql.types.StructType").fromDDL(columns)
    rows = compiler.shared_instance(__package__, "SnapshotRows").of(metadata, schema)
    types = gateway.scala_object("org.apache.spark.sql.catalyst.types.DataTypeUtils")
    seq = java_class("org.apache.spark.api.python.PythonUtils").toSeq(rows)
    relation = java_class(f"{_LOGICAL}.LocalRelation")
    return shims.local_relation(relation, types.toAttributes(schema), seq, gateway.to_option())


def ancestors(table: Java, snapshot: Java | None, until: int | None = None) -> Iterator[Java]:
    """A snapshot and its ancestors, newest first, up to the one with the id `until`, which is left out."""
    while snapshot is not None and snapshot.snapshotId() != until:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = None if parent is None else table.snapshot(parent)


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """A snapshot. committed_ms: in milliseconds since 1970. summary: as its writer left it."""

    snapshot_id: int
    committed_ms: int
    operation: str
    summary: dict[str, str]


def snapshot_facts(snapshot: Java) -> SnapshotFacts:
    """The facts of Iceberg's snapshot."""
    summary = {str(key): str(value) for key, value in dict(snapshot.summary() or {}).items()}
    return SnapshotFacts(
        int(snapshot.snapshotId()), int(snapshot.timestampMillis()), str(snapshot.operation() or ""), summary
    )


def current(table: Java) -> Java:
    """The current TableMetadata of Iceberg's table."""
    return table.operations().current()


def location(metadata: Java) -> str:
    """The table's folder."""
    return str(metadata.location())


def last_updated_ms(metadata: Java) -> int:
    """When a table's metadata changed, in milliseconds since 1970."""
    return int(metadata.lastUpdatedMillis())


def current_totals(metadata: Java) -> SnapshotTotals:
    """A table's size by its current snapshot."""
    snapshot = metadata.currentSnapshot()
    return snapshot_totals(None if snapshot is None else snapshot_facts(snapshot).summary)


def current_snapshot_id(metadata: Java) -> int | None:
    """The id of the snapshot that a query reads."""
    snapshot = metadata.currentSnapshot()
    return None if snapshot is None else int(snapshot.snapshotId())


def last_snapshots(metadata: Java, count: int) -> tuple[int, list[SnapshotFacts]]:
    """The number of a table's snapshots, and the last ones, the newest first. count: at most so many."""
    snapshots = metadata.snapshots()
    total = int(snapshots.size())
    return total, [snapshot_facts(snapshots.get(i)) for i in range(total - 1, max(-1, total - 1 - count), -1)]


def snapshots_of_refs(metadata: Java) -> dict[str, int]:
    """The snapshot id of each branch and tag."""
    return {str(name): int(ref.snapshotId()) for name, ref in dict(metadata.refs()).items()}


def describe_rows(table: Java, name: str) -> list[dict[str, str | None]]:
    """The rows of DESCRIBE EXTENDED for a Spark table, from Spark itself."""
    return _command_rows(
        java_class(f"{_LOGICAL}.DescribeRelation")(
            _resolved(table, name),
            gateway.to_map({}),
            True,
            gateway.scala_object(f"{_LOGICAL}.DescribeRelation").getOutputAttrs(),
        )
    )


def properties(table: Java, name: str) -> list[dict[str, str | None]]:
    """The rows of SHOW TBLPROPERTIES for a Spark table, from Spark itself."""
    output = gateway.scala_object(f"{_LOGICAL}.ShowTableProperties").getOutputAttrs()
    command = java_class(f"{_LOGICAL}.ShowTableProperties")
    return _command_rows(command(_resolved(table, name), gateway.to_option(), output))


def _command_rows(command: Java) -> list[dict[str, str | None]]:
    return [json.loads(str(row)) for row in relations.data_frame(command).toJSON().collectAsList()]


def _resolved(table: Java, name: str) -> Java:
    identifier = java_class("org.apache.spark.sql.connector.catalog.Identifier")
    none = gateway.gateway().new_array(java_class("java.lang.String"), 0)
    resolved = gateway.scala_object("org.apache.spark.sql.catalyst.analysis.ResolvedTable")
    return resolved.create(relations.functions_catalog(), identifier.of(none, name), table)


def spark_columns(table: Java) -> list[dict[str, Any]]:
    """The columns of a Spark table as in Spark's JSON, but with their types as SQL."""
    util = java_class("org.apache.spark.sql.connector.catalog.CatalogV2Util")
    struct = util.v2ColumnsToStructType(table.columns())
    columns: list[dict[str, Any]] = json.loads(struct.json())["fields"]
    for field, column in zip(columns, struct.fields(), strict=True):
        field["type"] = str(column.dataType().simpleString())
    return columns
