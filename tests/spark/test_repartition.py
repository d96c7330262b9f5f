"""sis.repartition: which files it rewrites, in which steps, and what other commits do meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from spark_iceberg_sql.cli import main
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.tables.repartitioning import Repartitioning, repartition

TABLE = "local.repartitioned.events"
STEP = 3000  # bytes: three of the files


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    """Ten days, in files by day; then a file by hour."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(
        f"CREATE TABLE {TABLE} USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES "
        "('write.delete.mode' = 'merge-on-read', 'commit.retry.num-retries' = '20') AS SELECT id, "
        "TIMESTAMP '2024-01-01' + make_dt_interval(0, CAST(id * 6 AS INT)) AS ts FROM range(40)"
    )
    spark.sql(f"ALTER TABLE {TABLE} REPLACE PARTITION FIELD ts_day WITH hours(ts)")
    spark.sql(f"INSERT INTO {TABLE} VALUES (1000, TIMESTAMP '2024-01-01 01:00:00')")
    yield TABLE
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.conf.unset("spark.sql.session.timeZone")


def files(spark: SparkSession) -> dict[int, set[str]]:
    """The data files by spec."""
    rows = spark.sql(f"SELECT spec_id, collect_set(file_path) AS paths FROM {TABLE}.data_files GROUP BY 1").collect()
    return {row.spec_id: set(row.paths) for row in rows}


def ids(spark: SparkSession) -> list[int]:
    return sorted(row.id for row in spark.sql(f"SELECT id FROM {TABLE}").collect())


def commits(spark: SparkSession) -> int:
    return spark.sql(f"SELECT * FROM {TABLE}.snapshots WHERE operation = 'replace'").count()


def test_steps(spark: SparkSession, table: str) -> None:
    before, rows = files(spark), ids(spark)
    dry = repartition(spark, table, step_bytes=STEP, dry_run=True)
    assert (dry["steps"], dry["left_data_files"], files(spark)) == (0, 10, before)
    steps = Repartitioning(spark, table, STEP).steps()
    first = next(steps)
    assert 0 < first.rewritten < 10
    assert first.left.files == len(files(spark)[0]) == 10 - first.rewritten
    steps.close()  # stopped after a step
    assert commits(spark) == 1
    left = Repartitioning(spark, table, STEP).left
    outcome = repartition(spark, table, step_bytes=STEP)
    assert outcome["rewritten_data_files"] == left.files
    assert (outcome["steps"], outcome["left_data_files"], outcome["left_bytes"]) == (left.steps, 0, 0)
    assert commits(spark) == 1 + left.steps
    assert set(files(spark)) == {1}
    assert before[1] <= files(spark)[1]  # files of the current spec are not touched
    assert ids(spark) == rows
    assert repartition(spark, table)["steps"] == 0


def test_a_file_larger_than_a_step(spark: SparkSession, table: str) -> None:
    assert repartition(spark, table, step_bytes=1)["steps"] == 10


@pytest.mark.parametrize("to", ["unpartitioned", "field added"])
def test_other_evolutions(spark: SparkSession, table: str, to: str) -> None:
    change = "DROP PARTITION FIELD ts_hour" if to == "unpartitioned" else "ADD PARTITION FIELD bucket(2, id)"
    spark.sql(f"ALTER TABLE {table} {change}")
    rows = ids(spark)
    assert repartition(spark, table)["rewritten_data_files"] == 11
    assert set(files(spark)) == {2}
    assert ids(spark) == rows


def test_deletes_apply(spark: SparkSession, table: str) -> None:
    spark.sql(f"DELETE FROM {table} WHERE id IN (3, 5, 1000)")
    rows = ids(spark)
    repartition(spark, table, step_bytes=STEP)
    assert ids(spark) == rows == [n for n in range(40) if n not in (3, 5)]


def _delete(spark: SparkSession, table: str, number: int) -> None:
    """Deletes a row, again where the step has replaced its file in between, which is a conflict of Iceberg's."""
    try:
        spark.sql(f"DELETE FROM {table} WHERE id = {number}")
    except Exception as error:
        if "missing data files" not in str(error):
            raise
        _delete(spark, table, number)


def test_other_commits_stay(spark: SparkSession, table: str) -> None:
    """Appends never conflict; deletes may, and then the step is planned anew."""
    stop, appended, deleted = threading.Event(), [], []

    def write() -> None:
        for number in range(2000, 2006):
            if stop.is_set():
                return
            spark.sql(f"INSERT INTO {table} VALUES ({number}, TIMESTAMP '2024-01-05 00:00:00')")
            appended.append(number)
            if number % 3 == 0:
                _delete(spark, table, number - 1980)
                deleted.append(number - 1980)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        repartition(spark, table, step_bytes=1000)
    finally:
        stop.set()
        writer.join()
    assert appended
    assert ids(spark) == sorted({*range(40), 1000, *appended} - set(deleted))


def test_refused(spark: SparkSession, table: str) -> None:
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        repartition(spark, f"{table}_absent")
    with pytest.raises(IcebergSqlError, match="nothing to rewrite"):
        repartition(spark, f"{table}.files")
    with pytest.raises(IcebergSqlError, match="a step of 0 bytes"):
        repartition(spark, table, step_bytes=0)


def test_a_size_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repartition", "local.db.t", "--step-bytes", "much"]) == 2
    assert "`much` is not a size" in capsys.readouterr().err
