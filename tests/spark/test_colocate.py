"""The rule colocate: joins and groups without a shuffle, and the rows of the same tables outside Iceberg."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
import spj_queries
from pyspark.sql import DataFrame, SparkSession
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.plans.spark_issues import issues_of

SWITCH = "spark.iceberg_sql.colocate"
GROUPING = "spark.sql.iceberg.planning.preserve-data-grouping"
BUCKETING = "spark.sql.sources.v2.bucketing."
COLUMNS = "id BIGINT, k INT, s STRING, ts TIMESTAMP, p STRUCT<i: BIGINT, s: STRING>"
# Several files of a partition, and several tasks of a file, as in a large table.
DIVIDED = "'read.split.target-size' = '1', 'read.split.open-file-cost' = '1'"
# By name: the partition fields, and which rows of all there are. Some buckets have no rows in one of the tables.
TABLES = {
    "a": ("bucket(4, id)", "id IS NULL OR id % 7 <> 3"),
    "b": ("bucket(4, id)", "id % 5 <> 2"),
    "c": ("bucket(4, id)", "id IN (1, 2, 3)"),
    "b8": ("bucket(8, id)", "true"),
    "plain": ("", "true"),
    "kid": ("k, bucket(4, id)", "true"),
    "idk": ("bucket(4, id), k", "true"),
    "d": ("days(ts)", "id < 30"),
    "e": ("days(ts)", "id > 10"),
    "i": ("k", "true"),
    "s": ("bucket(4, s)", "true"),
    "w": ("truncate(2, s)", "true"),
    "v": ("truncate(2, s)", "id % 9 <> 1"),
    "t": ("truncate(10, id)", "true"),
    "dib": ("days(ts), bucket(4, id)", "id % 3 <> 1"),
    "pi": ("bucket(4, p.i)", "id % 2 = 0"),
    "pj": ("bucket(4, p.i)", "true"),
    "ps": ("p.s", "true"),
}
ROWS = (
    "SELECT if(id % 11 = 10, NULL, id) AS id, CAST(id % 3 AS INT) AS k, concat('s', id % 9) AS s, "
    "timestamp_seconds(1700000000 + (id % 12) * 40000) AS ts, "
    "if(id % 8 = 7, NULL, named_struct('i', if(id % 11 = 9, NULL, id), 's', concat('n', id % 4))) AS p FROM range(40)"
)


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    for namespace in ("local.colo", "spark_catalog.colo"):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
    for name, (fields, which) in TABLES.items():
        create(spark, name, fields)
        write(spark, name, f"SELECT * FROM ({ROWS}) WHERE {which}")
    keys = {
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        f"{BUCKETING}enabled": "true",  # the default since Spark 4.1
        f"{BUCKETING}pushPartValues.enabled": "true",
    }
    with settings(spark, **keys):
        yield
    for name in TABLES:
        drop(spark, name)


def create(spark: SparkSession, name: str, fields: str, properties: str = DIVIDED) -> None:
    by = f"PARTITIONED BY ({fields})" if fields else ""
    spark.sql(f"CREATE TABLE local.colo.{name} ({COLUMNS}) USING iceberg {by} TBLPROPERTIES ({properties})")
    spark.sql(f"CREATE TABLE spark_catalog.colo.{name} ({COLUMNS}) USING parquet")


def write(spark: SparkSession, name: str, rows: str) -> None:
    for catalog in ("local", "spark_catalog"):
        spark.sql(f"INSERT INTO {catalog}.colo.{name} {rows}")


def drop(spark: SparkSession, name: str) -> None:
    for catalog in ("local", "spark_catalog"):
        spark.sql(f"DROP TABLE {catalog}.colo.{name}")


def rows(spark: SparkSession, query: str, tables: str) -> list[str]:
    return sorted(str(tuple(row)) for row in spark.sql(query.replace("{t}", tables)).collect())


def grouped(frame: DataFrame) -> int:
    """Scans of a plan that read each partition in one task."""
    return len(re.findall(r"groupedBy=[^)]", plan(frame)))


def shuffles(frame: DataFrame) -> int:
    return plan(frame).count("Exchange hashpartitioning")


def plan(frame: DataFrame) -> str:
    """The physical plan, before it runs."""
    return str(frame._jdf.queryExecution().executedPlan().toString())


# By query: how many scans are grouped. The others are shuffled as without the rule.
SHAPES = {
    "SELECT a.id, b.k FROM {t}.a a JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id, b.k FROM {t}.a a LEFT JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id, b.k FROM {t}.a a RIGHT JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.a a FULL JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT id FROM {t}.a WHERE id IN (SELECT id FROM {t}.b)": 2,
    "SELECT id FROM {t}.a a WHERE NOT EXISTS (SELECT 1 FROM {t}.b b WHERE a.id = b.id)": 2,
    # Spark joins on two expressions of each side: the column without nulls, and whether it is null.
    "SELECT a.id, b.k FROM {t}.a a JOIN {t}.a b ON a.id <=> b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.a a FULL JOIN {t}.pj b ON a.id <=> b.p.i": 0,  # Spark gives b.p.i another name
    "SELECT a.id, b.k FROM {t}.idk a LEFT JOIN {t}.kid b ON a.id <=> b.id AND a.k = b.k": 2,
    "SELECT a.p.s, b.id FROM {t}.ps a JOIN {t}.ps b ON a.p.s <=> b.p.s": 0,
    "SELECT a.id, b.id AS i FROM {t}.d a FULL JOIN {t}.e b ON to_date(a.ts) <=> to_date(b.ts)": 2,
    "SELECT a.id FROM {t}.a a JOIN {t}.a b ON a.id <=> b.id JOIN {t}.a c ON c.id <=> b.id": 3,
    # Half of what is compared is not enough.
    "SELECT coalesce(i, 0) AS n, max(i) FROM (SELECT a.id AS i FROM {t}.a a JOIN {t}.a b ON a.id <=> b.id) "
    "GROUP BY n": 2,
    "SELECT coalesce(id, 0L) AS n, id IS NULL AS m, count(*) FROM {t}.a GROUP BY n, m": 0,
    "SELECT a.id FROM {t}.a a JOIN {t}.a b ON a.id <=> b.id JOIN {t}.pj c ON coalesce(a.id, 0) = c.id": 2,
    "SELECT a.id FROM {t}.a a JOIN {t}.a b ON a.id <=> b.id JOIN {t}.b c ON a.id = c.id": 2,
    "SELECT x.i, count(*) FROM (SELECT id AS i FROM {t}.a WHERE k < 2) x JOIN {t}.c c ON x.i = c.id GROUP BY x.i": 2,
    "SELECT a.id, b.k, c.s FROM {t}.a a JOIN {t}.b b ON a.id = b.id JOIN {t}.c c ON b.id = c.id": 3,
    "SELECT id, count(*), max(s) FROM {t}.a GROUP BY id": 1,
    "SELECT id, k, count(*) FROM {t}.a GROUP BY id, k": 1,
    "SELECT DISTINCT id FROM {t}.c": 1,
    "SELECT id, k, row_number() OVER (PARTITION BY id ORDER BY k) FROM {t}.a": 1,
    "SELECT x.id, n FROM (SELECT id, count(*) AS n FROM {t}.a GROUP BY id) x JOIN {t}.b b ON x.id = b.id": 2,
    "SELECT a.id FROM {t}.a a JOIN {t}.a b ON a.id = b.id": 2,
    "SELECT a.ts, b.id FROM {t}.d a JOIN {t}.e b ON a.ts = b.ts": 2,
    "SELECT a.id FROM {t}.idk a JOIN {t}.idk b ON a.id = b.id AND a.k = b.k": 2,
    "SELECT s, count(*) FROM {t}.s GROUP BY s": 1,
    "SELECT (SELECT max(a.id) FROM {t}.a a JOIN {t}.b b ON a.id = b.id) AS m, k FROM {t}.c": 2,
    # Fields in another order, and those that not all have, or that are no keys.
    "SELECT a.id FROM {t}.idk a JOIN {t}.kid b ON a.id = b.id AND a.k = b.k": 2,
    "SELECT a.id FROM {t}.kid a LEFT JOIN {t}.idk b ON b.k = a.k AND a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.idk a JOIN {t}.kid b ON a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.a a FULL JOIN {t}.dib b ON a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.d a JOIN {t}.dib b ON a.ts = b.ts": 2,
    "SELECT id, count(*) FROM {t}.idk WHERE k = 1 GROUP BY id": 1,
    "SELECT id, ts, count(*) FROM {t}.dib GROUP BY id, ts": 1,
    "SELECT id, k, row_number() OVER (PARTITION BY id ORDER BY k, ts) FROM {t}.dib": 1,
    "SELECT i, count(*) FROM (SELECT a.id AS i, b.k FROM {t}.idk a JOIN {t}.a b ON a.id = b.id) GROUP BY i, k": 2,
    "SELECT a.id, n FROM {t}.a a JOIN (SELECT id, count(*) AS n FROM {t}.kid GROUP BY id, k) b ON a.id = b.id": 2,
    # Keys beyond the fields.
    "SELECT a.id, b.s FROM {t}.a a JOIN {t}.b b ON a.id = b.id AND a.k = b.k": 2,
    "SELECT a.id, b.s FROM {t}.a a FULL JOIN {t}.idk b ON a.k = b.k AND a.s = b.s AND b.id = a.id": 2,
    "SELECT a.id, b.s FROM {t}.a a LEFT JOIN {t}.b b ON a.id = b.id AND upper(a.s) = upper(b.s)": 2,
    "SELECT id FROM {t}.a a WHERE EXISTS (SELECT 1 FROM {t}.b b WHERE a.id = b.id AND a.k + 1 = b.k + 1)": 2,
    "SELECT a.id FROM {t}.a a JOIN {t}.b b ON a.id = b.id AND a.k = b.k JOIN {t}.c c ON b.id = c.id AND c.k = b.k": 3,
    # Spark does not join on keys of two tables.
    "SELECT a.id FROM {t}.a a JOIN {t}.b b ON a.id = b.id AND a.k = b.k JOIN {t}.c c ON b.id = c.id AND c.k = a.k": 2,
    "SELECT a.id FROM {t}.a a JOIN {t}.b b ON a.id = b.id AND a.k = b.k JOIN {t}.c c ON b.id = c.id": 2,
    "SELECT a.id, a.k, n FROM {t}.a a JOIN (SELECT id, k, count(*) AS n FROM {t}.b GROUP BY id, k) b "
    "ON a.id = b.id AND a.k = b.k": 2,
    "SELECT a.k, n FROM {t}.a a JOIN (SELECT id, count(*) AS n, max(k) AS k FROM {t}.b GROUP BY id) b "
    "ON a.id = b.id AND a.k = b.k": 1,  # the group alone
    "SELECT a.id, count(*) FROM {t}.a a JOIN {t}.b b ON a.id = b.id AND a.k = b.k GROUP BY a.id, a.k": 2,
    # Truncated values, and keys from which those of the fields follow.
    "SELECT s, count(*) FROM {t}.w GROUP BY s": 1,
    "SELECT a.id, b.id AS i FROM {t}.w a JOIN {t}.v b ON a.s = b.s": 2,
    "SELECT a.id, b.id AS i FROM {t}.w a LEFT JOIN {t}.v b ON substring(a.s, 1, 2) = left(b.s, 2)": 2,
    "SELECT substring(s, 1, 3) AS x, count(*) FROM {t}.w GROUP BY x": 1,
    "SELECT substring(s, 1, 1) AS x, count(*) FROM {t}.w GROUP BY x": 0,
    "SELECT id, count(*) FROM {t}.t GROUP BY id": 1,
    "SELECT a.id, b.id AS i FROM {t}.d a JOIN {t}.e b ON to_date(a.ts) = to_date(b.ts)": 2,
    "SELECT a.id, b.id AS i FROM {t}.d a FULL JOIN {t}.dib b ON to_date(a.ts) = to_date(b.ts) AND a.id = b.id": 2,
    "SELECT to_date(ts) AS day, sum(id) FROM {t}.d GROUP BY day": 1,
    "SELECT date_trunc('HOUR', ts) AS h, count(*) FROM {t}.d GROUP BY h": 1,
    "SELECT date_trunc('MONTH', ts) AS m, count(*) FROM {t}.d GROUP BY m": 0,
    "SELECT date_format(ts, 'yyyy') AS y, count(*) FROM {t}.d GROUP BY y": 0,
    # Fields of structs.
    "SELECT a.id, b.id AS i FROM {t}.pi a JOIN {t}.pj b ON a.p.i = b.p.i": 2,
    "SELECT a.id, b.id AS i FROM {t}.a a LEFT JOIN {t}.pj b ON a.id = b.p.i": 2,
    "SELECT p.i, count(*), max(p.s) FROM {t}.pi GROUP BY p.i": 1,
    "SELECT p.s, count(*) FROM {t}.ps GROUP BY p.s": 1,
    "SELECT p, count(*) FROM {t}.pi GROUP BY p": 0,
    # What is joined on other keys, or partitioned in another way.
    "SELECT a.id FROM {t}.a a JOIN {t}.b8 b ON a.id = b.id": 0,
    "SELECT a.id FROM {t}.a a JOIN {t}.plain b ON a.id = b.id": 0,
    "SELECT a.id FROM {t}.a a JOIN {t}.b b ON a.k = b.k": 0,
    "SELECT k, count(*) FROM {t}.a GROUP BY k": 0,
    "SELECT id FROM {t}.a WHERE id > 5": 0,
    "SELECT id, count(*) FROM (SELECT id FROM {t}.a UNION ALL SELECT id FROM {t}.b) GROUP BY id": 0,
    "SELECT id, rand() < 2, count(*) FROM {t}.a GROUP BY ALL": 0,
    # Hints.
    "SELECT /*+ BROADCAST(b) */ a.id FROM {t}.a a JOIN {t}.b b ON a.id = b.id": 0,
    "SELECT /*+ SHUFFLE_HASH(b) */ a.id FROM {t}.a a JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT /*+ REPARTITION(3) */ a.id FROM {t}.a a JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id FROM (SELECT /*+ REPARTITION(3, id) */ * FROM {t}.a) a JOIN {t}.b b ON a.id = b.id": 0,
}


@pytest.mark.parametrize("swapped", [False, pytest.param(True, marks=pytest.mark.swept)])
def test_rows_and_plans(spark: SparkSession, swapped: bool) -> None:
    """Every other query with an adaptive plan; the others in the sweep."""
    wrong = []
    for number, (query, count) in enumerate(SHAPES.items()):
        adaptive = str(bool(number % 2) != swapped).lower()
        with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
            frame = spark.sql(query.replace("{t}", "local.colo"))
            with settings(spark, **{SWITCH: "false"}):
                before = shuffles(spark.sql(query.replace("{t}", "local.colo")))
            if grouped(frame) != count or (shuffles(frame) < before) != (count > 0):
                wrong.append((query, grouped(frame), shuffles(frame), before))
            if rows(spark, query, "local.colo") != rows(spark, query, "spark_catalog.colo"):
                wrong.append((query, "other rows"))
    assert not wrong


JOIN = "SELECT a.id, b.k FROM {t}.a a JOIN {t}.b b ON a.id = b.id"


def is_grouped(spark: SparkSession, query: str = JOIN) -> bool:
    return grouped(spark.sql(query.replace("{t}", "local.colo"))) > 0


LARGE = "SELECT a.id, b.k FROM local.colo.large a JOIN local.colo.more b ON a.id = b.id"


@pytest.fixture
def large(spark: SparkSession) -> Iterator[None]:
    """Two tables of four partitions of more than a megabyte, and one with all rows in one of them."""
    text = "concat(sha2(cast(id AS string), 512), sha2(cast(-id AS string), 512))"
    for name, key in (("large", "id"), ("more", "id"), ("skewed", "1L")):
        spark.sql(
            f"CREATE TABLE local.colo.{name} ({COLUMNS}) USING iceberg PARTITIONED BY (bucket(4, id)) "
            f"TBLPROPERTIES ('read.split.target-size' = '100000', 'read.split.open-file-cost' = '1')"
        )
        spark.sql(
            f"INSERT INTO local.colo.{name} SELECT {key}, CAST(id % 3 AS INT), {text}, now(), NULL FROM range(80000)"
        )
    yield
    for name in ("large", "more", "skewed"):
        spark.sql(f"DROP TABLE local.colo.{name}")


@pytest.mark.main("rule colocate")
def test_chosen_by_itself(spark: SparkSession, large: None) -> None:
    """Four buckets keep two cores busy; the rows of one value do not."""
    assert is_grouped(spark, LARGE)
    note = "no shuffle: local.colo.large and local.colo.more are grouped by bucket(4, id)"
    assert note in str(sis.explain(spark, LARGE))
    assert spark.sql(LARGE).count() == 80_000
    for query in (
        JOIN,  # a few rows
        "SELECT id, count(*) FROM local.colo.skewed GROUP BY id",
        # Other rules may skip files of these while they run; of all rows, metadata would answer min before.
        (
            "SELECT id, count(*) FROM local.colo.large "
            "WHERE k > (SELECT min(k) FROM {t}.plain WHERE s LIKE '%1') GROUP BY id"
        ),
        f"SELECT /*+ BROADCAST(c) */ x.id FROM ({LARGE}) x JOIN {{t}}.plain c ON x.k = c.k",
    ):
        assert not is_grouped(spark, query), query
        with settings(spark, **{SWITCH: "always"}):
            assert is_grouped(spark, query), query


# By query, with the rule's switch as it is by default: what explain says of its shuffles.
REASONS = {
    "SELECT a.id FROM {t}.a a JOIN {t}.b8 b ON a.id = b.id": (
        "local.colo.a and local.colo.b8: shuffled, since local.colo.a is partitioned by bucket(4, id), "
        "local.colo.b8 by bucket(8, id); to avoid it: ALTER TABLE local.colo.b8 "
        "REPLACE PARTITION FIELD bucket(8, id) WITH bucket(4, id); then rewrite its files"
    ),
    "SELECT a.id FROM {t}.plain a JOIN {t}.b b ON a.id = b.id": (
        "local.colo.plain and local.colo.b: shuffled, since local.colo.plain is not partitioned; to avoid it: "
        "ALTER TABLE local.colo.plain ADD PARTITION FIELD bucket(4, id); then rewrite its files"
    ),
    "SELECT a.id FROM {t}.d a JOIN {t}.b b ON a.id = b.id": (
        "local.colo.d and local.colo.b: shuffled, since local.colo.d is partitioned by other columns; to avoid it: "
        "ALTER TABLE local.colo.d ADD PARTITION FIELD bucket(4, id); then rewrite its files"
    ),
    JOIN: (
        "local.colo.a and local.colo.b: shuffled, since the partitions have * on average, which a shuffle moves as fast"
    ),
    "SELECT id, count(*) FROM {t}.skewed GROUP BY id": (
        "local.colo.skewed: shuffled, since one task reads all of the table"
    ),
    "SELECT k, count(*) FROM {t}.a GROUP BY k": None,
    "SELECT a.id FROM {t}.plain a JOIN {t}.plain b ON a.id = b.id": None,
}


FAULTS = " and ".join(
    f"{issue.cost} ({issue.reference})" for issue in issues_of(f"SET {BUCKETING}shuffle.enabled = false")
)


def shuffled(spark: SparkSession, query: str) -> list[str]:
    """What explain says of the shuffles of a query, without sizes."""
    notes = sis.explain(spark, query.replace("{t}", "local.colo")).notes
    return [re.sub(r"[0-9.]+ k?B\b", "*", note) for note in notes if "shuffled" in note]


def test_explain_says_why_not(spark: SparkSession, large: None) -> None:
    wrong = [
        (query, reasons, reason)
        for query, reason in REASONS.items()
        if (reasons := shuffled(spark, query)) != ([reason] if reason else [])
    ]
    assert not wrong
    for key, value, statement in (
        (SWITCH, "false", f"the rule colocate is off; to avoid it: SET {SWITCH} = true"),
        (GROUPING, "false", f"a setting rules it out; to avoid it: RESET `{GROUPING}`"),
        (
            f"{BUCKETING}shuffle.enabled",
            "true",
            f"a setting rules it out, with which {FAULTS}; to avoid it: SET {BUCKETING}shuffle.enabled = false",
        ),
    ):
        with settings(spark, **{key: value}):
            assert shuffled(spark, LARGE) == [f"local.colo.large and local.colo.more: shuffled, since {statement}"]
    assert not shuffled(spark, LARGE)


def test_files_of_several_specs(spark: SparkSession) -> None:
    create(spark, "x", "bucket(4, id)")
    try:
        write(spark, "x", ROWS)
        spark.sql("ALTER TABLE local.colo.x REPLACE PARTITION FIELD bucket(4, id) WITH bucket(8, id)")
        write(spark, "x", ROWS)
        (reason,) = shuffled(spark, "SELECT x.id FROM {t}.x x JOIN {t}.b8 b ON x.id = b.id")
        assert "the files of local.colo.x that are read have 2 partition specs" in reason
        spark.sql(reason.partition("to avoid it: ")[2])
        with settings(spark, **{SWITCH: "always"}):
            assert is_grouped(spark, "SELECT x.id FROM {t}.x x JOIN {t}.b8 b ON x.id = b.id")
    finally:
        drop(spark, "x")


def test_the_list_of_rules_says_what_is_missing(spark: SparkSession) -> None:
    """Before Spark 4.1, the setting is off by default."""
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


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_rows_that_are_kept(spark: SparkSession, adaptive: str) -> None:
    """Two tables that lack different buckets, in the cache or as a checkpoint: Spark may join them bucket by bucket."""
    query = "SELECT id, count(*) AS n FROM {t}.%s GROUP BY id"
    with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
        for how in ("cache", "localCheckpoint"):
            results = []
            for tables in ("local.colo", "spark_catalog.colo"):
                left, right, other = (spark.sql((query % name).replace("{t}", tables)) for name in "acb")
                left, right = getattr(left, how)(), getattr(right, how)()
                joins = (left.join(right, "id", "left"), other.join(left, "id"), left.join(other, "id", "full"))
                results.append([sorted(map(str, joined.collect())) for joined in joins])
                left.unpersist()
                right.unpersist()
            assert results[0] == results[1], how


def test_deletes_branches_versions_and_old_specs(spark: SparkSession) -> None:
    create(spark, "x", "bucket(4, id)", f"{DIVIDED}, 'write.delete.mode' = 'merge-on-read', 'format-version' = '2'")
    try:
        write(spark, "x", ROWS)
        (first,) = spark.sql("SELECT snapshot_id FROM local.colo.x.snapshots").first()
        query = "SELECT x.id, count(*), max(b.k) FROM {x} x JOIN {t}.b b ON x.id = b.id GROUP BY x.id"
        of_x = query.replace("{x}", "{t}.x")
        all_rows = rows(spark, of_x, "spark_catalog.colo")
        spark.sql("DELETE FROM local.colo.x WHERE id % 4 = 1")
        spark.sql("ALTER TABLE local.colo.x CREATE BRANCH more")
        spark.sql(f"INSERT INTO local.colo.x.branch_more {ROWS}")
        left = query.replace("{x}", "(SELECT * FROM {t}.x WHERE NOT id % 4 = 1)")
        twice = query.replace("{x}", "(SELECT * FROM {t}.x WHERE NOT id % 4 = 1 UNION ALL SELECT * FROM {t}.x)")
        with settings(spark, **{SWITCH: "always"}):
            for ours, truth in (
                (of_x, rows(spark, left, "spark_catalog.colo")),
                (query.replace("{x}", f"{{t}}.x VERSION AS OF {first}"), all_rows),
                (query.replace("{x}", "{t}.x VERSION AS OF 'more'"), rows(spark, twice, "spark_catalog.colo")),
            ):
                assert is_grouped(spark, ours), ours
                assert rows(spark, ours, "local.colo") == truth, ours
            spark.sql("ALTER TABLE local.colo.x REPLACE PARTITION FIELD bucket(4, id) WITH bucket(8, id)")
            spark.sql(f"INSERT INTO local.colo.x {ROWS}")
            assert not is_grouped(spark, of_x)
            assert rows(spark, of_x, "local.colo") == rows(spark, twice, "spark_catalog.colo")
    finally:
        drop(spark, "x")


def test_writes(spark: SparkSession) -> None:
    """The rows of a MERGE, a DELETE and a table that is created from a join."""
    source = "(SELECT a.id, count(*) AS n FROM {t}.a a JOIN {t}.b b ON a.id = b.id GROUP BY a.id)"
    with settings(spark, **{SWITCH: "always"}):
        spark.sql(f"CREATE TABLE local.colo.n USING iceberg AS SELECT * FROM {source.replace('{t}', 'local.colo')}")
        truth = rows(spark, f"SELECT * FROM {source}", "spark_catalog.colo")
        assert rows(spark, "SELECT * FROM local.colo.n", "") == truth
        for mode in ("copy-on-write", "merge-on-read"):
            spark.sql(f"ALTER TABLE local.colo.n SET TBLPROPERTIES ('write.merge.mode' = '{mode}')")
            spark.sql(
                f"MERGE INTO local.colo.n USING {source.replace('{t}', 'local.colo')} s ON n.id = s.id "
                "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = n.n + s.n "
                "WHEN NOT MATCHED THEN INSERT *"
            )
            # The second one inserts again what the first has deleted.
            merged = "id % 2 = 1" if mode == "copy-on-write" else "true"
            factor = "if(id % 2 = 0, 1, 3)" if mode == "merge-on-read" else "2"
            truth = rows(
                spark, f"SELECT id, n * {factor} FROM {source} WHERE {merged} OR id IS NULL", "spark_catalog.colo"
            )
            assert rows(spark, "SELECT * FROM local.colo.n", "") == truth, mode
    spark.sql("DROP TABLE local.colo.n")


def exchanges(spark: SparkSession, statement: str) -> int:
    (text,) = spark.sql(f"EXPLAIN {statement}").first()
    return text.partition("== Initial Plan ==")[0].count("Exchange ")


# By statement into a table by bucket(4, id): whether its rows are written as they are grouped.
WRITES = {
    "INSERT INTO {w} SELECT * FROM {t}.a": True,
    "INSERT INTO {w} SELECT id, k, s, ts, p FROM {t}.idk": True,
    "INSERT INTO {w} SELECT a.id, b.k, a.s, b.ts, NULL FROM {t}.a a JOIN {t}.b b ON a.id = b.id": True,
    "INSERT INTO {w} SELECT id, max(k), max(s), NULL, NULL FROM {t}.a GROUP BY id": True,
    "INSERT OVERWRITE {w} SELECT * FROM {t}.b": True,
    "INSERT INTO {w} SELECT id + 1, k, s, ts, p FROM {t}.a": False,
    "INSERT INTO {w} SELECT * FROM {t}.b8": False,
    "INSERT INTO {w} SELECT id, k, s, ts, p FROM {t}.d": False,
    "INSERT INTO {w} SELECT * FROM {t}.a UNION ALL SELECT * FROM {t}.b": False,
    "INSERT INTO {w} SELECT /*+ REPARTITION(3) */ * FROM {t}.a": False,
    "INSERT INTO {w} SELECT * FROM {t}.a ORDER BY id": False,
}


def test_writes_between_tables_partitioned_alike(spark: SparkSession) -> None:
    create(spark, "w4", "bucket(4, id)")
    try:
        for number, (statement, is_grouped) in enumerate(WRITES.items()):
            ours, truth = (
                statement.replace("{t}", f"{tables}.colo").replace("{w}", f"{tables}.colo.w4")
                for tables in ("local", "spark_catalog")
            )
            adaptive = str(bool(number % 2)).lower()
            with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
                assert (exchanges(spark, ours) == 0) == is_grouped, statement
                spark.sql(ours)
            spark.sql(truth)
            query = "SELECT * FROM {t}.w4"
            assert rows(spark, query, "local.colo") == rows(spark, query, "spark_catalog.colo"), statement
        create(spark, "wk", "k, bucket(4, id)")
        with settings(spark, **{SWITCH: "always"}):
            assert not exchanges(spark, "INSERT INTO local.colo.wk SELECT * FROM local.colo.idk")
            # A task for each bucket would write into the partitions of all values of k.
            assert exchanges(spark, "INSERT INTO local.colo.wk SELECT * FROM local.colo.a")
        drop(spark, "wk")
        # Each of the four tasks has written one partition.
        with settings(spark, **{SWITCH: "always"}):
            spark.sql("INSERT OVERWRITE local.colo.w4 SELECT * FROM local.colo.b8")
            shuffled = spark.sql("SELECT * FROM local.colo.w4.files").count()
            spark.sql("INSERT OVERWRITE local.colo.w4 SELECT * FROM local.colo.w4")
            assert spark.sql("SELECT * FROM local.colo.w4.files").count() <= max(4, shuffled)
    finally:
        drop(spark, "w4")


MERGE = (
    "MERGE INTO {w} w USING (SELECT id, count(*) AS n FROM {t}.b GROUP BY id) b ON w.id = b.id "
    "WHEN MATCHED AND b.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET {set} "
    "WHEN NOT MATCHED THEN INSERT (id, k) VALUES (b.id, b.n)"
)
MERGED = (
    "SELECT {id} AS id, CASE WHEN b.id IS NULL THEN w.k ELSE b.n END AS k FROM ({t}) w LEFT JOIN {b} ON w.id = b.id "
    "WHERE b.id IS NULL OR b.id % 3 <> 0 UNION ALL SELECT b.id, b.n FROM {b} LEFT ANTI JOIN ({t}) w ON w.id = b.id"
)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("changed", ["k = b.n", "id = b.n, k = b.n"])
def test_merge_by_position(spark: SparkSession, version: int, changed: str) -> None:
    """The target is read as it is partitioned, and what is written needs no shuffle if no key is changed."""
    properties = f"{DIVIDED}, 'write.merge.mode' = 'merge-on-read', 'format-version' = '{version}'"
    create(spark, "w4", "bucket(4, id)", properties)
    try:
        source = "(SELECT id, count(*) AS n FROM spark_catalog.colo.b GROUP BY id) b"
        earlier = "SELECT * FROM spark_catalog.colo.a WHERE id % 7 <> 2 OR id IS NULL"
        spark.sql("INSERT INTO local.colo.w4 SELECT * FROM local.colo.a")
        with settings(spark, **{"spark.sql.adaptive.enabled": "false", SWITCH: "always"}):
            spark.sql("DELETE FROM local.colo.w4 WHERE id % 7 = 2")
            statement = MERGE.replace("{w}", "local.colo.w4").replace("{t}", "local.colo").replace("{set}", changed)
            assert exchanges(spark, statement) == (0 if changed.startswith("k") else 1)
            merged = MERGED.replace("{id}", "w.id" if changed.startswith("k") else "coalesce(b.n, w.id)")
            truth = rows(spark, merged.replace("{b}", source).replace("{t}", earlier), "")
            spark.sql(statement)
        assert rows(spark, "SELECT id, k FROM local.colo.w4", "") == truth
    finally:
        drop(spark, "w4")


def is_merged(spark: SparkSession, merge: spj_queries.RandomMerge, mode: str) -> bool:
    """Whether a MERGE changes the table as it would change a copy; then it is undone."""
    target = f"local.spjr.{merge.target}"
    spark.sql(f"ALTER TABLE {target} SET TBLPROPERTIES ('write.merge.mode' = '{mode}', 'format-version' = '2')")
    (before,) = spark.sql(f"SELECT snapshot_id FROM {target}.refs").first()
    truth = spj_queries.result(spark, merge.rows, "spark_catalog.spjr")
    with settings(spark, **{SWITCH: "always"}):
        spark.sql(merge.statement.replace("{t}", "local.spjr"))
    after = spj_queries.result(spark, f"SELECT * FROM {target}", "")
    spark.sql(f"CALL local.system.rollback_to_snapshot('spjr.{merge.target}', {before})")
    return after == truth


def compare(spark: SparkSession, seed: int, count: int, merges: int, names: tuple[str, ...]) -> None:
    spj_queries.create(spark, seed, names)
    wrong, without_shuffle = [], 0
    try:
        for number, merge in enumerate(spj_queries.merges(seed, merges, names)):
            if not is_merged(spark, merge, ("copy-on-write", "merge-on-read")[number % 3 > 0]):
                wrong.append((merge.target, merge.statement))
        for query in spj_queries.queries(seed, count, names, computed=True):
            adaptive = str(query.aqe).lower()
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
    compare(spark, 7, 6, 2, ("b8", "b4o", "b4", "kb4"))


@pytest.mark.swept
def test_many_random_queries(spark: SparkSession) -> None:
    compare(spark, int(os.environ.get("SIS_SEED", "1")), 150, 30, tuple(spj_queries.TABLES))
