"""The settings of a session's write, as Iceberg itself resolves the table's and the session's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.hypothetical.written_files import WriteSettings
from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.spark.bridge.tables import memory_writers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java


def settings_of(spark: SparkSession, table: Java) -> WriteSettings:
    """The settings of a write by this session, as Iceberg resolves those of the table and the session."""
    conf = memory_writers.write_conf(spark, table)
    requirements = conf.writeRequirements()
    distribution_class = str(requirements.distribution().getClass().getSimpleName())
    distribution_mode = (
        "hash" if "Clustered" in distribution_class else "range" if "Ordered" in distribution_class else "none"
    )
    adaptive = spark.conf.get("spark.sql.adaptive.enabled") == "true"
    splits_skew = spark.conf.get("spark.sql.adaptive.optimizeSkewsInRebalancePartitions.enabled", "true")
    factor = spark.conf.get("spark.sql.adaptive.rebalancePartitionsSmallPartitionFactor", "0.2")
    initial = spark.conf.get(
        "spark.sql.adaptive.coalescePartitions.initialPartitionNum", spark.conf.get("spark.sql.shuffle.partitions")
    )
    properties = table.properties()
    page_rows = properties.getOrDefault("write.parquet.page-row-limit", "20000")
    page_bytes = properties.getOrDefault("write.parquet.page-size-bytes", str(1 << 20))
    fanout = bool(conf.useFanoutWriter(requirements))
    return WriteSettings(
        distribution_mode,
        int(conf.targetDataFileSize()),
        int(requirements.advisoryPartitionSize()) if adaptive and splits_skew == "true" else 0,
        float(factor or 0.2),
        int(page_rows),
        int(page_bytes),
        int(initial or 200),
        fanout,
        # Spark's sort by partition mixes the rows of each, unless a sort order follows.
        fanout or bool(requirements.hasOrdering()),
    )


def settings_text(settings: WriteSettings) -> str:
    """The settings that determine the number of files, as text."""
    parts = [f"distribution mode {settings.distribution_mode}", f"target file size {size(settings.target_size)}"]
    if settings.distribution_mode != "none":
        split = f"split above {size(settings.advisory_size)}" if settings.advisory_size else "not split"
        parts.append(f"shuffle partitions {split}")
    parts.append("fanout writers" if settings.fanout else "sorted, one writer at a time")
    return ", ".join(parts)
