"""Row-level statements with expressions that Spark computes once for several uses, as BETWEEN and nullif do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

TABLE = "local.common_expressions.t"
VALUES = (
    "SELECT CAST(id AS INT) AS id, CAST(id % 7 - 3 AS INT) AS v, timestamp_seconds(id * 40000) AS ts FROM range(20)"
)
CONDITIONS = (
    "abs(v) BETWEEN 1 AND 2",
    "abs(v) NOT BETWEEN 1 AND 2",
    "date_trunc('month', ts) BETWEEN TIMESTAMP '1970-01-01' AND TIMESTAMP '1970-01-05'",
    "nullif(abs(v), 1) > 2",
    "nullif(nullif(abs(v), 1), 2) BETWEEN 0 AND abs(v) + 1",
    "day(ts) BETWEEN 2 AND 4 OR abs(v) BETWEEN 3 AND 3",
)
STATEMENTS = (
    "DELETE FROM {t} WHERE {p}",
    "MERGE INTO {t} AS t USING (SELECT id AS i FROM {s}) ON id = i AND {p} WHEN MATCHED THEN DELETE",
    "MERGE INTO {t} AS t USING (SELECT id AS i FROM {s}) ON id = i WHEN MATCHED AND {p} THEN DELETE",
    "DELETE FROM {t} WHERE id IN (SELECT id FROM {s} WHERE {p})",
)


@pytest.fixture(scope="module", autouse=True)
def _tables(spark: SparkSession) -> Iterator[None]:
    spark.sql(VALUES).createOrReplaceTempView("common_expressions")
    yield
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def ids(spark: SparkSession, query: str) -> list[int]:
    return sorted(row.id for row in spark.sql(query).collect())


@pytest.mark.parametrize(
    "mode",
    [pytest.param("copy-on-write", marks=pytest.mark.tier("quick", of="rule common_expressions")), "merge-on-read"],
)
def test_statements(spark: SparkSession, mode: str) -> None:
    properties = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update", "merge"))
    spark.sql(f"CREATE OR REPLACE TABLE {TABLE} USING iceberg TBLPROPERTIES ({properties}) AS {VALUES}")
    first = spark.sql(f"SELECT snapshot_id FROM {TABLE}.snapshots").collect()[-1][0]
    pairs = [(STATEMENTS[n % len(STATEMENTS)], p) for n, p in enumerate(CONDITIONS)]
    for statement, condition in [*pairs, (STATEMENTS[1], CONDITIONS[0]), (STATEMENTS[0], CONDITIONS[3])]:
        spark.sql(statement.format(t=TABLE, s="common_expressions", p=condition))
        kept = ids(spark, f"SELECT id FROM common_expressions WHERE ({condition}) IS NOT TRUE")
        assert ids(spark, f"SELECT id FROM {TABLE}") == kept, statement.format(t="t", s="s", p=condition)
        spark.sql(f"CALL local.system.rollback_to_snapshot('{TABLE}', {first})")
    spark.sql(f"UPDATE {TABLE} SET v = nullif(abs(v), 1) WHERE {CONDITIONS[0]}")
    expected = spark.sql(
        f"SELECT id, if({CONDITIONS[0]}, nullif(abs(v), 1), v) AS v FROM common_expressions ORDER BY id"
    ).collect()
    assert spark.sql(f"SELECT id, v FROM {TABLE} ORDER BY id").collect() == expected
