"""What the optimizer rules cost the planning of tables of very many files, which exist only as metadata.

python -m tests.benchmarks.scale [FILES ...]

Each query is planned with all rules and with none, in turns; CPU time is that of the whole JVM, which other load on
the machine changes less than seconds.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.optimizer import planning_facts
from spark_iceberg_sql.spark.optimizer.rule_records import RULES

FILES = (10_000, 100_000)
ROUNDS = 5
COLUMNS = "id BIGINT, ts TIMESTAMP, tenant STRING, x DOUBLE, y INT"
QUERIES = {
    "count": "SELECT count(*) FROM {t}",
    "one hour": "SELECT * FROM {t} WHERE ts >= '2023-01-01 01:00:00' AND ts < '2023-01-01 02:00:00'",
    "top": "SELECT * FROM {t} ORDER BY ts DESC LIMIT 10",
    "top, no gain": "SELECT * FROM {t} ORDER BY tenant LIMIT 10",
    "limit, no gain": "SELECT * FROM {t} WHERE tenant = 'tenant-0500' LIMIT 10",
    "by day": "SELECT iceberg_days(ts), count(*), min(id) FROM {t} GROUP BY 1",
    "by tenant": "SELECT tenant, count(*) FROM {t} GROUP BY 1",
    "distinct date": "SELECT DISTINCT to_date(ts) FROM {t}",
    "all rows": "SELECT sum(x) FROM {t}",
    "weekday": "SELECT sum(x) FROM {t} WHERE dayofweek(ts) = 2",
    "values": "SELECT sum(x) FROM {t} WHERE iceberg_days(ts) = date'2023-01-01' OR day(ts) = 31",
}


@cache
def _writer() -> Any:
    text = Path(__file__).with_name("FilesOfMetadata.java").read_text("utf-8")
    loader = compiler.compile_java(text, "FilesOfMetadata.java", compiler.context_loader())
    return compiler.instance(loader, "sparkicebergsql.benchmarks.FilesOfMetadata")


def make(spark: SparkSession, files: int) -> str:
    """A table of so many files of metadata, in ten manifests or more; returns its name."""
    name = f"local.db.t{files}_{time.monotonic_ns()}"
    spark.sql(
        f"CREATE TABLE {name} ({COLUMNS}) USING iceberg PARTITIONED BY (days(ts)) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    _writer().append(relations.catalog_table(name), files, min(10_000, max(1, files // 10)))
    spark.catalog.refreshTable(name)
    return name


def switch(spark: SparkSession, value: str) -> None:
    for rule in RULES:
        if rule.name != "require_filter":
            spark.conf.set(rule.switch, value)


def plan(spark: SparkSession, query: str) -> None:
    """Plan a query, with the tasks of its scans."""
    execution = spark.sql(query)._jdf.queryExecution()
    execution.executedPlan()
    leaves = execution.sparkPlan().collectLeaves().iterator()
    while leaves.hasNext():
        leaf = leaves.next()
        if leaf.getClass().getSimpleName() == "BatchScanExec":
            leaf.inputPartitions().size()


class Clock:
    """Wall-clock and CPU time of the JVM."""

    def __init__(self, spark: SparkSession) -> None:
        gateway = spark.sparkContext._gateway
        java = spark._jvm.java
        self.system = java.lang.management.ManagementFactory.getOperatingSystemMXBean()
        of = java.lang.Class.forName("com.sun.management.OperatingSystemMXBean")
        self.cpu = of.getMethod("getProcessCpuTime", gateway.new_array(java.lang.Class, 0))
        self.none = gateway.new_array(java.lang.Object, 0)

    def now(self) -> tuple[float, float]:
        return time.perf_counter(), self.cpu.invoke(self.system, self.none) / 1e9

    def took(self, spark: SparkSession, query: str) -> tuple[float, float]:
        wall, cpu = self.now()
        plan(spark, query)
        end_wall, end_cpu = self.now()
        return end_wall - wall, end_cpu - cpu


def heap(spark: SparkSession) -> float:
    """MB in use after a collection; what Python refers to is collected first."""
    gc.collect()
    runtime: Any = spark._jvm.Runtime.getRuntime()
    spark._jvm.System.gc()
    return float(runtime.totalMemory() - runtime.freeMemory()) / 1e6


def table_of(spark: SparkSession, clock: Clock, files: int) -> None:
    cold: dict[str, tuple[float, float]] = {}
    for value in ("false", "true", "false", "true"):  # the first pair warms the JVM
        name = make(spark, files)
        switch(spark, value)
        cold[value] = clock.took(spark, QUERIES["one hour"].format(t=name))
    print(
        f"\n{files:,} files; the first query of a snapshot: CPU {cold['true'][1]:.2f} s, {cold['false'][1]:.2f} without"
    )
    print("| query | s, with | without | CPU s, first | with | without | CPU ratio | manifests, first | files |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for what, query in QUERIES.items():
        took: dict[str, list[tuple[float, float]]] = {"true": [], "false": []}
        read = planning_facts.metadata_read()
        first = (0, 0)
        for _ in range(ROUNDS + 1):
            for value, times in took.items():
                switch(spark, value)
                times.append(clock.took(spark, query.format(t=name)))
                if value == "true" and len(times) == 1:
                    now = planning_facts.metadata_read()
                    first = (now[0] - read[0], now[1] - read[1])
        (wall, cpu), (plain_wall, plain_cpu) = (
            [statistics.median(t[i] for t in times[1:]) for i in (0, 1)] for times in took.values()
        )
        pairs = zip(took["true"][1:], took["false"][1:], strict=True)
        ratios = sorted(a[1] / b[1] for a, b in pairs)
        print(
            f"| {what} | {wall:.2f} | {plain_wall:.2f} | {took['true'][0][1]:.2f} | {cpu:.2f} | {plain_cpu:.2f} | "
            f"{cpu / plain_cpu:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) | {first[0]} | {first[1]:,} |",
            flush=True,
        )
    print(
        f"kept {planning_facts.bytes_kept()[0] / 1e6:.1f} MB; heap after a collection {heap(spark):.0f} MB", flush=True
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]", "spark.driver.memory": "4g"})
        clock = Clock(spark)
        print(f"heap after a collection {heap(spark):.0f} MB")
        for files in [int(argument) for argument in sys.argv[1:]] or FILES:
            table_of(spark, clock, files)
        spark.stop()


if __name__ == "__main__":
    main()
