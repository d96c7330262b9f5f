"""The settings that spj proposes change no query's rows: Spark's known faults, and random queries against Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import spj_queries
from pyspark.sql import SparkSession
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.spj.model import SETTINGS, JoinReport

_BUCKETING = "spark.sql.sources.v2.bucketing."
_COMPATIBLE = f"{_BUCKETING}allowCompatibleTransforms.enabled"
_SUBSET = f"{_BUCKETING}allowJoinKeysSubsetOfPartitionKeys.enabled"
_PARTIAL = f"{_BUCKETING}partiallyClusteredDistribution.enabled"
# What a join without a shuffle needs in any case.
_BASE = {key: value for key, value, _ in SETTINGS[:4]}


@contextmanager
def proposed(spark: SparkSession, query: str) -> Iterator[JoinReport]:
    """The settings that spj proposes for a query."""
    report = sis.spj(spark, query)
    pairs = [statement.removeprefix("SET ").replace("`", "").split(" = ") for statement in report.sets]
    with settings(spark, **dict(pairs)):
        yield report


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


TWO = "SELECT count(*) FROM local.spji.b12 a JOIN local.spji.b8 b ON a.id = b.id"
THREE = f"{TWO} JOIN local.spji.b6 c ON a.id = c.id"
FIRST = "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM local.spji.kb) WHERE n = 1"


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_three_numbers_of_buckets(spark: SparkSession, tables: None, adaptive: str) -> None:
    base = _BASE if adaptive == "false" else {}  # fewer combinations to plan
    with settings(spark, **{"spark.sql.adaptive.enabled": adaptive, **base}):
        for query in (TWO, THREE):
            with proposed(spark, query) as report:
                assert [tuple(row) for row in spark.sql(query).collect()] == [(40,)], report.sets


@pytest.mark.needs("compatible transforms")
def test_why_a_setting_is_not_proposed(spark: SparkSession, tables: None) -> None:
    with settings(spark, **_BASE):
        assert any("Compatible" in statement for statement in sis.spj(spark, TWO).sets)
        report = sis.spj(spark, THREE)
        assert not any("Compatible" in statement for statement in report.sets)
        assert any("SPARK-59121" in (join.why or "") for join in report.joins)
        with settings(spark, **{_COMPATIBLE: "true"}):  # the session of the user has it
            assert any("SPARK-59121" in (join.why or "") for join in sis.spj(spark, THREE).joins)


@pytest.mark.needs("compatible transforms")
def test_settings_with_which_planning_fails(spark: SparkSession, tables: None) -> None:
    """Iceberg's reducer of buckets fails on the partition of null."""
    query = "SELECT a.id FROM local.spji.b16n a LEFT JOIN local.spji.b8 b ON a.id = b.id"
    report = sis.spj(spark, query)
    assert not any("Compatible" in statement for statement in report.sets)
    assert "internal error: NullPointerException" in (report.joins[0].why or "")
    with settings(spark, **{**_BASE, _COMPATIBLE: "true"}), pytest.raises(Exception, match="bucketNo"):
        spark.sql(query).collect()


GROUPS = "SELECT a.id, count(*) FROM local.spji.b8 a JOIN local.spji.b8 b ON a.id = b.id GROUP BY a.id"


@pytest.mark.needs("compatible transforms")
def test_a_setting_of_the_session_prevents_others(spark: SparkSession, tables: None) -> None:
    with settings(spark, **{_COMPATIBLE: "true"}):
        report = sis.spj(spark, GROUPS)
    assert f"SPARK-59121): SET {_COMPATIBLE} = false first" in (report.joins[0].why or "")
    assert report.sets == ()


def test_a_session_that_splits_partitions(spark: SparkSession, tables: None) -> None:
    with settings(spark, **{_PARTIAL: "true"}), proposed(spark, GROUPS) as report:
        assert report.sets
        assert len(spark.sql(GROUPS).collect()) == 40


@pytest.mark.needs("compatible transforms")
@pytest.mark.parametrize(("setting", "query", "rows"), [(_COMPATIBLE, THREE, [(40,)]), (_SUBSET, FIRST, 5)])
def test_this_spark_has_the_fault(spark: SparkSession, tables: None, setting: str, query: str, rows: object) -> None:
    """Once it is gone, its record gets the version, and this test another Spark."""
    with settings(spark, **{**_BASE, setting: "true"}):
        result = [tuple(row) for row in spark.sql(query).collect()]
    assert (result if isinstance(rows, list) else len(result)) != rows


def compare_merge(spark: SparkSession, merge: spj_queries.RandomMerge) -> None:
    table = f"local.spjr.{merge.target}"
    (snapshot,) = spark.sql(f"SELECT snapshot_id FROM {table}.refs").first()
    truth = spj_queries.result(spark, merge.rows, "spark_catalog.spjr")
    with proposed(spark, merge.statement.replace("{t}", "local.spjr")) as report:
        spark.sql(merge.statement.replace("{t}", "local.spjr"))
        merged = spj_queries.result(spark, f"SELECT * FROM {table}", "")
        assert merged == truth, (merge.statement, report.sets)
    spark.sql(f"CALL local.system.rollback_to_snapshot('spjr.{merge.target}', {snapshot})")


def compare(spark: SparkSession, seed: int, count: int, merges: int, names: tuple[str, ...]) -> None:
    spj_queries.create(spark, seed, names)
    try:
        with settings(spark, **_BASE):
            for merge in spj_queries.merges(seed, merges, names):
                compare_merge(spark, merge)
        for query in spj_queries.queries(seed, count, names):
            base = _BASE if query.is_prepared else {}
            with settings(spark, **{"spark.sql.adaptive.enabled": str(query.aqe).lower(), **base}):
                truth = spj_queries.result(spark, query.text, "spark_catalog.spjr")
                with proposed(spark, query.text.replace("{t}", "local.spjr")) as report:
                    assert spj_queries.result(spark, query.text, "local.spjr") == truth, (query.text, report.sets)
    finally:
        for name in names:
            spark.sql(f"DROP TABLE local.spjr.{name}")
            spark.sql(f"DROP TABLE spark_catalog.spjr.{name}")


def test_random_queries(spark: SparkSession) -> None:
    compare(spark, 5, 3, 1, ("b6", "b8", "b12", "kb4", "b4k"))


@pytest.mark.swept
def test_many_random_queries(spark: SparkSession) -> None:
    compare(spark, int(os.environ.get("SIS_SEED", "1")), 100, 20, tuple(spj_queries.TABLES))
