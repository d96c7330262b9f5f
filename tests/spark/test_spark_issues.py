"""Spark's known faults of joins without a shuffle, under the settings that they need: whether this Spark has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from session_settings import settings

from spark_iceberg_sql.spark.bridge.plans.spark_issues import ISSUES

_BUCKETING = "spark.sql.sources.v2.bucketing."
_COMPATIBLE = f"{_BUCKETING}allowCompatibleTransforms.enabled"
_SUBSET = f"{_BUCKETING}allowJoinKeysSubsetOfPartitionKeys.enabled"
# What a join without a shuffle needs in any case, in Spark and Iceberg alone.
_BASE = {
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
    f"{_BUCKETING}enabled": "true",
    f"{_BUCKETING}pushPartValues.enabled": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
}
_COLOCATE = Path(__file__).parents[2] / "spark_iceberg_sql/spark/optimizer/java/colocate/Colocate.java"


@pytest.fixture(scope="module", autouse=True)
def without_broadcasts(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **{"spark.sql.autoBroadcastJoinThreshold": "-1"}):
        yield


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[None]:
    by = {f"b{n}": f"bucket({n}, id)" for n in (12, 8, 6)} | {"kb": "k, bucket(4, id)", "b16n": "bucket(16, id)"}
    for name, fields in by.items():
        spark.sql(f"CREATE TABLE local.spji.{name} (id INT, k INT) USING iceberg PARTITIONED BY ({fields})")
        spark.sql(f"INSERT INTO local.spji.{name} SELECT CAST(id AS INT), CAST(id % 5 AS INT) FROM range(40)")
    spark.sql("INSERT INTO local.spji.b16n VALUES (NULL, 0)")
    yield
    for name in by:
        spark.sql(f"DROP TABLE local.spji.{name}")


THREE = "SELECT count(*) FROM local.spji.b12 a JOIN local.spji.b8 b ON a.id = b.id JOIN local.spji.b6 c ON a.id = c.id"
FIRST = "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM local.spji.kb) WHERE n = 1"


def test_the_rule_avoids_their_settings() -> None:
    (names,) = re.findall(r"UNSURE = \{(.*?)\}", _COLOCATE.read_text(), re.DOTALL)
    assert {f"{_BUCKETING}{name}" for name in re.findall(r'"(.*?)"', names)} == {issue.setting for issue in ISSUES}


@pytest.mark.needs("compatible transforms")
@pytest.mark.parametrize(("setting", "query", "rows"), [(_COMPATIBLE, THREE, [(40,)]), (_SUBSET, FIRST, 5)])
def test_this_spark_has_the_fault(spark: SparkSession, tables: None, setting: str, query: str, rows: object) -> None:
    """Once it is gone, its record gets the version, and this test another Spark."""
    with settings(spark, **{**_BASE, setting: "true"}):
        result = [tuple(row) for row in spark.sql(query).collect()]
    assert (result if isinstance(rows, list) else len(result)) != rows


@pytest.mark.needs("compatible transforms")
def test_settings_with_which_planning_fails(spark: SparkSession, tables: None) -> None:
    """Iceberg's reducer of buckets fails on the partition of null."""
    query = "SELECT a.id FROM local.spji.b16n a LEFT JOIN local.spji.b8 b ON a.id = b.id"
    with settings(spark, **{**_BASE, _COMPATIBLE: "true"}), pytest.raises(Exception, match="bucketNo"):
        spark.sql(query).collect()
