"""The data files of a table that are in other specs than the current one, and their rewrite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import PendingFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pending(table: Java, step_bytes: int) -> PendingFiles:
    """The files that are to be rewritten. table: an Iceberg table. step_bytes: of one step."""
    return from_json(PendingFiles, _files().pending(table, step_bytes))


def rewrite_step(spark: SparkSession, table: Java, step_bytes: int) -> tuple[int, int]:
    """Rewrite the files of one step, in one commit; returns how many were rewritten, and how many were added."""
    rewritten, added = _files().rewrite(spark._jsparkSession, table, step_bytes)
    return int(rewritten), int(added)


def _files() -> Java:
    return compiler.shared_instance(__package__, "FilesOfOtherSpecs", PendingFiles)
