"""spj: its verdict matches the plan, and its settings have the effect that it states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import share

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.spj.model import SETTINGS, Join
from spark_iceberg_sql.spark import versions

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
        spark.sql(f"CREATE TABLE local.spj.{name} (id BIGINT, ts TIMESTAMP, k INT) USING iceberg {by}")
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


@pytest.mark.parametrize(("left", "right", "on"), [*KNOWN, *share(CASES, 180)])
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


@pytest.mark.main("spj")
def test_the_fewest_settings(spark: SparkSession) -> None:
    same = sis.spj(spark, query("b4", "b4x", ON[0]))
    key = "spark.sql.sources.v2.bucketing.enabled"
    default = () if spark.conf.get(key) == "true" else (f"SET {key} = true",)  # so since Spark 4.1
    assert same.sets == ("SET `spark.sql.iceberg.planning.preserve-data-grouping` = true", *default)
    other = sis.spj(spark, query("b4", "b8", ON[0]))
    if "compatible transforms" in versions.spark_minor(spark.version).limitations:
        assert other.joins[0].best > 0
    else:
        assert len(other.sets) == 2 + len(default)
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
    inner = "(SELECT max(a.id) FROM local.spj.b4 a JOIN local.spj.b4x b ON a.id = b.id)"
    for text in (f"SELECT {inner}", f"SELECT * FROM local.spj.b8 WHERE id = {inner}"):
        found = sis.spj(spark, text)
        assert [(join.shuffles, join.best) for join in found.joins] == [(2, 0)], text
    (row,) = spark.sql(f"SELECT * FROM iceberg_spj('{query('b4', 'b4x', ON[0])}')").collect()
    assert (row.happens, row.shuffles, row.best) == ("no", 2, 0)
    assert "preserve-data-grouping" in row.sets
    spark.sql("DROP TABLE local.spj.was")


def test_the_query_of_a_statement_that_writes(spark: SparkSession) -> None:
    joined = query("b4", "b4x", ON[0]).replace("a.k", "a.k AS other")
    spark.sql("CREATE TABLE spj_files (id BIGINT, ts TIMESTAMP, k INT, other INT) USING parquet")
    for head in (
        *("INSERT INTO spj_files", "CREATE TABLE local.spj.made USING iceberg AS"),
        *("CREATE TABLE spj_made USING parquet AS", "CACHE TABLE spj_cache AS"),
    ):
        (join,) = sis.spj(spark, f"{head} {joined}").joins
        assert join.shuffles == 2, head
    spark.sql("DROP TABLE spj_files")


def test_names_after_use(spark: SparkSession) -> None:
    text = query("b4", "b4x", ON[0])
    full = sis.spj(spark, text)
    spark.sql("USE local.spj")
    try:
        assert sis.spj(spark, text.replace("local.spj.", "")) == full
    finally:
        spark.sql("USE spark_catalog.default")


def test_names_that_need_backticks(spark: SparkSession) -> None:
    for name, by in (("`a-b`.`c.d`", ""), ("`a-b`.`e f`", "PARTITIONED BY (bucket(4, `k k`))")):
        spark.sql(f"CREATE TABLE local.{name} USING iceberg {by} AS SELECT id AS `k k` FROM range(9)")
    text = "SELECT * FROM local.`a-b`.`c.d` a JOIN local.`a-b`.`e f` b ON a.`k k` = b.`k k`"
    found, _ = answer(spark, text)
    alter = (found.why or "").partition(": ")[2].partition(";")[0]
    assert alter == "ALTER TABLE local.`a-b`.`c.d` ADD PARTITION FIELD bucket(4, `k k`)"
    spark.sql(alter)
    for name in ("`a-b`.`c.d`", "`a-b`.`e f`"):
        spark.sql(f"DROP TABLE local.{name}")


def answer(spark: SparkSession, text: str) -> tuple[Join, str]:
    found = sis.spj(spark, text)
    return found.joins[0], str(found)


def test_a_join_without_a_shuffle_need_not_be_storage_partitioned(spark: SparkSession) -> None:
    """It may compare each row with each, or find its rows shuffled by the join below it."""
    apart, text = answer(spark, query("plain", "plain", "a.id < b.id"))
    assert (apart.happens, apart.shuffles, apart.why is None) == (False, 0, False)
    assert "no equality" in (apart.why or "")
    assert "storage-partitioned: no shuffle" not in text
    crossed, _ = answer(spark, "SELECT x.id FROM range(5) x CROSS JOIN range(5) y")
    assert (crossed.happens, len(crossed.tables)) == (False, 2)
    joined = "SELECT a.id, b.k FROM local.spj.b4 a JOIN local.spj.b4x b ON a.id = b.id"
    above = sis.spj(spark, f"{joined} WHERE a.id IN (SELECT id FROM local.spj.plain)")
    assert above.joins[0].shuffles == 0  # its rows are shuffled for the other joins
    assert len(above.joins) > 1
    assert not any(join.happens for join in above.joins)
    assert all(join.tables for join in above.joins)
    assert any(join.why for join in above.joins)
    three = f"{joined} JOIN local.spj.b4 c ON c.id = a.id"
    assert not sis.spj(spark, three).happens
    for statement in sis.spj(spark, three).sets:
        spark.sql(statement)
    assert [join.happens for join in sis.spj(spark, three).joins] == [True, True]
    for key, _, _ in SETTINGS:
        spark.conf.unset(key)


def test_why_of_empty_row_level_and_unpartitioned_tables(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE local.spj.none (id BIGINT, ts TIMESTAMP, k INT) USING iceberg PARTITIONED BY (bucket(4, id))"
    )
    empty, _ = answer(spark, query("b4", "none", ON[0]))
    assert "local.spj.none has no data files" in (empty.why or "")
    nothing, _ = answer(spark, query("b4", "b4x", ON[0]) + " AND a.id > 1000")
    assert "no file of local.spj.b4 is read" in (nothing.why or "")
    for name in ("one", "two"):
        spark.sql(f"CREATE TABLE local.spj.{name} USING iceberg AS SELECT id, ts, k FROM local.spj.plain")
    where = "DELETE FROM local.spj.one WHERE id IN (SELECT id FROM local.spj.two WHERE k = 1)"
    assert all("not partitioned" in (join.why or "") for join in sis.spj(spark, where).joins)
    both, _ = answer(spark, query("one", "two", "a.id = b.id"))
    *statements, rest = (both.why or "").partition(": ")[2].split("; ")
    assert rest == "then rewrite their files"
    for statement in statements:
        spark.sql(statement)
        table = statement.split()[2]
        spark.sql(f"INSERT OVERWRITE {table} SELECT * FROM {table}")
    after, _ = answer(spark, query("one", "two", "a.id = b.id"))
    assert (len(statements), after.best) == (2, 0)
    for name in ("none", "one", "two"):
        spark.sql(f"DROP TABLE local.spj.{name}")
