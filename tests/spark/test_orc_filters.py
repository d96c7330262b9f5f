"""Filters that ORC's reader decides wrongly within a file: nulls of structs that are null, and IS DISTINCT FROM."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

TABLE = "local.orc_filters.t"
TIMES = (
    "1960-05-05 05:05:05.123456",
    "1969-12-31 23:59:58.000001",
    "1969-12-31 23:59:59.5",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2024-01-01 00:00:00.123456",
)
STRUCTS = (
    "null",
    "named_struct('x', 1)",
    "named_struct('x', CAST(null AS INT))",
    "null",
    "named_struct('x', 2)",
    "null",
)
ROWS = ", ".join(
    f"({i}, TIMESTAMP '{time}', {struct})" for i, (time, struct) in enumerate(zip(TIMES, STRUCTS, strict=True))
)
CONDITIONS = (
    "s.x IS NULL",
    "s.x IS NULL AND id < 4",
    "s.x = 1 OR s.x IS NULL",
    "s.x <=> null",
    "NOT (s.x <=> 1)",
    "s.x IS NOT NULL",
    "s IS NULL",
)


@pytest.fixture(scope="module", autouse=True)
def _table(spark: SparkSession) -> Iterator[None]:
    """A file for each row."""
    spark.sql(
        f"CREATE TABLE {TABLE} (id INT, ts TIMESTAMP, s STRUCT<x: INT>) USING iceberg PARTITIONED BY (id) "
        "TBLPROPERTIES ('write.format.default' = 'orc')"
    )
    spark.sql(f"INSERT INTO {TABLE} SELECT * FROM VALUES {ROWS}")
    yield
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_rows(spark: SparkSession) -> None:
    columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(CONDITIONS))
    truth = spark.sql(f"SELECT id, {columns} FROM VALUES {ROWS} AS t (id, ts, s)")
    expected = {i: sorted(row.id for row in truth.collect() if row[f"c{i}"]) for i in range(len(CONDITIONS))}
    for i, text in enumerate(CONDITIONS):
        assert sorted(row.id for row in spark.sql(f"SELECT id FROM {TABLE} WHERE {text}").collect()) == expected[i], (
            text
        )


VALUES = "(1, null, null, null), (2, 0, 'a', true), (3, null, 'a', null), (4, 0, null, true)"
DISTINCT = (
    "NOT (v <=> 0)",
    "s IS DISTINCT FROM 'a'",
    "NOT (v <=> 0) OR s = 'b'",
    "NOT (v <=> 0 AND id > 0)",
    "NOT (0 <=> v) AND s IS DISTINCT FROM 'b'",
    "NOT (flag <=> true)",
    "NOT (v <=> null)",
)


@pytest.mark.parametrize("partitioning", ["", "PARTITIONED BY (v)"])
def test_is_distinct_from(spark: SparkSession, partitioning: str) -> None:
    """Nulls in a file, and in a stripe, in which all other values are the constant."""
    table = "local.orc_filters.d"
    for mode in ("copy-on-write", "merge-on-read"):
        spark.sql(
            f"CREATE TABLE {table} (id INT, v INT, s STRING, flag BOOLEAN) USING iceberg {partitioning} "
            f"TBLPROPERTIES ('write.format.default' = 'orc', 'write.delete.mode' = '{mode}')"
        )
        insert = f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {VALUES}"
        spark.sql(insert)
        columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(DISTINCT))
        truth = spark.sql(f"SELECT id, {columns} FROM VALUES {VALUES} AS t (id, v, s, flag)").collect()
        for i, text in enumerate(DISTINCT):
            if mode == "copy-on-write":
                read = spark.sql(f"SELECT id FROM {table} WHERE {text}").collect()
                assert sorted(row.id for row in read) == sorted(row.id for row in truth if row[f"c{i}"]), text
        for i in (0, 3):
            spark.sql(f"DELETE FROM {table} WHERE {DISTINCT[i]}")
            kept = [row.id for row in spark.sql(f"SELECT id FROM {table}").collect()]
            assert sorted(kept) == sorted(row.id for row in truth if not row[f"c{i}"]), DISTINCT[i]
            spark.sql(f"INSERT OVERWRITE {insert.removeprefix('INSERT INTO ')}")
        spark.sql(f"DROP TABLE {table} PURGE")
