"""The rule colocate with snapshots that an option of a read or the session chooses: rows as outside Iceberg."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import pytest
from colocate_tables import DIVIDED, NOT_ADAPTIVE, ROWS, SWITCH, create, drop, grouped, rows, tables_and_copies, write
from pyspark.sql import SparkSession
from session_settings import settings

from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

FIRST = "(SELECT * FROM spark_catalog.colo.x)"
LEFT = "(SELECT * FROM spark_catalog.colo.x WHERE id IS NULL OR id % 4 <> 1)"
MORE = f"(SELECT * FROM {LEFT} UNION ALL SELECT * FROM {FIRST})"
# By an option: its value, or what it is, and the rows that are read. Spark 3.5 does not look at versionAsOf here, and
# Iceberg 1.12 refuses the others with Spark 4.1.
CHOICES = {"branch": ("more", MORE)}
if SPARK_VERSION >= (4, 0):
    CHOICES |= {"versionAsOf": ("first id", FIRST)}
if SPARK_VERSION < (4, 1):
    CHOICES |= {"tag": ("first", FIRST), "snapshot-id": ("first id", FIRST), "as-of-timestamp": ("time of main", LEFT)}
# By query of a snapshot: how many scans are grouped.
QUERIES = {
    "SELECT x.id, count(*), max(b.k) FROM {x} x JOIN {t}.b b ON x.id = b.id GROUP BY x.id": 2,
    "SELECT x.id, x.k, b.id AS i FROM {x} x FULL JOIN {t}.b b ON x.id = b.id AND x.k = b.k": 2,
    "SELECT id, count(*), min(k) FROM {x} GROUP BY id": 1,
    "SELECT id FROM {t}.b b WHERE NOT EXISTS (SELECT 1 FROM {x} x WHERE x.id = b.id)": 2,
}


@pytest.fixture(scope="module", autouse=True)
def views(spark: SparkSession) -> Iterator[None]:
    """A view for each choice of a snapshot of x, whose files now have another spec, and a column another name."""
    with tables_and_copies(spark, ("a", "b")):
        properties = "'write.delete.mode' = 'merge-on-read', 'format-version' = '2', 'write.wap.enabled' = 'true'"
        create(spark, "x", "bucket(4, id)", f"{DIVIDED}, {properties}")
        write(spark, "x", ROWS)
        spark.sql("ALTER TABLE local.colo.x CREATE TAG first")
        spark.sql("DELETE FROM local.colo.x WHERE id % 4 = 1")
        spark.sql("ALTER TABLE local.colo.x CREATE BRANCH more")
        spark.sql(f"INSERT INTO local.colo.x.branch_more {ROWS}")
        refs = {row.name: row.snapshot_id for row in spark.sql("SELECT * FROM local.colo.x.refs").collect()}
        times = "SELECT unix_millis(committed_at) FROM local.colo.x.snapshots WHERE snapshot_id = "
        values = {"first id": refs["first"], "time of main": spark.sql(f"{times}{refs['main']}").first()[0]}
        time.sleep(0.01)  # the next commit is of another millisecond
        spark.sql("ALTER TABLE local.colo.x REPLACE PARTITION FIELD bucket(4, id) WITH bucket(3, id)")
        spark.sql("ALTER TABLE local.colo.x RENAME COLUMN s TO text")
        spark.sql("INSERT INTO local.colo.x SELECT 1000 + id, k, s, ts, p FROM spark_catalog.colo.a")
        for option, (value, _) in CHOICES.items():
            frame = spark.read.option(option, values.get(value, value)).table("local.colo.x")
            frame.createOrReplaceTempView(view(option))
        yield
        for option in CHOICES:
            spark.catalog.dropTempView(view(option))
        drop(spark, "x")


def view(option: str) -> str:
    return "chosen_" + option.replace("-", "_")


def is_right(spark: SparkSession, query: str, truth: str, scans: int) -> bool:
    """Whether so many scans are grouped, and the rows are those of the copies."""
    frame = spark.sql(query.replace("{t}", "local.colo"))
    return grouped(frame) == scans and rows(spark, query, "local.colo") == rows(spark, truth, "spark_catalog.colo")


@pytest.mark.parametrize("option", CHOICES)
def test_an_option(spark: SparkSession, option: str) -> None:
    _, truth = CHOICES[option]
    for adaptive in {"true", str(not NOT_ADAPTIVE).lower()}:
        with settings(spark, **{SWITCH: "always", "spark.sql.adaptive.enabled": adaptive}):
            for query, scans in QUERIES.items():
                assert is_right(spark, query.replace("{x}", view(option)), query.replace("{x}", truth), scans), query


def test_several_snapshots_of_a_table(spark: SparkSession) -> None:
    query = "SELECT x.id, x.k, y.id AS i FROM {x} x FULL JOIN {y} y ON x.id = y.id JOIN {t}.b b ON b.id = y.id"
    for first, second in itertools.permutations(CHOICES, 2):
        ours = query.replace("{x}", view(first)).replace("{y}", view(second))
        truth = query.replace("{x}", CHOICES[first][1]).replace("{y}", CHOICES[second][1])
        with settings(spark, **{SWITCH: "always"}):
            assert is_right(spark, ours, truth, 3), (first, second)


def test_what_was_appended(spark: SparkSession) -> None:
    """Iceberg 1.12 has a scan of its own for it with Spark 4.1, which stays as it is."""
    (before,) = spark.sql(
        "SELECT parent_id FROM local.colo.x.snapshots JOIN local.colo.x.refs USING (snapshot_id) WHERE name = 'main'"
    ).first()
    spark.read.option("start-snapshot-id", before).table("local.colo.x").createOrReplaceTempView(view("appended"))
    query, added = "SELECT id, count(*), min(k) FROM {x} GROUP BY id", "(SELECT 1000 + id AS id, k FROM {t}.a)"
    with settings(spark, **{SWITCH: "always"}):
        scans = int(SPARK_VERSION < (4, 1))
        assert is_right(spark, query.replace("{x}", view("appended")), query.replace("{x}", added), scans)
    spark.catalog.dropTempView(view("appended"))


def test_the_branch_of_the_session(spark: SparkSession) -> None:
    spark.sql(f"ALTER TABLE local.colo.x CREATE BRANCH merged AS OF VERSION {branch_id(spark)}")
    changed = "(SELECT x.id, if(b.id IS NULL, x.k, 9) AS k FROM {x} x LEFT JOIN {t}.b b ON x.id = b.id)"
    with settings(spark, **{SWITCH: "always", "spark.wap.branch": "merged"}):
        for query, scans in QUERIES.items():
            assert is_right(spark, query.replace("{x}", "local.colo.x"), query.replace("{x}", MORE), scans), query
        merge = "MERGE INTO local.colo.x USING local.colo.b ON x.id = b.id WHEN MATCHED THEN UPDATE SET k = 9"
        assert "groupedBy=no shuffle" in spark.sql(f"EXPLAIN {merge}").first()[0]
        spark.sql(merge)
        truth = rows(spark, changed.replace("{x}", MORE)[1:-1], "spark_catalog.colo")
        assert rows(spark, "SELECT id, k FROM local.colo.x", "") == truth


def branch_id(spark: SparkSession) -> int:
    return spark.sql("SELECT snapshot_id FROM local.colo.x.refs WHERE name = 'more'").first()[0]
