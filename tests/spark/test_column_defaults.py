"""Columns with a default, in files older than the column, against the same rows outside Iceberg."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

CONDITIONS = (
    "i = 7", "i > 0", "i < 8", "i <> 0", "i IS NOT NULL", "i IS NULL", "i IN (7, 9)", "i NOT IN (0, 1)", "i <=> 7",
    "NOT (i <=> 8)", "s LIKE 'a%'", "s = 'ab'", "s NOT LIKE 'b%'", "d = 0.1D", "d < 1", "st.x = 3", "st.x IS NOT NULL",
)  # fmt: skip
ROWS = (
    "SELECT * FROM VALUES (1, named_struct('a', 1, 'x', 3), 7, 'ab', 0.1D), (2, named_struct('a', 2, 'x', 3), 7, 'ab', "
    "0.1D), (3, named_struct('a', 3, 'x', 4), 8, 'b', 0.5D), (4, null, null, null, null) AS t(r, st, i, s, d)"
)


@pytest.fixture
def table(spark: SparkSession) -> str:
    """A table of which two rows are in a file without the columns st.x, i, s and d."""
    name = "local.defaults"
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(
        f"CREATE TABLE {name} (r INT, st STRUCT<a: INT>) USING iceberg "
        "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, named_struct('a', 1)), (2, named_struct('a', 2))")
    java: Any = spark._jvm
    iceberg = java.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    types = java.org.apache.iceberg.types.Types
    literal = getattr(java.org.apache.iceberg.expressions.Literal, "of")  # noqa: B009 - `of` alone takes no double
    update = iceberg.updateSchema()
    update.addColumn("st", "x", types.IntegerType.get(), literal(3))
    update.addColumn("i", types.IntegerType.get(), literal(7))
    update.addColumn("s", types.StringType.get(), literal("ab"))
    update.addColumn("d", types.DoubleType.get(), literal(0.1))
    update.commit()
    spark.sql(f"REFRESH TABLE {name}")
    spark.sql(f"INSERT INTO {name} SELECT r, st, i, s, d FROM ({ROWS}) WHERE r > 2")
    return name


def test_filters_find_the_default(spark: SparkSession, table: str) -> None:
    for condition in CONDITIONS:
        expected = [row.r for row in spark.sql(f"SELECT r FROM ({ROWS}) WHERE {condition} ORDER BY r").collect()]
        rows = [row.r for row in spark.sql(f"SELECT r FROM {table} WHERE {condition} ORDER BY r").collect()]
        assert rows == expected, condition


def test_delete_removes_the_rows_with_the_default(spark: SparkSession, table: str) -> None:
    spark.sql(f"DELETE FROM {table} WHERE i = 7 AND r = 1")
    spark.sql(f"UPDATE {table} SET s = 'new' WHERE s = 'ab'")
    rows = spark.sql(f"SELECT r, i, s FROM {table} ORDER BY r").collect()
    assert [tuple(row) for row in rows] == [(2, 7, "new"), (3, 8, "b"), (4, None, None)]
