"""Run a script in a separate process: for tests of what a JVM does only once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PREAMBLE = """
import os
import spark_iceberg_sql as sis
from pyspark.sql import SparkSession
from spark_iceberg_sql.spark.runtime_jar import runtime_jar
from spark_iceberg_sql.spark.versions import runtime
import pyspark
JAR = str(runtime_jar(runtime(pyspark.__version__)))
SMALL = {
    "spark.driver.memory": "700m", "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false", "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
def theirs(master="local[2]", jar=True, **config):
    builder = SparkSession.builder.master(master)
    for key, value in {**SMALL, **({"spark.jars": JAR} if jar else {}), **config}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
def bucket(spark):
    return spark.sql("SELECT iceberg_bucket(16, 0L)").head()[0]
"""


def run(folder: Path, script: str, seconds: int = 240, **environment: str) -> tuple[str, str]:
    """stdout and stderr of a script that must end with exit code 0 within this many seconds."""
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PREAMBLE + script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr
