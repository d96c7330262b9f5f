"""The rule `writers`: overwrites of partitions of a table with files in other partition specs, and what it advises."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import swept

from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version

MODE = "spark.sql.sources.partitionOverwriteMode"
TABLE = "local.overwritten.events"
BEFORE = "(1, TIMESTAMP '2024-01-01 01:30:00', 'a'), (3, TIMESTAMP '2024-01-02 01:00:00', 'a')"
AFTER = "(4, TIMESTAMP '2024-01-01 01:45:00', 'a')"
NEW = "VALUES (10, TIMESTAMP '2024-01-01 01:00:00', 'a')"
OVERWRITE = f"INSERT OVERWRITE {TABLE} {NEW}"


@pytest.fixture(autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(MODE, "dynamic")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.unset(MODE)
    spark.conf.unset("spark.sql.session.timeZone")
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")


def create(spark: SparkSession, partitioning: str, *changes: str, version: int = 2) -> None:
    """The table with rows before the changes of its spec, and with one after."""
    spark.sql(
        f"CREATE TABLE {TABLE} (id INT, ts TIMESTAMP, k STRING) USING iceberg {partitioning} "
        f"TBLPROPERTIES ('format-version' = '{version}')"
    )
    spark.sql(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES {BEFORE}")
    for change in changes:
        spark.sql(f"ALTER TABLE {TABLE} {change}")
    spark.sql(f"INSERT INTO {TABLE} VALUES {AFTER}")


def told(spark: SparkSession, statement: str) -> str:
    """Run a statement; its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IcebergSqlWarning)
        spark.sql(statement)
    return "\n".join(str(warning.message) for warning in caught)


def ids(spark: SparkSession) -> list[int]:
    return [row.id for row in spark.sql(f"SELECT id FROM {TABLE} ORDER BY id").collect()]


STAYING = {
    "unpartitioned": ("", ["ADD PARTITION FIELD days(ts)"], "1 data file"),
    "day to hour": ("PARTITIONED BY (days(ts))", ["REPLACE PARTITION FIELD ts_day WITH hours(ts)"], "2 data files"),
    "hour to day": ("PARTITIONED BY (hours(ts))", ["REPLACE PARTITION FIELD ts_hour WITH days(ts)"], "2 data files"),
    "field added": ("PARTITIONED BY (days(ts))", ["ADD PARTITION FIELD k"], "2 data files"),
    "field dropped": ("PARTITIONED BY (days(ts), k)", ["DROP PARTITION FIELD k"], "2 data files"),
}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("case", swept(STAYING, 2))
def test_rows_that_stay(spark: SparkSession, case: str, version: int) -> None:
    partitioning, changes, files = STAYING[case]
    create(spark, partitioning, *changes, version=version)
    text = told(spark, OVERWRITE)
    assert f"leaves {files} of `{TABLE}` in place" in text
    assert ids(spark) == [1, 3, 10]  # 1 is of the same partition as 10
    moved = re.search(r"CALL .*?\)\)", text)
    assert moved is not None
    spark.sql(moved[0])
    assert told(spark, OVERWRITE) == ""
    assert ids(spark) == [3, 10]


@pytest.mark.parametrize("version", [1, 2])
def test_all_rows(spark: SparkSession, version: int) -> None:
    create(spark, "PARTITIONED BY (days(ts))", "DROP PARTITION FIELD ts_day", version=version)
    text = told(spark, OVERWRITE)
    remark = " (with Iceberg before 1.10, none of them)" if version == 1 else ""
    assert f"replaces all rows of `{TABLE}`, in 3 data files, if the query returns any{remark}: its current" in text
    assert f"DELETE FROM {TABLE} WHERE ..., then INSERT INTO {TABLE}" in text
    assert ids(spark) == ([1, 3, 4, 10] if remark and iceberg_version.number() < (1, 10) else [10])


def test_dataframes_and_partition_clauses(spark: SparkSession) -> None:
    create(spark, "PARTITIONED BY (k)", "ADD PARTITION FIELD days(ts)")
    with pytest.warns(IcebergSqlWarning, match="leaves 1 data file of .* which is in another partition spec"):
        spark.sql(NEW).toDF("id", "ts", "k").writeTo(TABLE).overwritePartitions()
    statement = f"INSERT OVERWRITE {TABLE} PARTITION (k = 'a') SELECT 11, TIMESTAMP '2024-01-01 01:00:00'"
    assert "leaves 1 data file" in told(spark, statement)
    assert ids(spark) == [1, 3, 11]


def test_nothing_to_warn_of(spark: SparkSession) -> None:
    create(spark, "PARTITIONED BY (days(ts))", "ADD PARTITION FIELD k", "DROP PARTITION FIELD k")
    assert told(spark, OVERWRITE) == ""  # the first spec is the current one again
    assert ids(spark) == [3, 10]
    spark.sql(f"ALTER TABLE {TABLE} ADD PARTITION FIELD k")
    assert told(spark, f"INSERT INTO {TABLE} {NEW}") == ""
    spark.conf.set(MODE, "static")
    assert told(spark, OVERWRITE) == ""  # replaces all rows, as it says
    assert ids(spark) == [10]


def test_a_branch_has_its_own_files(spark: SparkSession) -> None:
    create(spark, "PARTITIONED BY (days(ts))", "ADD PARTITION FIELD k")
    spark.sql(f"ALTER TABLE {TABLE} CREATE BRANCH b")
    spark.sql(f"DELETE FROM {TABLE}")
    assert told(spark, OVERWRITE) == ""
    assert "leaves 2 data files" in told(spark, OVERWRITE.replace(TABLE, f"{TABLE}.branch_b"))
