"""Null partition values: Iceberg alone takes them as the lowest, in DELETE whether or not the nulls are counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES

TABLE = "local.nulls.t"
PARTITIONINGS = {  # a partition field: its column, a low and a high value on the border of a partition
    "dt": ("dt", "'b'", "'x'"),
    "days(ts)": ("ts", "TIMESTAMP '2024-01-03 00:00:00'", "TIMESTAMP '2024-01-09 00:00:00'"),
    "truncate(10, k)": ("k", "20", "90"),
    "s.k": ("s.k", "20", "90"),
}
CONDITIONS = (
    "{c} < {low}",
    "{low} >= {c} OR {c} > {high}",
    "{c} < {low} OR id = 5",
    "NOT ({c} >= {low} AND {c} < {high})",
    "NOT {c} >= {low} OR id = 3",
    "({c} <= {low} OR {c} >= {high}) AND id < 9",
    "{c} IS NULL OR {c} < {low}",
    "{c} BETWEEN {low} AND {high}",
)


def _fault(field: str) -> str | None:
    """Why this Iceberg does not read the rows of a table by a field of a struct; None if it does."""
    version = str(gateway.java_class("org.apache.iceberg.IcebergBuild").version())
    (record,) = (issue for issue in ISSUES if issue.reference == "structs of partition fields")
    return f"Iceberg {version}: {record.cost}" if field == "s.k" and version in record.present_in else None


@pytest.fixture(params=("none", "full"))
def metrics(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=PARTITIONINGS)
def partitioning(spark: SparkSession, request: pytest.FixtureRequest, metrics: str) -> Iterator[str]:
    if (fault := _fault(request.param)) is not None:
        pytest.skip(fault)
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, dt STRING, ts TIMESTAMP, k INT, s STRUCT<k: INT>) USING iceberg "
        f"PARTITIONED BY ({request.param}) TBLPROPERTIES ('write.metadata.metrics.default' = '{metrics}')"
    )
    spark.sql(f"INSERT INTO {TABLE} {_rows()}")
    yield request.param
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def _rows() -> str:
    """Eleven rows; in one, every column but the id is null."""
    columns = {
        "dt": "substr('abcdefghxyz', CAST(id + 1 AS INT), 1)",
        "ts": "TIMESTAMP '2024-01-01 05:00:00' + make_dt_interval(CAST(id AS INT))",
        "k": "CAST(id * 10 AS INT)",
        "s": "named_struct('k', CAST(id * 10 AS INT))",
    }
    return "SELECT id, " + ", ".join(f"IF(id = 7, NULL, {e}) AS {c}" for c, e in columns.items()) + " FROM range(11)"


def _ids(spark: SparkSession, condition: str) -> list[int]:
    """The rows that satisfy a condition, without a table."""
    rows = spark.sql(f"SELECT id, {condition} AS is_true FROM ({_rows()})").collect()
    return sorted(row.id for row in rows if row.is_true)


def test_rows_and_counts(spark: SparkSession, partitioning: str) -> None:
    column, low, high = PARTITIONINGS[partitioning]
    for template in CONDITIONS:
        condition = template.format(c=column, low=low, high=high)
        expected = _ids(spark, condition)
        rows = spark.sql(f"SELECT id FROM {TABLE} WHERE {condition}").collect()
        assert sorted(row.id for row in rows) == expected, condition
        assert spark.sql(f"SELECT * FROM {TABLE} WHERE {condition}").count() == len(expected), condition


def test_a_filter_on_one_side_still_prunes(spark: SparkSession, partitioning: str) -> None:
    column, low, _ = PARTITIONINGS[partitioning]
    plan = spark.sql(f"SELECT id FROM {TABLE} WHERE {column} < {low}")._jdf.queryExecution().optimizedPlan()
    assert plan.collectLeaves().apply(0).scan().toBatch().planInputPartitions()
    files = {row[0] for row in spark.sql(f"SELECT _file FROM {TABLE} WHERE {column} < {low}").collect()}
    assert 0 < len(files) < 11


def test_writes_by_a_condition(spark: SparkSession, partitioning: str) -> None:
    """DELETE removes no row for which the condition is null, nor does INSERT ... REPLACE WHERE."""
    column, low, high = PARTITIONINGS[partitioning]
    for template in CONDITIONS[:4]:
        condition = template.format(c=column, low=low, high=high)
        removed = _ids(spark, condition)
        spark.sql(f"DELETE FROM {TABLE} WHERE {condition}")
        remaining = sorted(row.id for row in spark.sql(f"SELECT id FROM {TABLE}").collect())
        assert remaining == sorted({*range(11)} - {*removed}), condition
        spark.sql(f"INSERT INTO {TABLE} SELECT * FROM ({_rows()}) WHERE id IN ({', '.join(map(str, removed))})")
    spark.sql(f"INSERT INTO {TABLE} REPLACE WHERE {column} < {low} SELECT * FROM ({_rows()}) WHERE {column} < {low}")
    assert sorted(row.id for row in spark.sql(f"SELECT id FROM {TABLE}").collect()) == [*range(11)]


def test_a_hive_table_that_was_added(spark: SparkSession) -> None:
    """The files of add_files do not have the partition column, so there are no counts of it."""
    source, target = "spark_catalog.default.hive_nulls", "local.nulls.added"
    spark.sql(f"CREATE TABLE {source} (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt)")
    spark.sql(f"INSERT INTO {source} SELECT id, IF(id % 10 = 7, NULL, concat('d', id % 10)) FROM range(50)")
    spark.sql(f"CREATE TABLE {target} (id BIGINT, dt STRING) USING iceberg PARTITIONED BY (dt)")
    spark.sql(f"CALL local.system.add_files(table => 'nulls.added', source_table => '{source}')")
    condition = "dt > 'd8' OR dt <= 'd1'"
    assert spark.sql(f"SELECT * FROM {target} WHERE {condition}").count() == 15
    assert len(spark.sql(f"SELECT id FROM {target} WHERE {condition}").collect()) == 15
    spark.sql(f"DELETE FROM {target} WHERE dt <= 'd1'")
    assert spark.sql(f"SELECT * FROM {target} WHERE dt IS NULL").count() == 5
    for table in (source, target):
        spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.parametrize("field", ["dt", "truncate(1, dt)"])
def test_lists_of_texts_in_an_alternative(spark: SparkSession, field: str) -> None:
    """Those of the user, and those that a rule adds for what Iceberg cannot evaluate."""
    table = "local.nulls.lists"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, dt STRING) USING iceberg PARTITIONED BY ({field})")
    spark.sql(f"INSERT INTO {table} SELECT id, dt FROM ({_rows()})")
    for condition in (
        "dt IN ('a', 'x') OR id = 5",
        "upper(dt) IN ('A', 'X') OR id = 5",
        "iceberg_truncate(1, dt) IN ('a', 'x') OR id = 5",
        "iceberg_truncate(1, dt) NOT IN ('a', 'x') OR id = 0",
        "iceberg_truncate(1, dt) IN ('a', 'x') AND dt IS NOT NULL",
    ):
        plain = condition.replace("iceberg_truncate(1, dt)", "substr(dt, 1, 1)")
        rows = spark.sql(f"SELECT id FROM {table} WHERE {condition}").collect()
        assert sorted(row.id for row in rows) == _ids(spark, plain), condition
    spark.sql(f"DROP TABLE {table} PURGE")


def test_conditions_on_texts_that_iceberg_evaluates_before_it_knows_of_nulls(spark: SparkSession) -> None:
    """A manifest of one spec, dropped since, has files with and without a null: Iceberg 1.11 fails for IN."""
    table = "local.nulls.texts"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, dt STRING) USING iceberg PARTITIONED BY (dt)")
    spark.sql(f"INSERT INTO {table} SELECT id, dt FROM ({_rows()})")
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD dt")
    spark.sql(f"INSERT INTO {table} VALUES (11, 'b'), (12, NULL)")
    for condition, expected in {
        "dt IN ('a', 'b') AND dt IS NOT NULL": [0, 1, 11],
        "dt LIKE 'b%' AND dt IS NOT NULL": [1, 11],
        "dt NOT IN ('a', 'b') AND dt IS NOT NULL AND id < 4": [2, 3],
        "dt IN (SELECT DISTINCT dt FROM {t} WHERE id % 5 = 1)": [1, 6, 11],
        "EXISTS (SELECT 1 FROM {t} o WHERE o.dt = {t}.dt AND o.id % 5 = 1)": [1, 6, 11],
        "id > 3 AND (dt IN (SELECT dt FROM {t} WHERE id = 1) OR id = 7)": [7, 11],
    }.items():
        text = condition.replace("{t}", table)
        assert sorted(row.id for row in spark.sql(f"SELECT id FROM {table} WHERE {text}").collect()) == expected, text
    spark.sql(f"DROP TABLE {table} PURGE")


def test_an_overwrite_by_a_prefix_without_an_exact_range_is_refused(spark: SparkSession) -> None:
    """After a prefix that ends beyond ASCII, a text that is no UTF-8 may lie within the range, and Iceberg fails."""
    table = "local.nulls.prefixes"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, dt STRING) USING iceberg PARTITIONED BY (dt)")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'é'), (2, 'b'), (3, NULL)")
    with pytest.raises(Exception, match="rows cannot be replaced by a condition on `dt` with LIKE and this prefix"):
        spark.sql(f"INSERT INTO {table} REPLACE WHERE dt NOT LIKE 'é%' SELECT id, dt FROM {table} WHERE false")
    spark.sql(f"DELETE FROM {table} WHERE dt NOT LIKE 'é%'")
    assert sorted(row.id for row in spark.table(table).collect()) == [1, 3]
    spark.sql(f"DROP TABLE {table} PURGE")
