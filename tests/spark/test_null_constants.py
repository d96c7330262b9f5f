"""Conditions with a null constant: Spark's own, of an INT column and a greater constant, and those that users write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from pyspark.sql import SparkSession
from samples import swept
from scans import metrics

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version

TABLE, TRUTH = "local.null_constants.t", "null_constants_truth"
ROWS = (
    "(1, 1, 1, X'80'), (2, null, null, null), (3, 5, 2147483647, X'00'), (4, 1, null, X'80'), (5, null, -2147483648, "
    "X'')"
)
VALUES = f"SELECT * FROM VALUES {ROWS} AS t (id, k, v, b)"
CONDITIONS = (
    "(v > 3000000000) IS TRUE",
    "(v > 3000000000) <=> (k = 1)",
    "coalesce(v = 3000000000, true)",
    "b IN (NULL, X'80')",
    "b NOT IN (NULL, X'80')",
    "(b IN (NULL, X'80')) IS NOT TRUE",
    "b IN (NULL, X'80', X'1', X'2', X'3', X'4', X'5', X'6', X'7', X'8', X'9', X'10')",
    "v = 3000000000 OR k = 1",
    "NOT (v > 3000000000) AND k = 1",
    "(v <> 3000000000) IS TRUE",
    "(k >= 2147483648) IS NOT TRUE",
    "(k NOT BETWEEN 2147483648 AND 1) IS TRUE",
    "(k > 1e10D) IS TRUE OR id = 2",
    "nullif(b, X'00') <=> IF(k = 1, b, NULL)",
    "(k = 1 OR NULL) IS NULL",
    "CASE WHEN v < 3000000000 THEN k = 1 ELSE NULL END IS NULL",
    "NOT CAST(k AS BOOLEAN) IS TRUE",
    "CAST(k AS BOOLEAN) OR id = 2",
)
QUERIES = (
    "SELECT count(v > 3000000000), max(v = 3000000000) FROM {t}",
    "SELECT v < 3000000000 AS x, count(*), max(b IN (NULL, X'80')) FROM {t} GROUP BY v < 3000000000",
    "SELECT id FROM {t} ORDER BY v > 3000000000, id LIMIT 2",
    "SELECT id FROM {t} ORDER BY nullif(b, X'80'), id LIMIT 3",
    "SELECT x.id, y.id FROM {t} AS x LEFT JOIN {t} AS y ON x.k = y.id AND (y.v > 3000000000) IS NOT TRUE",
    "SELECT id FROM {t} AS x WHERE id IN (SELECT k FROM {t} AS y WHERE (y.v < 3000000000) <=> (x.v = 3000000000))",
)
DELETED = ("(v > 3000000000) IS NOT TRUE AND id < 3", "v = 3000000000 OR k = 5", "b IN (NULL, X'80') AND id = 4")


@pytest.fixture(scope="module", autouse=True)
def _tables(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"CREATE TABLE {TABLE} (id INT, k INT, v INT, b BINARY) USING iceberg PARTITIONED BY (k)")
    spark.sql(f"INSERT INTO {TABLE} {VALUES}")
    spark.sql(VALUES).createOrReplaceTempView(TRUTH)
    yield
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def rows(spark: SparkSession, query: str) -> list[str]:
    return sorted(str(tuple(row)) for row in spark.sql(query).collect())


@pytest.mark.tier("quick", of="rule null_constants")
def test_conditions(spark: SparkSession) -> None:
    for condition in CONDITIONS:
        query = f"SELECT id FROM {{t}} WHERE {condition}"
        assert rows(spark, query.format(t=TABLE)) == rows(spark, query.format(t=TRUTH)), condition


@pytest.mark.parametrize("query", QUERIES)
def test_queries(spark: SparkSession, query: str) -> None:
    assert rows(spark, query.format(t=TABLE)) == rows(spark, query.format(t=TRUTH))


def test_other_conditions_are_pushed_down(spark: SparkSession) -> None:
    """Beside such a constant, and as an alternative to one that is never true."""
    for condition in ("k = 1 AND (v > 3000000000) IS NOT TRUE", "k = 1 OR v = 3000000000", "k = 1 OR NULL"):
        assert metrics(spark.sql(f"SELECT * FROM {TABLE} WHERE {condition}"))["resultDataFiles"] == 1, condition


@pytest.mark.parametrize("mode", swept(["copy-on-write", "merge-on-read"], 2))
def test_statements(spark: SparkSession, mode: str) -> None:
    table = "local.null_constants.changed"
    properties = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update", "merge"))
    spark.sql(f"CREATE TABLE {table} (id INT, k INT, v INT, b BINARY) USING iceberg TBLPROPERTIES ({properties})")
    for condition in DELETED:
        spark.sql(f"INSERT OVERWRITE {table} SELECT /*+ COALESCE(1) */ * FROM ({VALUES})")
        spark.sql(f"UPDATE {table} SET k = 7 WHERE {condition}")
        changed = rows(spark, f"SELECT id FROM {TRUTH} WHERE {condition}")
        assert rows(spark, f"SELECT id FROM {table} WHERE k = 7") == changed, condition
        spark.sql(f"INSERT OVERWRITE {table} SELECT /*+ COALESCE(1) */ * FROM ({VALUES})")
        spark.sql(f"DELETE FROM {table} WHERE {condition}")
        kept = rows(spark, f"SELECT id FROM {TRUTH} WHERE ({condition}) IS NOT TRUE")
        assert rows(spark, f"SELECT id FROM {table}") == kept, condition
    spark.sql(
        f"MERGE INTO {table} AS t USING {TRUTH} AS s ON t.id = s.id AND (t.v > 3000000000) IS NOT TRUE "
        "WHEN MATCHED AND (t.v < 3000000000) IS NOT TRUE THEN DELETE WHEN NOT MATCHED THEN INSERT *"
    )
    assert rows(spark, f"SELECT id FROM {table}") == ["(1,)", "(3,)", "(4,)", "(5,)"]
    spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.parametrize("condition", ["3000000000 <> v", "NOT (v = 3000000000 AND k = 1)", "v = 3000000000 OR k = 5"])
def test_replace_where(spark: SparkSession, condition: str) -> None:
    table = "local.null_constants.replaced"
    spark.sql(f"CREATE OR REPLACE TABLE {table} (id INT, k INT, v INT, b BINARY) USING iceberg PARTITIONED BY (id)")
    for identity in range(1, 6):  # each in a file of its own: it replaces whole files
        spark.sql(f"INSERT INTO {table} SELECT * FROM ({VALUES}) WHERE id = {identity}")
    # Before 1.11, Iceberg does not see that all rows of a file match such an alternative, and replaces none.
    is_refused = condition.startswith("NOT (") and iceberg_version.number() < (1, 11)
    message = "Cannot delete file where some, but not all, rows match filter"
    with pytest.raises(IcebergSqlError, match=message) if is_refused else nullcontext():
        spark.sql(f"INSERT INTO {table} REPLACE WHERE {condition} SELECT * FROM {table} WHERE false")
    kept = rows(spark, f"SELECT id FROM {TRUTH} WHERE {is_refused} OR ({condition}) IS NOT TRUE")
    assert rows(spark, f"SELECT id FROM {table}") == kept
    spark.sql(f"DROP TABLE {table} PURGE")


NOT_IN = (
    "k NOT IN (NULL, 5)",
    "NOT (k IN (NULL, 5) AND id > 0)",
    "k NOT IN (NULL, 5) OR k = 5",
    "NOT (NOT (k IN (NULL, 5)))",
    f"k NOT IN (NULL, {', '.join(map(str, range(5, 20)))})",
)


@pytest.mark.parametrize("condition", NOT_IN)
def test_an_overwrite_by_not_in_with_a_null(spark: SparkSession, condition: str) -> None:
    """Iceberg leaves the null out, and removes the other rows."""
    table = "local.null_constants.replaced"
    spark.sql(f"CREATE OR REPLACE TABLE {table} (id INT, k INT) USING iceberg PARTITIONED BY (k)")
    rows = f"SELECT id, k FROM {TRUTH}"
    spark.sql(f"INSERT INTO {table} {rows}")
    spark.sql(f"INSERT INTO {table} REPLACE WHERE {condition} {rows} LIMIT 0")
    kept = f"{rows} WHERE ({condition}) IS NOT TRUE ORDER BY id"
    assert spark.table(table).orderBy("id").collect() == spark.sql(kept).collect()
    spark.sql(f"DROP TABLE {table} PURGE")
