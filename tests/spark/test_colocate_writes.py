"""Writes of rows that the rule colocate has grouped: without a second shuffle, if they come as the table is divided."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from colocate_tables import (
    DIVIDED,
    NOT_ADAPTIVE,
    SWITCH,
    create,
    drop,
    exchanges,
    large_tables,
    rows,
    tables_and_copies,
)
from pyspark.sql import SparkSession
from session_settings import settings


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    with tables_and_copies(spark, ("a", "b", "b6", "b8", "d", "idk")):
        yield


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


# By statement into a table by bucket(4, id): whether its rows are written as they are grouped.
WRITES = {
    "INSERT INTO {w} SELECT * FROM {t}.a": True,
    "INSERT INTO {w} SELECT id, k, s, ts, p FROM {t}.idk": True,
    "INSERT INTO {w} SELECT a.id, b.k, a.s, b.ts, NULL FROM {t}.a a JOIN {t}.b b ON a.id = b.id": True,
    "INSERT INTO {w} SELECT id, max(k), max(s), NULL, NULL FROM {t}.a GROUP BY id": True,
    "INSERT OVERWRITE {w} SELECT * FROM {t}.b": True,
    "INSERT INTO {w} SELECT id + 1, k, s, ts, p FROM {t}.a": False,
    "INSERT INTO {w} SELECT * FROM {t}.b8": True,
    "INSERT INTO {w} SELECT * FROM {t}.b6": False,
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
            adaptive = str(bool(number % 2) or not NOT_ADAPTIVE).lower()
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
        with settings(spark, **{"spark.sql.adaptive.enabled": str(not NOT_ADAPTIVE).lower(), SWITCH: "always"}):
            spark.sql("DELETE FROM local.colo.w4 WHERE id % 7 = 2")
            statement = MERGE.replace("{w}", "local.colo.w4").replace("{t}", "local.colo").replace("{set}", changed)
            assert exchanges(spark, statement) == (0 if changed.startswith("k") else 1)
            merged = MERGED.replace("{id}", "w.id" if changed.startswith("k") else "coalesce(b.n, w.id)")
            truth = rows(spark, merged.replace("{b}", source).replace("{t}", earlier), "")
            spark.sql(statement)
        assert rows(spark, "SELECT id, k FROM local.colo.w4", "") == truth
    finally:
        drop(spark, "w4")


MATCHES = "EXISTS (SELECT 1 FROM {t}.b b WHERE b.id = w.id AND b.k = 2)"
# Statements that replace files: the query of the rows of id and k that are left, and how often rows are
# shuffled. Before, Spark looks for the files: it groups their names.
REPLACEMENTS = (
    (MERGE.replace("{set}", "k = b.n"), MERGED.replace("{id}", "w.id"), 1),
    (MERGE.replace("{set}", "id = b.n, k = b.n"), MERGED.replace("{id}", "coalesce(b.n, w.id)"), 2),
    ("UPDATE {w} SET k = 9 WHERE id % 5 < 3", "SELECT id, if(id % 5 < 3, 9, k) FROM ({t})", 1),
    ("UPDATE {w} SET id = id + 1 WHERE id % 5 < 3", "SELECT if(id % 5 < 3, id + 1, id), k FROM ({t})", 2),
    (f"UPDATE {{w}} w SET k = 9 WHERE {MATCHES}", f"SELECT id, if({MATCHES}, 9, k) FROM ({{t}}) w", 7),
    ("DELETE FROM {w} WHERE k = 1", "SELECT id, k FROM ({t}) WHERE k <> 1", 1),
    (f"DELETE FROM {{w}} w WHERE {MATCHES}", f"SELECT id, k FROM ({{t}}) w WHERE NOT {MATCHES}", 1),
)


@pytest.mark.parametrize("version", [2, 3])
def test_files_that_are_replaced(spark: SparkSession, version: int) -> None:
    """Those with rows that change, and no others."""
    modes = ", ".join(f"'write.{kind}.mode' = 'copy-on-write'" for kind in ("merge", "update", "delete"))
    create(spark, "w4", "bucket(4, id)", f"{DIVIDED}, {modes}, 'format-version' = '{version}'")
    try:
        spark.sql("INSERT INTO local.colo.w4 SELECT * FROM local.colo.a")
        (snapshot,) = spark.sql("SELECT snapshot_id FROM local.colo.w4.refs").first()
        for number, (statement, query, shuffled) in enumerate(REPLACEMENTS):
            ours = statement.replace("{w}", "local.colo.w4").replace("{t}", "local.colo")
            source = "(SELECT id, count(*) AS n FROM spark_catalog.colo.b GROUP BY id) b"
            query = query.replace("{b}", source).replace("({t})", "spark_catalog.colo.a")
            adaptive = str(bool(number % 2) or not NOT_ADAPTIVE).lower()
            with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
                assert exchanges(spark, ours) == shuffled, statement
                spark.sql(ours)
            truth = rows(spark, query.replace("{t}", "spark_catalog.colo"), "")
            assert rows(spark, "SELECT id, k FROM local.colo.w4", "") == truth, statement
            spark.sql(f"CALL local.system.rollback_to_snapshot('colo.w4', {snapshot})")
        with settings(spark, **{SWITCH: "always"}):
            spark.sql("DELETE FROM local.colo.w4 WHERE id = (SELECT max(id) FROM local.colo.a)")
        replaced = "SELECT summary['deleted-data-files'] FROM local.colo.w4.snapshots ORDER BY committed_at DESC"
        assert spark.sql(replaced).first()[0] == "1"
    finally:
        drop(spark, "w4")


HIGHEST = "(SELECT max(k) FROM {t}.b)"
# Statements that delete by position and insert: the query of the rows that are left, and how often rows are
# shuffled, or one side is broadcast.
UPDATES = (
    ("UPDATE {w} SET k = 9 WHERE id % 5 < 3", "SELECT id, if(id % 5 < 3, 9, k) FROM ({t})", 0),
    (f"UPDATE {{w}} SET k = {HIGHEST} WHERE id > 3", f"SELECT id, if(id > 3, {HIGHEST}, k) FROM ({{t}})", 0),
    (f"UPDATE {{w}} w SET k = 9 WHERE {MATCHES}", f"SELECT id, if({MATCHES}, 9, k) FROM ({{t}}) w", 0),
    (
        "UPDATE {w} SET k = 9, s = s WHERE id IN (SELECT id FROM {t}.b WHERE k = 2)",
        "SELECT id, if(id IN (SELECT id FROM {t}.b WHERE k = 2), 9, k) FROM ({t})",
        0,
    ),
    # What changes the bucket of a row, to another one or to the same for all.
    ("UPDATE {w} SET id = id + 1 WHERE id % 5 < 3", "SELECT if(id % 5 < 3, id + 1, id), k FROM ({t})", 1),
    ("UPDATE {w} SET id = 4 WHERE id % 5 < 3", "SELECT if(id % 5 < 3, 4, id), k FROM ({t})", 1),
    (f"UPDATE {{w}} w SET id = k WHERE {MATCHES}", f"SELECT if({MATCHES}, k, id), k FROM ({{t}}) w", 1),
    ("UPDATE {w} SET id = NULL WHERE k = 1", "SELECT if(k = 1, NULL, id), k FROM ({t})", 1),
)


@pytest.mark.parametrize("version", [2, 3])
def test_updates_by_position(spark: SparkSession, version: int) -> None:
    """What an UPDATE deletes and inserts needs no shuffle if no key is changed, with a subquery, too."""
    properties = f"{DIVIDED}, 'write.update.mode' = 'merge-on-read', 'format-version' = '{version}'"
    create(spark, "w4", "bucket(4, id)", properties)
    try:
        spark.sql("INSERT INTO local.colo.w4 SELECT * FROM local.colo.a")
        (snapshot,) = spark.sql("SELECT snapshot_id FROM local.colo.w4.refs").first()
        for number, (statement, query, shuffled) in enumerate(UPDATES):
            ours = statement.replace("{w}", "local.colo.w4").replace("{t}", "local.colo")
            query = query.replace("({t})", "spark_catalog.colo.a").replace("{t}", "spark_catalog.colo")
            adaptive = str(bool(number % 2) or not NOT_ADAPTIVE).lower()
            with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
                assert exchanges(spark, ours) == shuffled, statement
                spark.sql(ours)
            assert rows(spark, "SELECT id, k FROM local.colo.w4", "") == rows(spark, query, ""), statement
            spark.sql(f"CALL local.system.rollback_to_snapshot('colo.w4', {snapshot})")
    finally:
        drop(spark, "w4")


def test_replaced_by_themselves(spark: SparkSession) -> None:
    """Without a switch: one task writes a partition's rows after a shuffle, too, unless most are in one partition."""
    with large_tables(spark):
        for statement in ("DELETE FROM {w} WHERE id % 3 = 0 AND k < 2", "UPDATE {w} SET k = 9 WHERE s > '8'"):
            changed, uneven = (statement.replace("{w}", f"local.colo.{table}") for table in ("large", "uneven"))
            assert (exchanges(spark, changed), exchanges(spark, uneven)) == (1, 2), statement
            spark.sql("DROP TABLE IF EXISTS spark_catalog.colo.large")
            spark.sql("CREATE TABLE spark_catalog.colo.large USING parquet AS SELECT id, k, s FROM local.colo.large")
            query = (
                "SELECT id, if(s > '8', 9, k) AS k, s FROM spark_catalog.colo.large"
                if statement.startswith("UPDATE")
                else "SELECT id, k, s FROM spark_catalog.colo.large WHERE NOT (id % 3 = 0 AND k < 2)"
            )
            spark.sql(changed)
            left = spark.sql(f"{query} EXCEPT ALL SELECT id, k, s FROM local.colo.large").count()
            assert (left, spark.sql(query).count()) == (0, spark.table("local.colo.large").count()), statement
        spark.sql("DROP TABLE spark_catalog.colo.large")
