"""Iceberg tables in the driver's memory: planned like any table, with files that were never written."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge import jvm
from spark_iceberg_sql.spark.bridge.jvm import Java, java_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ICEBERG = "org.apache.iceberg"
_FOLDER = "memory:/hypothetical"
_UNSORTED = [{"order-id": 0, "fields": []}]


def schema_json(frame: DataFrame) -> dict[str, Any]:
    """A DataFrame's columns as an Iceberg schema, with field ids as CREATE TABLE gives them."""
    convert = java_class(f"{_ICEBERG}.spark.SparkSchemaUtil").convert
    schema = convert(frame._jdf.schema())
    fresh = java_class(f"{_ICEBERG}.types.TypeUtil").assignIncreasingFreshIds(schema)
    found: dict[str, Any] = json.loads(java_class(f"{_ICEBERG}.SchemaParser").toJson(fresh))
    return found


def table_metadata(
    schema: Mapping[str, Any],
    fields: Sequence[Mapping[str, Any]],
    properties: Mapping[str, str],
    like: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The metadata of a new empty table.

    schema: as in metadata.json. fields: of its partition spec. properties: its own. like: the metadata of a table
    whose format version, sort order and last column id it shares.
    """
    like = like or {}
    ids = [int(field["field-id"]) for field in fields]
    return {
        "format-version": max(2, int(like.get("format-version", 2))),
        "table-uuid": str(uuid.uuid4()),
        "location": f"{_FOLDER}/{uuid.uuid4().hex}",
        "last-sequence-number": 0,
        "last-updated-ms": int(time.time() * 1000),
        "next-row-id": 0,
        "last-column-id": like.get("last-column-id", _last_id(schema)),
        "schemas": [{**schema, "schema-id": 0}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": list(fields)}],
        "default-spec-id": 0,
        "last-partition-id": max(ids, default=999),
        "sort-orders": like.get("sort-orders", _UNSORTED),
        "default-sort-order-id": like.get("default-sort-order-id", 0),
        "properties": {str(k): str(v) for k, v in properties.items()},
        "snapshots": [],
    }


def _last_id(value: Any) -> int:
    """The highest field id in a schema."""
    if isinstance(value, list):
        return max(map(_last_id, value), default=0)
    if not isinstance(value, Mapping):
        return 0
    own = [int(value[k]) for k in ("id", "element-id", "key-id", "value-id") if k in value]
    inner = [_last_id(part) for part in value.values() if isinstance(part, (list, Mapping))]
    return max([0, *own, *inner])


@contextmanager
def table(metadata: Mapping[str, Any]) -> Iterator[Java]:
    """An Iceberg table in the driver's memory, for as long as the context lasts. metadata: as in metadata.json."""
    catalog = java_class(f"{_ICEBERG}.inmemory.InMemoryCatalog")()
    catalog.initialize("hypothetical", {"warehouse": _FOLDER})
    io = java_class(f"{_ICEBERG}.inmemory.InMemoryFileIO")()
    namespace = java_class(f"{_ICEBERG}.catalog.Namespace")
    words = jvm.gateway().new_array(java_class("java.lang.String"), 1)
    words[0] = "hypothetical"
    space = namespace.of(words)
    catalog.createNamespace(space)
    first = f"{metadata['location']}/metadata/00000.metadata.json"
    io.addFile(first, bytearray(json.dumps(metadata).encode()))
    name = java_class(f"{_ICEBERG}.catalog.TableIdentifier").of(space, "table")
    made = catalog.registerTable(name, first)
    try:
        yield made
    finally:
        _forget(made, io, first)


def _forget(made: Java, io: Java, first: str) -> None:
    """Delete a table's files: Iceberg's memory is the process's, not the catalog's."""
    files = {first, str(made.operations().current().metadataFileLocation())}
    files |= {str(entry.file()) for entry in made.operations().current().previousFiles()}
    for snapshot in made.snapshots():
        files.add(str(snapshot.manifestListLocation()))
        files |= {str(manifest.path()) for manifest in snapshot.allManifests(made.io())}
    for file in files:
        if io.fileExists(file):
            io.deleteFile(file)


# -------------------------------------------------------------------- files that were never written


def add_files(made: Java, answer: str) -> None:
    """Commit files that were never written. answer: `Hypothetical.as_json` of the table's spec."""
    mapper = java_class(f"{_ICEBERG}.shaded.com.fasterxml.jackson.databind.ObjectMapper")()
    parser = java_class(f"{_ICEBERG}.rest.responses.PlanTableScanResponseParser")
    tasks = parser.fromJson(mapper.readTree(answer), made.specs(), True).fileScanTasks()
    if not tasks.size():
        return
    current = made.operations().current()
    place = f"{current.location()}/metadata/{uuid.uuid4().hex}.avro"
    writer = java_class(f"{_ICEBERG}.ManifestFiles").write(
        current.formatVersion(), made.spec(), made.io().newOutputFile(place), None
    )
    writer.addAll(tasks.stream().map(_file_of_task()).toList())
    writer.close()
    append = made.newFastAppend()
    append.appendManifest(writer.toManifestFile())
    append.commit()
    made.io().deleteFile(place)  # the commit has copied it


def _file_of_task() -> Java:
    """ContentScanTask.file as a java.util.function.Function: a loop in Python would take a call for each file."""
    method = (
        java_class("java.lang.invoke.MethodHandles")
        .publicLookup()
        .findVirtual(
            class_named(f"{_ICEBERG}.ContentScanTask"),
            "file",
            java_class("java.lang.invoke.MethodType").methodType(
                class_named(f"{_ICEBERG}.ContentFile")
            ),
        )
    )
    proxies = java_class("java.lang.invoke.MethodHandleProxies")
    return proxies.asInterfaceInstance(class_named("java.util.function.Function"), method)


def class_named(name: str) -> Java:
    """The Class object of a class that Spark's jars or the added ones have."""
    return java_class("org.apache.spark.util.Utils").classForName(name, True, False)


def planned(made: Java, filters: Sequence[Java]) -> tuple[int, int]:
    """How many files, and how many bytes, Iceberg's planner leaves of a table. filters: all must hold."""
    reporter = java_class(f"{_ICEBERG}.metrics.InMemoryMetricsReporter")()
    scan = made.newScan().metricsReporter(reporter)
    for condition in filters:
        scan = scan.filter(condition)
    files = scan.planFiles()
    collect = java_class(f"{_ICEBERG}.relocated.com.google.common.collect.Iterables")
    count = int(collect.size(files))
    files.close()
    if not count:
        return 0, 0
    return count, int(reporter.scanReport().scanMetrics().totalFileSizeInBytes().value())


# -------------------------------------------------------------------- writing


def write_conf(spark: SparkSession, made: Java) -> Java:
    """Iceberg's SparkWriteConf: how this session would write a table."""
    return java_class(f"{_ICEBERG}.spark.SparkWriteConf")(jvm.java_session(spark), made)


def internal_rows(frame: DataFrame) -> Java:
    """A DataFrame's rows in the driver's memory, as a java.util.List of Spark's internal rows."""
    rows = frame._jdf.queryExecution().executedPlan().executeCollect()
    seq = jvm.scala_object("scala.collection.immutable.ArraySeq").unsafeWrapArray(rows)
    return java_class("scala.jdk.javaapi.CollectionConverters").asJava(seq)


def bytes_of_rows(rows: Java, count: int) -> list[bytes]:
    """The first rows as a shuffle writes them, without their lengths."""
    return [bytes(rows.get(i).getBytes()) for i in range(min(count, int(rows.size())))]


def compressed(spark: SparkSession, data: bytes) -> int:
    """The bytes that are left when the session's shuffle compression is applied."""
    conf = spark.sparkContext._conf
    if conf.get("spark.shuffle.compress", "true") != "true":
        return len(data)
    jconf = jvm.java_session(spark).sparkContext().conf()
    codec = jvm.scala_object("org.apache.spark.io.CompressionCodec").createCodec(jconf)
    buffer = java_class("java.io.ByteArrayOutputStream")()
    stream = codec.compressedOutputStream(buffer)
    stream.write(bytearray(data))
    stream.close()
    return int(buffer.size())


def write_in_memory(
    spark: SparkSession, made: Java, rows: Java, frame: DataFrame, target: int, step: int
) -> list[tuple[int, int]]:
    """Write rows as the table's own writers do, into memory, and forget the files.

    rows: of `internal_rows`. frame: for their types. target: bytes at which the next file starts. step: after
    how many rows a writer looks at its length. Returns rows and bytes of each file.
    """
    conf = write_conf(spark, made)
    io = java_class(f"{_ICEBERG}.inmemory.InMemoryFileIO")()
    internal = class_named("org.apache.spark.sql.catalyst.InternalRow")
    encrypted = java_class(f"{_ICEBERG}.encryption.EncryptedFiles")
    registry = java_class(f"{_ICEBERG}.formats.FormatModelRegistry")
    metrics = java_class(f"{_ICEBERG}.MetricsConfig").forTable(made)
    unpartitioned = java_class(f"{_ICEBERG}.PartitionSpec").unpartitioned()
    write_all = _write_all()
    found: list[tuple[int, int]] = []
    at, total = 0, int(rows.size())
    while at < total:
        place = f"{_FOLDER}/{uuid.uuid4().hex}"
        output = encrypted.plainAsEncryptedOutput(io.newOutputFile(place))
        builder = registry.dataWriteBuilder(conf.dataFileFormat(), internal, output)
        builder = builder.schema(made.schema()).engineSchema(frame._jdf.schema())
        builder = builder.setAll(made.properties()).setAll(conf.writeProperties())
        writer = builder.metricsConfig(metrics).spec(unpartitioned).build()
        start = at
        try:
            while at < total:
                end = min(total, at + step)
                write_all(writer, rows.subList(at, end))
                at = end
                if (at - start) % step == 0 and writer.length() >= target:
                    break
        finally:
            writer.close()
        found.append((at - start, int(writer.toDataFile().fileSizeInBytes())))
        io.deleteFile(place)
    return found


def _write_all() -> Callable[[Java, Java], None]:
    """FileWriter.write(Iterable): py4j itself takes the overload for one row."""
    kinds = jvm.gateway().new_array(java_class("java.lang.Class"), 1)
    kinds[0] = class_named("java.lang.Iterable")
    method = class_named(f"{_ICEBERG}.io.FileWriter").getMethod("write", kinds)
    arguments = jvm.gateway().new_array(java_class("java.lang.Object"), 1)

    def write(writer: Java, rows: Java) -> None:
        arguments[0] = rows
        method.invoke(writer, arguments)

    return write
