"""The functions, called in every way, and Spark's descriptions of them."""

from __future__ import annotations

import datetime
from itertools import pairwise

import pyspark
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the usual alias

import spark_iceberg_sql as sis
from spark_iceberg_sql.model.transforms import BY_FUNCTION, SPEC_FUNCTIONS, TIMES, TRANSFORMS

pytestmark = pytest.mark.tier("quick", of="functions", sampled=False)  # on every line of Spark

ALL = sorted(BY_FUNCTION)


@pytest.mark.parametrize("name", ALL)
def test_the_example_of_the_documentation_is_true(spark: SparkSession, name: str) -> None:
    call, answer = BY_FUNCTION[name].example
    value = spark.sql(f"SELECT {name}({call})").head()[0]
    assert ("NULL" if value is None else str(value)) == answer


@pytest.mark.parametrize("name", ALL)
def test_describe_function_tells_what_it_does(spark: SparkSession, name: str) -> None:
    rows = spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect()
    description = "\n".join(row.function_desc for row in rows)
    assert f"Function: {name}" in description
    assert BY_FUNCTION[name].summary in description
    assert f"> SELECT {name}({BY_FUNCTION[name].example[0]});" in description


def test_show_functions_lists_all_of_them(spark: SparkSession) -> None:
    session = spark.newSession()  # in spark_catalog: with another current catalog, Spark lists no temporary function
    function_names = {row.function for row in session.sql("SHOW FUNCTIONS LIKE 'iceberg*'").collect()}
    assert function_names.issuperset(ALL)
    assert all(spark.catalog.functionExists(name) for name in ALL)


def test_the_table_has_the_promised_names() -> None:
    singular = {f"iceberg_{t.name}" for t in TRANSFORMS}
    plural = {f"iceberg_{unit}s" for unit in ("year", "month", "day", "hour")}
    assert set(ALL) == singular | plural


def test_every_way_of_calling(spark: SparkSession) -> None:
    rows = spark.range(3)
    expected = [(12,), (4,), (4,)]
    ways = (
        rows.selectExpr("iceberg_bucket(16, id)"),
        rows.select(F.expr("Iceberg_Bucket(16, id)")),
        rows.select(F.call_function("ICEBERG_BUCKET", F.lit(16), F.col("id"))),
        spark.sql("SELECT iceberg_bucket(16, id) FROM {rows}", rows=rows),
        spark.sql("SELECT iceberg_bucket(:n, id) FROM range(3)", args={"n": 16}),
        spark.sql("SELECT iceberg_bucket(?, id) FROM range(3)", args=[16]),
        spark.sql("SELECT iceberg_bucket(col => id, n => 16) FROM range(3)"),
        spark.sql("SELECT iceberg_bucket(4 * 4, id) FROM range(3)"),
        spark.sql("SELECT iceberg_bucket(16L, id) FROM range(3)"),
    )
    for way in ways:
        assert [tuple(row) for row in way.collect()] == expected


@pytest.mark.needs("variables")
def test_a_session_variable_is_a_constant(spark: SparkSession) -> None:
    spark.sql("DECLARE OR REPLACE VARIABLE buckets INT DEFAULT 16")
    assert spark.sql("SELECT iceberg_bucket(buckets, 0L) AS b").head().b == 12
    spark.sql("DROP TEMPORARY VARIABLE buckets")


@pytest.mark.parametrize(
    ("written", "column"),
    [
        ("iceberg_bucket(16, tailnum)", "iceberg_bucket(16, tailnum)"),
        ("ICEBERG_Bucket( 16,tailnum )", "iceberg_bucket(16, tailnum)"),
        ("iceberg_truncate(2, t.tailnum)", "iceberg_truncate(2, tailnum)"),
        ("iceberg_days(ts)", "iceberg_days(ts)"),
        ("iceberg_day(ts)", "iceberg_day(ts)"),
        ("iceberg_identity(tailnum)", "iceberg_identity(tailnum)"),
        ("iceberg_void(ts)", "iceberg_void(ts)"),
        ("iceberg_bucket(16, s.a)", "iceberg_bucket(16, s.a)"),
        ("iceberg_bucket(16, tailnum) + 1", "(iceberg_bucket(16, tailnum) + 1)"),
        ("max(iceberg_days(ts))", "max(iceberg_days(ts))"),
    ],
)
def test_the_column_is_called_what_was_typed(spark: SparkSession, written: str, column: str) -> None:
    source = "(SELECT 'N1' AS tailnum, current_timestamp() AS ts, named_struct('a', 1) AS s) t"
    assert spark.sql(f"SELECT {written} FROM {source}").columns == [column]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("iceberg_bucket(16, NULL)", "int"),
        ("iceberg_days(NULL)", "date"),
        ("iceberg_hours(NULL)", "int"),
        ("iceberg_truncate(4, NULL)", "void"),
        ("iceberg_truncate(4, CAST(NULL AS DECIMAL(9, 2)))", "decimal(9,2)"),
        ("iceberg_identity(CAST(NULL AS DOUBLE))", "double"),
        ("iceberg_void(1)", "int"),
        ("iceberg_void(named_struct('a', 1))", "struct<a:int>"),
    ],
)
def test_null_keeps_the_type_of_the_result(spark: SparkSession, call: str, kind: str) -> None:
    answer = spark.sql(f"SELECT {call} AS x")
    assert answer.schema["x"].dataType.simpleString() == kind
    assert answer.head().x is None


def test_days_is_a_date_and_the_others_count_from_1970(spark: SparkSession) -> None:
    row = spark.sql(
        "SELECT iceberg_days(ts) AS d, iceberg_years(ts) AS y, iceberg_months(ts) AS m, "
        "iceberg_hours(ts) AS h FROM (SELECT TIMESTAMP_NTZ '1969-12-31 23:59:59.999999' AS ts)"
    ).head()
    assert (row.d, row.y, row.m, row.h) == (datetime.date(1969, 12, 31), -1, -1, -1)


def test_the_ranks_of_the_time_transforms_follow_from_their_values(spark: SparkSession) -> None:
    """A finer value determines a coarser one, and there are more of them."""
    columns = ", ".join(f"{t.functions[0]}(ts) AS {t.name}" for t in TIMES)
    spark.sql(
        f"SELECT {columns} FROM (SELECT TIMESTAMP '1968-02-27 01:30:00' + make_interval(0, 0, 0, 0, id * 7) AS ts"
        " FROM range(4000))"
    ).createOrReplaceTempView("time_values")
    for coarse, fine in pairwise(t.name for t in TIMES):
        row = spark.sql(
            f"SELECT count(DISTINCT {coarse}), count(DISTINCT {fine}), count(DISTINCT {coarse}, {fine})"
            " FROM time_values"
        ).head()
        assert row[0] < row[1] == row[2], (coarse, fine)


# Appendix B of the spec; the other decimals are those of ClickHouse 26.9.2 and of pyiceberg.
HASHES = {
    "34": 2017239379,
    "34L": 2017239379,
    "34S": 2017239379,
    "14.20BD": -500754589,
    "12345678901234567890123.45BD": 1096540534,
    "CAST(-14.20 AS DECIMAL(38, 2))": 667775751,
    "DATE '2017-11-16'": -653330422,
    "TIMESTAMP_NTZ '2017-11-16 22:31:08'": -2047944441,
    "'iceberg'": 1210000089,
    "X'00010203'": -188683207,
    "true": 1392991556,
    "CAST(1.0 AS FLOAT)": -142385009,
    "1.0D": -142385009,
    "0.0D": 1669671676,
    "-0.0D": 1669671676,
}


def test_clickhouse_s_hash_and_buckets_of_rows(spark: SparkSession) -> None:
    """Of values that Spark does not fold; where Iceberg has a bucket too, it is the same."""
    values = {value: f"if(rand() < 2, {value}, NULL)" for value in HASHES}
    row = spark.sql(f"SELECT {', '.join(f'icebergHash({value})' for value in values.values())}").first()
    assert row is not None
    assert dict(zip(HASHES, row, strict=True)) == HASHES
    row = spark.sql(f"SELECT {', '.join(f'icebergBucket(5, {value})' for value in values.values())}").first()
    assert row is not None
    assert list(row) == [(value & 2**31 - 1) % 5 for value in HASHES.values()]
    nulls = ", ".join(f"icebergHash(if(rand() > 2, {value}, NULL))" for value in HASHES)
    assert spark.sql(f"SELECT {nulls}").first() == (None,) * len(HASHES)


@pytest.mark.filterwarnings("ignore:.*SIS501")
def test_clickhouse_s_names_are_iceberg_s_transforms(spark: SparkSession) -> None:
    """In rows and in filters; the day is a number."""
    for transform in TRANSFORMS:
        call, _ = transform.example
        for name in transform.clickhouse_transforms:
            ours = f"{transform.functions[-1]}({call})"
            ours = f"unix_date({ours})" if transform.result == "date" else ours
            assert spark.sql(f"SELECT {name}({call}) = {ours}").first() == (True,), name
    table = "local.db.clickhouse_names"
    spark.sql(f"CREATE OR REPLACE TABLE {table} (id BIGINT, ts TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (ts, id)")
    spark.sql(f"INSERT INTO {table} SELECT id, TIMESTAMP_NTZ'1969-12-30' + make_dt_interval(id) FROM range(4)")
    try:
        answer = spark.sql(f"SELECT id FROM {table} WHERE icebergDay(ts) = -1 AND icebergBucket(4, id) >= 0").collect()
        assert [row.id for row in answer] == [1]
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.needs("spec functions")
@pytest.mark.parametrize("catalog", ["spark_catalog", "local"])
def test_the_catalog_that_the_expressions_spec_reserves(spark: SparkSession, catalog: str) -> None:
    """It resolves in every current catalog, in expressions of the API, in views and in derived sessions."""
    session = spark.newSession()
    session.sql(f"USE {catalog}")
    for name, function in SPEC_FUNCTIONS.items():
        if (transform := BY_FUNCTION.get(function)) is not None:
            call = transform.example[0]
            assert session.sql(f"SELECT iceberg_functions.{name}({call}) <=> {function}({call})").head()[0], name
    assert session.sql("SELECT ICEBERG_FUNCTIONS.if_else(null = 1, 'a', 'b')").head()[0] == "b"
    rows = session.range(3)
    ways = (
        rows.selectExpr("iceberg_functions.bucket(n => 16, col => id)"),
        rows.select(F.call_function("iceberg_functions.bucket", F.lit(16), F.col("id"))),
        session.sql("WITH b AS (SELECT iceberg_functions.bucket(16, id) FROM range(3)) SELECT * FROM b"),
    )
    assert [list(map(tuple, way.collect())) for way in ways] == [[(12,), (4,), (4,)]] * len(ways)
    rows.createOrReplaceTempView("spec_rows")
    session.sql("CREATE TEMPORARY VIEW spec_buckets AS SELECT iceberg_functions.bucket(16, id) b FROM spec_rows")
    assert session.sql("SELECT sum(b) FROM spec_buckets").head()[0] == 20
    with pytest.raises(AnalysisException, match=r"`iceberg_functions\.years`.*`iceberg_functions\.year`") as raised:
        session.sql("SELECT 1, iceberg_functions.years(DATE '2018-05-13')")
    assert raised.value.getCondition() == "UNRESOLVED_ROUTINE"
    with pytest.raises(AnalysisException, match="constant integer from 1"):
        session.sql("SELECT iceberg_functions.bucket(0, 34)")


@pytest.mark.skipif(not pyspark.__version__.startswith("3.5"), reason="later versions have the catalog")
def test_spark_3_5_names_the_function_to_write(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match=r"no catalog `iceberg_functions`; write iceberg_bucket\(\.\.\.\)"):
        spark.sql("SELECT iceberg_functions.bucket(16, 34)")


@pytest.mark.needs("spec functions")
def test_a_filter_on_the_reserved_catalog_prunes(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.spec.t USING iceberg PARTITIONED BY (bucket(4, id)) AS SELECT id FROM range(40)")
    scan = sis.explain(spark, "SELECT * FROM local.spec.t WHERE iceberg_functions.bucket(4, id) = 1").scans[0]
    assert (scan.files, scan.total_files) == (1, 4)
    spark.sql("DELETE FROM local.spec.t WHERE iceberg_functions.bucket(4, id) = 1")
    assert spark.sql("SELECT count_if(iceberg_bucket(4, id) = 1) FROM local.spec.t").head()[0] == 0
    spark.sql("DROP TABLE local.spec.t PURGE")
