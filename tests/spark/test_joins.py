"""spj: what it says of joins, groups and windows is what the plan does, and its statements do what they should."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import share
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.spj.model import Operator
from spark_iceberg_sql.spark.bridge.plans.spark_issues import ISSUES, SparkIssue

SWITCH = "spark.iceberg_sql.colocate"
BUCKETING = "spark.sql.sources.v2.bucketing."
PARTITIONED = {
    "b4": "PARTITIONED BY (bucket(4, id))",
    "b4x": "PARTITIONED BY (bucket(4, id))",
    "b9": "PARTITIONED BY (bucket(9, id))",
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
    with settings(spark, **{"spark.sql.autoBroadcastJoinThreshold": "-1", SWITCH: "always"}):
        yield
    for name in PARTITIONED:
        spark.sql(f"DROP TABLE local.spj.{name}")


def plan(spark: SparkSession, query: str) -> str:
    return str(spark.sql(query)._jdf.queryExecution().executedPlan().toString())


def query(left: str, right: str, on: str) -> str:
    return f"SELECT a.id, a.ts, b.k, a.k FROM local.spj.{left} a JOIN local.spj.{right} b ON {on}"


ON = ("a.id = b.id", "a.id = b.id AND a.ts = b.ts", "a.ts = b.ts", "a.id = b.k")
CASES = [(a, b, on) for a in PARTITIONED for b in PARTITIONED if a != b for on in ON]
KNOWN = [
    ("b4", "b4x", ON[0]),
    ("b4", "b9", ON[0]),
    ("db", "bd", ON[1]),
    ("b4", "plain", ON[0]),
    ("plain", "b4", ON[0]),
    ("b4", "b4x", "a.id = b.k"),
    ("b4", "b4x", "a.id <=> b.id"),
    ("d", "b4", "date(a.ts) = date(b.ts)"),
]


def answer(spark: SparkSession, text: str) -> Operator:
    (operator,) = sis.spj(spark, text).operators
    return operator


@pytest.mark.parametrize(("left", "right", "on"), [*KNOWN, *share(CASES, 180)])
def test_the_verdict_is_the_plan_s(spark: SparkSession, left: str, right: str, on: str) -> None:
    text = query(left, right, on)
    join = answer(spark, text)
    plan_text = plan(spark, text)
    assert join.happens == ("groupedBy=no shuffle: " in plan_text)
    assert join.is_shuffled == ("Exchange hashpartitioning" in plan_text) == (not join.happens)
    assert (join.why is None) == join.happens
    assert join.bytes > 0


@pytest.mark.tier("quick", of="spj")
def test_joins_groups_and_windows(spark: SparkSession) -> None:
    text = (
        "SELECT id, n, row_number() OVER (PARTITION BY id ORDER BY n) FROM "
        f"(SELECT a.id, count(*) AS n FROM ({query('b4', 'b4x', ON[0])}) a GROUP BY a.id, a.ts)"
    ).replace(", a.k FROM", " FROM")
    report = sis.spj(spark, text)
    assert [(o.kind, o.keys, o.happens, o.fields) for o in report.operators] == [
        ("join", "a.id = b.id", True, "bucket(4, id)"),
        ("group", "id, ts", True, "bucket(4, id)"),
        ("window", "id", True, "bucket(4, id)"),
    ]
    assert report.happens
    assert [o.bytes > 0 for o in report.operators] == [True, False, False]  # each table's rows would move once
    sentence = "no shuffle: local.spj.b4 and local.spj.b4x are grouped by bucket(4, id)"
    assert sentence in str(report)
    assert sentence in plan(spark, text)
    rows = spark.sql(f"SELECT * FROM iceberg_spj('{text}')").collect()
    assert [(row.kind, row.happens, row.fields) for row in rows] == [
        (o.kind, "yes", "bucket(4, id)") for o in report.operators
    ]
    assert str(sis.spj(spark, "SELECT 1")) == "the query has no join, group or window"


def test_a_broadcast_saves_nothing(spark: SparkSession) -> None:
    """Nor does it move the rows that are grouped above it."""
    text = "SELECT a.id, count(*) FROM local.spj.b4 a JOIN local.spj.plain b ON a.k = b.k GROUP BY a.id"
    join, group = sis.spj(spark, text.replace("SELECT", "SELECT /*+ BROADCAST(b) */")).operators
    assert (join.is_broadcast, join.bytes) == (True, 0)
    assert (group.fields, group.bytes > 0) == ("bucket(4, id)", True)


def test_by_several_fields(spark: SparkSession) -> None:
    """EXPLAIN names those that matter, and the keys that Spark needs beside them."""
    text = query("db", "bd", f"{ON[1]} AND a.k = b.k")
    fields = answer(spark, text).fields
    assert fields in ("days(ts), bucket(4, id)", "bucket(4, id), days(ts)")
    grouping = plan(spark, text).partition("groupedBy=no shuffle: local.spj.db and local.spj.bd are grouped by ")[2]
    assert all(field in grouping.partition("Runtime")[0] for field in ("any a.k", "days(ts)"))


# By query: the reason, and the statement to write.
REASONS = {
    query("b4", "b9", ON[0]): (
        "local.spj.b4 is partitioned by bucket(4, id), local.spj.b9 by bucket(9, id)",
        "ALTER TABLE local.spj.b9 REPLACE PARTITION FIELD bucket(9, id) WITH bucket(4, id); then rewrite its files",
    ),
    query("plain", "b4", ON[0]): (
        "local.spj.plain is not partitioned",
        "ALTER TABLE local.spj.plain ADD PARTITION FIELD bucket(4, id); then rewrite its files",
    ),
    query("d", "b4", ON[0]): (
        "local.spj.d is partitioned by other columns",
        "ALTER TABLE local.spj.d ADD PARTITION FIELD bucket(4, id); then rewrite its files",
    ),
    query("b4", "k", "a.id = b.k"): ("local.spj.k is partitioned by columns, and the key is CAST(b.k AS BIGINT)", None),
    query("b4", "b4x", "a.id < b.id"): ("the join has no equality between columns of both sides", None),
    query("b4", "b4x", ON[0]).replace("SELECT", "SELECT /*+ BROADCAST(b) */"): ("one side is broadcast", None),
    query("b4", "b4x", ON[0]) + " AND a.id > 1000": ("no file of local.spj.b4 is read", None),
    "SELECT a.id FROM local.spj.b4 a JOIN range(9) r ON a.id = r.id": ("Range is not an Iceberg table", None),
    "SELECT k, count(*) FROM local.spj.b4 GROUP BY k": ("local.spj.b4 is partitioned by other columns", None),
    "SELECT id, k, count(*) FROM local.spj.b4 GROUP BY CUBE (id, k)": (
        "the keys of one side are not columns of one table",
        None,
    ),
    "SELECT id, count(*) FROM local.spj.b4 WHERE rand() < 0.5 GROUP BY id": (
        "rows of the query depend on which task reads which",
        None,
    ),
}


def test_why_not(spark: SparkSession) -> None:
    wrong = []
    for text, expected in REASONS.items():
        operator = answer(spark, text)
        if (operator.why, operator.statement) != expected:
            wrong.append((text, operator))
    assert not wrong


def test_one_shuffle_for_several(spark: SparkSession) -> None:
    text = query("plain", "plain", ON[0])
    join, group = sis.spj(spark, f"SELECT id, count(*) FROM ({text.replace(', b.k, a.k', '')}) GROUP BY id").operators
    assert (join.is_shuffled, group.is_shuffled) == (True, False)
    assert group.why == "the rows are already divided so, by a shuffle below or in one task"


def test_the_statement_has_the_effect(spark: SparkSession) -> None:
    """Also in names that need backticks."""
    for name, by in (("`a-b`.`c.d`", ""), ("`a-b`.`e f`", "PARTITIONED BY (bucket(4, `k k`))")):
        spark.sql(f"CREATE TABLE local.{name} USING iceberg {by} AS SELECT id AS `k k` FROM range(9)")
    text = "SELECT * FROM local.`a-b`.`c.d` a JOIN local.`a-b`.`e f` b ON a.`k k` = b.`k k`"
    statement = answer(spark, text).statement or ""
    assert statement == ("ALTER TABLE local.`a-b`.`c.d` ADD PARTITION FIELD bucket(4, `k k`); then rewrite its files")
    spark.sql(statement.partition(";")[0])
    before = answer(spark, text)
    assert before.why == "the files of local.`a-b`.`c.d` that are read have an earlier partition spec"
    spark.sql(before.statement or "")
    assert answer(spark, text).happens
    for name in ("`a-b`.`c.d`", "`a-b`.`e f`"):
        spark.sql(f"DROP TABLE local.{name}")


def test_subqueries_and_statements_that_write(spark: SparkSession) -> None:
    inner = "(SELECT max(a.id) FROM local.spj.b4 a JOIN local.spj.b4x b ON a.id = b.id)"
    for text in (f"SELECT {inner}", f"SELECT * FROM local.spj.b9 WHERE id = {inner}"):
        assert [o.happens for o in sis.spj(spark, text).operators if o.kind == "join"] == [True], text
    joined = query("b4", "b4x", ON[0]).replace("a.k", "a.k AS other")
    spark.sql("CREATE TABLE spj_files (id BIGINT, ts TIMESTAMP, k INT, other INT) USING parquet")
    for head in (
        *("INSERT INTO spj_files", "CREATE TABLE local.spj.made USING iceberg AS"),
        *("CREATE TABLE spj_made USING parquet AS", "CACHE TABLE spj_cache AS"),
    ):
        assert answer(spark, f"{head} {joined}").kind == "join", head
    spark.sql("DROP TABLE spj_files")


def test_rows_that_are_replaced(spark: SparkSession) -> None:
    text = "MERGE INTO local.spj.b4 t USING local.spj.b4x s ON t.id = s.id WHEN MATCHED THEN UPDATE SET k = s.k"
    joins = [o for o in sis.spj(spark, text).operators if o.kind == "join"]
    assert all(join.happens for join in joins)  # the first one looks for the files


def test_names_after_use(spark: SparkSession) -> None:
    text = query("b4", "b4x", ON[0])
    full = sis.spj(spark, text)
    spark.sql("USE local.spj")
    try:
        assert sis.spj(spark, text.replace("local.spj.", "")) == full
    finally:
        spark.sql("USE spark_catalog.default")


@pytest.mark.parametrize("issue", ISSUES, ids=lambda issue: issue.reference)
def test_settings_with_which_spark_loses_rows(spark: SparkSession, issue: SparkIssue) -> None:
    """In a session that has one, nothing is grouped, and the reason has the fault."""
    setting = issue.setting
    with settings(spark, **{setting: "true"}):
        join = answer(spark, query("b4", "b4x", ON[0]))
    assert not join.happens
    assert issue.reference in (join.why or "")
    assert join.statement == f"SET {setting} = false"
