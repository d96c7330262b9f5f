"""CALL in a session: checked with the real table before it starts, in agreement with Iceberg's procedures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.gate import intercept
from tests import failing_calls

TABLE = "local.calls.t"
REWRITE = "CALL local.system.rewrite_data_files(table => 'calls.t', where => {})"
CONDITIONS = (
    "id = ", "id = 1 AND", "id", "1", "1 = 1", "n.a = 1", "n.b = 1", "t.id = 1", "calls.t.id = 1", "x.id = 1",
    "id % 2 = 1", 'lower(s) = "a"', 'date(ts) = DATE "2024-01-01"', 'iceberg_days(ts) = DATE "2024-01-01"',
    'days(ts) = DATE "2024-01-01"', "nofunc(id) = 1", 'id = "a"', "zzzz = 1", "idd = 1", 's LIKE "a%"', 's LIKE "%a%"',
    'ts > "2024-01-01"', "id IN (1, 2, 3) OR s IS NULL", "ts_day IS NULL", "id = 1;", "",
)  # fmt: skip


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.calls")
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, s STRING, ts TIMESTAMP, n STRUCT<a: INT>) USING iceberg "
        "PARTITIONED BY (days(ts), bucket(4, id))"
    )
    rows = "(1, 'a', TIMESTAMP '2024-01-01 00:00:00', named_struct('a', 1))"
    spark.sql(f"INSERT INTO {TABLE} VALUES {rows}")
    yield spark
    spark.sql(f"DROP TABLE {TABLE} PURGE")
    spark.sql("DROP TABLE IF EXISTS local.calls.u PURGE")


def fails(sql: Any, text: str) -> Exception | None:
    try:
        sql(text).collect()
    except Exception as error:
        return error
    return None


def test_conditions_as_iceberg_reads_them(session: SparkSession) -> None:
    """What the procedure refuses is refused before it starts, and nothing else."""
    for condition in CONDITIONS:
        text = REWRITE.format(repr(condition))
        refused = fails(intercept.unchecked_sql(session), text) is not None
        error = fails(session.sql, text)
        assert isinstance(error, IcebergSqlError) == refused, (condition, error)
        assert error is None or str(error).startswith("error[SIS609]"), (condition, error)


def test_the_sentence_names_what_is_wrong(session: SparkSession) -> None:
    sentences = {
        "zzzz = 1": "names `zzzz`, which is no column of its table",
        "id % 2 = 1": "cannot be evaluated by Iceberg alone: `(id IS NOT NULL) AND ((id % 2) = 1)`",
        "ts_day IS NULL": "names the partition field `ts_day`, which is no column",
        "n.b = 1": "names `n.b`, which `n` does not have",
        "count(id) = 1": "has the aggregate `count(...)`",
    }
    for condition, sentence in sentences.items():
        assert sentence in str(fails(session.sql, REWRITE.format(repr(condition))))


@pytest.mark.needs("expressions in CALL")
def test_every_way_to_a_procedure(session: SparkSession) -> None:
    """In a block, in EXECUTE IMMEDIATE, with parameters: nothing is expired."""
    wrong = "CALL local.system.expire_snapshots(table => 'calls.t', retain_last => 0)"
    for text in (wrong, f"BEGIN {wrong}; END", f'EXECUTE IMMEDIATE "{wrong}"', f"/* a */ {wrong} -- b"):
        assert "`retain_last` must be at least 1, not 0" in str(fails(session.sql, text)), text
    text = "CALL local.system.expire_snapshots(table => :t, retain_last => :n)"
    assert fails(lambda sql: session.sql(sql, args={"t": "calls.t", "n": 5}), text) is None
    assert "must be at least 1" in str(fails(lambda sql: session.sql(sql, args={"t": "calls.t", "n": 0}), text))


def test_a_variable_is_no_column(session: SparkSession) -> None:
    session.sql("DECLARE OR REPLACE VARIABLE most INT DEFAULT 3")
    assert fails(session.sql, REWRITE.format("'id = most'")) is None
    assert fails(session.sql, "CALL local.system.expire_snapshots(table => 'calls.t', retain_last => most)") is None


def test_another_catalog_is_not_judged(session: SparkSession) -> None:
    """Its procedures may have any parameters."""
    error = fails(session.sql, "CALL spark_catalog.system.expire_snapshots(table => 'calls.t', retain_last => 0)")
    assert not str(error).startswith("error[SIS")


@pytest.fixture(scope="module")
def files(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("files")
    session.range(3).write.parquet(f"{folder}/p")
    session.range(3).write.csv(f"{folder}/csv")
    session.sql("CREATE TABLE local.calls.u (id BIGINT) USING iceberg")
    return str(folder)


@pytest.mark.needs("expressions in CALL")
def test_each_call_that_the_check_reports_fails_in_iceberg(session: SparkSession, files: str) -> None:
    """So does each of which it cannot know that: `failing_calls` says why."""
    plain = intercept.unchecked_sql(session)
    calls = (*failing_calls.DECIDED, *sum(failing_calls.UNDECIDED.values(), ()))
    texts = [f"CALL local.system.{call.replace('{folder}', files)}" for call in calls]
    assert [text for text in texts if fails(plain, text) is None] == []


def test_mode_warn(session: SparkSession) -> None:
    import spark_iceberg_sql as sis

    lax = session.newSession()
    sis.install(lax, ddl="warn")
    with pytest.warns(sis.IcebergSqlWarning, match="no option `min-input-fles`"):
        fails(lax.sql, "CALL local.system.rewrite_data_files('calls.t', options => map('min-input-fles', '2'))")
