"""Options of DataFrame writers: what the checker says that every write refuses, the runtime refuses."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.model.runtime.write_options import wrong_option

OPTIONS = (
    ("write-format", "csv"), ("WRITE-FORMAT", "csv"), ("write-format", "ORC"), ("target-file-size-bytes", "128MB"),
    ("target-file-size-bytes", "134217728"), ("distribution-mode", "hsah"), ("distribution-mode", "Hash"),
    ("output-spec-id", "x"), ("fanout-enabled", "maybe"), ("fanout-enable", "true"), ("advisory-partition-size", "1m"),
    ("snapshot-property.a", "b"),
)  # fmt: skip


def test_a_refused_option_fails(spark: SparkSession) -> None:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.options")
    spark.sql("CREATE OR REPLACE TABLE local.options.t (id INT) USING iceberg")
    for key, value in OPTIONS:
        wrong = wrong_option(key, value)
        writer = spark.sql("SELECT 1 AS id").writeTo("local.options.t").option(key, value)
        if wrong is None or not wrong.is_refused:
            writer.append()
        else:
            with pytest.raises(Exception, match=r"(?i)csv|128MB|hsah|x|1m"):
                writer.append()
    spark.sql("DROP TABLE local.options.t PURGE")
