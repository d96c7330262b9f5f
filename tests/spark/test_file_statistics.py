"""What manifests state about data files is read as Iceberg's metadata table `files` reads it."""

from __future__ import annotations

import os
import signal
import threading
from functools import partial

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.hypothetical import spark_rows
from spark_iceberg_sql.insight.hypothetical.spark_source import resolve_source
from spark_iceberg_sql.insight.preview.spark_estimates import from_spark
from spark_iceberg_sql.insight.preview.spark_files import existing_files
from spark_iceberg_sql.spark.bridge.jvm import interrupts, jobs
from spark_iceberg_sql.spark.bridge.tables import file_statistics

pytestmark = pytest.mark.tier("quick", of="preview")

COLUMNS = {
    "b": ("BOOLEAN", "id % 2 = 0"),
    "i": ("INT", "id - 3"),
    "l": ("BIGINT", "id * 3000000000"),
    "f": ("FLOAT", "id / 10"),
    "d": ("DOUBLE", "-id / 10"),
    "dec": ("DECIMAL(20, 4)", "id / 8"),
    "day": ("DATE", "date_add(DATE '1969-12-30', id)"),
    "ts": ("TIMESTAMP", "timestamp_micros(id * 1000003 - 5)"),
    "ntz": ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '1969-12-31 23:59:59.999999' + make_dt_interval(id)"),
    "s": ("STRING", "concat('a long text with ü, of more than sixteen letters ', id)"),
    "bin": ("BINARY", "unhex(hex(id))"),
    "none": ("STRING", "if(id > 50, 'a', NULL)"),
}


def test_bounds_of_every_type(spark: SparkSession) -> None:
    table = "local.db.figures"
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    spark.sql(f"CREATE TABLE {table} ({columns}, n STRUCT<x: INT>) USING iceberg")
    values = ", ".join(f"CAST({value} AS {kind})" for kind, value in COLUMNS.values())
    for start in (0, 100, 200):
        spark.sql(
            f"INSERT INTO {table} SELECT {values}, named_struct('x', CAST(id AS INT)) "
            f"FROM (SELECT CAST(id AS INT) AS id FROM range({start}, {start + 9}, 1, 1))"
        )
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN i TYPE BIGINT")
    spark.sql(f"DELETE FROM {table} WHERE i < 97")  # a whole file: its entry is no file any more
    source = resolve_source(spark, table)
    ids = [i for i, kind in source.schema.types.items() if (column := source.schema.by_id(i)) and column.name != "n"]
    manifests = list(existing_files(source, ids))
    sizes_stated = [size for manifest in manifests for size in manifest.sizes]
    metrics = fn.col("readable_metrics")
    for n, field_id in enumerate(ids):
        column, kind = source.schema.by_id(field_id), source.schema.types[field_id]
        assert column is not None
        ends = [metrics.getField(column.name).getField(end) for end in ("lower_bound", "upper_bound")]
        rows = spark.table(f"{table}.files").select(*(spark_rows.portable_value(end, kind.name) for end in ends))
        expected = [tuple(from_spark(kind, value) for value in row) for row in rows.collect()]
        stated = [pair for manifest in manifests for pair in zip(*manifest.bounds[field_id], strict=True)]
        assert len(expected) == len(stated) == 2
        assert sorted(map(repr, stated)) == sorted(map(repr, expected)), (n, column.name)
    assert [rows for manifest in manifests for rows in manifest.rows] == [9, 9]
    sizes = [row[0] for row in spark.sql(f"SELECT file_size_in_bytes FROM {table}.files").collect()]
    assert sorted(file_statistics.file_sizes(source.iceberg_table)) == sorted(sizes) == sorted(sizes_stated)
    assert file_statistics.delete_file_count(source.iceberg_table) == 0


def test_more_manifests_than_are_read_ahead(spark: SparkSession) -> None:
    table = "local.db.manifests"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')")
    for n in range(12):
        spark.sql(f"INSERT INTO {table} VALUES ({n})")
    source = resolve_source(spark, table)
    manifests = list(file_statistics.of_manifests(source.iceberg_table, [1]))
    assert sorted(n for m in manifests for bounds in m.bounds[0] for n in bounds) == sorted([*range(12), *range(12)])
    first = next(file_statistics.of_manifests(source.iceberg_table, [1]))  # the others are given up
    assert [*first.rows] == [1]
    parts = sis.preview(spark, table, "truncate(5, id)", using="metadata").per_partition
    assert {part.values: part.rows for part in parts} == {(0,): 5, (5,): 5, (10,): 2}


def test_files_of_each_partition(spark: SparkSession) -> None:
    """Of several specs, with a null, a removed file, an emptied partition and delete files."""
    table = "local.db.parts"
    spark.sql(
        f"CREATE TABLE {table} (id INT, s STRING, at TIMESTAMP) USING iceberg PARTITIONED BY (s) TBLPROPERTIES "
        "('commit.manifest-merge.enabled' = 'false', 'write.delete.mode' = 'merge-on-read')"
    )
    rows = "SELECT CAST(id AS INT), if(id % 4 = 0, NULL, string(id % 4)), timestamp_seconds(id * 40000) FROM range"
    for start in (0, 20, 100):
        spark.sql(f"INSERT INTO {table} {rows}({start}, {start + start // 2 + 9}, 1, 2)")
    spark.sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD s WITH days(at)")
    for start in (0, 100):
        spark.sql(f"INSERT INTO {table} {rows}({start}, {start + 9}, 1, 1)")
    spark.sql(f"DELETE FROM {table} WHERE s = '3'")
    spark.sql(f"DELETE FROM {table} WHERE id = 104")
    limit = 1000
    expected = spark.sql(
        f"""SELECT spec_id, count(*), sum(file_size_in_bytes), count_if(file_size_in_bytes < {limit}),
          sum(if(file_size_in_bytes < {limit}, file_size_in_bytes, 0))
        FROM {table}.data_files GROUP BY spec_id, partition"""
    ).collect()
    assert spark.table(f"{table}.delete_files").count() > 0
    sizes = file_statistics.partition_sizes(resolve_source(spark, table).iceberg_table, limit)
    assert sorted(zip(*sizes, strict=True)) == sorted(map(tuple, expected))
    assert {*sizes.specs} == {0, 1}
    assert 0 < sum(sizes.small) < sum(sizes.files)


def test_a_table_without_a_snapshot(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.db.nothing (id INT) USING iceberg")
    table = resolve_source(spark, "local.db.nothing").iceberg_table
    assert file_statistics.file_sizes(table) == []
    assert file_statistics.delete_file_count(table) == 0
    assert [*map(len, file_statistics.partition_sizes(table, 1))] == [0] * 5


def test_an_interrupt_ends_a_preview(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "is_watched", lambda: True)
    read: list[int] = []

    def interrupted(*arguments: object) -> object:
        read.append(1)
        os.kill(os.getpid(), signal.SIGINT)
        return figures(*arguments)  # type: ignore[arg-type]

    figures = file_statistics._figures
    monkeypatch.setattr(file_statistics, "_figures", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        sis.preview(spark, "local.db.manifests", "truncate(5, id)", using="metadata")
    assert len(read) == 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.tier("rest")  # five seconds
def test_an_interrupt_while_the_jvm_works(spark: SparkSession) -> None:
    group = "interrupted"
    jobs.begin(spark, group, "")
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), interrupts.kept(partial(jobs.cancel, spark, group)):
        spark.sql("SELECT count(DISTINCT a.id * b.id) FROM range(1000000) a CROSS JOIN range(1000000) b").collect()
    jobs.end(spark)
    assert [spark.sql(f"SELECT {n} + 1").head()[0] for n in range(5)] == [1, 2, 3, 4, 5]  # type: ignore[index]
