"""A small Iceberg table in a folder, for self-tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm.gateway import java_class, java_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def write(spark: SparkSession, rows: DataFrame, folder: str) -> None:
    """Create the table, with an identity partition field on `n`, `bucket(4, id)` and `days(ts)`, and write its rows."""
    session = java_session(spark)
    schema = java_class("org.apache.iceberg.spark.SparkSchemaUtil").convert(rows._jdf.schema())
    spec = java_class("org.apache.iceberg.PartitionSpec").builderFor(schema)
    spec = spec.identity("n").bucket("id", 4).day("ts").build()
    configuration = session.sessionState().newHadoopConf()
    java_class("org.apache.iceberg.hadoop.HadoopTables")(configuration).create(schema, spec, folder)
    rows.write.format("iceberg").mode("append").option("fanout-enabled", "true").save(folder)
