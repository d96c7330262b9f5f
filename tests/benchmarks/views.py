"""What explain, preview, advise, health and spj cost on tables of 160, 10,000 and 100,000 files of 100 MB.

The files are described by manifests and were never written: what these views read is metadata.

python tests/benchmarks/views.py [terabyte]

terabyte: only advice for a table of 1 TB, 8,000 files of 128 MB.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.hypothetical.partitions import Bounds, HypotheticalFile, HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.spark_source import resolve_source
from spark_iceberg_sql.insight.specs import candidate_spec
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables

ROUNDS = 5
MEMORY = "1g"  # of the driver: Spark's default
FILES = (160, 10_000, 100_000)
PER_MANIFEST = 1000
SIZE, ROWS = 100_000_000, 1_000_000  # of a file
TERABYTE, LARGE = 8_000, 128_000_000  # files, and bytes of each
BUCKETS = 16
SPEC = f"days(ts), bucket({BUCKETS}, id)"
DAY = 86_400_000_000  # microseconds
FIRST = 19_723  # 2024-01-01, in days
COLUMNS = "id BIGINT, ts TIMESTAMP, amount DOUBLE, name STRING"
QUERIES = (
    "SELECT * FROM {} WHERE ts >= '2024-01-03' AND ts < '2024-01-05'",
    "SELECT * FROM {} WHERE id = 17 AND ts >= '2024-01-02'",
    "SELECT count(name) FROM {} WHERE id = 4711",
)


def make(spark: SparkSession, files: int, size: int = SIZE) -> str:
    """A table with so many files of days and buckets; returns its name."""
    name = f"local.db.t{files}"
    spark.sql(
        f"CREATE TABLE {name} ({COLUMNS}) USING iceberg PARTITIONED BY ({SPEC}) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    source = resolve_source(spark, name)
    spec = candidate_spec(SPEC, source.schema).spec
    with sessions.working_in(spark):
        table = relations.catalog_table(name)
        for start in range(0, files, PER_MANIFEST):
            numbers = range(start, min(files, start + PER_MANIFEST))
            hypothetical_table = HypotheticalTable(source.schema, spec, tuple(file(number, size) for number in numbers))
            hypothetical_tables.add_files(table, hypothetical_table.to_bytes())
    spark.sql(f"REFRESH TABLE {name}")
    return name


def file(number: int, size: int) -> HypotheticalFile:
    """The number-th file: all buckets of a day, then those of the next."""
    day, bucket = FIRST + number // BUCKETS, number % BUCKETS
    bounds = {1: Bounds(number, 10**9 + number), 2: Bounds(day * DAY, (day + 1) * DAY - 1), 3: Bounds(0.0, 1000.0)}
    return HypotheticalFile((day, bucket), ROWS, size, bounds)


def seconds(view: Callable[[str], Any], name: str) -> str:
    """Up to five calls of a view, or as many as a minute has: the median, the least and the most."""
    durations: list[float] = []
    while not durations or (len(durations) < ROUNDS and sum(durations) < 60):
        start = time.perf_counter()
        view(name)
        durations.append(time.perf_counter() - start)
    return f"{statistics.median(durations):.2f} ({min(durations):.2f} to {max(durations):.2f})"


def advised(spark: SparkSession, name: str) -> sis.Advice:
    return sis.advise(spark, name, [query.format(name) for query in QUERIES], using="metadata")


def terabyte(spark: SparkSession) -> None:
    """Advice for a table of 1 TB from metadata alone."""
    name = make(spark, TERABYTE, LARGE)
    start = time.perf_counter()
    advice = advised(spark, name)
    first = time.perf_counter() - start
    assert advice.today is not None
    assert advice.today.table_files == TERABYTE
    print(f"{advice.tried} specs, 3 queries, {TERABYTE:,} files; the first call {first:.2f} s")
    print(f"then {seconds(lambda table_name: advised(spark, table_name), name)} s\n{advice}", flush=True)
    spark.stop()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]", "spark.driver.memory": MEMORY})
        if sys.argv[1:] == ["terabyte"]:
            terabyte(spark)
            return
        begun = time.perf_counter()
        names = {files: make(spark, files) for files in FILES}
        print(f"tables made in {time.perf_counter() - begun:.0f} s\n", flush=True)
        views: dict[str, Callable[[str], Any]] = {
            "explain": lambda name: sis.explain(spark, QUERIES[1].format(name)),
            "preview, from metadata": lambda name: sis.preview(
                spark, name, "months(ts), bucket(32, id)", using="metadata"
            ),
            "health": lambda name: sis.health(spark, name),
            "spj": lambda name: sis.spj(
                spark, f"SELECT /*+ MERGE(b) */ a.name FROM {name} a JOIN {name} b ON a.id = b.id"
            ),
            "advise on 3 queries, from metadata": lambda name: advised(spark, name),
        }
        head = " | ".join(f"{files:,} files" for files in FILES)
        print(f"| seconds | {head} |\n|---|{'--:|' * len(FILES)}")
        for title, view in views.items():
            view(names[FILES[0]])
            cells = [seconds(view, name) for name in names.values()]
            print(f"| {title} | {' | '.join(cells)} |", flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
