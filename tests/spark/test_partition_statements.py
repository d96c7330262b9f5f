"""Partition DDL wherever Spark takes a statement: it runs, and what is wrong is refused at the user's own words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables

pytestmark = pytest.mark.tier("rest", sampled=False)  # on every line of Spark
T = "local.wherever.t"


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.wherever")
    spark.sql(f"CREATE OR REPLACE TABLE {T} (id BIGINT, `a b` STRING, ts TIMESTAMP) USING iceberg")
    yield T
    spark.sql(f"DROP TABLE {T}")


def fields(spark: SparkSession) -> list[str]:
    specs = SessionTables(spark, intercept.unchecked_sql(spark)).get(tuple(T.split(".")))
    return [field.clause for field in specs.specs.spec.fields]


SINGLE = {
    "a comment in each place": "ALTER /* a */ TABLE -- b\r\n {t} ADD /* c */ PARTITION /* d */ FIELD days(/* e */ ts)",
    "a line comment with CRLF before it": "-- a\r\nALTER TABLE {t} ADD PARTITION FIELD days(ts);\r\n",
    "a hint": "ALTER TABLE /*+ x */ {t} ADD PARTITION /*+ BROADCAST(t) */ FIELD days(ts)",
    "a hint before it": "/*+ x */ ALTER TABLE {t} ADD PARTITION FIELD days(ts)",
    "a name by a literal": "ALTER TABLE IDENTIFIER('{t}') ADD PARTITION FIELD days(ts)",
    "a name by an expression": "ALTER TABLE IDENTIFIER('local.' || 'wherever.t') ADD PARTITION FIELD days(ts)",
    "a column by a literal": "ALTER TABLE {t} ADD PARTITION FIELD days(IDENTIFIER('ts')) AS IDENTIFIER('d')",
}


@pytest.mark.parametrize("text", SINGLE.values(), ids=SINGLE)
def test_a_statement(spark: SparkSession, table: str, text: str) -> None:
    spark.sql(text.format(t=table))
    assert fields(spark) == ["days(ts)"]


@pytest.mark.parametrize("text", SINGLE.values(), ids=SINGLE)
def test_a_wrong_one_is_refused_at_its_own_words(spark: SparkSession, table: str, text: str) -> None:
    text = text.format(t=table).replace("days(", "weeks(")
    with pytest.raises(sis.IcebergSqlError) as error:
        spark.sql(text)
    (fault,) = error.value.report
    assert (fault.code, text[fault.span.start : fault.span.end]) == ("SIS101", "weeks")
    assert fields(spark) == []


PARAMETERS: dict[str, tuple[str, Any]] = {
    "N": ("ALTER TABLE {t} ADD PARTITION FIELD bucket(:n, id)", {"n": 8}),
    "a question mark": ("ALTER TABLE {t} ADD PARTITION FIELD bucket(?, id)", [8]),
    "the names": (
        "ALTER TABLE IDENTIFIER(:t) ADD PARTITION FIELD bucket(:n, IDENTIFIER(:c))",
        {"t": T, "n": 8, "c": "id"},
    ),
}


@pytest.mark.needs("parameters in CALL")
@pytest.mark.parametrize(("text", "args"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters(spark: SparkSession, table: str, text: str, args: Any) -> None:
    spark.sql(text.format(t=table), args)
    assert fields(spark) == ["bucket(8, id)"]


@pytest.mark.needs("parameters in CALL")
def test_a_wrong_parameter(spark: SparkSession, table: str) -> None:
    text = f"ALTER TABLE {table} ADD PARTITION FIELD bucket(:n, id)"
    with pytest.raises(sis.IcebergSqlError) as error:
        spark.sql(text, {"n": 0})
    (fault,) = error.value.report
    assert (fault.code, text[fault.span.start : fault.span.end]) == ("SIS103", ":n")


@pytest.mark.needs("variables")
def test_a_session_variable_and_execute_immediate(spark: SparkSession, table: str) -> None:
    spark.sql(f"DECLARE OR REPLACE VARIABLE sis_name = '{table}'")
    spark.sql("ALTER TABLE IDENTIFIER(sis_name) ADD PARTITION FIELD days(ts)")
    spark.sql(f"EXECUTE IMMEDIATE 'ALTER TABLE {table} /* c */ ADD /* c */ PARTITION FIELD bucket(4, id)'")
    assert fields(spark) == ["days(ts)", "bucket(4, id)"]
    spark.sql("DROP TEMPORARY VARIABLE sis_name")


def test_double_quotes(spark: SparkSession, table: str) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")
    session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    session.sql('ALTER TABLE local."wherever"."t" ADD PARTITION FIELD truncate(4, "a b") AS "x_y"')
    assert fields(spark) == ["truncate(4, a b)"]
    assert spark.table(f"{table}.partitions").schema["partition"].dataType.names == ["x_y"]


def test_explain_changes_nothing_and_says_what_would_be(spark: SparkSession, table: str) -> None:
    for head in ("EXPLAIN", "EXPLAIN EXTENDED", "explain /* c */ formatted"):
        (row,) = spark.sql(f"{head} ALTER TABLE {table} ADD PARTITION FIELD days(ts)").collect()
        assert row.asDict().keys() == {"plan"}
        assert "+ 1000  ts_day  days(ts)  added" in row.plan
    with pytest.raises(sis.IcebergSqlError, match="SIS101"):
        spark.sql(f"EXPLAIN ALTER TABLE {table} ADD PARTITION FIELD weeks(ts)")
    assert fields(spark) == []


def test_the_words_in_a_string(spark: SparkSession, table: str) -> None:
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('note' = 'add partition field ts_day later')")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN c INT COMMENT 'drop  partition field'")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN c TO `drop tag`")
    assert "drop tag" in spark.table(table).columns
    properties = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {table}").collect()}
    assert properties["note"] == "add partition field ts_day later"


BLOCKS = {
    "alone": "BEGIN\n  ALTER TABLE {t} ADD PARTITION FIELD days(ts); -- c\n  SELECT 1;\nEND",
    "in IF": "BEGIN IF 1 = 1 THEN ALTER TABLE {t} ADD PARTITION FIELD days(ts); ELSE SELECT 2; END IF; END",
    "in CASE": "BEGIN CASE WHEN 1 = 1 THEN ALTER TABLE {t} ADD /* c */ PARTITION FIELD days(ts); END CASE; END",
    "in a labelled loop": ("BEGIN l: LOOP ALTER TABLE {t} ADD PARTITION FIELD days(ts); LEAVE l; END LOOP l; END"),
    "in WHILE": (
        "BEGIN DECLARE i INT = 0; WHILE i < 1 DO ALTER TABLE {t} ADD PARTITION FIELD days(ts); SET i = i + 1; "
        "END WHILE; END"
    ),
    "in a handler": (
        "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ALTER TABLE {t} ADD PARTITION FIELD days(ts); END; "
        "SELECT raise_error('x'); END"
    ),
    "by a literal": "BEGIN ALTER TABLE IDENTIFIER('{t}') ADD PARTITION FIELD days(ts); END",
}


@pytest.mark.needs("scripts")
@pytest.mark.parametrize("text", BLOCKS.values(), ids=BLOCKS)
def test_in_a_block(spark: SparkSession, table: str, text: str) -> None:
    wrong = text.format(t=table).replace("days(", "weeks(")
    with pytest.raises(sis.IcebergSqlError) as error:
        spark.sql(wrong)
    (fault,) = error.value.report
    assert (fault.code, wrong[fault.span.start : fault.span.end]) == ("SIS101", "weeks")
    spark.sql(text.format(t=table))
    assert fields(spark) == ["days(ts)"]


@pytest.mark.needs("parameters in CALL")
def test_a_block_by_a_local_variable(spark: SparkSession, table: str) -> None:
    spark.sql(f"BEGIN DECLARE name STRING = '{table}'; ALTER TABLE IDENTIFIER(name) ADD PARTITION FIELD days(ts); END")
    assert fields(spark) == ["days(ts)"]


@pytest.mark.needs("scripts")
def test_nothing_of_a_block_runs_if_a_later_statement_is_wrong(spark: SparkSession, table: str) -> None:
    with pytest.raises(sis.IcebergSqlError, match="SIS402"):
        spark.sql(
            f"BEGIN ALTER TABLE {table} ADD PARTITION FIELD days(ts); "
            f"ALTER TABLE {table} ADD PARTITION FIELD days(ts); END"
        )
    assert fields(spark) == []


def test_another_formats_transform_is_that_formats_affair(spark: SparkSession) -> None:
    with pytest.warns(IcebergSqlWarning, match="SIS413"):
        spark.sql(
            "CREATE TABLE spark_catalog.default.sis_other (id BIGINT) USING parquet PARTITIONED BY (bucket(4, id))"
        )
    spark.sql("DROP TABLE spark_catalog.default.sis_other")
