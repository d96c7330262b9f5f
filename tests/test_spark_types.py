"""Spark's type for a type as other engines write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import apply_edits
from spark_iceberg_sql.rules.spark_types import precision_note, spark_type

SPARK_TYPES = {
    # PostgreSQL, SQL Server, Oracle
    "double precision": "DOUBLE",
    "character varying(10)": "VARCHAR(10)",
    "character varying": "STRING",
    "timestamp(6) with time zone": "TIMESTAMP",
    "timestamp without time zone": "TIMESTAMP_NTZ",
    "int4[]": "ARRAY<INT>",
    "text[][3]": "ARRAY<ARRAY<STRING>>",
    "number(10, 2)": "DECIMAL(10, 2)",
    "number(12)": "DECIMAL(12)",
    "number": "DECIMAL(38, 9)",
    "numeric(38, 2)": "DECIMAL(38, 2)",
    "numeric(39)": "STRING",  # more digits than Spark's
    "national character varying(10)": "VARCHAR(10)",
    "varchar2(10)": "STRING",
    "varchar(3, 4)": "STRING",
    "number(1, 2, 3)": "DECIMAL(38, 9)",
    "nvarchar(max)": "STRING",
    "bit varying(3)": "BINARY",
    # MySQL
    "int(11) unsigned zerofill": "BIGINT",
    "bigint unsigned": "DECIMAL(20, 0)",
    "tinyint unsigned": "INT",
    "int unsigned[]": "ARRAY<BIGINT>",
    "enum('a', 'b')": "STRING",
    # Trino
    "array(varchar)": "ARRAY<STRING>",
    "map(varchar(3), bigint)": "MAP<VARCHAR(3), BIGINT>",
    'row(x int, "a b" array(double))': "STRUCT<x: INT, `a b`: ARRAY<DOUBLE>>",
    "row(int, varchar)": "STRUCT<_1: INT, _2: STRING>",
    # ClickHouse
    "LowCardinality(Nullable(String))": "STRING",
    "Tuple(a Int64, b Array(Float32))": "STRUCT<a: BIGINT, b: ARRAY<FLOAT>>",
    "Map(String, UInt64)": "MAP<STRING, DECIMAL(20, 0)>",
    # vectors
    "vector<float, 512>": "ARRAY<FLOAT>",
    "vector(3)": "ARRAY<FLOAT>",
    # Spark's own with another engine's inside
    "array<uuid>": "ARRAY<STRING>",
    "struct<a: jsonb, b: int>": "STRUCT<a: STRING, b: INT>",
    # Iceberg's own that Spark does not have
    "timestamp_ns": "TIMESTAMP_NTZ",
    "timestamptz_ns": "TIMESTAMP",
    # none of these
    "row()": "STRING",
    "array(": "STRING",
    "geography": "GEOGRAPHY(4326)",
}


@pytest.mark.parametrize("text", SPARK_TYPES)
def test_spark_s_type(text: str) -> None:
    assert spark_type(text) == SPARK_TYPES[text]


@pytest.mark.parametrize("text", ["timestamp_ns", "TIMESTAMPTZ_NS", "datetime64(9, 'UTC')", "TIMESTAMP( 7)"])
def test_a_note_of_digits_that_are_lost(text: str) -> None:
    assert precision_note(text) == ", which has microseconds"


@pytest.mark.parametrize("text", ["timestamp(6)", "datetime64(3)", "timestamp_nsx", "time(9)", "array<x(9)>", "ns"])
def test_no_note_where_all_digits_are_kept(text: str) -> None:
    assert not precision_note(text)


@given(
    st.lists(
        st.sampled_from([*"()<>[],:", "row", "array", "int", "unsigned", "varying", "3", "'a'", "with"]), min_size=1
    )
)
def test_any_tokens(words: list[str]) -> None:
    assert spark_type(" ".join(words))


def test_deep_and_wide_types_end() -> None:
    assert spark_type("row(a " * 5000).count("STRUCT") == spark_type("array(" * 5000).count("ARRAY") == 100
    assert spark_type(f"enum({', '.join(['x y'] * 20000)})") == "STRING"


def test_one_repair_writes_all_columns() -> None:
    columns = "".join(f"c{n} double precision, tags{n} text[], " for n in range(20))
    text = f"CREATE TABLE c.db.t ({columns}id int unsigned auto_increment) USING iceberg"
    (finding,) = check(text)
    assert finding.message == "Spark has no type `double precision`"
    assert finding.help == "write `c0 DOUBLE`; write `tags0 ARRAY<STRING>`; write `c1 DOUBLE`; the others alike"
    assert finding.fix is not None
    assert list(check(apply_edits(text, finding.fix.edits))) == []


def test_a_statement_of_very_many_columns_is_not_read_for_each() -> None:
    columns = ", ".join(f"c{n} double precision" for n in range(20_000))
    (finding,) = check(f"CREATE TABLE c.db.t ({columns}) USING iceberg")
    assert (finding.code, finding.fix) == ("SIS001", None)


@pytest.mark.parametrize(
    ("columns", "repaired"),
    [
        ("a int comment 'x', b double precision", "a int comment 'x', b DOUBLE"),
        ("a decimal(3, 1), b int[]", "a decimal(3, 1), b ARRAY<INT>"),
        ("a int autoincrement, b int", "a int , b int"),
        ("a int distkey, b int sortkey", "a int , b int "),
        ("a int identity, b int identity(1, 1)", "a int , b int "),
        ("a int codec(zstd(1)), b int", "a int , b int"),
        ("a string charset utf8, b int", "a string , b int"),
        ("a string character set utf8, b int encode zstd", "a string , b int "),
        ("a timestamp(6) with time zone, b int[]", "a TIMESTAMP, b ARRAY<INT>"),
        ("a timestamp(3) WITH LOCAL TIME ZONE NOT NULL", "a TIMESTAMP NOT NULL"),
        ("a array<row(x int[])>", "a array<STRUCT<x: ARRAY<INT>>>"),
    ],
)
def test_columns_are_repaired(columns: str, repaired: str) -> None:
    (finding,) = check(f"CREATE TABLE c.db.t ({columns}) USING iceberg")
    assert finding.fix is not None
    text = f"CREATE TABLE c.db.t ({columns}) USING iceberg"
    assert apply_edits(text, finding.fix.edits) == f"CREATE TABLE c.db.t ({repaired}) USING iceberg"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE c.db.t (a int) USING iceberg (x y)",
        "CREATE TABLE c.db.t (a int) USING iceberg PARTITIONED BY (days(ts) bucket(3, x y))",
        "CREATE TABLE c.db.t (a int) USING iceberg TBLPROPERTIES ('a' = b(c d))",
        "ALTER TABLE c.db.t ADD PARTITION FIELD bucket(4 x[])",
    ],
)
def test_a_type_is_written_only_where_a_type_stands(text: str) -> None:
    assert not [d for d in check(text) if "has no type" in d.message]
