"""What many statements, many sessions and many tables leave behind, with the package and without it.

python -m tests.benchmarks.many statements|sessions|tables COUNT true|false

Each in a JVM of its own, installed (true) or not (false). statements: different ones, planned by three threads of one
session. sessions: of one Spark Connect server, all open at once, each with four queries. tables: of a catalog in a
folder, listed and looked for. Prints the heap after collections, loaded classes, threads, CPU time and seconds.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import server_processes
from tests.benchmarks import scale

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
import connect_client

CONFIG = {"spark.master": "local[2]", "spark.driver.memory": "3g", "spark.ui.enabled": "false"}
TABLE = "local.db.t"
STATEMENTS = (
    "SELECT 1 + {i}",
    "SELECT id FROM {t} WHERE id = {i}",
    "SELECT {i}, s FROM VALUES ({i}, 's') v(i, s)",
    "SELECT count(*) FROM {t} WHERE year(ts) = 2024 AND id > {i}",
    "SELECT {i} AS i, 'a' || {i}",
    "SELECT id, {i} FROM {t} ORDER BY ts DESC LIMIT 3",
)
THREADS, PARTS, WARM = 3, 5, 600
NAMESPACES = 20
CLIENT = """
import sys
from pyspark.sql import SparkSession
sessions = []
for line in sys.stdin:
    count = int(line)
    while len(sessions) > count: sessions.pop().stop()
    while len(sessions) < count:
        sessions.append(SparkSession.builder.remote(sys.argv[1]).create())
        for statement in sys.argv[2:]: sessions[-1].sql(statement.format(i=len(sessions))).collect()
    print("done", flush=True)
"""


class Levels:
    """Prints what is in use."""

    def __init__(self, spark: SparkSession, title: str) -> None:
        self._spark, self._title, self._start = spark, title, time.perf_counter()
        self._clock = scale.Clock(spark)
        self._factory = spark._jvm.java.lang.management.ManagementFactory

    def __call__(self, when: str) -> None:
        seconds, cpu = time.perf_counter() - self._start, self._clock.now()[1]
        heap = scale.heap(self._spark)
        classes = self._factory.getClassLoadingMXBean().getLoadedClassCount()
        threads = self._factory.getThreadMXBean().getThreadCount()
        print(
            f"{self._title}, {when}: heap {heap:.0f} MB, {classes:,} classes, {threads} threads, CPU {cpu:.0f} s, "
            f"{seconds:.0f} s, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


def _plan(spark: SparkSession, first: int, last: int) -> None:
    for i in range(first, last, THREADS):
        statement = STATEMENTS[i // THREADS % len(STATEMENTS)].format(t=TABLE, i=i)
        spark.sql(statement)._jdf.queryExecution().executedPlan()


def statements(spark: SparkSession, count: int, levels: Levels) -> None:
    bounds = [0, *(WARM + count * part // PARTS for part in range(PARTS + 1))]
    for first, last in itertools.pairwise(bounds):
        threads = [threading.Thread(target=_plan, args=(spark, first + n, last)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        levels(f"{last:,} statements")


def sessions(spark: SparkSession, count: int, levels: Levels, is_installed: bool) -> None:
    server = None
    if is_installed:
        server = sis.connect_server(spark, port=0)
        port = server.port
    else:
        port, _ = server_processes.start_connect(spark, "127.0.0.1", 0)
    texts = [statement.format(t=TABLE, i="{i}") for statement in STATEMENTS if "{t}" in statement]
    command = [str(connect_client.python()), "-c", CLIENT, f"sc://127.0.0.1:{port}", *texts, "SELECT 1 + {i}"]
    client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert client.stdin is not None
    assert client.stdout is not None
    for open_sessions in (10, count // 5, count // 2, count, 0):
        print(open_sessions, file=client.stdin, flush=True)
        assert client.stdout.readline() == "done\n"
        levels(f"{open_sessions} sessions open")
    client.stdin.close()
    client.wait(60)
    if server is not None:
        server.stop()


def tables(spark: SparkSession, count: int, levels: Levels, is_installed: bool) -> None:
    warehouse = Path(spark.conf.get("spark.sql.catalog.local.warehouse", "").removeprefix("file:"))
    spark.sql("CREATE TABLE local.db0.t0 (id BIGINT) USING iceberg")
    for i in range(1, count):
        shutil.copytree(warehouse / "db0" / "t0", warehouse / f"db{i % NAMESPACES}" / f"t{i}")
    levels(f"{count:,} tables")

    def in_all() -> int:
        return sum(spark.sql(f"SHOW TABLES IN local.db{n}").count() for n in range(NAMESPACES))

    calls: dict[str, Callable[[], object]] = {
        "SHOW TABLES of a namespace": lambda: spark.sql("SHOW TABLES IN local.db3").count(),
        "SHOW TABLES of all namespaces": in_all,
        "a misspelled name": partial(_fails, spark, "SELECT * FROM local.db3.t33x"),
    }
    if is_installed:
        calls["sis.tables of a namespace"] = lambda: len(sis.tables(spark, "local.db3").tables)
        calls["sis.tables of a pattern"] = lambda: len(sis.tables(spark, "local.*.t99*").tables)
        calls["sis.tables of all"] = lambda: len(sis.tables(spark, "local", limit=count).tables)
        calls["iceberg_tables"] = lambda: spark.sql(f"SELECT * FROM iceberg_tables('{warehouse}/db3')").count()
        calls["completion of a table's name"] = partial(_completed, spark, "local.db3.t1")
        calls["the same again"] = partial(_completed, spark, "local.db3.t1")
    clock = scale.Clock(spark)
    for title, call in calls.items():
        wall, cpu = clock.now()
        answer = call()
        end, end_cpu = clock.now()
        print(f"  {title}: {end_cpu - cpu:.1f} s of the JVM's CPU, {end - wall:.1f} s; {answer}", flush=True)
    levels("afterwards")


def _fails(spark: SparkSession, statement: str) -> str:
    try:
        spark.sql(statement)
    except Exception as error:
        return type(error).__name__
    raise AssertionError(statement)


def _completed(spark: SparkSession, name: str) -> int:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.user_ns["spark"] = spark
    if "spark_iceberg_sql" not in shell.extension_manager.loaded:
        shell.run_line_magic("load_ext", "spark_iceberg_sql")
    text = f"%iceberg_sql SELECT * FROM {name}"
    return len(shell.complete(name, text, len(text))[1])


def main() -> None:
    what, count, is_installed = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "true"
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config=CONFIG)
        spark.sql(
            f"CREATE TABLE {TABLE} USING iceberg PARTITIONED BY (days(ts)) AS "
            "SELECT id, timestamp_seconds(1704067200 + id * 3600) AS ts, string(id % 10) AS s FROM range(48)"
        )
        if not is_installed:
            scale.switch(spark, "false")
            sis.uninstall(spark)
        levels = Levels(spark, f"{what}, {'installed' if is_installed else 'without'}")
        if what == "statements":
            statements(spark, count, levels)
        elif what == "sessions":
            sessions(spark, count, levels, is_installed)
        else:
            tables(spark, count, levels, is_installed)
        spark.stop()


if __name__ == "__main__":
    main()
