"""How much a table has grown lately, from the summaries of its snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from spark_iceberg_sql.insight.advise.growth import GROWTH_DAYS, Growth, growth
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import table_metadata

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_DAY = 86_400_000  # milliseconds


def growth_of(spark: SparkSession, iceberg_table: Java) -> Growth | None:
    """The growth of a table in the last 30 days, or since its first snapshot; None if that is not known.

    The first snapshot that the table still has is when the time begins: what was written before it, and by it, took a
    time that is not known. Rewrites add nothing.
    """
    snapshots = table_metadata.snapshots(table_metadata.current(iceberg_table))
    # Rows of the driver, filtered and projected there: a sum of them would be a Spark job.
    rows = (
        DataFrame(relations.data_frame(snapshots), spark)
        .where(f"committed_at >= current_timestamp() - INTERVAL {GROWTH_DAYS} DAYS")
        .selectExpr(
            "unix_millis(current_timestamp()) - unix_millis(committed_at)",
            "coalesce(operation <> 'replace', false)",
            "coalesce(try_cast(summary['added-files-size'] AS BIGINT), 0)"
            " - coalesce(try_cast(summary['removed-files-size'] AS BIGINT), 0)",
        )
        .collect()
    )
    oldest = max((age for age, _, _ in rows), default=0)
    return growth(sum(size for age, adds, size in rows if adds and age < oldest), oldest / _DAY)
