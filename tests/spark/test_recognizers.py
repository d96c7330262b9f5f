"""Each recognizer of errors with a statement that it is for: the sentence, the class of Spark's error, no stack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from test_two_writers import second_session

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark import client_recognizers
from spark_iceberg_sql.spark.gate.recognizers import RECOGNIZERS

HERE = Path(__file__).parent
TABLE = "local.errors.t"
# Recognizers whose errors other tests make, which need a JVM that ends, damaged files or a store of their own.
ELSEWHERE = {
    "ended": "test_servers_open.py",
    "refused_scan": "test_require_filter.py",
    "refused_row": "test_functions_refused.py",
    "attached_conflict": "test_attach.py",
    "attached_name": "test_attach.py",
    "unusable_metadata": "test_relations_metadata.py",
    "unreadable_file": "test_relations_metadata.py",
}
HERE_TESTED = {"explained", "conflict", "cause", "mistake", "bare_java_error"}


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.errors")
    create(spark)
    yield spark
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")


def create(spark: SparkSession, mode: str = "copy-on-write") -> None:
    properties = ", ".join(f"'write.{name}.mode' = '{mode}'" for name in ("delete", "update", "merge"))
    levels = "'write.delete.isolation-level' = 'serializable', 'commit.retry.num-retries' = '0'"
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(
        f"CREATE TABLE {TABLE} (r INT, v INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts)) "
        f"TBLPROPERTIES ({properties}, {levels}, 'format-version' = '2')"
    )
    rows = ", ".join(f"({r}, {r}, TIMESTAMP '2024-01-01 00:00:00')" for r in range(4))
    spark.sql(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")


def said(spark: SparkSession, text: str) -> Exception:
    with pytest.raises(Exception) as error:
        spark.sql(text).collect()
    assert "\tat org.apache" not in str(error.value)
    return error.value


def test_clients_of_a_server_have_the_same_list() -> None:
    """In the same order; what needs the JVM is the server's."""
    names = [recognizer.name for recognizer in client_recognizers.RECOGNIZERS]
    assert names == [recognizer.name for recognizer in RECOGNIZERS if recognizer.name in names]


def test_each_recognizer_has_a_test() -> None:
    names = [recognizer.name for recognizer in RECOGNIZERS]
    assert sorted(names) == sorted({*HERE_TESTED, *ELSEWHERE})
    assert all((HERE / name).exists() for name in ELSEWHERE.values())
    assert all(recognizer.recognizes for recognizer in RECOGNIZERS)


ROW = "SELECT 1 AS r"
CONFLICTS = {
    "MERGE": f"MERGE INTO {TABLE} t USING ({ROW}) q ON t.r = q.r WHEN MATCHED THEN UPDATE SET v = 7",
    "UPDATE": f"UPDATE {TABLE} SET v = 5 WHERE r = 1",
    "DELETE": f"DELETE FROM {TABLE} WHERE r = 1",
}


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_conflicts(session: SparkSession, mode: str) -> None:
    """The table, the other commit, and that nothing was written."""
    create(session, mode)
    for text in CONFLICTS.values():
        other = second_session(session, TABLE)
        session.sql(f"UPDATE {TABLE} SET v = v + 1 WHERE r = 1")
        snapshot = session.sql(f"SELECT snapshot_id FROM {TABLE}.snapshots ORDER BY committed_at DESC LIMIT 1").first()[
            0
        ]
        before = session.sql(f"SELECT sum(v) FROM {TABLE}").first()
        error = said(other, text)
        assert isinstance(error, sis.ConflictError)
        fact, remedy = str(error).split("\n")
        assert fact.startswith(f"`{TABLE}` was changed by another writer while the statement ran (overwrite of 20")
        assert f"UTC, snapshot {snapshot}, added 1 " in fact
        assert "; nothing was written (Iceberg: Found conflicting" in fact
        assert remedy == "help: run the statement again"
        assert session.sql(f"SELECT sum(v) FROM {TABLE}").first() == before
        session.sql(f"REFRESH TABLE {TABLE}")
        other.sql(f"REFRESH TABLE {TABLE}")
        other.sql(text)  # as the help says
        create(session, mode)


def test_the_rule_conflicts_refuses_in_the_same_words(session: SparkSession) -> None:
    create(session, "merge-on-read")
    session.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('write.delete.isolation-level' = 'snapshot')")
    other = second_session(session, TABLE)
    session.sql(f"UPDATE {TABLE} SET v = v + 1 WHERE r = 1")
    error = said(other, CONFLICTS["DELETE"])
    assert isinstance(error, sis.ConflictError)
    assert "rows of this DELETE may have been replaced by snapshot" in str(error)


def test_a_writer(session: SparkSession) -> None:
    """DataFrameWriterV2, which names its table."""
    other = second_session(session, TABLE)
    first = session.sql(f"SELECT snapshot_id FROM {TABLE}.snapshots").first()[0]
    session.sql(f"UPDATE {TABLE} SET v = v + 1 WHERE r = 1")
    frame = other.sql("SELECT 1 AS r, 2 AS v, TIMESTAMP '2024-01-01 00:00:00' AS ts")
    writer = frame.writeTo(TABLE).option("isolation-level", "serializable")
    with pytest.raises(sis.ConflictError, match=f"^`{TABLE}` was changed by another writer .*; nothing was written"):
        writer.option("validate-from-snapshot-id", str(first)).overwritePartitions()


def test_rows_that_are_not_sorted_by_partition(session: SparkSession) -> None:
    """Spark's order takes 0.0 and -0.0 for equal, and Iceberg makes two partitions of them."""
    session.sql(f"DROP TABLE {TABLE} PURGE")
    with pytest.warns(sis.IcebergSqlWarning, match="SIS503"):
        session.sql(
            f"CREATE TABLE {TABLE} (r BIGINT, f DOUBLE) USING iceberg PARTITIONED BY (f) "
            "TBLPROPERTIES ('write.distribution-mode' = 'none')"
        )
    session.sql(f"ALTER TABLE {TABLE} WRITE ORDERED BY r")
    values = "CASE id % 3 WHEN 0 THEN -0.0D WHEN 1 THEN 0.0D ELSE double('NaN') END"
    insert = f"INSERT INTO {TABLE} SELECT id % 9, {values} FROM range(60)"
    error = said(session, insert)
    assert isinstance(error, sis.IcebergSqlError)
    fact, _, remedy = str(error).partition("\nhelp: ")
    assert fact.startswith("a task of the write got rows of a partition whose file it had closed")
    assert session.table(TABLE).count() == 0
    session.sql(remedy[remedy.index("ALTER TABLE") :])
    session.sql(insert)
    assert session.table(TABLE).count() == 60


def test_partition_fields_are_no_columns(session: SparkSession) -> None:
    help_ = "help: filter on `ts`, which also prunes; its values are `iceberg_days(ts)`"
    fact = f"`ts_day` is a partition field, not a column\n{help_}"
    for text in (
        f"SELECT count(*) FROM {TABLE} WHERE ts_day = DATE '2024-01-01'",
        f"SELECT ts_day, count(*) FROM {TABLE} GROUP BY ts_day",
        f"DELETE FROM {TABLE} WHERE ts_day IS NULL",
        f"SELECT * FROM {TABLE} a JOIN {TABLE} b ON a.ts_day = b.r",
        f"WITH x AS (SELECT ts_day FROM {TABLE}) SELECT * FROM x",
    ):
        error = said(session, text)
        assert isinstance(error, AnalysisException), text
        assert error.getCondition().startswith("UNRESOLVED_COLUMN")
        assert str(error).startswith(fact), text
        assert "Spark's message: [UNRESOLVED_COLUMN" in str(error)
    error = said(session, f"SELECT count(*) FROM {TABLE} WHERE ts_day = DATE '2024-01-01'")
    assert f"write instead: SELECT count(*) FROM {TABLE} WHERE iceberg_days(ts) = DATE '2024-01-01'" in str(error)
    error = said(session, f"SELECT ts_day FROM {TABLE}.partitions")
    assert str(error).startswith("`.partitions` has no column `ts_day`: partition fields are in its column `partition`")
    assert f"write instead: SELECT partition.ts_day FROM {TABLE}.partitions" in str(error)
    error = said(session, f"SELECT tss FROM {TABLE}")
    assert "partition field" not in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ts_day, count(*) FROM {t} GROUP BY ts_day",
        "SELECT max(kind), count(kind) FROM {t} HAVING max(kind) > 0",
        "SELECT r, kind FROM {t} ORDER BY r DESC, kind, ts_day LIMIT 6",
        "SELECT DISTINCT kind FROM {t} ORDER BY kind",
        "DELETE FROM {t} WHERE ts_day = DATE '2024-01-01' AND kind = 2",
        "UPDATE {t} SET r = kind WHERE ts_day > DATE '2024-01-01'",
    ],
)
def test_the_statement_without_partition_fields_runs(session: SparkSession, text: str) -> None:
    session.sql(f"ALTER TABLE {TABLE} ADD PARTITION FIELD v AS kind")
    instead = str(said(session, text.format(t=TABLE))).partition("write instead: ")[2].partition("\n")[0]
    assert instead
    session.sql(instead).collect()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT x.ts_day, ts_day FROM {t} AS x",
        "SELECT ts_day FROM (SELECT r, ts_day FROM {t}) WHERE ts_day IS NULL",
        "SELECT ts_day, r AS ts_day FROM {t}",
    ],
)
def test_where_a_partition_field_may_be_something_else_no_statement_is_proposed(
    session: SparkSession, text: str
) -> None:
    assert "write instead" not in str(said(session, text.format(t=TABLE)))


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO {t} (r, ts_day) VALUES (1, DATE '2024-01-01')",
        "UPDATE {t} SET v = 1, ts_day = NULL WHERE r = 1",
        "MERGE INTO {t} t USING (SELECT 1 r) s ON t.r = s.r WHEN MATCHED THEN UPDATE SET ts_day = NULL",
        "MERGE INTO {t} t USING (SELECT 9 r) s ON t.r = s.r WHEN NOT MATCHED THEN INSERT (r, ts_day) VALUES (1, NULL)",
    ],
)
def test_a_partition_field_cannot_be_written(session: SparkSession, text: str) -> None:
    error = str(said(session, text.format(t=TABLE)))
    assert error.startswith("`ts_day` is a partition field, which Iceberg computes from `ts`: it cannot be written\n")
    assert "\nhelp: leave it out, and write `ts`\n" in error
    assert "write instead" not in error


def test_a_condition_of_replace_where_that_is_no_filter(session: SparkSession) -> None:
    condition = "pmod(v, 2) = 1"
    error = said(session, f"INSERT INTO {TABLE} REPLACE WHERE {condition} SELECT * FROM {TABLE} WHERE v = 1")
    assert isinstance(error, AnalysisException)
    fact = f"REPLACE WHERE needs comparisons of columns with values, and `{condition}` is none\n"
    assert str(error).startswith(fact)
    assert "nothing has been written" in str(error)
    assert session.table(TABLE).count() == 4


def test_statements_of_other_engines(session: SparkSession) -> None:
    """The statement to paste runs."""
    session.sql("CREATE OR REPLACE TABLE local.errors.s USING iceberg AS SELECT 1 AS r, 2 AS v")
    merge = f"MERGE INTO {TABLE} AS t USING"
    update = "WHEN MATCHED THEN UPDATE SET v = s.b"
    statements = {
        f"SELECT count(*) FROM {TABLE}$files": f"SELECT count(*) FROM {TABLE}.files",
        f"DELETE FROM {TABLE} AS t USING local.errors.s AS s WHERE t.r = s.r": (
            f"{merge} local.errors.s AS s ON t.r = s.r WHEN MATCHED THEN DELETE"
        ),
        f"{merge} (VALUES (2, 3)) s(a, b) ON t.r = s.a {update}": (
            f"{merge} (SELECT * FROM VALUES (2, 3) AS s(a, b)) AS s ON t.r = s.a {update}"
        ),
        f"{merge} (SELECT 2, 3) AS s(a, b) ON t.r = s.a {update}": (
            f"{merge} (SELECT * FROM (SELECT 2, 3) AS s(a, b)) AS s ON t.r = s.a {update}"
        ),
    }
    for text, instead in statements.items():
        error = said(session, text)
        assert isinstance(error, ParseException), text
        assert f"write instead: {instead}\n" in str(error), str(error)
        session.sql(instead).collect()
    for source in (
        "(SELECT r, uuid() AS u FROM local.errors.s)",
        "(SELECT r, input_file_name() AS u FROM local.errors.s)",
    ):
        error = said(session, f"MERGE INTO {TABLE} t USING {source} s ON t.r = s.r WHEN MATCHED THEN UPDATE SET v = 1")
        assert isinstance(error, AnalysisException)
        assert "which has another value each time that it is computed" in str(error)
        query = str(error).partition("CREATE TABLE ")[2].partition("\n")[0]
        session.sql(f"CREATE OR REPLACE TABLE {query}").collect()
        session.sql(f"DROP TABLE {TABLE}_source PURGE")
    session.sql("DROP TABLE local.errors.s PURGE")


def test_times_in_a_call(session: SparkSession) -> None:
    error = said(session, "CALL local.system.expire_snapshots('errors.t', now() - INTERVAL 7 DAYS)")
    assert "help: write `timestamp_seconds(unix_timestamp() - 604800)`" in str(error)


def test_others(session: SparkSession) -> None:
    """A refusal of Iceberg in one line, a function that there is not, and errors that stay as they are."""
    error = said(session, "CALL local.system.rollback_to_snapshot('errors.t', 123)")
    assert str(error) == "Spark refused the statement: Cannot roll back to unknown snapshot id: 123"
    assert "write iceberg_snapshots" in str(said(session, f"SELECT * FROM iceberg_snapshot('{TABLE}')"))
    refused = said(session, f"ALTER TABLE {TABLE} ADD PARTITION FIELD nope")
    assert str(refused).startswith("error[SIS201]")
    plain = said(session, "SELECT 1 / 0")
    assert "DIVIDE_BY_ZERO" in str(plain)
    assert "Spark's message" not in str(plain)
