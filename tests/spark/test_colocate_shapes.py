"""The rule colocate by the shapes of queries: what is grouped, and the rows of the same tables outside Iceberg."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from colocate_tables import (
    BY_EXPRESSIONS,
    DIVIDED,
    NOT_ADAPTIVE,
    ROWS,
    SWITCH,
    create,
    drop,
    grouped,
    is_grouped,
    rows,
    shuffles,
    tables_and_copies,
    write,
)
from pyspark.sql import SparkSession
from session_settings import settings


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    with tables_and_copies(spark):
        yield


# By query: how many scans are grouped. The others are shuffled as without the rule.
SHAPES = {
    "SELECT a.id, b.k FROM {t}.a a JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id, b.k FROM {t}.a a LEFT JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id, b.k FROM {t}.a a RIGHT JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.a a FULL JOIN {t}.b b ON a.id = b.id": 2,
    "SELECT id FROM {t}.a WHERE id IN (SELECT id FROM {t}.b)": 2,
    "SELECT id FROM {t}.a a WHERE NOT EXISTS (SELECT 1 FROM {t}.b b WHERE a.id = b.id)": 2,
    # A subquery that was grouped alone before it became a join.
    "SELECT id, count(*) FROM {t}.a WHERE id IN (SELECT id FROM {t}.kid GROUP BY id, k) GROUP BY id": 2,
    "SELECT a.id, b.k FROM {t}.a a JOIN {t}.b b ON a.id = b.id "
    "WHERE a.id IN (SELECT id FROM {t}.kid GROUP BY id HAVING max(k) IS NOT NULL)": 4,
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
    "SELECT x.i, count(*) FROM (SELECT id AS i FROM {t}.a WHERE k < 2) x JOIN {t}.c c ON x.i = c.id GROUP BY x.i": 2
    * BY_EXPRESSIONS,
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
    # By the common divisor of the numbers of buckets.
    "SELECT a.id, b.id AS i FROM {t}.a a FULL JOIN {t}.b8 b ON a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.b6 a FULL JOIN {t}.b8 b ON a.id = b.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.b6 a LEFT JOIN {t}.b8 b ON a.id = b.id LEFT JOIN {t}.a c ON b.id = c.id": 2,
    "SELECT a.id, b.id AS i FROM {t}.b6 a LEFT JOIN {t}.b8 b ON a.id = b.id LEFT JOIN {t}.a c ON a.id = c.id": 3,
    "SELECT id FROM {t}.b8 a WHERE NOT EXISTS (SELECT 1 FROM {t}.b6 b WHERE a.id = b.id AND a.k = b.k)": 2,
    "SELECT a.id, n FROM {t}.b8 a JOIN (SELECT id, count(*) AS n FROM {t}.b6 GROUP BY id) b ON a.id = b.id": 2,
    "SELECT a.id, row_number() OVER (PARTITION BY a.id ORDER BY a.k, b.k) AS n, b.k "
    "FROM {t}.b8 a JOIN {t}.idk b ON a.id = b.id": 2,
    "SELECT DISTINCT a.id FROM {t}.b6 a JOIN {t}.kid b ON a.id <=> b.id": 2,
    # Truncated values, and keys from which those of the fields follow.
    "SELECT s, count(*) FROM {t}.w GROUP BY s": 1,
    "SELECT a.id, b.id AS i FROM {t}.w a JOIN {t}.v b ON a.s = b.s": 2,
    "SELECT a.id, b.id AS i FROM {t}.w a LEFT JOIN {t}.v b ON substring(a.s, 1, 2) = left(b.s, 2)": 2,
    "SELECT substring(s, 1, 3) AS x, count(*) FROM {t}.w GROUP BY x": 1 * BY_EXPRESSIONS,
    "SELECT substring(s, 1, 1) AS x, count(*) FROM {t}.w GROUP BY x": 0,
    "SELECT id, count(*) FROM {t}.t GROUP BY id": 1,
    "SELECT a.id, b.id AS i FROM {t}.d a JOIN {t}.e b ON to_date(a.ts) = to_date(b.ts)": 2,
    "SELECT a.id, b.id AS i FROM {t}.d a FULL JOIN {t}.dib b ON to_date(a.ts) = to_date(b.ts) AND a.id = b.id": 2,
    "SELECT to_date(ts) AS day, sum(id) FROM {t}.d GROUP BY day": 1 * BY_EXPRESSIONS,
    "SELECT date_trunc('HOUR', ts) AS h, count(*) FROM {t}.d GROUP BY h": 1 * BY_EXPRESSIONS,
    "SELECT date_trunc('MONTH', ts) AS m, count(*) FROM {t}.d GROUP BY m": 0,
    "SELECT date_format(ts, 'yyyy') AS y, count(*) FROM {t}.d GROUP BY y": 0,
    # Fields of structs.
    "SELECT a.id, b.id AS i FROM {t}.pi a JOIN {t}.pj b ON a.p.i = b.p.i": 2 * BY_EXPRESSIONS,
    "SELECT a.id, b.id AS i FROM {t}.a a LEFT JOIN {t}.pj b ON a.id = b.p.i": 2 * BY_EXPRESSIONS,
    "SELECT p.i, count(*), max(p.s) FROM {t}.pi GROUP BY p.i": 1 * BY_EXPRESSIONS,
    "SELECT p.s, count(*) FROM {t}.ps GROUP BY p.s": 1 * BY_EXPRESSIONS,
    "SELECT p, count(*) FROM {t}.pi GROUP BY p": 0,
    # What is joined on other keys, or partitioned in another way.
    "SELECT a.id FROM {t}.a a JOIN {t}.b3 b ON a.id = b.id": 0,
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


@pytest.mark.parametrize("swapped", [False, pytest.param(True, marks=pytest.mark.tier("sweep"))])
def test_rows_and_plans(spark: SparkSession, swapped: bool) -> None:
    """Every other query with an adaptive plan; the others in the sweep."""
    wrong = []
    for number, (query, count) in enumerate(SHAPES.items()):
        adaptive = str(bool(number % 2) != swapped or not NOT_ADAPTIVE).lower()
        with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
            frame = spark.sql(query.replace("{t}", "local.colo"))
            with settings(spark, **{SWITCH: "false"}):
                before = shuffles(spark.sql(query.replace("{t}", "local.colo")))
            if grouped(frame) != count or (shuffles(frame) < before) != (count > 0):
                wrong.append((query, grouped(frame), shuffles(frame), before))
            if rows(spark, query, "local.colo") != rows(spark, query, "spark_catalog.colo"):
                wrong.append((query, "other rows"))
    assert not wrong


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
