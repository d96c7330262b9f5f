"""What the functions refuse: at analysis, in one sentence, with a position, and nothing on stderr."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException, ArithmeticException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the usual alias

pytestmark = pytest.mark.tier("quick", of="functions", sampled=False)  # on every line of Spark

ROWS = (
    "(SELECT 'N1' AS tailnum, 5L AS id, 1.5D AS d, current_date() AS day, array(1) AS list, current_timestamp() AS ts)"
)
VALUE = "INVALID_PARAMETER_VALUE.PATTERN"
COUNT = "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"
TYPE = "UNEXPECTED_INPUT_TYPE"

CASES = [
    ("iceberg_bucket(0, id)", VALUE, "`n` in `iceberg_bucket`", "it is 0,", "1 to 2147483647"),
    ("iceberg_bucket(-4, id)", VALUE, "it is -4,"),
    ("iceberg_bucket(1 - 1, id)", VALUE, "it is 0,"),
    ("iceberg_bucket(NULL, id)", VALUE, "it is NULL,"),
    ("iceberg_bucket(CAST(NULL AS INT), id)", VALUE, "it is NULL,"),
    ("iceberg_bucket(2147483648, id)", VALUE, "it is 2147483648,"),
    ("iceberg_bucket(4294967312L, id)", VALUE, "it is 4294967312,"),
    ("iceberg_bucket(16.0, id)", VALUE, "of type decimal(3,1)"),
    ("iceberg_bucket(16e0, id)", VALUE, "of type double"),
    ("iceberg_bucket('16', id)", VALUE, "it is '16', of type string"),
    ("iceberg_bucket(TRUE, id)", VALUE, "of type boolean"),
    ("iceberg_bucket(id, id)", VALUE, "it is id, not a constant"),
    ("iceberg_bucket(CAST(rand() * 9 AS INT), id)", VALUE, "not a constant"),
    ("iceberg_bucket(tailnum, 16)", VALUE, "Hive's and Trino's", "iceberg_bucket(16, tailnum)"),
    ("iceberg_truncate(tailnum, 4)", VALUE, "`w`", "write iceberg_truncate(4, tailnum)"),
    ("iceberg_bucket('16', 1)", VALUE, "2147483647; write iceberg_bucket(16, 1)"),
    ("iceberg_bucket(16.0, 1)", VALUE, "2147483647; write iceberg_bucket(16, 1)"),
    ("iceberg_truncate(' 4', tailnum)", VALUE, "2147483647; write iceberg_truncate(4, tailnum)"),
    ("iceberg_bucket((SELECT 16), 1)", VALUE, "it is a subquery, not a constant", "to 2147483647."),
    ("iceberg_bucket('a', 16)", VALUE, "write iceberg_bucket(16, 'a')"),
    ("iceberg_truncate(0, id)", VALUE, "the width must be a constant integer from 1"),
    ("iceberg_truncate(-1, tailnum)", VALUE, "it is -1,"),
    ("iceberg_truncate(2147483648, id)", VALUE, "it is 2147483648,"),
    ("iceberg_bucket(id)", COUNT, "requires 2 (`n`, `col`) parameters", "number is 1"),
    ("iceberg_bucket()", COUNT, "number is 0"),
    ("iceberg_bucket(16, id, 1)", COUNT, "number is 3"),
    ("iceberg_days()", COUNT, "`iceberg_days` requires 1 (`col`)"),
    ("iceberg_days(ts, 1)", COUNT, "number is 2"),
    ("iceberg_identity(id, id)", COUNT, "number is 2"),
    ("iceberg_void()", COUNT, "number is 0"),
    ("iceberg_bucket(16, d)", TYPE, "second of function `iceberg_bucket`", '"d" has', '"DOUBLE"'),
    ("iceberg_bucket(16, TRUE)", TYPE, '"BOOLEAN"'),
    ("iceberg_bucket(16, list)", TYPE, '"ARRAY<INT>"'),
    ("iceberg_bucket(16, tailnum COLLATE UNICODE_CI)", TYPE, '"STRING COLLATE UNICODE_CI"'),
    ("iceberg_truncate(4, day)", TYPE, '"DATE"'),
    ("iceberg_truncate(4, d)", TYPE, '"DOUBLE"'),
    ("iceberg_days(tailnum)", TYPE, '("DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ")', '"STRING"'),
    ("iceberg_day('2024-01-01')", TYPE, '"STRING"'),
    ("iceberg_years(id)", TYPE, '"BIGINT"'),
    ("iceberg_months(id)", TYPE, '"BIGINT"'),
    ("iceberg_hours(day)", TYPE, '("TIMESTAMP" or "TIMESTAMP_NTZ")', '"DATE"'),
    ("iceberg_identity(list)", TYPE, '"ARRAY<INT>"'),
    ("iceberg_identity(INTERVAL 1 DAY)", TYPE, '"INTERVAL DAY"'),
    ("iceberg_bucket(m => 16, col => id)", "UNRECOGNIZED_PARAMETER_NAME", "`m`", "`n`"),
    ("iceberg_bucket(16, n => 16)", "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT", "`n`"),
]


@pytest.mark.parametrize(("call", "condition", "fragments"), [(c[0], c[1], c[2:]) for c in CASES])
def test_refused_at_analysis(
    spark: SparkSession, capfd: pytest.CaptureFixture[str], call: str, condition: str, fragments: tuple[str, ...]
) -> None:
    text = f"SELECT *,\n  {call} FROM {ROWS}"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(text)
    error = caught.value
    assert (error.getCondition() or "").startswith(condition)
    assert error.getSqlState()
    message = str(error)
    assert [word for word in fragments if word not in message] == []
    assert "line 2 pos 2" in message
    assert "py4j" not in message
    assert "Traceback" not in message
    if hasattr(error, "getQueryContext"):  # since Spark 4.0
        (context,) = error.getQueryContext()
        assert text[context.startIndex() : context.stopIndex() + 1] == call
    assert capfd.readouterr() == ("", "")


def test_refused_through_the_dataframe_api(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    rows = spark.range(1)
    for wrong in (F.call_function("iceberg_bucket", F.col("id"), F.lit(16)), F.expr("iceberg_day(id)")):
        with pytest.raises(AnalysisException, match="iceberg_"):
            rows.select(wrong)
    assert capfd.readouterr() == ("", "")


def test_the_refusal_stands_in_every_clause(spark: SparkSession) -> None:
    for clause in (
        "WHERE iceberg_bucket(0, id) = 1",
        "GROUP BY iceberg_bucket(0, id)",
        "ORDER BY iceberg_bucket(0, id)",
        "WHERE id IN (SELECT iceberg_bucket(0, id) FROM range(3))",
    ):
        with pytest.raises(AnalysisException, match="it is 0, but the number of buckets"):
            spark.sql(f"SELECT 1 FROM range(3) {clause}")


def test_a_decimal_that_leaves_its_precision_fails_as_the_table_does(spark: SparkSession) -> None:
    spark.sql("CREATE OR REPLACE TABLE local.db.tight (p DECIMAL(4, 2)) USING iceberg PARTITIONED BY (truncate(50, p))")
    with pytest.raises(Exception, match=r"would be -100\.00, which decimal\(4, 2\) cannot hold"):
        spark.sql("INSERT INTO local.db.tight VALUES (-99.80)")
    with pytest.raises(ArithmeticException, match=r"-100\.00 cannot be represented as Decimal"):
        spark.sql("SELECT iceberg_truncate(50, CAST(-99.80 AS DECIMAL(4, 2)))").collect()
    spark.sql("DROP TABLE local.db.tight")
