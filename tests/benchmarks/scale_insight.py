"""What insight costs on tables of very many files, which exist only as metadata, beside a planning of Iceberg's.

python -m tests.benchmarks.scale_insight [FILES ...]

CPU time is that of the JVM, then of Python; the seconds are those of the whole call. DRIVER_MEMORY in the environment
is the driver's, 4g by default: what is printed worked with it. The MB are of the heap, with what could have been
collected.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.notebook.display import partition_map
from spark_iceberg_sql.spark.bridge.plans import scan_files
from tests.benchmarks import scale

FILES = (100_000,)
OURS = "true"


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
        "a planning of Iceberg's": ("false", partial(scale.plan, spark, f"SELECT sum(x) FROM {table}")),
        "explain": (OURS, partial(sis.explain, spark, query)),
        "health": (OURS, partial(sis.health, spark, table)),
        "spj": (OURS, partial(sis.spj, spark, join)),
        "the notebook's map": (OURS, partial(_map, spark, query)),
        "describe": (OURS, partial(sis.describe, spark, table)),
        "preview, months and 16 buckets": (OURS, partial(preview, spec="months(ts), bucket(16, id)")),
        "preview, hours": (OURS, partial(preview, spec="hours(ts)")),
        "advise": (OURS, partial(advise, queries=[query, f"SELECT * FROM {table} WHERE id = 5"])),
        "iceberg_files": (OURS, partial(_rows, spark, f"iceberg_files('{table}')")),
        "Iceberg's files": ("false", partial(_rows, spark, f"{table}.files")),
        "iceberg_partitions": (OURS, partial(_rows, spark, f"iceberg_partitions('{table}')")),
        "Iceberg's partitions": ("false", partial(_rows, spark, f"{table}.partitions")),
    }


def table_of(spark: SparkSession, clock: scale.Clock, files: int) -> None:
    table = scale.make(spark, files)
    scale.plan(spark, f"SELECT sum(x) FROM {table}")
    print(f"\n{files:,} files\n| call | CPU s | Python's | s | MB at most | characters |", flush=True)
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    peak = scale.HeapPeak(spark)
    for name, (switch, call) in calls(spark, table).items():
        scale.switch(spark, switch)
        scale.heap(spark)
        peak.reset()
        python, (wall, cpu) = time.process_time(), clock.now()
        text = str(call() or "")
        end, end_cpu = clock.now()
        print(
            f"| {name} | {end_cpu - cpu:.1f} | {time.process_time() - python:.1f} | {end - wall:.1f} "
            f"| {peak.megabytes():.0f} | {len(text):,} |",
            flush=True,
        )


def main() -> None:
    memory = os.environ.get("DRIVER_MEMORY", "4g")
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]", "spark.driver.memory": memory})
        print(f"{memory} of memory, load {os.getloadavg()[0]:.1f}")
        clock = scale.Clock(spark)
        for files in [int(argument) for argument in sys.argv[1:]] or FILES:
            table_of(spark, clock, files)
        spark.stop()


if __name__ == "__main__":
    main()
