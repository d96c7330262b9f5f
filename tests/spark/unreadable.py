"""Tables with columns of types that Spark does not have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark import versions

# Whether Iceberg has geometry in files.
GEOMETRY = "geometry" not in versions.spark_minor(pyspark.__version__).limitations
WIDTHS = (1, 3, 5, 9, 16, 17)
WKB = bytes([1, 1, 0, 0, 0] + [0] * 16)
FIELDS = [
    ("id", "int"),
    ("at", "time"),
    ("made ns", "timestamp_ns"),
    ("seen", "timestamptz_ns"),
    *([("shape", "geometry(srid:3857)")] if GEOMETRY else []),
    ("part", {"type": "struct", "fields": [("a", "int"), ("t", "time")]}),
    ("times", {"type": "list", "element": "time"}),
    ("name", "string"),
]


def schema(fields: list[Any]) -> str:
    numbers = iter(range(1, 99))

    def laid(kind: Any) -> Any:
        if isinstance(kind, str):
            return kind
        if "element" in kind:
            return {**kind, "element-id": next(numbers), "element-required": False}
        return {**kind, "fields": listed(kind["fields"])}

    def listed(many: list[Any]) -> list[Any]:
        nested_fields = [{"id": next(numbers), "name": n, "required": False, "type": t} for n, t in many]
        return [{**field, "type": laid(field["type"])} for field in nested_fields]

    return json.dumps({"type": "struct", "schema-id": 0, "fields": listed(fields)})


def make(
    spark: SparkSession,
    folder: str,
    fields: list[Any],
    kind: str = "PARQUET",
    properties: dict[str, str] | None = None,
    rows: Sequence[Mapping[str, Any]] = (),
    deleted: Sequence[int] = (),
    partition: Mapping[str, int] | None = None,
) -> None:
    """Write a table with Iceberg's own generic writer, as Flink would.

    rows: the values of each; by default two, of which the second has only its id. deleted: the ids of rows that
    equality deletes remove. partition: the columns that the table is partitioned by, and their values in its only file.
    """
    java: Any = spark._jvm
    iceberg, time = java.org.apache.iceberg, java.java.time
    parsed = iceberg.SchemaParser.fromJson(schema(fields))
    tables = iceberg.hadoop.HadoopTables(spark._jsparkSession.sessionState().newHadoopConf())
    spec = iceberg.PartitionSpec.builderFor(parsed)
    for name in partition or ():
        spec = spec.identity(name)
    settings = {"format-version": "3", **(properties or {})}
    table = tables.create(parsed, spec.build(), settings, folder)
    builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(table)
    format_ = getattr(iceberg.FileFormat, kind)
    factory = builder.dataFileFormat(format_).dataSchema(parsed).build()
    output = table.io().newOutputFile(f"{folder}/data/f.{kind.lower()}")
    encrypted = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(output)
    key = None if partition is None else iceberg.PartitionData(table.spec().partitionType())
    for at, number in enumerate((partition or {}).values()):
        key.set(at, number)  # py4j makes a Long of one beyond 32 bits
    writer = factory.newDataWriter(encrypted, table.spec(), key)
    first = {
        "id": 1,
        "at": time.LocalTime.of(1, 2, 3, 400_000_000),
        "made ns": time.LocalDateTime.parse("1969-12-31T23:59:58.000000001"),
        "seen": time.OffsetDateTime.parse("2024-01-02T03:04:05.123456789Z"),
        "shape": java.java.nio.ByteBuffer.wrap(WKB),
        "name": "first",
        **{f"f{width}": bytes(range(width)) for width in WIDTHS},
    }
    if "part" in dict(fields):
        first["part"] = iceberg.data.GenericRecord.create(parsed.findType("part").asStructType())
        first["part"].setField("a", 7)
        first["part"].setField("t", first["at"])
    for row in rows or (first, {"id": 2}):
        record = iceberg.data.GenericRecord.create(parsed)
        for name, value in row.items():
            if name in dict(fields):
                record.setField(name, value)
        writer.write(record)
    writer.close()
    table.newAppend().appendFile(writer.toDataFile()).commit()
    if deleted:
        delete(spark, table, parsed, deleted)


def delete(spark: SparkSession, table: Any, parsed: Any, ids: Sequence[int]) -> None:
    """Equality deletes of ids."""
    gateway: Any = spark.sparkContext._gateway
    iceberg, keys = gateway.jvm.org.apache.iceberg, parsed.select(["id"])
    numbers = gateway.new_array(gateway.jvm.int, 1)
    numbers[0] = parsed.findField("id").fieldId()
    builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(table)
    builder.equalityFieldIds(numbers).equalityDeleteRowSchema(keys)
    factory = builder.deleteFileFormat(iceberg.FileFormat.PARQUET).build()
    output = table.io().newOutputFile(f"{table.location()}/data/deletes.parquet")
    encrypted = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(output)
    writer = factory.newEqualityDeleteWriter(encrypted, table.spec(), None)
    for number in ids:
        record = iceberg.data.GenericRecord.create(keys)
        record.setField("id", number)
        writer.write(record)
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
