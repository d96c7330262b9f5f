"""A query whose shape cannot gain by the optimizer rules reads nothing more for them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from session_settings import settings

TABLE = "local.requests.t"
# The other rules see to the right rows: bounds, for one, looks once for files whose bounds are wrong.
SWITCHES = tuple(f"spark.iceberg_sql.{rule}" for rule in ("aggregates", "joins", "limit", "prune", "topk", "values"))
QUERIES = (
    "SELECT * FROM {t}",
    "SELECT count(*) FROM {t} WHERE note LIKE '%1%'",
    "SELECT * FROM {t} WHERE v + id > 4",
    "SELECT * FROM {t} LIMIT 5",
    "SELECT * FROM {t} ORDER BY v",
    "SELECT * FROM {t} ORDER BY v + id LIMIT 5",
    "SELECT note, sum(v) FROM {t} GROUP BY note",
    "SELECT id % 5, count(*) FROM {t} GROUP BY 1",
    "SELECT note, count(*) FROM {t} GROUP BY note",
    "SELECT DISTINCT note FROM {t}",
    "SELECT a.id FROM {t} a CROSS JOIN {t} b",
    "SELECT v, row_number() OVER (ORDER BY id) FROM {t}",
)


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    spark.sql(
        f"CREATE OR REPLACE TABLE {TABLE} USING iceberg PARTITIONED BY (truncate(10, id)) AS"
        " SELECT id, cast(id % 7 AS int) AS v, cast(id AS string) AS note FROM range(200)"
    )
    return TABLE


def bytes_read(spark: SparkSession, query: str, switch: str) -> int:
    """The bytes that a query, planned and run, reads of the warehouse."""
    statistics = spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics
    with settings(spark, **dict.fromkeys(SWITCHES, switch)):
        before = sum(scheme.getBytesRead() for scheme in statistics())
        spark.sql(query).collect()
        return int(sum(scheme.getBytesRead() for scheme in statistics()) - before)


@pytest.mark.parametrize("query", QUERIES)
def test_it_reads_nothing_more(spark: SparkSession, table: str, query: str) -> None:
    text = query.format(t=table)
    bytes_read(spark, text, "false")  # fills the caches
    assert bytes_read(spark, text, "true") == bytes_read(spark, text, "false") > 0


def test_the_files_of_a_query_that_may_gain_are_looked_at(spark: SparkSession, table: str) -> None:
    text = f"SELECT * FROM {table} ORDER BY id LIMIT 150"  # so many that no file can be excluded by much
    bytes_read(spark, text, "false")
    assert bytes_read(spark, text, "true") != bytes_read(spark, text, "false")
