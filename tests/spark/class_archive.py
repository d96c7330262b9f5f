"""The classes of Spark, ready for the next JVM: class data sharing takes 40 % of the CPU time off a short session.

A long run of the tests begins by making the archive, beside its first tests, and pytest's cache keeps it for the next
run. A JVM ignores an archive that another Java made or that has other jars.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

OPTIONS = "SPARK_SUBMIT_OPTS"  # of every JVM that pyspark starts
LONG = 100  # tests

# What most tests do first. The JVM writes the archive when it ends, soon after its standard input.
SESSION = """
import os, sys
import spark_iceberg_sql as sis
warehouse, part, archive = sys.argv[1:]
config = {"spark.master": "local[1]", "spark.driver.memory": "1g", "spark.ui.enabled": "false",
          "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
spark = sis.session(warehouse, config=config)
spark.sql("CREATE OR REPLACE TABLE local.db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
spark.sql("INSERT INTO local.db.t SELECT id, TIMESTAMP '2024-01-01 00:00:00' FROM range(9)")
spark.sql("SELECT id, count(*) FROM local.db.t WHERE iceberg_days(ts) = DATE '2024-01-01' GROUP BY id").collect()
process = spark.sparkContext._gateway.proc
spark.stop()
process.stdin.close()
process.wait()
os.replace(part, archive)
"""


class ClassArchive:
    """A pytest plug-in: makes the archive once, and lets every JVM that starts after that use it."""

    def __init__(self, folder: Path, *, makes: bool) -> None:
        self.file = folder / f"spark-{pyspark.__version__}.jsa"
        self.makes = makes
        self.in_use = False
        self.process: subprocess.Popen[bytes] | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        mine = sum(1 for item in session.items if item.get_closest_marker("spark"))
        if self.makes and mine >= LONG and not self.file.exists():
            self.make()

    def pytest_runtest_setup(self) -> None:
        if not self.in_use and self.file.exists():
            os.environ[OPTIONS] += f' "-XX:SharedArchiveFile={self.file}" -Xlog:disable'
            self.in_use = True

    def pytest_sessionfinish(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()

    def make(self) -> None:
        part = self.file.with_suffix(f".{os.getpid()}")
        options = f'{os.environ[OPTIONS]} "-XX:ArchiveClassesAtExit={part}" -Xlog:disable'
        warehouse = self.file.with_suffix(".warehouse")
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", SESSION, str(warehouse), str(part), str(self.file)],
            env={**os.environ, OPTIONS: options},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
