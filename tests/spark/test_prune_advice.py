"""SIS602 against the runtime: a filter that it reports reads every file, with the optimizer rules on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import share
from scans import metrics
from test_prune import PREDICATES

from spark_iceberg_sql.checker.engine import check

COLUMNS = "id BIGINT, ts TIMESTAMP, d DATE, n TIMESTAMP_NTZ, name STRING"
TABLES = {
    "days": "days(ts)",
    "hours": "hours(ts)",
    "dates": "d",
    "months": "months(n)",
    "buckets": "bucket(4, ts)",
    "names": "name",
    "prefixes": "truncate(5, name)",
    "hashes": "bucket(4, name)",
}
# 48 rows, one per half month in two years, each at a different hour.
ROWS = """
    SELECT id, ts, cast(ts AS date) AS d, cast(ts AS timestamp_ntz) AS n, concat('Name', id % 12) name
    FROM (
        SELECT id, timestamp '2023-01-03 00:00:00' + make_dt_interval(cast(id * 15 AS int), cast(id % 24 AS int)) AS ts
        FROM range(48))
"""
FILTERS = {
    "ts": ["month({}) = 2", "hour({}) IN (3, 4)", "dayofweek({}) = 1", "quarter({}) >= 3", "day({}) = 1",
           "minute({}) = 0", "weekofyear({}) = 7", "dayofyear({}) < 40", "weekday({}) = 2", "dayofmonth({}) = 3",
           "date_format({}, 'dd.MM.yyyy') = '03.01.2023'", "date_format({}, 'HH:mm') = '01:00'"],
    "name": ["lower({}) = 'name1'", "upper({}) IN ('NAME1', 'NAME2')", "trim({}) = 'Name1'", "reverse({}) = '1emaN'",
             "length({}) = 5", "ltrim({}) = 'Name1'", "rtrim({}) > 'Name8'", "initcap({}) = 'Name1'"],
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _tables(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    for name, by in TABLES.items():
        table = f"local.advice.{name}"
        spark.sql(f"CREATE OR REPLACE TABLE {table} ({COLUMNS}) USING iceberg PARTITIONED BY ({by})")
        spark.sql(f"INSERT INTO {table} {ROWS}")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


def advised(by: str, predicate: str, verb: str = "SELECT *") -> bool:
    create = f"CREATE TABLE t ({COLUMNS}) USING iceberg PARTITIONED BY ({by});"
    return "SIS602" in [d.code for d in check(f"{create} {verb} FROM t WHERE {predicate}")]


def cases() -> list[tuple[str, str]]:
    pairs = []
    for table, by in TABLES.items():
        column = next(c for c in ("ts", "d", "n", "name") if c == by.strip(")").split("(")[-1].split(", ")[-1])
        filters = FILTERS["name" if column == "name" else "ts"]
        pairs += [(table, template.format(column)) for template in filters]
    return pairs


@pytest.mark.parametrize(("table", "predicate"), share(cases(), 3))
def test_what_is_said_to_prune_nothing_reads_every_file(spark: SparkSession, table: str, predicate: str) -> None:
    is_identity = TABLES[table].isidentifier()
    assert advised(TABLES[table], predicate) is not is_identity
    assert advised(TABLES[table], predicate, "DELETE")
    total = metrics(spark.sql(f"SELECT * FROM local.advice.{table}"))["resultDataFiles"]
    read = metrics(spark.sql(f"SELECT * FROM local.advice.{table} WHERE {predicate}"))["resultDataFiles"]
    assert total > 1
    assert read < total if is_identity else read == total


@pytest.mark.parametrize("predicate", PREDICATES)
def test_of_what_prunes_nothing_is_said(predicate: str) -> None:
    for by in ("days(ts)", "days(d)", "days(n)", "days(ts), bucket(4, id)"):
        assert not advised(by, predicate)
