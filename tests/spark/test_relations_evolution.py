"""Schema evolution, deletes and file formats, read back by path: the same as through the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

Make = Callable[..., str]


@pytest.fixture
def make(spark: SparkSession) -> Iterator[Make]:
    """Creates a table `local.by_path.evolves` and runs statements on it; returns its path."""
    name = "local.by_path.evolves"

    def made(columns: str, *statements: str, properties: str = "'format-version' = '2'") -> str:
        spark.sql(f"CREATE TABLE {name} ({columns}) USING iceberg TBLPROPERTIES ({properties})")
        for statement in statements:
            spark.sql(statement.replace("{t}", name))
        rows = spark.sql(f"DESCRIBE EXTENDED {name}").where("col_name = 'Location'").collect()
        return str(rows[0].data_type).removeprefix("file:")

    yield made
    spark.sql(f"DROP TABLE IF EXISTS {name} PURGE")


def rows(spark: SparkSession, path: str) -> list[Any]:
    ours = spark.sql(f"SELECT * FROM iceberg('{path}')")
    theirs = spark.sql("SELECT * FROM local.by_path.evolves")
    assert ours.schema == theirs.schema
    assert sorted(ours.collect(), key=str) == sorted(theirs.collect(), key=str)
    return sorted((tuple(row) for row in ours.collect()), key=str)


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
def test_columns(spark: SparkSession, make: Make, file_format: str) -> None:
    path = make(
        "id INT, gone STRING, f FLOAT, d DECIMAL(5, 2), kept INT NOT NULL",
        "INSERT INTO {t} VALUES (1, 'x', 1.5, 2.25, 7)",
        "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN f TYPE DOUBLE",
        "ALTER TABLE {t} ALTER COLUMN d TYPE DECIMAL(12, 2)",
        "ALTER TABLE {t} ALTER COLUMN kept DROP NOT NULL",
        "ALTER TABLE {t} DROP COLUMN gone",
        "ALTER TABLE {t} ADD COLUMN added STRING FIRST",
        "ALTER TABLE {t} ADD COLUMN gone INT",
        "ALTER TABLE {t} RENAME COLUMN kept TO renamed",
        "ALTER TABLE {t} ALTER COLUMN renamed AFTER id",
        "INSERT INTO {t} VALUES ('new', 5000000000, NULL, 2.5D, 1234567890.12, 3)",
        properties=f"'write.format.default' = '{file_format}'",
    )
    records = rows(spark, path)
    assert [r[0] for r in records] == ["new", None]
    assert records[1][:4] == (None, 1, 7, 1.5)
    files = spark.sql(f"SELECT DISTINCT file_format FROM iceberg_files('{path}')").collect()
    assert [r[0] for r in files] == [file_format.upper()]


def test_nested(spark: SparkSession, make: Make) -> None:
    path = make(
        "s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<y: INT>>",
        "INSERT INTO {t} SELECT named_struct('a', 1, 'b', 'b'), array(named_struct('x', 1)), "
        "map('k', named_struct('y', 1))",
        "ALTER TABLE {t} ADD COLUMN s.c INT",
        "ALTER TABLE {t} DROP COLUMN s.b",
        "ALTER TABLE {t} RENAME COLUMN s.a TO aa",
        "ALTER TABLE {t} ALTER COLUMN s.aa TYPE BIGINT",
        "ALTER TABLE {t} ADD COLUMN l.element.z INT",
        "ALTER TABLE {t} ADD COLUMN m.value.w INT",
    )
    assert rows(spark, path) == [((1, None), [(1, None)], {"k": (1, None)})]


@pytest.mark.parametrize("version", [2, 3])
def test_position_deletes_and_deletion_vectors(spark: SparkSession, make: Make, version: int) -> None:
    path = make(
        "id INT, name STRING",
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'n' FROM range(10)",
        "DELETE FROM {t} WHERE id IN (2, 3)",
        "UPDATE {t} SET name = 'new' WHERE id = 4",
        properties=f"'format-version' = '{version}', 'write.delete.mode' = 'merge-on-read', "
        "'write.update.mode' = 'merge-on-read'",
    )
    assert len(rows(spark, path)) == 8
    assert spark.sql(f"SELECT count(*) FROM iceberg('{path}')").collect()[0][0] == 8
    deletes = spark.sql(f"SELECT DISTINCT file_format FROM iceberg_files('{path}') WHERE content = 1")
    assert [r[0] for r in deletes.collect()] == [{2: "PARQUET", 3: "PUFFIN"}[version]]
    lineage = spark.sql(f"SELECT count(DISTINCT _row_id) FROM iceberg('{path}')") if version == 3 else None
    assert lineage is None or lineage.collect()[0][0] == 8


def test_equality_deletes(spark: SparkSession, make: Make) -> None:
    """Spark does not write equality deletes, so Iceberg's own writer does, as Flink would."""
    path = make("id INT, name STRING", "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    jvm = spark._jvm
    assert jvm is not None
    java_session = spark._jsparkSession
    iceberg = jvm.org.apache.iceberg
    table = iceberg.spark.Spark3Util.loadIcebergTable(java_session, "local.by_path.evolves")
    keys = table.schema().select(["id"])
    builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(table)
    builder.equalityFieldIds(_ints(spark, [1])).equalityDeleteRowSchema(keys)
    factory = builder.deleteFileFormat(iceberg.FileFormat.PARQUET).build()
    output = table.io().newOutputFile(f"{table.location()}/data/equality.parquet")
    encrypted = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(output)
    writer = factory.newEqualityDeleteWriter(encrypted, table.spec(), None)
    record = iceberg.data.GenericRecord.create(keys)
    record.setField("id", 2)
    writer.write(record)
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    spark.sql("REFRESH TABLE local.by_path.evolves")
    assert rows(spark, path) == [(1, "a"), (3, "c")]
    kinds = spark.sql(f"SELECT content FROM iceberg_files('{path}') ORDER BY 1").collect()
    assert {r[0] for r in kinds} == {0, 2}


def _ints(spark: SparkSession, values: list[int]) -> Any:
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    array = gateway.new_array(gateway.jvm.int, len(values))
    for index, value in enumerate(values):
        array[index] = value
    return array


@pytest.mark.parametrize("version", [1, 2, 3])
def test_format_versions_and_partition_evolution(spark: SparkSession, make: Make, version: int) -> None:
    path = make(
        "id INT, ts TIMESTAMP",
        "INSERT INTO {t} VALUES (1, timestamp'2024-01-01')",
        "ALTER TABLE {t} ADD PARTITION FIELD days(ts)",
        "INSERT INTO {t} VALUES (2, timestamp'2024-01-02')",
        "ALTER TABLE {t} REPLACE PARTITION FIELD ts_day WITH months(ts)",
        "INSERT INTO {t} VALUES (3, timestamp'2024-02-02')",
        properties=f"'format-version' = '{version}'",
    )
    assert len(rows(spark, path)) == 3
    filtered = spark.sql(f"SELECT id FROM iceberg('{path}') WHERE ts >= timestamp'2024-02-01'")
    assert [r[0] for r in filtered.collect()] == [3]
    specs = spark.sql(f"SELECT count(DISTINCT spec_id) FROM iceberg_partition_specs('{path}')")
    assert specs.collect()[0][0] == 3
