"""What the rule `writers` does to the writes of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge import compiler, jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm import Java


def sorts_writes(spark: SparkSession, table: Java) -> bool:
    """Whether the rule sorts the rows of a write, instead of a writer being open for each partition.

    table: the Iceberg table that is written. The number of rows is taken to be unknown.
    """
    registry = compiler.table() if compiler.knows_table() else None
    return registry is not None and bool(registry.sortsWrites(jvm.java_session(spark), table))
