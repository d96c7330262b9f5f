"""Advice for tables that are joined: the same buckets for both, and what they save."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans

NAMES = ("clicks", "orders")
JOIN = "SELECT count(*), max(c.s), max(o.s) FROM local.advice.clicks c JOIN local.advice.orders o ON c.user = o.user"
GROUP = "SELECT max(s) FROM (SELECT user, max(s) AS s FROM local.advice.clicks GROUP BY user)"


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    text = "concat(sha2(cast(id AS string), 512), sha2(cast(-id AS string), 512))"
    for name in NAMES:
        spark.sql(
            f"CREATE TABLE local.advice.{name} USING iceberg TBLPROPERTIES "
            "('read.split.target-size' = '1000000', 'write.target-file-size-bytes' = '4000000') AS "
            f"SELECT /*+ COALESCE(1) */ id % 30000 AS user, id % 5 AS page, {text} AS s FROM range(80000)"
        )
    with settings(spark, **{"spark.sql.autoBroadcastJoinThreshold": "-1"}):
        yield
    for name in NAMES:
        spark.sql(f"DROP TABLE local.advice.{name}")


def test_several_tables(spark: SparkSession) -> None:
    """Both get the same buckets for a join, or neither; a group of few values shuffles hardly anything."""
    tables = [f"local.advice.{name}" for name in NAMES]
    buckets = f"bucket({2 * spark.sparkContext.defaultParallelism}, user)"
    pages = "SELECT page, max(s) FROM local.advice.clicks GROUP BY page"
    advice = sis.advise(spark, tables, [(JOIN, 2), GROUP, (pages, 0.1)])
    assert [entry.best.spec for entry in advice] == [buckets, buckets], str(advice)
    assert advice.shuffled == 0
    assert advice.shuffled_now == sum(entry.bytes for entry in advice.together) > 10_000_000
    assert {entry.fields for entry in advice.together} == {(buckets, buckets), (buckets,)}
    assert f"local.advice.clicks by {buckets} and local.advice.orders by {buckets}" in str(advice)
    assert "needs the same buckets" not in str(advice)
    assert [line for line in str(advice).splitlines() if line.startswith(tuple(tables))] == [
        f"{entry.source}: {entry.headline}" for entry in advice
    ]
    assert "\n    SELECT page, max(s)" in str(advice)
    assert [entry["source"] for entry in advice.to_dict()["advice"]] == tables
    alone = sis.advise(spark, tables[:1], [JOIN])[0]
    assert alone.best.is_today, str(alone)  # orders remains as it is
    listed, twice = ", ".join(map(repr, tables)), f"'{JOIN}', '{JOIN}'"  # it weighs twice
    rows = spark.sql(f"SELECT source, spec FROM iceberg_advise(array({listed}), array({twice})) WHERE rank = 1")
    assert {(row["source"], row["spec"]) for row in rows.collect()} == {(table, buckets) for table in tables}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "the list of tables is empty"),
        (["local.advice.clicks"] * 2, "names each of them once"),
        (["local.advice.clicks", "SELECT 1 AS x"], "the query is not a table in a catalog"),
    ],
)
def test_wrong_lists(spark: SparkSession, names: list[str], message: str) -> None:
    with pytest.raises(sis.IcebergSqlError, match=message):
        sis.advise(spark, names, [JOIN])


def test_what_is_planned(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that does not read a table is not optimized for it, and none is tried as a physical plan."""
    optimized = []

    def execution(session: Any, plan: Any) -> Any:
        optimized.append((str(plan), spark.conf.get("spark.iceberg_sql.colocate", "true")))
        return original(session, plan)

    original = hypothetical_plans._execution
    monkeypatch.setattr(hypothetical_plans, "_execution", execution)
    advice = sis.advise(spark, "local.advice.clicks", [JOIN, "SELECT page AS of_orders FROM local.advice.orders"])
    assert "query 2 is skipped: it does not read local.advice.clicks" in str(advice)
    assert optimized
    assert not [text for text, switch in optimized if "of_orders" in text or switch == "true"]


def test_the_same_buckets(spark: SparkSession) -> None:
    buckets = f"bucket({2 * spark.sparkContext.defaultParallelism}, user)"
    advice = {name: sis.advise(spark, f"local.advice.{name}", [JOIN, GROUP]) for name in NAMES}
    for name, other in (NAMES, NAMES[::-1]):
        best, today = advice[name].best, advice[name].today
        assert best.spec == buckets, str(advice[name])
        assert today is not None
        assert (best.shuffled, today.shuffled > 10_000_000) == (0, True)
        explanation = str(advice[name])
        assert ", and shuffle 0 B instead of " in explanation
        assert f"ALTER TABLE local.advice.{other} ADD PARTITION FIELD {buckets}; then rewrite its files" in explanation
    assert not sis.spj(spark, JOIN).happens
    for name in NAMES:
        for statement in (*advice[name].best.ddl, advice[name].best.rewrite or ""):
            spark.sql(statement)
    assert sis.spj(spark, JOIN).happens
    assert "groupedBy=no shuffle: " in spark.sql(f"EXPLAIN {JOIN}").first()[0]  # type: ignore[index]
    for name in NAMES:
        again = sis.advise(spark, f"local.advice.{name}", [JOIN, GROUP])
        assert again.best.is_today, str(again)
        assert again.best.shuffled == 0
        assert "needs the same buckets" not in str(again)


def test_buckets_that_a_table_has(spark: SparkSession) -> None:
    """One of two tables changes, whichever advice is asked for; none if their numbers have a common divisor."""
    for old, new in ((4, 8), (8, 9)):
        spark.sql(
            f"ALTER TABLE local.advice.clicks REPLACE PARTITION FIELD bucket({old}, user) WITH bucket({new}, user)"
        )
        spark.sql(
            "CALL local.system.rewrite_data_files(table => 'advice.clicks', options => map('rewrite-all', 'true'))"
        )
        advice = [sis.advise(spark, f"local.advice.{name}", [JOIN]) for name in NAMES]
        if new == 8:
            assert all(entry.best.is_today and "the same buckets" not in str(entry) for entry in advice)
    assert len({entry.best.spec for entry in advice}) == 1, "\n".join(map(str, advice))
    (changed,) = (entry for entry in advice if not entry.best.is_today)
    (kept,) = (entry for entry in advice if entry.best.is_today)
    assert len(changed.best.ddl) == 1
    assert f"{changed.best.ddl[0]}; then rewrite its files" in str(kept)


def test_what_is_not_shuffled_does_not_count(spark: SparkSession) -> None:
    with settings(spark, **{"spark.sql.autoBroadcastJoinThreshold": "1g"}):
        advice = sis.advise(spark, "local.advice.orders", [JOIN])
    assert {proposal.shuffled for proposal in advice} == {0}
