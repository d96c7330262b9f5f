"""Every transform x type: known answers from the spec, and the partition values of Iceberg's own writer.

The second is the stronger check: values are written into tables partitioned by the transform and compared
with `_partition`, in three session time zones, with generated and with interpreted code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import ArithmeticException
from pyspark.sql import SparkSession
from samples import swept
from session_settings import settings

from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_NAME, TRANSFORMS
from spark_iceberg_sql.spark.bridge.plans.scan_metrics import files_read
from spark_iceberg_sql.spark.gate.intercept import unchecked_sql

HIGHEST = 2**31 - 1

# Spec, Appendix B: 32-bit hash requirements. A bucket is (hash & HIGHEST) % n.
HASHES = [
    ("34", 2017239379),
    ("34L", 2017239379),
    ("34S", 2017239379),
    ("34Y", 2017239379),
    ("14.20BD", -500754589),
    ("DATE '2017-11-16'", -653330422),
    ("TIMESTAMP_NTZ '2017-11-16 22:31:08'", -2047944441),
    ("TIMESTAMP_NTZ '2017-11-16 22:31:08.000001'", -1207196810),
    ("TIMESTAMP '2017-11-16 14:31:08-08:00'", -2047944441),
    ("TIMESTAMP '2017-11-16 14:31:08.000001-08:00'", -1207196810),
    ("'iceberg'", 1210000089),
    ("X'00010203'", -188683207),
]

# Spec, Truncate Transform Details and Partition Transforms.
ANSWERS = [
    ("iceberg_truncate(10, 1)", "0"),
    ("iceberg_truncate(10, -1)", "-10"),
    ("iceberg_truncate(10, 1L)", "0"),
    ("iceberg_truncate(10, -1L)", "-10"),
    ("iceberg_truncate(50, 10.65)", "10.50"),
    ("iceberg_truncate(3, 'iceberg')", "ice"),
    ("iceberg_truncate(1, '\U0001f642\U0001f642x')", "\U0001f642"),
    ("CAST(iceberg_truncate(3, X'0102030405') AS STRING)", "\x01\x02\x03"),
    ("iceberg_truncate(10, -128Y)", "-130"),
    ("iceberg_truncate(10, -32768S)", "-32770"),
    ("iceberg_truncate(4, '')", ""),
    ("iceberg_year(DATE '1969-12-31')", "-1"),
    ("iceberg_month(DATE '1969-12-31')", "-1"),
    ("iceberg_day(DATE '1969-12-31')", "1969-12-31"),
    ("iceberg_hour(TIMESTAMP '1969-12-31 23:59:59.999999Z')", "-1"),
    ("iceberg_hour(TIMESTAMP '1970-01-01 00:00:00Z')", "0"),
    ("iceberg_year(TIMESTAMP '2017-11-16 22:31:08Z')", "47"),
    ("iceberg_month(TIMESTAMP '2017-11-16 22:31:08Z')", "574"),
]

_STAMPS = (
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "0001-01-01 00:00:00",
    "1582-10-15 00:00:00",
    "1883-11-18 12:03:58",
    "2017-11-16 22:31:08.000001",
    "2024-02-29 23:59:59.999999",
    "9999-12-31 23:59:59.999999",
)
# Iceberg name -> Spark type and values, edges included; each column also gets a NULL.
VALUES: dict[str, tuple[str, list[str]]] = {
    "int": ("INT", ["0", "1", "-1", "34", "-2147483640", "2147483647", "-7"]),
    "long": ("BIGINT", ["0", "1", "-1", "34", "-9223372036854775800", "9223372036854775807"]),
    "decimal": ("DECIMAL(9, 2)", ["0", "14.20", "-0.01", "10.65", "9999999.99", "-9999000.00"]),
    "date": ("DATE", [f"DATE '{stamp[:10]}'" for stamp in _STAMPS]),
    "timestamptz": ("TIMESTAMP", [f"TIMESTAMP '{stamp}Z'" for stamp in _STAMPS]),
    "timestamp": ("TIMESTAMP_NTZ", [f"TIMESTAMP_NTZ '{stamp}'" for stamp in _STAMPS]),
    "string": ("STRING", ["''", "'iceberg'", "'a\U0001f642b\U0001f642c'", "'e\u0301e\u0301'", "' '"]),
    "binary": ("BINARY", ["X''", "X'00'", "X'00010203'", "X'FFFEFDFCFB'"]),
    "boolean": ("BOOLEAN", ["TRUE", "FALSE"]),
    "float": ("FLOAT", ["0", "1.5", "-3.25"]),
    "double": ("DOUBLE", ["0", "1.5", "-3.25"]),
}
BOUND = [
    *((transform, None) for transform in TRANSFORMS if transform.parameter is None and transform.in_ddl),
    *((BY_NAME["bucket"], n) for n in (1, 16, 1000, HIGHEST)),
    *((BY_NAME["truncate"], w) for w in (1, 2, 10, 1000)),
]


@pytest.mark.tier("quick", of="functions")
@pytest.mark.parametrize(("literal", "answer"), HASHES)
def test_bucket_has_the_spec_s_hashes(spark: SparkSession, literal: str, answer: int) -> None:
    for n in (1, 16, 1000, HIGHEST):
        bucket = spark.sql(f"SELECT iceberg_bucket({n}, {literal})").head()[0]
        assert bucket == (answer & HIGHEST) % n


@pytest.mark.tier("quick", of="functions")
@pytest.mark.parametrize(("call", "answer"), ANSWERS)
def test_known_answers(spark: SparkSession, call: str, answer: str) -> None:
    assert str(spark.sql(f"SELECT {call}").head()[0]) == answer


@contextmanager
def _table(spark: SparkSession, transform: Transform, parameter: int | None) -> Iterator[list[str]]:
    """A table with a column and a partition field for each type that the transform accepts."""
    kinds = [kind for kind in VALUES if kind in transform.sources]
    columns = ", ".join(f"c_{kind} {VALUES[kind][0]}" for kind in kinds)
    fields = ", ".join(transform.clause(f"c_{kind}", parameter) for kind in kinds)
    unchecked_sql(spark)(  # the gate would warn about some of these fields
        f"CREATE OR REPLACE TABLE local.db.grid (row INT, {columns}) USING iceberg "
        f"PARTITIONED BY ({fields}) TBLPROPERTIES ('write.spark.fanout.enabled' = 'true')"
    )
    height = max(len(VALUES[kind][1]) for kind in kinds) + 1  # one row of NULLs
    rows = []
    for i in range(height):
        cells = [VALUES[kind][1][i] if i < len(VALUES[kind][1]) else "NULL" for kind in kinds]
        typed = [f"CAST({cell} AS {VALUES[kind][0]})" for cell, kind in zip(cells, kinds, strict=True)]
        rows.append(f"({i}, {', '.join(typed)})")
    spark.sql(f"INSERT INTO local.db.grid VALUES {', '.join(rows)}")
    yield kinds
    spark.sql("DROP TABLE local.db.grid")


@pytest.mark.parametrize(
    ("transform", "parameter"), swept(BOUND, 2), ids=[str(BoundTransform(*bound)) for bound in BOUND]
)
def test_the_function_says_what_the_table_does(
    spark: SparkSession, transform: Transform, parameter: int | None
) -> None:
    lead = "" if parameter is None else f"{parameter}, "
    with _table(spark, transform, parameter) as kinds:
        pairs = []
        for kind in kinds:
            field = f"_partition.{transform.create_name(f'c_{kind}')}"
            calls = {name: f"{name}({lead}c_{kind})" for name in transform.functions}
            # Python has no time before the year 1, which a session zone west of UTC may produce
            wrap = "CAST({} AS STRING)" if transform.result is None and "stamp" in kind else "{}"
            pairs.append(f"{wrap.format(field)} AS p_{kind}")
            pairs += [f"{wrap.format(call)} AS {name}_{kind}" for name, call in calls.items()]
        query = f"SELECT row, {', '.join(pairs)} FROM local.db.grid ORDER BY row"
        comparisons = 0
        for zone in ("UTC", "America/New_York", "Asia/Kathmandu"):
            for whole_stage, factory in (("true", "CODEGEN_ONLY"), ("false", "NO_CODEGEN")):
                changed = {
                    "spark.sql.session.timeZone": zone,
                    "spark.sql.codegen.wholeStage": whole_stage,
                    "spark.sql.codegen.factoryMode": factory,
                }
                with settings(spark, **changed):
                    for row in spark.sql(query).collect():
                        for kind in kinds:
                            for name in transform.functions:
                                assert row[f"{name}_{kind}"] == row[f"p_{kind}"], (zone, row, kind)
                                comparisons += 1
        assert comparisons >= 6 * 2 * len(kinds)


@pytest.mark.parametrize("width", [2**30, 2**30 + 1, HIGHEST])
def test_huge_widths_agree_with_the_table(spark: SparkSession, width: int) -> None:
    """Iceberg's arithmetic overflows there, in the table and in the function alike."""
    spark.sql(
        "CREATE OR REPLACE TABLE local.db.huge (i INT, l BIGINT) USING iceberg "
        f"PARTITIONED BY (truncate({width}, i), truncate({width}, l))"
    )
    spark.sql(
        "INSERT INTO local.db.huge VALUES (5, 5), (-5, -5), (2147483647, 9223372036854775807), "
        "(-2147483648, -9223372036854775808), (NULL, NULL)"
    )
    rows = spark.sql(
        f"SELECT iceberg_truncate({width}, i) AS fi, iceberg_truncate({width}, l) AS fl, "
        "_partition.i_trunc AS pi, _partition.l_trunc AS pl FROM local.db.huge"
    ).collect()
    assert len(rows) == 5
    assert [(row.fi, row.fl) for row in rows] == [(row.pi, row.pl) for row in rows]
    spark.sql("DROP TABLE local.db.huge")


def test_narrow_integers_are_truncated_as_the_int_that_the_table_stores(spark: SparkSession) -> None:
    spark.sql(
        "CREATE OR REPLACE TABLE local.db.narrow (t TINYINT, s SMALLINT) USING iceberg "
        "PARTITIONED BY (truncate(10, t), truncate(10, s))"
    )
    spark.sql("INSERT INTO local.db.narrow VALUES (-128Y, -32768S), (127Y, 32767S), (NULL, NULL)")
    rows = spark.sql(
        "SELECT iceberg_truncate(10, CAST(t AS TINYINT)) AS ft, _partition.t_trunc AS pt, "
        "iceberg_truncate(10, CAST(s AS SMALLINT)) AS fs, _partition.s_trunc AS ps "
        "FROM local.db.narrow"
    ).collect()
    assert {(row.ft, row.fs) for row in rows} == {(-130, -32770), (120, 32760), (None, None)}
    assert [(row.ft, row.fs) for row in rows] == [(row.pt, row.ps) for row in rows]
    spark.sql("DROP TABLE local.db.narrow")


DECIMALS = "local.db.decimals"
FAILED = (ArithmeticException, Py4JJavaError)  # the latter for a task before Spark 4.0


@pytest.fixture
def decimals(spark: SparkSession) -> Iterator[str]:
    """Decimals up to the limit of their precision, unpartitioned: some cannot be truncated by 50."""
    spark.sql(f"CREATE OR REPLACE TABLE {DECIMALS} (p DECIMAL(4, 2)) USING iceberg")
    spark.sql(f"INSERT INTO {DECIMALS} VALUES (1.00), (-3.10), (-99.80), (NULL)")
    yield DECIMALS
    spark.sql(f"DROP TABLE {DECIMALS}")


@pytest.mark.parametrize(
    ("predicate", "kept"),
    [
        ("iceberg_truncate(50, p) = 1.00", ["1.00"]),
        ("iceberg_truncate(50, p) < 0", ["-3.10", "-99.80"]),
        ("iceberg_truncate(50, p) IN (-3.50, 7.00)", ["-3.10"]),
        ("iceberg_truncate(50, p) IS NOT NULL", ["-3.10", "-99.80", "1.00"]),
    ],
)
def test_a_comparison_needs_no_precision(spark: SparkSession, decimals: str, predicate: str, kept: list[str]) -> None:
    """-99.80 truncates to -100.00, which does not fit decimal(4, 2) but can be compared."""
    query = f"SELECT p FROM {decimals} WHERE {predicate}"
    assert sorted(str(row.p) for row in spark.sql(query).collect()) == kept
    off = {"spark.iceberg_sql.decimals": "false"}
    with settings(spark, **off), pytest.raises(FAILED, match=r"-100\.00 cannot be"):
        spark.sql(query).collect()


@pytest.mark.tier("quick", of="rule decimals")
def test_filters_on_a_truncated_decimal_prune(spark: SparkSession) -> None:
    spark.sql(f"CREATE OR REPLACE TABLE {DECIMALS} (p DECIMAL(4, 2)) USING iceberg PARTITIONED BY (truncate(50, p))")
    spark.sql(f"INSERT INTO {DECIMALS} VALUES (1.00), (1.20), (-3.10), (7.00), (NULL)")
    for predicate, files in (
        ("iceberg_truncate(50, p) = 1", 1),
        ("iceberg_truncate(50, p) >= 1.00", 2),
        ("iceberg_truncate(50, p) BETWEEN -4 AND 2", 2),
        ("iceberg_truncate(50, p) <> 1.00", 2),
    ):
        rows = spark.sql(f"SELECT * FROM {DECIMALS} WHERE {predicate}")
        rows.collect()
        assert (predicate, files_read(rows).files) == (predicate, files)
    spark.sql(f"DROP TABLE {DECIMALS}")
