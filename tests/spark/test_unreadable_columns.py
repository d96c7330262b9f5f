"""Columns of types that Spark does not support: the others are read; these are skipped or refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

WIDTHS = (1, 3, 5, 9, 16, 17)
WKB = bytes([1, 1, 0, 0, 0] + [0] * 16)
FIELDS = [
    ("id", "int"),
    ("at", "time"),
    ("made ns", "timestamp_ns"),
    ("seen", "timestamptz_ns"),
    ("shape", "geometry(srid:3857)"),
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
        found = [{"id": next(numbers), "name": n, "required": False, "type": t} for n, t in many]
        return [{**one, "type": laid(one["type"])} for one in found]

    return json.dumps({"type": "struct", "schema-id": 0, "fields": listed(fields)})


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table written by Iceberg's own writer, as Flink would: the second row has only its id."""
    folder = str(tmp_path_factory.mktemp("unreadable") / "t")
    make(spark, folder, FIELDS)
    return folder


def make(
    spark: SparkSession,
    folder: str,
    fields: list[Any],
    kind: str = "PARQUET",
    properties: dict[str, str] | None = None,
) -> None:
    java: Any = spark._jvm
    iceberg, time = java.org.apache.iceberg, java.java.time
    parsed = iceberg.SchemaParser.fromJson(schema(fields))
    tables = iceberg.hadoop.HadoopTables(spark._jsparkSession.sessionState().newHadoopConf())
    unpartitioned = iceberg.PartitionSpec.unpartitioned()
    settings = {"format-version": "3", **(properties or {})}
    table = tables.create(parsed, unpartitioned, settings, folder)
    builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(table)
    format_ = getattr(iceberg.FileFormat, kind)
    factory = builder.dataFileFormat(format_).dataSchema(parsed).build()
    output = table.io().newOutputFile(f"{folder}/data/f.{kind.lower()}")
    encrypted = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(output)
    writer = factory.newDataWriter(encrypted, table.spec(), None)
    values = {
        "at": time.LocalTime.of(1, 2, 3, 400_000_000),
        "made ns": time.LocalDateTime.parse("1969-12-31T23:59:58.000000001"),
        "seen": time.OffsetDateTime.parse("2024-01-02T03:04:05.123456789Z"),
        "shape": java.java.nio.ByteBuffer.wrap(WKB),
        "name": "first",
        **{f"f{width}": bytes(range(width)) for width in WIDTHS},
    }
    for number in (1, 2):
        record = iceberg.data.GenericRecord.create(parsed)
        record.setField("id", number)
        for name, value in values.items():
            if number == 1 and name in dict(fields):
                record.setField(name, value)
        if number == 1 and "part" in dict(fields):
            part = iceberg.data.GenericRecord.create(parsed.findType("part").asStructType())
            part.setField("a", 7)
            part.setField("t", values["at"])
            record.setField("part", part)
        writer.write(record)
    writer.close()
    table.newAppend().appendFile(writer.toDataFile()).commit()


def test_they_are_skipped_and_named(spark: SparkSession, path: str) -> None:
    with pytest.warns(UserWarning, match="for which Spark has no type") as caught:
        rows = spark.sql(f"SELECT * FROM iceberg('{path}') ORDER BY id")
    assert rows.columns == ["id", "name"]
    assert [tuple(r) for r in rows.collect()] == [(1, "first"), (2, None)]
    said = str(caught[0].message)
    names = "`at` (time), `made ns` (timestamp_ns), `seen` (timestamptz_ns), `shape` (geometry(srid:3857)), "
    assert names + "`part.t` (time), `times.element` (time)" in said
    # Iceberg's reader of nested columns reads all columns of the file.
    assert said.endswith(
        "and without `part`, `times`: nested columns cannot be read from files with such columns"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        silent = spark.sql(f"SELECT id, name FROM iceberg('{path}', columns => 'skip') ORDER BY id")
        assert [r.id for r in silent.collect()] == [1, 2]


def test_they_are_refused(spark: SparkSession, path: str, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="Spark has no type for `at` \\(time\\), `made ns`"):
        spark.sql(f"SELECT * FROM iceberg('{path}', columns => 'error')")
    with pytest.raises(AnalysisException, match="is not one of skip, error"):
        spark.sql(f"SELECT * FROM iceberg('{path}', columns => 'no')")
    avro = str(tmp_path / "avro")
    make(spark, avro, [("id", "int"), ("at", "time")], "AVRO")
    with pytest.raises(
        AnalysisException, match="has Avro files, which cannot be read without `at`"
    ):
        spark.sql(f"SELECT id FROM iceberg('{avro}')")
    assert spark.sql(f"SELECT record_count FROM iceberg_files('{avro}', columns => 'skip')").count()
    only = str(tmp_path / "only")
    make(spark, only, [("id", "int")])
    assert spark.sql(f"SELECT * FROM iceberg('{only}', columns => 'error')").count() == 2


@pytest.mark.filterwarnings("ignore:.* is read without")
@pytest.mark.parametrize("kind", ["PARQUET", "ORC"])
def test_every_other_column_in_every_way(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """Filters, hidden columns, and a table whose properties ask for the reader of single rows."""
    folder = str(tmp_path / "t")
    fixed = [(f"f{width}", f"fixed[{width}]") for width in WIDTHS]
    row_by_row = {"read.parquet.vectorization.enabled": "false"}
    make(
        spark, folder, [("id", "int"), ("at", "time"), ("name", "string"), *fixed], kind, row_by_row
    )
    call = f"iceberg('{folder}')"
    (first, second) = spark.sql(f"SELECT * FROM {call} ORDER BY id").collect()
    assert tuple(first) == (1, "first", *(bytes(range(width)) for width in WIDTHS))
    assert tuple(second) == (2, *[None] * (1 + len(WIDTHS)))
    for where, found in (
        ("name LIKE 'f%'", [1]),
        ("name IS NULL OR id > 5", [2]),
        ("length(name) = 5", [1]),
        ("f3 = X'000102'", [1]),
        ("_pos = 1", [2]),
        ("_file LIKE 'f.%' AND NOT id IN (1, 7)", [2]),
    ):
        rows = spark.sql(
            f"SELECT id, _pos, _deleted FROM {call} WHERE {where} ORDER BY id"
        ).collect()
        assert [row.id for row in rows] == found, where
    assert spark.sql(f"SELECT count(*) FROM {call}").collect()[0][0] == 2


@pytest.mark.filterwarnings("ignore:.* is read without")
def test_metadata_functions_read_such_a_table(spark: SparkSession, path: str) -> None:
    rows = spark.sql(f"SELECT record_count, readable_metrics.name FROM iceberg_files('{path}')")
    assert rows.collect()[0][0] == 2
    assert spark.sql(f"SELECT * FROM iceberg_snapshots('{path}')").count() == 1
    stats = spark.sql(
        "SELECT column_name, column_type, value_count, lower_bound, upper_bound "
        f"FROM iceberg_column_stats('{path}')"
    )
    by_name = {row[0]: tuple(row)[1:] for row in stats.collect()}
    assert by_name["id"] == ("int", 2, "1", "2")
    assert by_name["at"] == ("time", 2, None, None)  # Spark has no value for its bounds
    (only,) = spark.sql(f"SELECT * FROM iceberg_column_stats('{path}', column => 'at')").collect()
    assert (only.value_count, only.lower_bound) == (2, None)
    columns = spark.sql(f"SELECT columns FROM iceberg_tables('{path}')").collect()[0][0]
    assert columns.startswith("id INT, at time, `made ns` timestamp_ns, ")
    assert "part STRUCT<a: INT, t: time>, times ARRAY<time>, name STRING" in columns
