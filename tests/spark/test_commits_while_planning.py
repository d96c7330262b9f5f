"""Another session commits while queries are planned: what a query returns is always that of one snapshot."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

DB = "local.busy"
ROWS = 3  # of each commit, all with its number
LONGEST = 60.0  # seconds for one query: none plans again and again


def is_whole(rows: list[Any]) -> bool:
    """Whether the numbers are those of the first commits, each with all its rows."""
    counts = {row.k: row.n for row in rows}
    return sorted(counts) == list(range(len(counts))) and set(counts.values()) == {ROWS}


# Each is answered from metadata, or reads few files, and returns what only one snapshot has.
QUERIES: dict[str, Callable[[list[Any]], bool]] = {
    "SELECT k, count(*) AS n FROM {t} GROUP BY k": is_whole,
    "SELECT k, count(*) AS n FROM {t} GROUP BY k HAVING min(v) >= 0": is_whole,
    "SELECT count(*) AS n, max(k) AS k, min(v) AS v FROM {t}": lambda rows: rows[0].n == ROWS * (rows[0].k + 1),
    "SELECT k, v FROM {t} ORDER BY k DESC LIMIT 3": lambda rows: (
        len({row.k for row in rows}) == 1 and {row.v for row in rows} == {0, 1, 2}
    ),
    "SELECT k, count(*) AS n FROM {t} WHERE k % 3 = 1 GROUP BY k": lambda rows: (
        sorted(row.k for row in rows) == [1 + 3 * i for i in range(len(rows))] and {row.n for row in rows} <= {ROWS}
    ),
    "SELECT count(*) AS n, max(a.k) AS k FROM {t} a JOIN {t} b ON a.k = b.k AND a.v = b.v": lambda rows: (
        rows[0].n % ROWS == 0 and rows[0].n == ROWS * (rows[0].k + 1)
    ),
    "SELECT v FROM {t} WHERE k >= 0 LIMIT 3": lambda rows: len(rows) == 3,
}


class Writer:
    """A session that commits, one after the other, until it is stopped."""

    def __init__(self, spark: SparkSession, table: str, pause: float) -> None:
        self.spark, self.table, self.pause = spark.newSession(), table, pause
        self.commits, self.done = 0, threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.errors: list[Exception] = []

    def commit(self) -> None:
        rows = ", ".join(f"({self.commits}, {v})" for v in range(ROWS))
        self.spark.sql(f"INSERT INTO {self.table} VALUES {rows}")
        self.commits += 1

    def _run(self) -> None:
        try:
            while not self.done.wait(self.pause):
                self.commit()
        except Exception as error:
            self.errors.append(error)

    def stop(self) -> None:
        self.done.set()
        self.thread.join(LONGEST)


@pytest.fixture
def writer(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[Writer]:
    table = f"{DB}.t"
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {DB}")
    spark.sql(f"CREATE TABLE {table} (k INT, v INT) USING iceberg PARTITIONED BY (k)")
    result = Writer(spark, table, request.param)
    for _ in range(10):
        result.commit()
    result.thread.start()
    yield result
    result.stop()
    spark.sql(f"DROP TABLE {table} PURGE")


def watched(spark: SparkSession, writer: Writer, seconds: float) -> int:
    """Runs the queries in turns for so long, and a plan that was made once beside them; how many ran."""
    spark.catalog.refreshTable(writer.table)  # a session keeps a table for 30 seconds
    kept = spark.sql(f"SELECT k, count(*) AS n FROM {writer.table} WHERE v < 100 GROUP BY k")
    kept._jdf.queryExecution().executedPlan()
    first = kept.collect()
    assert len(first) >= 10
    assert is_whole(first)
    count, end = 0, time.monotonic() + seconds
    for query, holds in itertools.cycle(QUERIES.items()):
        if time.monotonic() > end:
            break
        start = time.monotonic()
        spark.catalog.refreshTable(writer.table)
        rows = spark.sql(query.format(t=writer.table)).collect()
        assert holds(rows), (query, rows)
        assert is_whole(kept.collect())
        assert time.monotonic() - start < LONGEST, query
        count += 1
    return count


def check(spark: SparkSession, writer: Writer, seconds: float) -> None:
    before = writer.commits
    ran = watched(spark, writer, seconds)
    writer.stop()
    assert not writer.errors
    assert writer.commits > before
    assert ran > len(QUERIES)
    spark.catalog.refreshTable(writer.table)
    total = spark.sql(f"SELECT count(*) AS n FROM {writer.table}").first()
    assert total is not None
    assert total.n == ROWS * writer.commits


@pytest.mark.parametrize("writer", [0.0], indirect=True)
def test_queries_beside_a_writer(spark: SparkSession, writer: Writer) -> None:
    check(spark, writer, 6)


@pytest.mark.tier("sweep")
@pytest.mark.parametrize("writer", [1.0], indirect=True)
def test_queries_and_a_stream_beside_a_commit_a_second(spark: SparkSession, writer: Writer) -> None:
    stream = spark.readStream.format("iceberg").load(writer.table).writeStream.format("memory").queryName("busy")
    query = stream.trigger(processingTime="1 second").start()
    try:
        check(spark, writer, 60)
        query.processAllAvailable()
        assert is_whole(spark.sql("SELECT k, count(*) AS n FROM busy GROUP BY k").collect())
        assert spark.table("busy").count() == ROWS * writer.commits
    finally:
        query.stop()
