"""The width of truncate counts in the last digit of a decimal: preview and explain name the real steps."""

from __future__ import annotations

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis


def test_preview_and_explain_name_the_steps(spark: SparkSession) -> None:
    table = "local.decimal_steps.orders"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (truncate(1000, price)) AS "
        "SELECT id, CAST(id * 10 AS DECIMAL(10, 2)) AS price, id * 10 AS whole FROM range(4)"
    )
    assert spark.table(f"{table}.partitions").count() == 4
    preview = sis.preview(spark, table, "truncate(1000, price)")
    assert preview.partitions == 4
    assert "`truncate(1000, price)` has steps of 10.00" in preview.notes
    assert not any("steps" in note for note in sis.preview(spark, table, "truncate(1000, whole)").notes)
    (scan,) = sis.explain(spark, f"SELECT id FROM {table} WHERE price < 15").scans
    assert scan.files == 2
    assert next(c.pruned_by for c in scan.conjuncts if c.pruned_by)[0] == "truncate(1000, price) (steps of 10.00)"
    (scan,) = sis.explain(spark, f"SELECT id FROM {table} WHERE price < 31").scans
    assert scan.files == 4
    usage = spark.sql("DESCRIBE FUNCTION iceberg_truncate").collect()
    assert any("last digit" in row[0] for row in usage)
    spark.sql(f"DROP TABLE {table}")
