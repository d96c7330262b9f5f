"""How much a table has grown lately, from the summaries of its snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.advise.growth import GROWTH_DAYS, Growth, growth
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def growth_of(spark: SparkSession, table: tuple[str, ...]) -> Growth | None:
    """The growth of a table in the last 30 days, or since its first snapshot; None if that is not known.

    table: its name. The first snapshot that the table still has is when the time begins: what was written before it,
    and by it, took a time that is not known. Rewrites add nothing.
    """
    (row,) = (
        intercept.unchecked_sql(spark)(f"""
        WITH s AS (
          SELECT committed_at, min(committed_at) OVER () AS first, operation, summary
          FROM {dotted((*table, "snapshots"))}
          WHERE committed_at >= current_timestamp() - INTERVAL {GROWTH_DAYS} DAYS)
        SELECT coalesce(sum(
            coalesce(try_cast(summary['added-files-size'] AS BIGINT), 0)
            - coalesce(try_cast(summary['removed-files-size'] AS BIGINT), 0)), 0) AS bytes,
          coalesce(max((unix_millis(current_timestamp()) - unix_millis(first)) / 86400000), 0) AS days
        FROM s WHERE committed_at > first AND operation <> 'replace'""")
    ).collect()
    return growth(int(row["bytes"]), float(row["days"]))
