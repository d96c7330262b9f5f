"""What a write that sorts its rows by partition costs beside one with a writer for each partition; and their memory.

python -m tests.benchmarks.open_writers [time | memory]

time: CREATE TABLE AS SELECT of the same rows, from Parquet files, both ways in turns. memory: the greatest number of
live bytes while so many writers are open, by jmap.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis

ROUNDS = 3
ROWS = 3_000_000
SPECS = ("days(ts)", "months(ts)", "years(ts)", "bucket(8, id)")
WRITERS = ((4, 1000, 20_000), (20, 1000, 20_000), (60, 500, 10_000), (20, 1000, 600_000))  # columns, writers, rows
FANOUT = "TBLPROPERTIES ('write.spark.fanout.enabled' = '{}')"


def measure_time(spark: SparkSession, folder: Path) -> None:
    source = folder / "source"
    rows = spark.sql(
        f"SELECT id, timestamp_seconds(1704067200 + id * {365 * 86_400 / ROWS}) ts, uuid() a, id * 3 b, "
        f"string(id % 100) c, rand() d FROM range({ROWS})"
    )
    rows.repartition(8).write.parquet(str(source))
    for spec in SPECS:
        seconds: dict[str, list[float]] = {"true": [], "false": []}
        for _ in range(ROUNDS + 1):
            for fanout, times in seconds.items():
                start = time.perf_counter()
                spark.sql(
                    f"CREATE TABLE local.db.t USING iceberg PARTITIONED BY ({spec}) {FANOUT.format(fanout)} "
                    f"AS SELECT * FROM parquet.`{source}`"
                )
                times.append(time.perf_counter() - start)
                spark.sql("DROP TABLE local.db.t PURGE")
        ratios = [b / a for a, b in zip(seconds["true"][1:], seconds["false"][1:], strict=True)]
        print(
            f"{spec:<14} fanout {statistics.median(seconds['true'][1:]):5.2f} s, sorted "
            f"{statistics.median(seconds['false'][1:]):5.2f} s, ratio {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})",
            flush=True,
        )


def live_bytes(pid: int) -> int:
    command = ["jmap", "-histo:live", str(pid)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return int(lines[-1].split()[2])


def measure_memory(spark: SparkSession) -> None:
    pid = int(spark.sparkContext._gateway.jvm.java.lang.ProcessHandle.current().pid())
    kinds = ("uuid() c{0}", "id * {0} c{0}", "id % 7 c{0}")
    for columns, writers, rows in WRITERS:
        selected = ", ".join(kinds[i % 3].format(i) for i in range(columns))
        before, peak, done = live_bytes(pid), [0], threading.Event()

        def watch(peak: list[int] = peak, done: threading.Event = done) -> None:
            while not done.wait(0.1):
                peak[0] = max(peak[0], live_bytes(pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        spark.sql(
            f"CREATE TABLE local.db.t USING iceberg PARTITIONED BY (p) {FANOUT.format('true')} "
            f"AS SELECT id % {writers} p, {selected} FROM range({rows})"
        )
        done.set()
        watcher.join()
        spark.sql("DROP TABLE local.db.t PURGE")
        kilobytes = (peak[0] - before) / writers / 1024
        print(f"{columns:>3} columns, {writers:,} writers, {rows:>7,} rows: {kilobytes:,.0f} kB each", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = {"spark.master": "local[2]", "spark.driver.memory": "8g"}
        spark = sis.session(Path(folder) / "warehouse", config=config)
        if "memory" not in sys.argv[1:]:
            measure_time(spark, Path(folder))
        if "time" not in sys.argv[1:]:
            measure_memory(spark)
        spark.stop()


if __name__ == "__main__":
    main()
