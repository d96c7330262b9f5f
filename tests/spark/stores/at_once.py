"""Statements at once, from several threads of the Spark process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession


def inserts(spark: SparkSession, names: list[str], count: int) -> None:
    """One row an INSERT: 100, 101, ... The tables, under several names, have their `id` and maybe more columns."""
    properties = "'commit.retry.num-retries' = '50', 'commit.retry.max-wait-ms' = '500'"
    spark.sql(f"ALTER TABLE {names[0]} SET TBLPROPERTIES ({properties})")

    nulls = ", NULL" * len(spark.table(names[0]).columns[1:])  # Spark 3.5 wants every column

    def insert(number: int) -> None:
        spark.sql(f"INSERT INTO {names[number % len(names)]} SELECT {100 + number}{nulls}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(insert, range(count)))
