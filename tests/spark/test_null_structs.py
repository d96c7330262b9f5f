"""A null struct in Parquet files of a table that is partitioned by a field in it: right, or told of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql import IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version

TABLE = "local.nulls.structs"
ROWS = "VALUES (1, NULL), (2, named_struct('i', NULL, 's', 'a')), (3, named_struct('i', 3, 's', 'b'))"


@pytest.fixture(params=["st.i", "bucket(4, st.i)"])
def partitioning(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    spark.sql(
        f"CREATE TABLE {TABLE} (id INT, st STRUCT<i: INT, s: STRING>) USING iceberg PARTITIONED BY ({request.param})"
    )
    spark.sql(f"INSERT INTO {TABLE} {ROWS}")
    yield request.param
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def _null_structs(spark: SparkSession, table: str) -> list[int]:
    return [row.id for row in spark.sql(f"SELECT id FROM {table} WHERE st IS NULL").collect()]


def test_it_is_found_or_told_of(spark: SparkSession, partitioning: str) -> None:
    is_lost = any("apache/iceberg#17320: present" in row.iceberg_issues for row in _rules(spark))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        null_ids = _null_structs(spark, TABLE)
        again = _null_structs(spark, TABLE)
    messages = [str(w.message) for w in caught if issubclass(w.category, IcebergSqlWarning)]
    if is_lost and partitioning == "st.i":
        assert len(messages) == 1
        assert "reads a `st` that is null from its Parquet files as a struct of nulls" in messages[0]
    else:
        assert null_ids == again == _null_structs(spark, f"({ROWS} AS t(id, st))") == [1]
        assert messages == []


def test_a_struct_of_partition_fields_alone(spark: SparkSession) -> None:
    """No column of its files has the null, whichever Iceberg reads them."""
    table = "local.nulls.alone"
    spark.sql(f"CREATE TABLE {table} (id INT, st STRUCT<i: INT>) USING iceberg PARTITIONED BY (st.i)")
    spark.sql(f"INSERT INTO {table} VALUES (1, NULL), (2, named_struct('i', 2))")
    with pytest.warns(IcebergSqlWarning, match="since all fields of `st` are partition fields"):
        _null_structs(spark, table)
    if iceberg_version.number() >= (1, 9):  # the ones before read all rows as null: "structs of partition fields"
        assert [row.id for row in spark.sql(f"SELECT id FROM {table} WHERE st.i IS NULL").collect()] == [1]
    spark.sql(f"DROP TABLE {table} PURGE")


def _rules(spark: SparkSession) -> list[Any]:
    return spark.sql("SELECT * FROM iceberg_rules()").collect()
