"""spj: its verdict matches the plan, and its settings have the effect that it states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.joins import SETTINGS

PARTITIONED = {
    "b4": "PARTITIONED BY (bucket(4, id))",
    "b4x": "PARTITIONED BY (bucket(4, id))",
    "b8": "PARTITIONED BY (bucket(8, id))",
    "db": "PARTITIONED BY (days(ts), bucket(4, id))",
    "bd": "PARTITIONED BY (bucket(4, id), days(ts))",
    "plain": "",
    "d": "PARTITIONED BY (days(ts))",
    "k": "PARTITIONED BY (k)",
}


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    for name, by in PARTITIONED.items():
        spark.sql(
            f"CREATE TABLE local.spj.{name} (id BIGINT, ts TIMESTAMP, k INT) USING iceberg {by}"
        )
        spark.sql(
            f"INSERT INTO local.spj.{name} SELECT id, timestamp_seconds(1700000000 + id * 40000), "
            "CAST(id % 2 AS INT) FROM range(4)"
        )
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    yield
    spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    for name in PARTITIONED:
        spark.sql(f"DROP TABLE local.spj.{name}")


def shuffles(spark: SparkSession, query: str) -> int:
    plan = spark.sql(query)._jdf.queryExecution().executedPlan().toString()
    return int(plan.count("Exchange hashpartitioning") + plan.count("Exchange keygrouped"))


def query(left: str, right: str, on: str) -> str:
    return f"SELECT a.id, a.ts, b.k, a.k FROM local.spj.{left} a JOIN local.spj.{right} b ON {on}"


ON = ("a.id = b.id", "a.id = b.id AND a.ts = b.ts", "a.ts = b.ts", "a.id = b.k")
CASES = [(a, b, on) for a in PARTITIONED for b in PARTITIONED if a != b for on in ON]
KNOWN = [
    ("b4", "b4x", ON[0]),
    ("b4", "b8", ON[0]),
    ("db", "bd", ON[1]),
    ("b4", "plain", ON[0]),
    ("b4", "b4x", "a.id = b.k"),
    ("d", "b4", "date(a.ts) = date(b.ts)"),
]


@pytest.mark.parametrize(("left", "right", "on"), [*KNOWN, *CASES[:: 224 // 8]])
def test_the_verdict_is_the_plan_s(spark: SparkSession, left: str, right: str, on: str) -> None:
    text = query(left, right, on)
    found = sis.spj(spark, text)
    (join,) = found.joins
    assert join.shuffles == shuffles(spark, text)
    before = {key: spark.conf.get(key, None) for key, _, _ in SETTINGS}
    try:
        for statement in found.sets:
            spark.sql(statement)
        assert shuffles(spark, text) == join.best
        assert sis.spj(spark, text).happens == (join.best == 0)
    finally:
        for key, value in before.items():
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)
    assert (join.best > 0) == (join.why is not None)


def test_the_fewest_settings(spark: SparkSession) -> None:
    same = sis.spj(spark, query("b4", "b4x", ON[0]))
    assert same.sets == ("SET `spark.sql.iceberg.planning.preserve-data-grouping` = true",)
    assert len(sis.spj(spark, query("b4", "b8", ON[0])).sets) == 2
    assert "ADD PARTITION FIELD bucket(4, id)" in str(sis.spj(spark, query("b4", "plain", ON[0])))
    assert "different order" in str(sis.spj(spark, query("db", "bd", ON[1])))


def test_old_files_types_broadcasts_and_no_join(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.spj.was (id BIGINT, k INT) USING iceberg")
    spark.sql("INSERT INTO local.spj.was VALUES (1, 1)")
    spark.sql("ALTER TABLE local.spj.was ADD PARTITION FIELD bucket(4, id)")
    spark.sql("INSERT INTO local.spj.was VALUES (2, 2)")
    old = "SELECT a.id, b.k FROM local.spj.b4 a JOIN local.spj.was b ON a.id = b.id"
    assert "1 files of local.spj.was belong to an earlier spec" in str(sis.spj(spark, old))
    assert "not on columns" in str(sis.spj(spark, query("b4", "b4x", "a.id = b.k")))
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "10000000")
    try:
        assert "a broadcast join" in str(sis.spj(spark, old))
    finally:
        spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    assert str(sis.spj(spark, "SELECT 1")) == "the query has no join"
    (row,) = spark.sql(f"SELECT * FROM iceberg_spj('{query('b4', 'b4x', ON[0])}')").collect()
    assert (row.happens, row.shuffles, row.best) == ("no", 2, 0)
    assert "preserve-data-grouping" in row.sets
    spark.sql("DROP TABLE local.spj.was")
