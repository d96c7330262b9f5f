"""How often insight reads the manifests of a table of many files: counts of bytes."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.benchmarks import scale, scale_insight

FILES = 20_000

# Each scan of a join is planned, as by Spark; explain counts what each conjunct keeps, and health plans a rewrite.
PASSES = {
    "explain": 2,
    "health": 2,
    "spj": 2,
    "the notebook's map": 2,
    "describe": 0,
    "preview, months and 16 buckets": 1,
    "advise": 1,
    "iceberg_files": 1,
    "iceberg_partitions": 1,
}


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    return scale.make(spark, FILES)


def bytes_read(spark: SparkSession) -> int:
    all_statistics = spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
    return sum(int(statistics.getBytesRead()) for statistics in all_statistics)


@pytest.mark.parametrize("name", PASSES)
def test_passes_over_the_manifests(spark: SparkSession, table: str, name: str) -> None:
    (row,) = spark.sql(f"SELECT sum(length) AS bytes FROM {table}.manifests").collect()
    _, call = scale_insight.calls(spark, table)[name]
    call()  # the bounds are checked once
    before = bytes_read(spark)
    call()
    assert round((bytes_read(spark) - before) / row["bytes"], 1) == pytest.approx(PASSES[name], abs=0.3)
