"""What stays behind: classes, JVM heap and Python memory over restarts, queries and threads that switch rules.

python tests/benchmarks/life.py [RESTARTS] [QUERIES]
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
from conftest import SMALL

# Predicate, and how many of 400 daily rows from 1 October 2023 it takes.
QUERIES = {
    "iceberg_bucket(4, id) = 2": None,
    "year(ts) = 2023": 92,
    "year(ts) = 2024 AND month(ts) = 2": 29,
    "iceberg_days(ts) = DATE '2023-12-24'": 1,
    "iceberg_truncate(10, id) = 20": 10,
    "date_format(ts, 'yyyy-MM') = '2024-01'": 31,
}
SWITCHES = ("guard", "prune", "fast")


def start(folder: Path) -> SparkSession:
    return sis.session(folder / "warehouse", config={**SMALL, "spark.ui.enabled": "false"})


def table(spark: SparkSession) -> None:
    spark.sql(
        "CREATE OR REPLACE TABLE local.t USING iceberg PARTITIONED BY (days(ts), bucket(4, id)) AS "
        "SELECT int(id) AS id, timestamp '2023-10-01 12:00:00' + make_dt_interval(int(id)) AS ts FROM range(400)"
    )


def levels(spark: SparkSession) -> str:
    """Loaded classes, heap after a collection, resident memory of this process."""
    factory = spark._jvm.java.lang.management.ManagementFactory
    for _ in range(3):
        spark._jvm.java.lang.System.gc()
    classes = factory.getClassLoadingMXBean().getLoadedClassCount()
    heap = factory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 2**20
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return f"{classes} classes, heap {heap:.0f} MB, Python {pages * os.sysconf('SC_PAGE_SIZE') / 2**20:.0f} MB"


def ask(spark: SparkSession, count: int, wrong: list[str]) -> None:
    for n in range(count):
        predicate, expected = list(QUERIES.items())[n % len(QUERIES)]
        actual = spark.sql(f"SELECT id FROM local.t WHERE {predicate}").count()
        if expected is not None and actual != expected:
            wrong.append(f"{predicate}: {actual}, not {expected}")


def switch(spark: SparkSession, count: int, wrong: list[str]) -> None:
    for n in range(count):
        rule = SWITCHES[n % len(SWITCHES)]
        spark.conf.set(f"spark.iceberg_sql.{rule}", "false" if n % 2 else "true")
        ask(spark, 1, wrong)


def main() -> None:
    restarts = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    queries = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = start(folder)
        table(spark)
        for n in range(restarts):
            ask(spark, len(QUERIES), wrong)
            if n % 5 == 0 or n == restarts - 1:
                print(f"restart {n}: {levels(spark)}", flush=True)
            if n < restarts - 1:
                spark.stop()
                spark = start(folder)
        for n in range(5):
            ask(spark, queries // 5, wrong)
            print(f"query {(n + 1) * (queries // 5)}: {levels(spark)}", flush=True)
        threads = [threading.Thread(target=ask if n % 2 else switch, args=(spark, 60, wrong)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"8 threads x 60, four of them switching: {levels(spark)}")
        spark.stop()
    print(f"{len(wrong)} wrong answers", *wrong[:5])


if __name__ == "__main__":
    main()
