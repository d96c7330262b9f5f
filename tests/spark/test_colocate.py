"""The rule colocate: when it groups tables, and random queries with the rows of the same tables outside Iceberg."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
import spj_queries
from colocate_tables import (
    BUCKETING,
    GROUPING,
    JOIN,
    LARGE,
    NOT_ADAPTIVE,
    SWITCH,
    grouped,
    is_grouped,
    large_tables,
    plan,
    shuffles,
    tables_and_copies,
)
from pyspark.sql import SparkSession
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.plans.scan_files import tables_read


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    with tables_and_copies(spark, ("a", "b", "plain")):
        yield


@pytest.fixture
def large(spark: SparkSession) -> Iterator[None]:
    with large_tables(spark):
        yield


@pytest.mark.tier("quick", of="rule colocate")
def test_chosen_by_itself(spark: SparkSession, large: None) -> None:
    """Four buckets keep two cores busy; the rows of one value do not."""
    assert is_grouped(spark, LARGE)
    note = "no shuffle: local.colo.large and local.colo.more are grouped by bucket(4, id)"
    assert note in str(sis.explain(spark, LARGE))
    assert note in str(sis.spj(spark, LARGE))
    assert note in str(spark.sql(f"EXPLAIN {LARGE}").first())
    read = spark.sql(LARGE)
    read.collect()
    assert [table.reason for table in tables_read(read)] == [note, note]  # under a cell
    assert spark.sql(LARGE).count() == 80_000
    for query in (
        JOIN,  # a few rows
        "SELECT id, count(*) FROM local.colo.skewed GROUP BY id",
        # Other rules may skip files of these while they run; of all rows, metadata would answer min before.
        (
            "SELECT id, count(*) FROM local.colo.large "
            "WHERE k > (SELECT min(k) FROM {t}.plain WHERE s LIKE '%1') GROUP BY id"
        ),
        f"SELECT /*+ BROADCAST(c) */ x.id FROM ({LARGE}) x JOIN {{t}}.plain c ON x.id = c.id",
    ):
        assert not is_grouped(spark, query), query
        with settings(spark, **{SWITCH: "always"}):
            assert is_grouped(spark, query), query


def test_rows_that_are_needed_twice(spark: SparkSession, large: None) -> None:
    """Spark shuffles them once: grouped they are read twice, which pays only if others are not shuffled for it."""
    group = "SELECT id, count(*) AS n FROM local.colo.large GROUP BY id"
    query = f"WITH c AS ({group}) SELECT x.id FROM c x JOIN c y ON x.id = y.id AND x.n >= y.n"
    assert not is_grouped(spark, query)
    with settings(spark, **{"spark.sql.exchange.reuse": "false"}):
        assert is_grouped(spark, query)
    # Spark has the subquery twice, for the rows of either table.
    query = f"{LARGE} WHERE a.id IN (SELECT id FROM ({group}) WHERE n > 0)"
    operators = str(sis.spj(spark, query))
    assert "no shuffle" in operators
    assert "are shuffled" not in operators


def test_rows_that_are_needed_twice_in_parts_of_a_plan(spark: SparkSession, large: None) -> None:
    """The subquery is one of both tables, between which the rows are shuffled by another key: q18 of TPC-H.

    Grouped in one part only, its rows are read again and shuffled, too.
    """
    group = "SELECT id FROM local.colo.large GROUP BY id HAVING count(*) > 0"
    query = (
        "SELECT a.id, b.k FROM local.colo.plain p JOIN local.colo.more a ON p.k = a.k "
        f"JOIN local.colo.{{}} b ON a.id = b.id WHERE a.id IN ({group})"
    )
    with settings(spark, **{"spark.sql.optimizer.dynamicPartitionPruning.enabled": "false"}):  # it has them once more
        frame = spark.sql(query.format("more"))
        assert grouped(frame) == 4
        moved = "the rows of local.colo.more have been shuffled by other keys before"
        assert moved in str(sis.spj(spark, query.format("more")))
        with settings(spark, **{SWITCH: "false"}):
            assert shuffles(spark.sql(query.format("more"))) == shuffles(frame) + 3
        # Whose partitions do not divide the work: the subquery stays as it is grouped alone, and is read once.
        notes = re.findall(r"groupedBy=([^)\]]+)", plan(spark.sql(query.format("skewed"))))
        assert notes == 2 * ["no shuffle: local.colo.large is grouped by bucket(4, id"]


def test_the_decision_sends_no_table_to_executors(spark: SparkSession, large: None) -> None:
    """Iceberg does so whenever it is asked for the partitions of a scan, which costs more than the rest of a plan."""
    context = spark.sparkContext._jsc
    execution = spark.sql(LARGE)._jdf.queryExecution()
    before = context.broadcast(0).id()
    execution.optimizedPlan()
    assert context.broadcast(0).id() == before + 1
    assert "groupedBy=no shuffle: " in execution.executedPlan().toString()


def test_with_what_is_broadcast(spark: SparkSession, large: None) -> None:
    """Where each file has all values of the key, none is left out for those that were broadcast."""
    query = f"SELECT /*+ BROADCAST(c) */ x.id FROM ({LARGE}) x JOIN {{t}}.plain c ON x.k = c.k"
    assert is_grouped(spark, query)
    spark.sql("ALTER TABLE local.colo.more WRITE ORDERED BY k")
    assert not is_grouped(spark, query)
    spark.sql("ALTER TABLE local.colo.more WRITE UNORDERED")
    assert is_grouped(spark, query)
    spark.sql("INSERT INTO local.colo.more SELECT id, 7, s, ts, p FROM local.colo.large")
    assert is_grouped(spark, LARGE)
    assert not is_grouped(spark, query)  # half of the files have no other value than 7
    join = "SELECT /*+ BROADCAST(c) */ x.id FROM local.colo.large x JOIN {t}.plain c ON x.k = c.k"
    assert not is_grouped(spark, f"SELECT id, count(*) FROM ({join}) GROUP BY id")  # of how many rows is not known
    assert is_grouped(spark, "SELECT id, count(*) FROM local.colo.large GROUP BY id")


def test_with_what_spark_prunes_by(spark: SparkSession, large: None) -> None:
    """Spark leaves out the same buckets of a grouped scan, here of one scan of three."""
    others = "JOIN local.colo.more b ON a.id = b.id"
    more = f"{others} JOIN local.colo.large c ON a.id = c.id"
    read = "(SELECT a.id FROM local.colo.large a {}) a"
    query = f"SELECT /*+ BROADCAST(p) */ a.id FROM {read} JOIN {{{{t}}}}.plain p ON a.id = p.id"
    assert is_grouped(spark, query.format(more) + " WHERE p.k = 1")
    assert not is_grouped(spark, query.format(others) + " WHERE p.k = 1")
    assert not is_grouped(spark, query.format(more))  # which rows are left, `joins` may know alone
    rows = f"{query.format(more)} WHERE p.k = 1 AND p.id = 4".replace("{t}", "local.colo")
    assert [tuple(row) for row in spark.sql(rows).collect()] == [(4,)]


def test_the_list_of_rules_says_what_is_missing(spark: SparkSession) -> None:
    """The setting is off by default before Spark 4.1: the first plan turns it on, unless it has a value."""
    query = "SELECT description FROM iceberg_rules() WHERE name = 'colocate' AND enabled"
    (before,) = spark.sql(query).first()
    with settings(spark, **{f"{BUCKETING}enabled": "false"}):
        (after,) = spark.sql(query).first()
    assert after == f"{before}; in this session only after SET {BUCKETING}enabled = true"


def test_the_user_s_settings_win(spark: SparkSession) -> None:
    for key, value in (
        *((SWITCH, "false"), (GROUPING, "false"), (f"{BUCKETING}enabled", "false")),
        ("spark.sql.optimizer.excludedRules", "sparkicebergsql.Colocate"),
        (f"{BUCKETING}partiallyClusteredDistribution.enabled", "true"),
        (f"{BUCKETING}shuffle.enabled", "true"),
    ):
        with settings(spark, **({SWITCH: "always"} | {key: value})):
            assert not is_grouped(spark), key
    with settings(spark, **{GROUPING: "true"}):
        assert is_grouped(spark, "SELECT id FROM {t}.a WHERE id > 5")  # as the user has set it
    with settings(spark, **{SWITCH: "always"}):
        assert is_grouped(spark)


def is_written(spark: SparkSession, write: spj_queries.RandomWrite, mode: str) -> bool:
    """Whether a statement changes the table as it would change a copy; then it is undone."""
    target = f"local.spjr.{write.target}"
    modes = ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("merge", "update", "delete"))
    spark.sql(f"ALTER TABLE {target} SET TBLPROPERTIES ({modes}, 'format-version' = '2')")
    (before,) = spark.sql(f"SELECT snapshot_id FROM {target}.refs").first()
    truth = spj_queries.result(spark, write.rows, "spark_catalog.spjr")
    with settings(spark, **{SWITCH: "always"}):
        spark.sql(write.statement.replace("{t}", "local.spjr"))
    after = spj_queries.result(spark, f"SELECT * FROM {target}", "")
    spark.sql(f"CALL local.system.rollback_to_snapshot('spjr.{write.target}', {before})")
    return after == truth


def compare(spark: SparkSession, seed: int, count: int, writes: int, names: tuple[str, ...]) -> None:
    spj_queries.create(spark, seed, names)
    wrong, without_shuffle = [], 0
    try:
        for number, write in enumerate(spj_queries.writes(seed, writes, names)):
            if not is_written(spark, write, ("copy-on-write", "merge-on-read")[number % 2]):
                wrong.append((write.target, write.statement))
        for query in spj_queries.queries(seed, count, names, computed=True, broadcast=True):
            adaptive = str(query.aqe or not NOT_ADAPTIVE).lower()
            with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
                without_shuffle += grouped(spark.sql(query.text.replace("{t}", "local.spjr"))) > 0
                truth = spj_queries.result(spark, query.text, "spark_catalog.spjr")
                if spj_queries.result(spark, query.text, "local.spjr") != truth:
                    wrong.append((adaptive, query.text))
        assert not wrong
        assert without_shuffle > count / 10
    finally:
        for name in names:
            spark.sql(f"DROP TABLE local.spjr.{name}")
            spark.sql(f"DROP TABLE spark_catalog.spjr.{name}")


def test_random_queries(spark: SparkSession) -> None:
    compare(spark, 7, 6, 4, ("b8", "b4o", "b4", "kb4"))


@pytest.mark.tier("sweep")
def test_many_random_queries(spark: SparkSession) -> None:
    compare(spark, int(os.environ.get("SIS_SEED", "1")), 150, 30, tuple(spj_queries.TABLES))
