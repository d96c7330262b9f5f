"""Conditions on columns that are null in some rows or partitions.

Iceberg takes a null for different from any constant, a null partition value also for the lowest one, and fails with a
NullPointerException on that and LIKE, in 1.11 also on IN.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest
from iceberg_faults import equality_writer
from pyspark.sql import SparkSession
from samples import swept
from scans import metrics

from spark_iceberg_sql.spark.bridge.jvm import iceberg_version

TABLE = "local.null_alternatives.t"
ROWS = (
    "(1, 'abc', 1, named_struct('name', 'abc')), (2, 'xyz', 2, named_struct('name', 'xyz')), (3, null, null, null), "
    "(4, 'ab', null, named_struct('name', null)), (5, null, 1, named_struct('name', 'abz')), "
    "(6, '', 2, named_struct('name', '')), (7, 'éa', 3, named_struct('name', 'a')), (8, 'ac', 3, null)"
)
COLUMNS = "k INT, name STRING, b INT, s STRUCT<name: STRING>"
PARTITIONINGS = {  # the text column that is a source
    "name, b": "name",
    "truncate(2, name), b": "name",
    "bucket(3, b), s.name": "s.name",
}
PREDICATES = (
    "{c} LIKE 'ab%'",
    "{c} NOT LIKE 'ab%'",
    "startswith({c}, 'é')",
    "NOT startswith({c}, 'é')",
    "{c} LIKE 'a%c'",
    "startswith({c}, '')",
    "{c} = 'ab'",
    "{c} <> 'ab'",
    "{c} IN ('ab', 'xyz')",
    "{c} NOT IN ('ab', 'xyz')",
    "{c} NOT IN ('ab', NULL)",
    "{c} IN ('1', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'ab', 'xyz')",
    "{c} < 'b'",
    "{c} > 'b'",
    "{c} IS NULL",
    "{c} <=> 'ab'",
    "NOT ({c} <=> 'ab')",
    "b = 1",
    "b <> 1",
    "b NOT IN (1, 2)",
    "b < 2",
    "b IS NULL",
)
STATEMENTS = (
    "{c} LIKE 'ab%'",
    "startswith({c}, 'a')",
    "{c} IN ('ab', 'xyz')",
    "{c} LIKE 'ab%' OR k > 6",
    "{c} NOT LIKE 'ab%'",
    "{c} NOT LIKE 'ab%' OR b = 1",
    "{c} <> 'ab' OR b = 1",
    "{c} <> 'abc'",
    "NOT ({c} = 'ab' AND b = 1)",
    "startswith({c}, 'é') OR b = 2",
    "{c} IN ('ab', 'xyz') OR b = 3",
)


def conditions() -> list[str]:
    """Each predicate as an alternative to one that is no partition's, and a sample of their combinations."""
    with_filter = [f"({p} AND k % 2 = 1) OR k > 6" for p in PREDICATES[:4]]
    pairs = [f"{left} OR {right}" for left, right in combinations(PREDICATES, 2)]
    pairs += [f"NOT ({left} AND {right})" for left, right in combinations(PREDICATES, 2)]
    return [*(f"{p} OR k > 6" for p in PREDICATES), *with_filter, *Random(7).sample(pairs, 40)]


def truth(spark: SparkSession, texts: list[str]) -> list[list[int]]:
    """The rows for which each condition is true, without a table."""
    columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(texts))
    rows = spark.sql(f"SELECT k, {columns} FROM VALUES {ROWS} AS t (k, name, b, s)").collect()
    return [sorted(row.k for row in rows if row[f"c{i}"]) for i in range(len(texts))]


def create(spark: SparkSession, partitioning: str, *properties: str) -> None:
    listed = ", ".join(("'write.format.default' = 'parquet'", *properties))
    spark.sql(
        f"CREATE TABLE {TABLE} ({COLUMNS}) USING iceberg PARTITIONED BY ({partitioning}) TBLPROPERTIES ({listed})"
    )
    spark.sql(f"INSERT INTO {TABLE} SELECT * FROM VALUES {ROWS} AS t (k, name, b, s)")


def ids(spark: SparkSession, condition: str = "true") -> list[int]:
    return sorted(row.k for row in spark.sql(f"SELECT k FROM {TABLE} WHERE {condition}").collect())


@pytest.fixture(params=PARTITIONINGS)
def column(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    create(spark, request.param)
    yield PARTITIONINGS[request.param]
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_rows(spark: SparkSession, column: str) -> None:
    texts = [text.format(c=column) for text in conditions()]
    for text, expected in zip(texts, truth(spark, texts), strict=True):
        assert ids(spark, text) == expected, text


@pytest.mark.parametrize("mode", swept(["copy-on-write", "merge-on-read"], 2))
def test_statements(spark: SparkSession, mode: str) -> None:
    """DELETE, UPDATE and MERGE change exactly the rows for which the condition is true."""
    modes = (f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update", "merge"))
    create(spark, "name, b", *modes)
    texts = [text.format(c="name") for text in STATEMENTS]
    for text, expected in zip(texts, truth(spark, texts), strict=True):
        spark.sql(f"UPDATE {TABLE} SET k = k + 100 WHERE {text}")
        assert [k - 100 for k in ids(spark) if k > 100] == expected, text
        spark.sql(f"UPDATE {TABLE} SET k = k - 100 WHERE k > 100")
        spark.sql(
            f"MERGE INTO {TABLE} AS t USING (SELECT k AS id, name AS other FROM {TABLE}) ON k = id AND ({text}) "
            "WHEN MATCHED THEN UPDATE SET k = k + 200"
        )
        assert [k - 200 for k in ids(spark) if k > 200] == expected, text
        spark.sql(f"UPDATE {TABLE} SET k = k - 200 WHERE k > 200")
        spark.sql(f"DELETE FROM {TABLE} WHERE {text}")
        assert ids(spark) == sorted({*range(1, 9)} - {*expected}), text
        spark.sql(f"INSERT OVERWRITE {TABLE} SELECT * FROM VALUES {ROWS} AS t (k, name, b, s)")
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_whole_files(spark: SparkSession) -> None:
    """DELETE removes no file in which other rows are null, whether by bounds or by partition values."""
    rows = "(1, 'b', 1), (2, 'bc', 1), (3, null, 1), (4, 'x', null), (5, 'x', null)"
    conditions = ("name <> 'a'", "name NOT LIKE 'a%'", "name NOT IN ('a', 'c')", "NOT (name = 'a' OR name = 'c')")
    more = ("b <> 2", "NOT (b = 2 AND k > 0)", "k > 0 AND b <> 2", "b NOT IN (2, 3)", "name <> 'a' OR b <> 2")
    for partitioning in ("", "PARTITIONED BY (b)", "PARTITIONED BY (bucket(2, b))"):
        for text in (*conditions, *more):
            spark.sql(f"CREATE TABLE {TABLE} (k INT, name STRING, b INT) USING iceberg {partitioning}")
            spark.sql(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
            spark.sql(f"DELETE FROM {TABLE} WHERE {text}")
            kept = spark.sql(f"SELECT k FROM VALUES {rows} AS t (k, name, b) WHERE ({text}) IS NOT TRUE").collect()
            assert ids(spark) == sorted(row.k for row in kept), (partitioning, text)
            spark.sql(f"DROP TABLE {TABLE} PURGE")


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_a_boolean_column(spark: SparkSession, mode: str) -> None:
    """DELETE with NOT of it keeps the nulls of a file in which all other rows match, and of a null partition."""
    for partitioning in ("", "PARTITIONED BY (flag)"):
        spark.sql(
            f"CREATE TABLE {TABLE} (k INT, flag BOOLEAN) USING iceberg {partitioning} "
            f"TBLPROPERTIES ('write.delete.mode' = '{mode}')"
        )
        spark.sql(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, false), (2, null), (3, false)")
        spark.sql(f"DELETE FROM {TABLE} WHERE NOT flag")
        assert ids(spark) == [2], partitioning
        spark.sql(f"DELETE FROM {TABLE} WHERE NOT (flag <=> false) AND k = 3 OR flag IS DISTINCT FROM true AND k = 2")
        assert ids(spark) == [], partitioning
        spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_rows_that_an_overwrite_replaces(spark: SparkSession) -> None:
    """REPLACE WHERE replaces no partition of nulls, which Iceberg takes for different from any constant and lowest."""
    for text in ("b <> 3", "b < 2", "name NOT LIKE 'x%'", "NOT (b <=> 3)", "b <> 3 OR b IS NULL"):
        create(spark, "name, b", "'write.metadata.metrics.default' = 'none'")
        kept = spark.sql(f"SELECT k FROM VALUES {ROWS} AS t (k, name, b, s) WHERE ({text}) IS NOT TRUE").collect()
        spark.sql(f"INSERT INTO {TABLE} REPLACE WHERE {text} SELECT 9, 'ab', 1, null")
        assert ids(spark) == [*sorted(row.k for row in kept), 9], text
        spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_the_prefix_still_prunes(spark: SparkSession, column: str) -> None:
    """As on a table without nulls; the null partition itself is skipped."""
    for text in ("{c} LIKE 'ab%' OR b = 77", "startswith({c}, 'é') OR b = 77", "({c} LIKE 'ab%' AND k > 0) OR b = 77"):
        if column == "s.name" and "é" in text:
            continue
        read = metrics(spark.sql(f"SELECT * FROM {TABLE} WHERE {text.format(c=column)}"))["resultDataFiles"]
        assert 0 < read < 4, text


def test_joins(spark: SparkSession) -> None:
    create(spark, "name, b")
    query = (
        "SELECT x.k FROM {t} AS x JOIN {t} AS y ON x.k = y.k AND (x.name LIKE 'ab%' OR y.k > 6) AND "
        "(y.name NOT LIKE 'x%' OR y.b = 2)"
    )
    spark.sql(f"SELECT * FROM VALUES {ROWS} AS t (k, name, b, s)").createOrReplaceTempView("null_alternatives")
    expected = sorted(row.k for row in spark.sql(query.format(t="null_alternatives")).collect())
    assert sorted(row.k for row in spark.sql(query.format(t=TABLE)).collect()) == expected == [1, 4, 7, 8]
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_a_table_without_nulls_keeps_its_filters(spark: SparkSession) -> None:
    create(spark, "name, b")
    spark.sql(f"DELETE FROM {TABLE} WHERE name IS NULL OR b IS NULL")
    plan = spark.sql(f"SELECT * FROM {TABLE} WHERE name LIKE 'ab%' OR k > 2")._jdf.queryExecution().optimizedPlan()
    assert "StartsWith(name" in plan.toString()
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_nulls_in_the_partitions_of_deletes_alone(spark: SparkSession) -> None:
    """Of files of deletes whose data files are gone, which Iceberg reads by the same filter."""
    if iceberg_version.number() < (1, 7):
        pytest.skip(f"Iceberg {iceberg_version.version()} has no format version 3")
    table = "local.null_alternatives.deleted"
    spark.sql(
        f"CREATE TABLE {table} (r INT, k INT, name STRING) USING iceberg PARTITIONED BY (truncate(10, k), name) "
        "TBLPROPERTIES ('format-version' = '3')"
    )
    try:
        spark.sql(f"INSERT INTO {table} VALUES (1, NULL, 'x'), (2, NULL, 'abc'), (3, 1, 'abc')")
        spark.sql(f"INSERT INTO {table} VALUES (4, 3, NULL)")
        equality_writer().deleteEqual(spark._jsparkSession, table, ["r", "k"], [4, 2], "parquet")
        spark.sql(f"REFRESH TABLE {table}")
        spark.sql(f"DELETE FROM {table} WHERE k > 1")
        assert any(row.partition.name is None for row in spark.sql(f"SELECT * FROM {table}.delete_files").collect())
        assert all(row.partition.name for row in spark.sql(f"SELECT * FROM {table}.data_files").collect())
        for condition, expected in {
            "name IN ('abc', 'y')": [3],
            "name IN ('abc', 'y') OR r = 1": [1, 3],
            "name LIKE 'ab%' OR r = 1": [1, 3],
            "name NOT LIKE 'ab%'": [1],
        }.items():
            rows = spark.sql(f"SELECT r FROM {table} WHERE {condition} ORDER BY r").collect()
            assert [row.r for row in rows] == expected, condition
        spark.sql(f"UPDATE {table} SET r = 7 WHERE name IN ('abc', 'y')")
        assert [row.r for row in spark.sql(f"SELECT r FROM {table} ORDER BY r").collect()] == [1, 7]
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")
