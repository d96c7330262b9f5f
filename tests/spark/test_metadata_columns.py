"""Aggregates of and filters on Iceberg's metadata columns, such as _pos and _partition.

Iceberg looks for a column that it is to aggregate, or by which it is to delete whole files, in the table's schema.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import share

TABLE, TRUTH = "local.metadata_columns.t", "metadata_columns_truth"
AGGREGATES = (
    "max(_pos)",
    "min(_pos), max(id), count(*)",
    "min(_file)",
    "count(_file)",
    "max(_spec_id)",
    "count(_pos)",
    "max(_deleted)",
    "count(_deleted)",
    "max(_partition.x)",
    "count(_partition.x)",
    "count(_partition)",
    "min(_partition)",
    "count(DISTINCT _file)",
    "max(_row_id)",
    "count(_row_id)",
    "min(_last_updated_sequence_number)",
)
SHAPES = (
    "SELECT {a} FROM {t}",
    "SELECT x, {a} FROM {t} GROUP BY x",
    "SELECT _spec_id, {a} FROM {t} GROUP BY _spec_id HAVING count(*) > 1",
    "SELECT (SELECT struct({a}) FROM {t}) AS s",
    "SELECT {a} FROM {t} WHERE x = 1",
)
FILTERS = (
    "_pos > 1",
    "_pos IN (0, 1) AND id > 3",
    "_pos IS NULL OR id = 3",
    "_spec_id = 0",
    "_spec_id <> 0",
    "_file LIKE '%.parquet' AND _pos = 0",
    "_partition.x = 1",
    "_partition.x <> 1",
    "_partition.x IS NULL",
    "_partition.x < 1 OR id = 7",
    "_partition IS NOT NULL AND id = 2",
    "_row_id > 3",
    "_last_updated_sequence_number = 1 AND id < 4",
)
COLUMNS = "id, x, _file, _pos, _spec_id, _partition, _deleted, _row_id, _last_updated_sequence_number"


@pytest.fixture(scope="module")
def version(spark: SparkSession) -> Iterator[int]:
    """A table of two specs, with a null partition, and a copy of its rows that is not Iceberg's."""
    version = 3 if spark.version >= "4" else 2
    spark.sql(
        f"CREATE TABLE {TABLE} (id INT, x INT) USING iceberg TBLPROPERTIES ('format-version' = '{version}', "
        "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read')"
    )
    spark.sql(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ CAST(id AS INT), CAST(id % 3 AS INT) FROM range(5)")
    spark.sql(f"ALTER TABLE {TABLE} ADD PARTITION FIELD x")
    spark.sql(f"INSERT INTO {TABLE} SELECT CAST(id AS INT), IF(id = 9, NULL, CAST(id % 3 AS INT)) FROM range(5, 10)")
    rows = spark.sql(f"SELECT {COLUMNS if version > 2 else COLUMNS[: COLUMNS.index(', _row_id')]} FROM {TABLE}")
    spark.createDataFrame(rows.collect(), rows.schema).createOrReplaceTempView(TRUTH)
    yield version
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def known(texts: tuple[str, ...], version: int) -> list[str]:
    """Those that a format version has the columns for."""
    return [text for text in texts if version > 2 or ("_row_id" not in text and "_last_updated" not in text)]


def rows(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in spark.sql(query).collect()), key=str)


@pytest.mark.parametrize("shape", SHAPES)
def test_aggregates(spark: SparkSession, version: int, shape: str) -> None:
    for aggregate in known(AGGREGATES if shape == SHAPES[0] else tuple(share(AGGREGATES, 4)), version):
        expected = rows(spark, shape.format(a=aggregate, t=TRUTH))
        assert rows(spark, shape.format(a=aggregate, t=TABLE)) == expected, aggregate


def test_filters(spark: SparkSession, version: int) -> None:
    for text in known(FILTERS, version):
        query = f"SELECT id FROM {{t}} WHERE {text}"
        expected = rows(spark, query.format(t=TRUTH))
        assert rows(spark, query.format(t=TABLE)) == expected, text
        assert spark.sql(query.format(t=TABLE)).count() == len(expected), text


@pytest.mark.parametrize(
    ("mode", "condition"),
    [
        ("copy-on-write", "_file = '{file}'"),
        ("merge-on-read", "_file = '{file}' AND _pos > 1"),
        ("merge-on-read", "_spec_id = 0 AND _partition.x = 1 AND _pos IS NOT NULL"),
    ],
)
def test_deletes(spark: SparkSession, mode: str, condition: str) -> None:
    """Iceberg would look for the columns in the table's schema to find out whether it may delete whole files."""
    if mode == "copy-on-write" and spark.version < "4.1":
        pytest.skip("the analyzer of Spark 3.5 fails on such a condition, and Iceberg 1.11 where it rewrites the file")
    table = "local.metadata_columns.deleted"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(
        f"CREATE TABLE {table} (id INT, x INT) USING iceberg PARTITIONED BY (x) "
        f"TBLPROPERTIES ('write.delete.mode' = '{mode}')"
    )
    spark.sql(f"INSERT INTO {table} VALUES (0, 1), (1, 1), (2, 1), (3, 2)")
    before = spark.sql(f"SELECT id, x, _pos, _file FROM {table}").collect()
    file = next(row._file for row in before if row.x == 1)
    spark.sql(f"DELETE FROM {table} WHERE {condition.format(file=file)}")
    kept = [row.id for row in before if row.x != 1 or ("_pos > 1" in condition and row._pos <= 1)]
    assert sorted(row.id for row in spark.sql(f"SELECT id FROM {table}").collect()) == sorted(kept)
    spark.sql(f"DROP TABLE {table} PURGE")
