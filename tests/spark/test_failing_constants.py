"""Constants that fail, which no row of the answer needs: Spark 4.1 alone would never end planning."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession
from scans import metrics
from session_settings import settings

TABLE, TRUTH = "local.failing_constants.t", "failing_constants_truth"
VALUES = "SELECT * FROM VALUES (1, 1, 'a'), (2, 5, 'b'), (3, 9, 'c') AS t (id, k, s)"
ANSI = "CAST('x' AS INT)"
CONDITIONS = (
    "coalesce(k, 1 / 0) = 1",
    f"coalesce(k, {ANSI}) = 5",
    "if(k > 0, k = 1, 1 / 0 > 1)",
    f"CASE WHEN k < 9 THEN k > 1 WHEN id = 3 THEN true ELSE id > {ANSI} END",
    "nvl2(s, k, element_at(array(1), 0)) < 6",
)
QUERIES = (
    "SELECT max(coalesce(k, 1 / 0)), count(if(k > 0, k, 1 / 0)) FROM {t}",
    "SELECT coalesce(k, 1 / 0) AS x, count(*) FROM {t} GROUP BY coalesce(k, 1 / 0)",
    "SELECT id FROM {t} ORDER BY coalesce(k, 1 / 0), id LIMIT 2",
    "SELECT x.id, y.id FROM {t} AS x LEFT JOIN {t} AS y ON x.k = y.id AND coalesce(y.k, 1 / 0) > 1",
    "SELECT id FROM {t} WHERE id IN (SELECT k FROM {t} WHERE if(k > 0, true, 1 / 0 > 1))",
    "SELECT x FROM (SELECT id, coalesce(k, 1 / 0) AS x FROM {t}) WHERE x > 1 AND id < 3",
)
SECONDS = 60


@pytest.fixture(scope="module", autouse=True)
def _tables(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"CREATE TABLE {TABLE} (id INT, k INT, s STRING) USING iceberg PARTITIONED BY (k)")
    spark.sql(f"INSERT INTO {TABLE} {VALUES}")
    spark.sql(VALUES).createOrReplaceTempView(TRUTH)
    yield
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def rows(spark: SparkSession, query: str) -> list[str]:
    """Of a query that may be planned for ever."""
    pool = ThreadPoolExecutor(1)
    try:
        return sorted(map(str, pool.submit(lambda: spark.sql(query).collect()).result(SECONDS)))
    finally:
        pool.shutdown(wait=False)


@pytest.mark.tier("quick", of="rule failing_constants")
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(spark: SparkSession, condition: str) -> None:
    query = f"SELECT id FROM {{t}} WHERE {condition}"
    expected = rows(spark, query.format(t=TRUTH))
    assert expected
    assert rows(spark, query.format(t=TABLE)) == expected


@pytest.mark.parametrize("query", QUERIES)
def test_queries(spark: SparkSession, query: str) -> None:
    expected = rows(spark, query.format(t=TRUTH))
    assert expected
    assert rows(spark, query.format(t=TABLE)) == expected


def test_other_conditions_are_pushed_down(spark: SparkSession) -> None:
    query = f"SELECT * FROM {TABLE} WHERE k = 1 AND coalesce(id, 1 / 0) = 1"
    assert len(rows(spark, query)) == 1
    assert metrics(spark.sql(query))["resultDataFiles"] == 1


def test_a_constant_that_a_row_needs_fails(spark: SparkSession) -> None:
    for table in (TRUTH, TABLE):
        with settings(spark, **{"spark.sql.ansi.enabled": "true"}), pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            rows(spark, f"SELECT id FROM {table} WHERE if(k > 1, true, 1 / 0 > 1)")


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_writes(spark: SparkSession, mode: str) -> None:
    table = "local.failing_constants.w"
    modes = ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("delete", "update", "merge"))
    spark.sql(f"CREATE TABLE {table} USING iceberg TBLPROPERTIES ({modes}) AS {VALUES}")
    try:
        rows(spark, f"DELETE FROM {table} WHERE coalesce(k, 1 / 0) = 1")
        rows(spark, f"UPDATE {table} SET s = 'new' WHERE if(k > 5, true, k = 1 AND k > {ANSI})")
        on = "t.id = u.id AND coalesce(t.k, 1 / 0) = 5"
        rows(spark, f"MERGE INTO {table} AS t USING {TRUTH} AS u ON {on} WHEN MATCHED THEN UPDATE SET s = 'merged'")
        assert rows(spark, f"SELECT * FROM {table}") == ["Row(id=2, k=5, s='merged')", "Row(id=3, k=9, s='new')"]
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")
