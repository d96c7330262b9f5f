"""How long this package waits for S3: settings of the Spark process that the tests shorten."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.tables.locations import stores

SHORT = {"http-client.apache.socket-timeout-ms": "2500", "s3.retry.min-wait-ms": "10", "s3.retry.max-wait-ms": "50"}


def patience(spark: SparkSession, settings: dict[str, str]) -> dict[str, str]:
    """Change the settings of the stores opened from now on; returns the package's own."""
    before = dict(stores._S3_PATIENCE)
    stores._S3_PATIENCE |= settings
    return before
