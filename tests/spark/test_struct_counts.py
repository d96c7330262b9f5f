"""Fields of structs that are null themselves: Iceberg 1.11 leaves them out of the counts of FLOAT and DOUBLE."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

ROWS = (
    "SELECT * FROM VALUES (1, named_struct('i', 1, 'g', 2D, 'n', named_struct('h', 2D))), (2, null), "
    "(3, named_struct('i', null, 'g', double('NaN'), 'n', null)), (4, named_struct('i', 1, 'g', 3D, 'n', null)) "
    "AS t(r, st)"
)
CONDITIONS = (
    "st.g IS NULL", "st.i IS NULL", "st.n.h IS NULL", "NOT (st.g IS NOT NULL)", "st.n.h <> 1 OR st.n.h IS NULL",
    "st.g <=> NULL", "st.g IS NOT NULL", "st.g > 0", "st.n.h IS NOT NULL",
)  # fmt: skip
DELETED = CONDITIONS[-3:]


@pytest.mark.parametrize("form", ["parquet", "orc", "avro"])
def test_rows_of_null_structs_are_kept(spark: SparkSession, form: str) -> None:
    table = f"local.struct_counts_{form}"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} (r INT, st STRUCT<i: INT, g: DOUBLE, n: STRUCT<h: DOUBLE>>) USING iceberg "
        f"TBLPROPERTIES ('format-version' = '2', 'write.format.default' = '{form}')"
    )
    for condition in CONDITIONS:
        if condition in (CONDITIONS[0], *DELETED):
            spark.sql(f"INSERT OVERWRITE {table} SELECT /*+ COALESCE(1) */ * FROM ({ROWS})")
        expected = [row.r for row in spark.sql(f"SELECT r FROM ({ROWS}) WHERE {condition} ORDER BY r").collect()]
        rows = [row.r for row in spark.sql(f"SELECT r FROM {table} WHERE {condition} ORDER BY r").collect()]
        assert rows == expected, condition
        if condition in DELETED:
            spark.sql(f"DELETE FROM {table} WHERE {condition}")
            left = [row.r for row in spark.sql(f"SELECT r FROM {table} ORDER BY r").collect()]
            assert left == [r for r in (1, 2, 3, 4) if r not in expected], condition
    spark.sql(f"DROP TABLE {table} PURGE")
