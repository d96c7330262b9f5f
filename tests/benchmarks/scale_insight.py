"""What insight costs on tables of very many files, which exist only as metadata, in plannings of Iceberg's.

python -m tests.benchmarks.scale_insight [FILES ...]

A planning is that of a query without a filter, without the rules; one is measured before each call and one after it.
The first round has what the first call of a JVM waits for. CPU time is that of the JVM, then of Python; the seconds are
those of the whole call. DRIVER_MEMORY in the environment is the driver's, 4g by default: what is printed worked with
it. The MB are of the heap, with what could have been collected.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.notebook.display import partition_map
from spark_iceberg_sql.spark.bridge.plans import scan_files
from tests.benchmarks import scale

FILES = (100_000,)
ROUNDS = 3
OURS = "true"
PLANNING = "a planning of Iceberg's"


def _map(spark: SparkSession, query: str) -> str:
    rows = spark.sql(query)
    rows._jdf.queryExecution().executedPlan()
    reads = scan_files.tables_read(rows, executed=False)
    return "".join(partition_map.svg(read) for read in reads)


def _rows(spark: SparkSession, table: str) -> str:
    return str(spark.sql(f"SELECT * FROM {table}").count())


def calls(spark: SparkSession, table: str) -> dict[str, tuple[str, Callable[[], object]]]:
    """By name: the value of the rules' switch, and the call."""
    query = f"SELECT sum(x) FROM {table} WHERE ts >= '2022-06-01'"
    join = f"SELECT sum(a.x) FROM {table} a JOIN {table} b ON iceberg_days(a.ts) = iceberg_days(b.ts)"
    preview = partial(sis.preview, spark, table, using="metadata")
    advise = partial(sis.advise, spark, table, using="metadata")
    return {
        PLANNING: ("false", partial(scale.plan, spark, f"SELECT sum(x) FROM {table}")),
        "explain": (OURS, partial(sis.explain, spark, query)),
        "health": (OURS, partial(sis.health, spark, table)),
        "spj": (OURS, partial(sis.spj, spark, join)),
        "a planning of that join": ("false", partial(scale.plan, spark, join)),
        "the notebook's map": (OURS, partial(_map, spark, query)),
        "describe": (OURS, partial(sis.describe, spark, table)),
        "preview, months and 16 buckets": (OURS, partial(preview, spec="months(ts), bucket(16, id)")),
        "preview, hours": (OURS, partial(preview, spec="hours(ts)")),
        "advise": (OURS, partial(advise, queries=[query, f"SELECT * FROM {table} WHERE id = 5"])),
        "iceberg_files": (OURS, partial(_rows, spark, f"iceberg_files('{table}')")),
        "Iceberg's files": ("false", partial(_rows, spark, f"{table}.files")),
        "iceberg_partitions": (OURS, partial(_rows, spark, f"iceberg_partitions('{table}')")),
        "iceberg_column_stats": (OURS, partial(_rows, spark, f"iceberg_column_stats('{table}')")),
        "Iceberg's partitions": ("false", partial(_rows, spark, f"{table}.partitions")),
    }


class Took(NamedTuple):
    """What a call took: seconds, CPU seconds of the JVM and of Python, MB of the heap."""

    wall: float
    cpu: float
    python: float
    megabytes: float


def took(spark: SparkSession, clock: scale.Clock, switch: str, call: Callable[[], object]) -> Took:
    scale.switch(spark, switch)
    scale.heap(spark)
    peak = scale.HeapPeak(spark)
    peak.reset()
    python, (wall, cpu) = time.process_time(), clock.now()
    call()
    end, end_cpu = clock.now()
    return Took(end - wall, end_cpu - cpu, time.process_time() - python, peak.megabytes())


def table_of(
    spark: SparkSession, clock: scale.Clock, table: str, names: Sequence[str] = (), rounds: int = ROUNDS
) -> None:
    """Print what calls take. names: of those to measure; empty for all."""
    of_table = calls(spark, table)
    planning = of_table.pop(PLANNING)
    print("| call | plannings | by CPU time | s | a planning's | JVM, CPU s | Python's | MB at most |", flush=True)
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for _ in range(rounds):
        before = took(spark, clock, *planning)
        for name in names or of_table:
            call, after = took(spark, clock, *of_table[name]), took(spark, clock, *planning)
            wall, cpu = (before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2
            print(
                f"| {name} | {call.wall / wall:.1f} | {(call.cpu + call.python) / cpu:.1f} | {call.wall:.1f} "
                f"| {wall:.1f} | {call.cpu:.1f} | {call.python:.1f} | {call.megabytes:.0f} |",
                flush=True,
            )
            before = after


def main() -> None:
    memory = os.environ.get("DRIVER_MEMORY", "4g")
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]", "spark.driver.memory": memory})
        print(f"{memory} of memory, load {os.getloadavg()[0]:.1f}")
        clock = scale.Clock(spark)
        for files in [int(argument) for argument in sys.argv[1:]] or FILES:
            print(f"\n{files:,} files", flush=True)
            table_of(spark, clock, scale.make(spark, files))
        spark.stop()


if __name__ == "__main__":
    main()
