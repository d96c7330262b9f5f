"""The first query checks the manifests that it needs: fewer are opened, and what others state wrongly loses no row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.optimizer import planning_facts
from tests.benchmarks import scale

pytestmark = pytest.mark.tier("rest")

FILES, MANIFESTS = 400, 10
HOUR = "ts >= '2023-01-01 01:00:00' AND ts < '2023-01-01 02:00:00'"


def opened(spark: SparkSession, query: str) -> int:
    """How many manifests the rules open for a query where they know none."""
    scale.forget(spark)
    before = planning_facts.metadata_read()[0]
    scale.plan(spark, query)
    return planning_facts.metadata_read()[0] - before


def test_manifests_of_other_partitions_are_not_checked(spark: SparkSession) -> None:
    of_spark = scale.make(spark, FILES)
    assert opened(spark, f"SELECT * FROM {of_spark} WHERE {HOUR}") == 1
    assert opened(spark, f"SELECT * FROM {of_spark} WHERE {HOUR} AND x > 0.5 AND tenant > 'tenant-05'") == 1
    assert opened(spark, f"SELECT id FROM {of_spark} WHERE ts IN (timestamp '2023-01-01 01:00:00')") == 1
    assert opened(spark, f"SELECT * FROM {of_spark} WHERE x > 0.5") == MANIFESTS
    scale.plan(spark, f"SELECT * FROM {of_spark} WHERE {HOUR}")
    assert opened(spark, f"SELECT * FROM {of_spark}") == 0  # no time of Spark's is in milliseconds
    # Nobody knows who wrote these.
    assert opened(spark, f"SELECT * FROM {scale.make(spark, FILES, of_spark=False)} WHERE {HOUR}") == MANIFESTS
    assert opened(spark, f"SELECT * FROM {scale.make(spark, FILES, of_spark=False)}") == MANIFESTS


@pytest.mark.parametrize(
    "query",
    [
        # The same relation, with and without the condition.
        "WITH c AS (SELECT * FROM {t}) SELECT count(*) FROM c a JOIN c b ON a.id = b.id WHERE a.ts < '2023-01-01'",
        f"SELECT * FROM {{t}} WHERE {HOUR} UNION ALL SELECT * FROM {{t}} WHERE x > 0.5",
        f"SELECT * FROM {{t}} WHERE {HOUR} OR x > 0.5",
        f"SELECT * FROM {{t}} WHERE ({HOUR}) IS NOT TRUE AND x > 0.5",
        "SELECT * FROM {t} WHERE ts < '1969-06-01 00:00:00'",
        "SELECT * FROM {t} WHERE ts + interval 1 day < '2022-06-01' AND x > 0.5",
        f"SELECT * FROM {{t}} WHERE rand() < 0.5 AND {HOUR}",
    ],
)
def test_all_are_checked_where_a_condition_leaves_it_open(spark: SparkSession, query: str) -> None:
    assert opened(spark, query.format(t=scale.make(spark, FILES))) == MANIFESTS


@pytest.fixture(scope="module")
def import_files() -> Callable[[str, str, str], None]:
    text = Path(__file__).with_name("ImportedFiles.java").read_text("utf-8")
    loader = compiler.compile_java(text, "ImportedFiles.java", compiler.context_loader())
    files = compiler.instance(loader, "sparkicebergsql.tests.ImportedFiles")

    def add(source: str, target: str, partition: str) -> None:
        files.add(relations.catalog_table(source), relations.catalog_table(target), partition)

    return add


def day(spark: SparkSession, number: int) -> DataFrame:
    """The rows of a day, from 1 January 2024 on: one an hour, with a text of the day's own."""
    start = (dt.datetime(2023, 12, 31, tzinfo=dt.timezone.utc) + dt.timedelta(days=number)).timestamp()
    return spark.range(0, 24, 1, 1).selectExpr(
        f"id + {number * 100} AS id", f"timestamp_seconds({start} + id * 3600) AS ts", f"'day {number}' AS name"
    )


def merged(spark: SparkSession, table: str) -> None:
    """Spark's next write takes the manifests before it into its own."""
    spark.sql(
        f"ALTER TABLE {table} SET TBLPROPERTIES ('commit.manifest-merge.enabled' = 'true', "
        "'commit.manifest.min-count-to-merge' = '2')"
    )
    day(spark, 60).writeTo(table).append()
    day(spark, 61).writeTo(table).append()


def rewritten(spark: SparkSession, table: str) -> None:
    spark.sql(f"CALL local.system.rewrite_manifests('{table.removeprefix('local.')}')")


def expired(spark: SparkSession, table: str) -> None:
    """Who wrote the files is not known any more."""
    merged(spark, table)
    name, end = table.removeprefix("local."), "timestamp '2100-01-01 00:00:00'"
    spark.sql(f"CALL local.system.expire_snapshots(table => '{name}', older_than => {end}, retain_last => 1)")


def as_it_is(spark: SparkSession, table: str) -> None:
    day(spark, 60).writeTo(table).append()


@pytest.mark.parametrize("then", [as_it_is, merged, rewritten, expired])
@pytest.mark.parametrize("partitioning", ["days(ts)", "months(ts)", "hours(ts)"])
def test_a_file_in_a_wrong_partition_is_read(
    spark: SparkSession,
    tmp_path: Path,
    import_files: Callable[[str, str, str], None],
    then: Callable[[SparkSession, str], None],
    partitioning: str,
) -> None:
    """Another program has stated a later partition than that of the rows; a manifest of Spark's may have it by now."""
    table, source = "local.db.wrongly_placed", "local.db.wrongly_placed_source"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(f"DROP TABLE IF EXISTS {source}")
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg PARTITIONED BY ({partitioning}) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    spark.sql(f"CREATE TABLE {source} (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg")
    day(spark, 40).writeTo(table).append()
    day(spark, 3).writeTo(source).append()
    field, value = {"d": ("ts_day", "2024-02-12"), "m": ("ts_month", 650), "h": ("ts_hour", 474_363)}[partitioning[0]]
    import_files(source, table, f"{field}={value}")
    then(spark, table)
    spark.table(table).write.parquet(str(tmp_path / "rows"))
    spark.read.parquet(str(tmp_path / "rows")).createOrReplaceTempView("rows_outside")
    for condition in (
        "ts >= '2024-01-03 01:00:00' AND ts < '2024-01-03 05:00:00'",
        "ts = '2024-01-03 07:00:00' AND name > 'day 2'",
        "ts <= '2024-01-03 07:00:00'",
    ):
        scale.forget(spark)
        query = f"SELECT id, ts, name FROM {{t}} WHERE {condition} ORDER BY id"
        expected = spark.sql(query.format(t="rows_outside")).collect()
        assert spark.sql(query.format(t=table)).collect() == expected, condition
        assert len(expected) > 0


def test_partitions_of_a_column_itself(spark: SparkSession, tmp_path: Path) -> None:
    """The reader takes the column's values from the partition, whoever has stated them."""
    table = "local.db.by_name"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg PARTITIONED BY (name) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    for number in (1, 2, 3, 4):
        day(spark, number).write.mode("overwrite").parquet(str(tmp_path / "imported" / f"name=day {number}"))
        spark.sql(
            f"CALL local.system.add_files(table => 'db.by_name', source_table => "
            f"'`parquet`.`{tmp_path}/imported`', partition_filter => map('name', 'day {number}'))"
        )
    rows = "SELECT id, ts, name FROM {t} WHERE name = 'day 3' AND id > 305 ORDER BY id"
    assert opened(spark, rows.format(t=table)) == 1
    scale.forget(spark)
    outside = f"parquet.`{tmp_path}/imported`"
    assert spark.sql(rows.format(t=table)).collect() == spark.sql(rows.format(t=outside)).collect()
    assert len(spark.sql(rows.format(t=table)).collect()) == 18


@pytest.mark.parametrize(
    ("partitioning", "stamp"), [("days(ts)", "1969-12-31 23:59:59.999999"), ("hours(ts)", "1969-12-31 23:59:59.999999")]
)
def test_times_before_1970(spark: SparkSession, tmp_path: Path, partitioning: str, stamp: str) -> None:
    """Iceberg may count them a unit too early: their manifests are looked at."""
    table = "local.db.before_1970"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY ({partitioning}) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    values = [(1, stamp), (2, "1968-12-31 23:59:59.999999"), (3, "1971-01-01 00:00:00"), (4, "1969-12-31 00:00:00")]
    for number, text in values:
        spark.sql(f"INSERT INTO {table} VALUES ({number}, timestamp '{text}')")
    spark.table(table).write.parquet(str(tmp_path / "rows"))
    for condition in (f"ts = '{stamp}'", f"ts >= '{stamp}'", "ts < '1970-01-01'", "ts >= '1970-06-01'"):
        scale.forget(spark)
        query = f"SELECT * FROM {{t}} WHERE {condition} ORDER BY id"
        expected = spark.sql(query.format(t=f"parquet.`{tmp_path}/rows`")).collect()
        assert spark.sql(query.format(t=table)).collect() == expected, condition
        assert len(expected) > 0
