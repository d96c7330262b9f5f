"""Time travel to before columns were renamed, dropped or swapped: the filter is on the columns of that time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

TABLE = "local.old.t"
CHANGES = {
    "dropped": ["DROP COLUMN b"],
    "renamed": ["RENAME COLUMN b TO x"],
    "swapped": ["RENAME COLUMN a TO x", "RENAME COLUMN b TO a", "RENAME COLUMN x TO b"],
    "dropped and added": ["DROP COLUMN b", "ADD COLUMN b INT"],
}
CONDITIONS = (
    "b = 2",
    "b IS NULL",
    "b > 1 OR a = 1",
    "a = 2 AND b < 3",
    "b IN (1, 3)",
    "iceberg_bucket(4, b) >= 0",
    "a <> 2",
)


@pytest.fixture(params=["", "a", "bucket(4, a)"])
def partitioning(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    yield f"PARTITIONED BY ({request.param})" if request.param else ""
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_rows_of_an_old_snapshot(spark: SparkSession, partitioning: str, changes: list[str]) -> None:
    if "(a)" in partitioning and "RENAME COLUMN b TO a" in changes:
        pytest.skip("a column cannot have the name of a partition field")
    spark.sql(f"CREATE TABLE {TABLE} (id INT, a INT, b INT) USING iceberg {partitioning}")
    rows = "VALUES (1, 1, 2), (2, 2, 1), (3, 3, NULL), (4, NULL, 3), (5, 2, 2)"
    spark.sql(f"INSERT INTO {TABLE} {rows}")
    spark.sql(f"ALTER TABLE {TABLE} CREATE TAG before")
    for change in changes:
        spark.sql(f"ALTER TABLE {TABLE} {change}")
    for condition in CONDITIONS:
        expected = [
            row.id for row in spark.sql(f"SELECT id FROM {rows} AS t(id, a, b) WHERE {condition} ORDER BY id").collect()
        ]
        actual = spark.sql(f"SELECT id FROM {TABLE} VERSION AS OF 'before' WHERE {condition} ORDER BY id").collect()
        assert [row.id for row in actual] == expected, condition
    total = spark.sql(f"SELECT min(b), max(b), count(b) FROM {TABLE} VERSION AS OF 'before'").collect()
    assert total == [(1, 3, 4)]
    grouped = spark.sql(f"SELECT b, count(*) FROM {TABLE} VERSION AS OF 'before' GROUP BY b ORDER BY b").collect()
    assert grouped == [(None, 1), (1, 1), (2, 2), (3, 1)]
    first = spark.sql(f"SELECT id FROM {TABLE} VERSION AS OF 'before' WHERE b > 0 ORDER BY b, id LIMIT 1").collect()
    assert first == [(2,)]
