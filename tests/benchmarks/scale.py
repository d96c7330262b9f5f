"""What the optimizer rules cost the planning of tables of very many files, which exist only as metadata.

python -m tests.benchmarks.scale [FILES ...]
python -m tests.benchmarks.scale memory FILES QUERIES true|false [QUERY ...]
python -m tests.benchmarks.scale live FILES WAY [QUERY ...]

Each query is planned without the rules and with all of them, in turns: again, as a new query of a snapshot whose
manifests the rules have read before, and as the first query of a session, where an earlier one has kept which manifests
it has checked (next session) and where none has (new). CPU time is that of the whole JVM, which
other load on the machine changes less than seconds. memory: the heap after so many queries, of all kinds or of those
named, in a JVM of its own with the rules or without. live: what each query holds at most while it is planned, as
collections leave it, in a way of those above: without, next session, new session. DRIVER_MEMORY in the environment is
that of the driver, 4g by default.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.optimizer import planning_facts
from spark_iceberg_sql.spark.optimizer.rule_records import RULES
from spark_iceberg_sql.spark.session_settings import KEEP_MANIFEST_CHECKS

FILES = (10_000, 100_000)
ROUNDS, WARM = 7, 2
# Of so many files, one round after another takes ten minutes.
MANY, ROUNDS_OF_MANY, WARM_OF_MANY = 1_000_000, 1, 1
WAYS = ("without", "again", "new query", "next session", "new session")
# In this order: a query that is planned again has the settings of the one before, which what is kept depends on.
TURNS = ("without", "new session", "next session", "new query", "again")
# What is kept of a query, or of a column; the rest is of manifests.
OF_QUERIES = frozenset({"answers", "clustering", "limit", "prune", "topk", "tuples"})
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
    "values": "SELECT sum(x) FROM {t} WHERE iceberg_days(ts) = date'2023-01-01' OR day(iceberg_days(ts)) = 31",
    "values, no gain": "SELECT sum(x) FROM {t} WHERE iceberg_days(ts) = date'2023-01-01' OR day(ts) = 31",
}


@cache
def _writer() -> Any:
    text = Path(__file__).with_name("FilesOfMetadata.java").read_text("utf-8")
    loader = compiler.compile_java(text, "FilesOfMetadata.java", compiler.context_loader())
    return compiler.instance(loader, "sparkicebergsql.benchmarks.FilesOfMetadata")


def make(spark: SparkSession, files: int, of_spark: bool = True) -> str:
    """A table of so many files of metadata, in ten manifests or more, as Spark or another writer commits them; returns
    its name.
    """
    name = f"local.db.t{files}_{time.monotonic_ns()}"
    spark.sql(
        f"CREATE TABLE {name} ({COLUMNS}) USING iceberg PARTITIONED BY (days(ts)) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    _writer().append(relations.catalog_table(name), files, min(10_000, max(1, files // 10)), of_spark)
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


def _kept(spark: SparkSession, name: str) -> Any:
    """A static field of KeptFacts."""
    facts = compiler.relation_facts()
    assert facts is not None
    kept = spark._jvm.java.lang.Class.forName("sparkicebergsql.KeptFacts", True, facts.getClass().getClassLoader())
    field = kept.getDeclaredField(name)
    field.setAccessible(True)
    return field


def kept_entries(spark: SparkSession) -> Any:
    """What the rules keep between queries, by its kind and key."""
    return _kept(spark, "ENTRIES").get(None)


def forget(spark: SparkSession, kinds: frozenset[str] | None = None) -> None:
    """Drop what the rules keep between queries: of these kinds, or all of it, as in a new session."""
    entries = kept_entries(spark)
    if kinds is None:
        entries.clear()
        _kept(spark, "bytes").setLong(None, 0)
        return
    for key in list(entries.keySet()):
        if key.get(0) in kinds:
            entries.remove(key)


def heap(spark: SparkSession) -> float:
    """MB in use after collections; what Python refers to is collected first, and let go of by its own thread."""
    runtime: Any = spark._jvm.Runtime.getRuntime()
    for _ in range(3):
        gc.collect()
        spark._jvm.System.gc()
        time.sleep(0.5)
    return float(runtime.totalMemory() - runtime.freeMemory()) / 1e6


def prepare(way: str, spark: SparkSession) -> None:
    """Sets the switch, and drops what this way has not read yet."""
    switch(spark, "false" if way == "without" else "true")
    if way == "new query":
        forget(spark, OF_QUERIES)
    if way.endswith("session"):
        forget(spark)
    spark.conf.set(KEEP_MANIFEST_CHECKS.key, "false" if way == "new session" else "true")


def table_of(spark: SparkSession, clock: Clock, files: int) -> None:
    name = make(spark, files)
    rounds, warm = (ROUNDS, WARM) if files < MANY else (ROUNDS_OF_MANY, WARM_OF_MANY)
    print(f"\n{files:,} files")
    ways, opened = " | ".join(WAYS[1:]), " | ".join(WAYS[2:])
    print(f"| query | CPU s, without | {ways} | manifests: {opened} |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for title, query in QUERIES.items():
        cpu: dict[str, list[float]] = {way: [] for way in TURNS}
        manifests: dict[str, int] = {}
        for _ in range(rounds + warm):
            for way, times in cpu.items():
                prepare(way, spark)
                before, _ = planning_facts.metadata_read()
                times.append(clock.took(spark, query.format(t=name))[1])
                manifests[way] = planning_facts.metadata_read()[0] - before
        plain = statistics.median(cpu["without"][warm:])
        ratios = []
        for way in WAYS[1:]:
            pairs = [a / b for a, b in zip(cpu[way][warm:], cpu["without"][warm:], strict=True)]
            ratio = statistics.median(cpu[way][warm:]) / plain
            ratios.append(f"{ratio:.2f} ({min(pairs):.2f} to {max(pairs):.2f})")
        opened = " | ".join(str(manifests[way]) for way in WAYS[2:])
        print(f"| {title} | {plain:.2f} | {' | '.join(ratios)} | {opened} |", flush=True)
    print(f"kept {planning_facts.bytes_kept()[0] / 1e6:.1f} MB; heap {heap(spark):.0f} MB", flush=True)


class HeapPeak:
    """The most MB of each pool of the heap, added up: what could have been collected is included."""

    def __init__(self, spark: SparkSession) -> None:
        pools = spark._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        self._pools = [pool for pool in pools if str(pool.getType().name()) == "HEAP"]

    def reset(self) -> None:
        for pool in self._pools:
            pool.resetPeakUsage()

    def megabytes(self) -> float:
        return float(sum(pool.getPeakUsage().getUsed() for pool in self._pools)) / 1e6


def memory_of(spark: SparkSession, files: int, queries: int, value: str, titles: Sequence[str]) -> None:
    """The heap before and after so many different queries, and its peak, with the rules (true) or without."""
    name = make(spark, files)
    switch(spark, value)
    peak = HeapPeak(spark)
    plan(spark, f"SELECT * FROM {name} WHERE x > 2")
    before = heap(spark)
    peak.reset()
    shapes = [QUERIES[title].format(t=name) for title in titles]
    for i in range(queries):
        shape = shapes[i % len(shapes)]
        plan(spark, f"SELECT *, {i} FROM ({shape})")
    peak_megabytes = peak.megabytes()
    kept, limit = planning_facts.bytes_kept()
    print(
        f"{files:,} files, {queries:,} queries, rules {value}: heap {before:.0f} MB before, {heap(spark):.0f} after, "
        f"{peak_megabytes:.0f} at most; kept {kept / 1e6:.1f} of {limit / 1e6:.0f} MB",
        flush=True,
    )


class LiveHeap:
    """The most MB that collections have left of the heap within it; all else has as long as each of them takes."""

    def __init__(self, spark: SparkSession) -> None:
        self._java = spark._jvm.java.lang
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.megabytes = 0.0

    def _watch(self) -> None:
        memory = self._java.management.ManagementFactory.getMemoryMXBean()
        while not self._ends.is_set():
            start = time.perf_counter()
            self._java.System.gc()
            self.megabytes = max(self.megabytes, memory.getHeapMemoryUsage().getUsed() / 1e6)
            # One right after the other leaves a planning no time: of a million files, it took minutes.
            self._ends.wait(time.perf_counter() - start)

    def __enter__(self) -> LiveHeap:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()


def live_of(spark: SparkSession, files: int, way: str, titles: Sequence[str]) -> None:
    """What the heap holds at most while each query is planned in a way, and before."""
    name = make(spark, files)
    prepare("next session", spark)
    plan(spark, f"SELECT * FROM {name} WHERE x > 2")  # keeps which manifests it has checked
    for title in titles:
        prepare(way, spark)
        before = heap(spark)
        with LiveHeap(spark) as live:
            plan(spark, QUERIES[title].format(t=name))
        print(f"{files:,} files, {title}, {way}: {before:.0f} MB, {live.megabytes:.0f} at most", flush=True)


def main() -> None:
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        memory = os.environ.get("DRIVER_MEMORY", "4g")
        spark = sis.session(folder, config={"spark.master": "local[2]", "spark.driver.memory": memory})
        print(f"{memory} of memory, load {os.getloadavg()[0]:.1f}, heap {heap(spark):.0f} MB")
        if arguments[:1] == ["memory"]:
            memory_of(spark, int(arguments[1]), int(arguments[2]), arguments[3], arguments[4:] or list(QUERIES))
        elif arguments[:1] == ["live"]:
            live_of(spark, int(arguments[1]), arguments[2], arguments[3:] or list(QUERIES))
        else:
            clock = Clock(spark)
            for files in [int(argument) for argument in arguments] or FILES:
                table_of(spark, clock, files)
        print(f"load {os.getloadavg()[0]:.1f}")
        spark.stop()


if __name__ == "__main__":
    main()
