"""Time travel by path: equal to Spark's own AS OF on the same table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

TABLE = "local.by_path.travels"


@dataclass(frozen=True)
class History:
    """A table's path, its snapshots, and times (ms) after each step."""

    path: str
    snapshots: tuple[int, int]
    times: tuple[int, int, int, int]


def now_ms() -> int:
    time.sleep(0.02)
    now = time.time_ns() // 10**6
    time.sleep(0.02)
    return now


@pytest.fixture(scope="module")
def history(spark: SparkSession) -> Iterator[History]:
    """create; insert; add a column; insert; with a time after each (ClickHouse's three scenarios)."""
    spark.sql(f"CREATE TABLE {TABLE} (order_number BIGINT, product_code STRING) USING iceberg")
    created = now_ms()
    spark.sql(f"INSERT INTO {TABLE} VALUES (1, 'Mars')")
    inserted = now_ms()
    spark.sql(f"ALTER TABLE {TABLE} CREATE TAG first")
    spark.sql(f"ALTER TABLE {TABLE} ADD COLUMN (price DOUBLE)")
    widened = now_ms()
    spark.sql(f"INSERT INTO {TABLE} VALUES (2, 'Venus', 100)")
    again = now_ms()
    spark.sql(f"ALTER TABLE {TABLE} CREATE BRANCH audit")
    spark.sql(f"INSERT INTO {TABLE}.branch_audit VALUES (3, 'Pluto', 1)")
    rows = spark.sql(f"SELECT snapshot_id FROM {TABLE}.snapshots ORDER BY committed_at").collect()
    described = spark.sql(f"DESCRIBE EXTENDED {TABLE}").where("col_name = 'Location'").collect()
    path = described[0].data_type.removeprefix("file:")
    yield History(path, (rows[0][0], rows[1][0]), (created, inserted, widened, again))
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def same(ours: DataFrame, theirs: DataFrame) -> None:
    assert ours.schema == theirs.schema
    assert sorted(ours.collect()) == sorted(theirs.collect())


def as_of(spark: SparkSession, ms: int) -> DataFrame:
    return spark.sql(f"SELECT * FROM {TABLE} TIMESTAMP AS OF timestamp_millis({ms})")


def at(spark: SparkSession, history: History, settings: str) -> DataFrame:
    return spark.sql(f"SELECT * FROM icebergLocal('{history.path}', {settings})")


@pytest.mark.tier("quick", of="tables by path")
@pytest.mark.parametrize(("moment", "columns", "rows"), [(1, 2, 1), (2, 2, 1), (3, 3, 2)])
def test_by_time(spark: SparkSession, history: History, moment: int, columns: int, rows: int) -> None:
    """Scenarios 1 and 2: a schema change alone creates no snapshot; the old snapshot keeps its schema."""
    ms = history.times[moment]
    theirs = as_of(spark, ms)
    assert (len(theirs.columns), theirs.count()) == (columns, rows)
    text = spark.sql(f"SELECT string(timestamp_millis({ms}))").collect()[0][0]
    for settings in (
        f"timestamp_ms => {ms}",
        f"iceberg_timestamp_ms => {ms}",
        f"timestamp => '{text}'",
        f"timestamp => timestamp_millis({ms - 1}) + INTERVAL 1 MILLISECOND",
        f"timestamp => (SELECT timestamp_millis({ms}))",
    ):
        same(at(spark, history, settings), theirs)


def test_before_the_first_snapshot(spark: SparkSession, history: History) -> None:
    """Scenario 3."""
    ms = history.times[0]
    with pytest.raises(Exception, match="Cannot find a snapshot older than") as theirs:
        as_of(spark, ms)
    with pytest.raises(AnalysisException, match="Cannot find a snapshot older than") as ours:
        at(spark, history, f"timestamp_ms => {ms}")
    older = str(theirs.value).split("older than ")[1].split("\n")[0].rstrip(".")
    assert older in str(ours.value)
    assert "`timestamp_ms`" in str(ours.value)


def test_by_snapshot(spark: SparkSession, history: History) -> None:
    for snapshot in history.snapshots:
        theirs = spark.sql(f"SELECT * FROM {TABLE} VERSION AS OF {snapshot}")
        same(at(spark, history, f"snapshot_id => {snapshot}"), theirs)
        same(at(spark, history, f"iceberg_snapshot_id => '{snapshot}'"), theirs)
    newest = f"snapshot_id => (SELECT max_by(snapshot_id, committed_at) FROM {TABLE}.snapshots)"
    assert at(spark, history, newest).count() == 3


@pytest.mark.parametrize(("ref", "rows"), [("first", 1), ("audit", 3), ("main", 2)])
def test_by_ref(spark: SparkSession, history: History, ref: str, rows: int) -> None:
    theirs = spark.sql(f"SELECT * FROM {TABLE} VERSION AS OF '{ref}'")
    assert theirs.count() == rows
    for name in ("ref", "branch", "tag"):
        same(at(spark, history, f"{name} => '{ref}'"), theirs)


def test_two_moments_in_one_query(spark: SparkSession, history: History) -> None:
    old, new = history.snapshots
    me = f"icebergLocal('{history.path}', snapshot_id =>"
    rows = spark.sql(f"SELECT product_code FROM {me} {new}) EXCEPT SELECT product_code FROM {me} {old})")
    assert [row[0] for row in rows.collect()] == ["Venus"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("snapshot_id => 1, timestamp_ms => 2", "`snapshot_id` and `timestamp_ms` cannot be combined"),
        ("ref => 'main', snapshot_id => 1", "`snapshot_id` and `ref` cannot be combined"),
        ("timestamp => now(), timestamp_ms => 2", "cannot be combined"),
        ("snapshot_id => 1", "Cannot find snapshot with ID 1"),
        ("ref => 'none'", "no branch or tag `none`, only audit, first, main"),
        ("timestamp => 'yesterday-ish'", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR"),
        ("timestamp => NULL", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR"),
    ],
)
def test_what_is_refused(spark: SparkSession, history: History, settings: str, message: str) -> None:
    with pytest.raises(AnalysisException, match=message):
        at(spark, history, settings)
