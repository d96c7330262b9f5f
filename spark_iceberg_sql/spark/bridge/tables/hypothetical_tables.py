"""Iceberg tables in the driver's memory: planned like any other table, with files that were never written."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, interrupts
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import FileTotal
from spark_iceberg_sql.spark.bridge.plans.hypothetical_plans import FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ICEBERG = "org.apache.iceberg"
_UNSORTED = [{"order-id": 0, "fields": []}]


def schema_json(frame: DataFrame) -> dict[str, Any]:
    """A DataFrame's columns as an Iceberg schema, with field ids as CREATE TABLE gives them."""
    schema = java_class(f"{_ICEBERG}.spark.SparkSchemaUtil").convert(frame._jdf.schema())
    numbered_schema = java_class(f"{_ICEBERG}.types.TypeUtil").assignIncreasingFreshIds(schema)
    iceberg_schema: dict[str, Any] = json.loads(java_class(f"{_ICEBERG}.SchemaParser").toJson(numbered_schema))
    return iceberg_schema


def new_table_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties of a new table: Iceberg adds defaults to those given, such as the codec."""
    unpartitioned = java_class(f"{_ICEBERG}.PartitionSpec").unpartitioned()
    metadata = java_class(f"{_ICEBERG}.TableMetadata").newTableMetadata(
        unpartitioned.schema(), unpartitioned, FOLDER, dict(properties)
    )
    return {str(key): str(value) for key, value in dict(metadata.properties()).items()}


def table_metadata(
    schema: Mapping[str, Any],
    specs: Sequence[Sequence[Mapping[str, Any]]],
    properties: Mapping[str, str],
    template: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The metadata of a new empty table.

    schema: as in metadata.json. specs: the fields of each partition spec; the last spec is the default, and a
    spec's position is its id. properties: of the table. template: the metadata of a table whose format
    version, sort order and last column id it takes.
    """
    template = template or {}
    ids = [int(field["field-id"]) for fields in specs for field in fields]
    return {
        "format-version": max(2, int(template.get("format-version", 2))),
        "table-uuid": str(uuid.uuid4()),
        "location": f"{FOLDER}/{uuid.uuid4().hex}",
        "last-sequence-number": 0,
        "last-updated-ms": int(time.time() * 1000),
        "next-row-id": 0,
        "last-column-id": template.get("last-column-id", _last_id(schema)),
        "schemas": [{**schema, "schema-id": 0}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": i, "fields": list(f)} for i, f in enumerate(specs)],
        "default-spec-id": len(specs) - 1,
        "last-partition-id": max(ids, default=999),
        "sort-orders": template.get("sort-orders", _UNSORTED),
        "default-sort-order-id": template.get("default-sort-order-id", 0),
        "properties": {str(k): str(v) for k, v in properties.items()},
        "snapshots": [],
    }


def without_snapshots(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of an empty table with the schemas, specs and properties of another. metadata: that one's."""
    of_snapshots = ("current-snapshot-id", "refs", "snapshot-log", "metadata-log", "statistics", "partition-statistics")
    return {
        **{key: value for key, value in metadata.items() if key not in of_snapshots},
        "table-uuid": str(uuid.uuid4()),
        "location": f"{FOLDER}/{uuid.uuid4().hex}",
        "last-updated-ms": int(time.time() * 1000),
        "snapshots": [],
    }


def _last_id(value: Any) -> int:
    """The highest field id in a schema."""
    if isinstance(value, list):
        return max(map(_last_id, value), default=0)
    if not isinstance(value, Mapping):
        return 0
    ids = [int(value[k]) for k in ("id", "element-id", "key-id", "value-id") if k in value]
    child_ids = [_last_id(part) for part in value.values() if isinstance(part, (list, Mapping))]
    return max([0, *ids, *child_ids])


@contextmanager
def table(metadata: Mapping[str, Any]) -> Iterator[Java]:
    """An Iceberg table in the driver's memory, for the duration of the context. metadata: as in metadata.json."""
    catalog = java_class(f"{_ICEBERG}.inmemory.InMemoryCatalog")()
    catalog.initialize("hypothetical", {"warehouse": FOLDER})
    io = java_class(f"{_ICEBERG}.inmemory.InMemoryFileIO")()
    space = java_class(f"{_ICEBERG}.catalog.Namespace").of(gateway.array("java.lang.String", ["hypothetical"]))
    catalog.createNamespace(space)
    metadata_file = f"{metadata['location']}/metadata/00000.metadata.json"
    io.addFile(metadata_file, bytearray(json.dumps(metadata).encode()))
    name = java_class(f"{_ICEBERG}.catalog.TableIdentifier").of(space, "table")
    iceberg_table = catalog.registerTable(name, metadata_file)
    try:
        yield iceberg_table
    finally:
        _forget(iceberg_table, io, metadata_file)


def _forget(iceberg_table: Java, io: Java, metadata_file: str) -> None:
    """Delete a table's files: Iceberg's in-memory files belong to the process, not to the catalog."""
    metadata = iceberg_table.operations().current()
    files = {metadata_file, str(metadata.metadataFileLocation())}
    files |= {str(entry.file()) for entry in gateway.from_list(metadata.previousFiles())}
    for snapshot in gateway.from_list(metadata.snapshots()):
        files.add(str(snapshot.manifestListLocation()))
        manifests = gateway.from_list(snapshot.allManifests(iceberg_table.io()))
        files |= {str(manifest.path()) for manifest in manifests}
    for file in files:
        if io.fileExists(file):
            io.deleteFile(file)


# -------------------------------------------------------------------- files that were never written


def add_files(iceberg_table: Java, files: bytes) -> None:
    """Commit files that were never written, under the table's current spec. files: `Hypothetical.packed`."""
    data_files = _packed_files().of(iceberg_table.spec(), files)
    if data_files.size():
        append(iceberg_table, iceberg_table.spec(), data_files)


def append(iceberg_table: Java, spec: Java, data_files: Java) -> None:
    """Commit data files. spec: one of the table's. data_files: Iceberg's objects, under that spec."""
    current = iceberg_table.operations().current()
    manifest_path = f"{current.location()}/metadata/{uuid.uuid4().hex}.avro"
    writer = java_class(f"{_ICEBERG}.ManifestFiles").write(
        current.formatVersion(), spec, iceberg_table.io().newOutputFile(manifest_path), None
    )
    writer.addAll(data_files)
    writer.close()
    commit = iceberg_table.newFastAppend()
    commit.appendManifest(writer.toManifestFile())
    commit.commit()  # the snapshot refers to the manifest unchanged


def kept_files(
    iceberg_table: Java, packed: Iterable[tuple[int, bytes]], filters: Sequence[Java]
) -> Iterator[list[tuple[int, int]]]:
    """For each filter the number and bytes of the files that a scan would keep, with Iceberg's own evaluators.

    packed: the id of one of the table's specs, and `Hypothetical.packed` files under it, which are not added to the
    table. The next ones are made while the files of one spec are evaluated.
    """
    pending: Java = None
    java_filters = java_class("java.util.ArrayList")()  # once: py4j makes a call for each element
    for expression in filters:
        java_filters.add(expression)
    for spec_id, files in packed:
        interrupts.check()
        following = _packed_files().kept(iceberg_table.specs().get(spec_id), files, java_filters)
        if pending is not None:
            yield _totals(pending)
        pending = following
    if pending is not None:
        yield _totals(pending)


def _totals(pending: Java) -> list[tuple[int, int]]:
    return [(total.files, total.bytes) for total in list_from_json(FileTotal, pending.result())]


def _packed_files() -> Java:
    return compiler.shared_instance(__package__, "HypotheticalFiles", FileTotal)


def may_have(iceberg_table: Java, total: str) -> bool:
    """False if a total of a table's current snapshot, such as `total-delete-files`, is 0. A writer may leave it out."""
    snapshot = iceberg_table.currentSnapshot()
    return snapshot is not None and snapshot.summary().get(total) != "0"
