"""Values at the ends of their types in partitions by each transform, some of whose values Iceberg computes with an
overflow, against the same rows outside Iceberg.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest
from pyspark.sql import SparkSession
from samples import share, swept
from scans import metrics

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning

pytestmark = pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")

LEAST, LEAST_LONG = -(2**31), -(2**63)
HOUR = 3_600_000_000
# By type: its values, how SQL writes one, and a transform of them that overflows.
KINDS: dict[str, tuple[tuple[int | str, ...], str, str]] = {
    "INT": ((LEAST, LEAST + 1, LEAST + 1000, -1001, -7, 3, 2000, -LEAST - 1), "CAST({}L AS INT)", "truncate(1000, v)"),
    "BIGINT": (
        (LEAST_LONG, LEAST_LONG + 1, LEAST_LONG + 1000, -1001, -7, 3, 2000, -LEAST_LONG - 1),
        "CAST('{}' AS BIGINT)",
        "truncate(1000, v)",
    ),
    "TIMESTAMP": (
        (LEAST_LONG, -(2**31) * HOUR - 1, -1, 0, 1_704_067_200_000_000, 2**31 * HOUR, -LEAST_LONG - 1),
        "timestamp_micros(CAST('{}' AS BIGINT))",
        "hours(v)",
    ),
    "TIMESTAMP_NTZ": (
        (LEAST_LONG, -(2**31) * HOUR - 1, -1, 0, 1_704_067_200_000_000, 2**31 * HOUR, -LEAST_LONG - 1),
        "CAST(timestamp_micros(CAST('{}' AS BIGINT)) AS TIMESTAMP_NTZ)",
        "hours(v)",
    ),
}
# The same of types and transforms that do not overflow for these values. A day of the year -1 is among the dates.
KINDS_IN_ORDER: dict[str, tuple[tuple[int | str, ...], str, str]] = {
    "DATE": (
        (LEAST, LEAST + 1, -719_893, -719_163, -1, 0, 19_723, -LEAST - 1),
        "date_from_unix_date(CAST({}L AS INT))",
        "months(v)",
    ),
    "DECIMAL(38, 2)": (
        (f"-{'9' * 35}0.00", f"-{'9' * 34}89.99", "-10.01", "-0.01", "0", "9.99", f"{'9' * 36}.98", f"{'9' * 36}.99"),
        "CAST('{}' AS DECIMAL(38, 2))",
        "truncate(1000, v)",
    ),
    # Beyond U+FFFF, and what UTF-16 puts behind it and UTF-8 before.
    "STRING": (
        ("", "a", "a\uffff", "a\U0001f600", "a\U0001f600b", "\ue000x", "\uffff", "\U0010ffff"),
        "'{}'",
        "truncate(2, v)",
    ),
    "BINARY": (("", "00", "007F", "7F", "80", "FF", "FF00", "FFFFFF"), "X'{}'", "truncate(1, v)"),
}
ALL_KINDS = KINDS | KINDS_IN_ORDER


@pytest.fixture(autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.unset("spark.sql.session.timeZone")


def literals(kind: str) -> list[str]:
    values, form, _ = ALL_KINDS[kind]
    return [form.format(value) for value in values]


def rows(kind: str) -> str:
    """A query of the values and a null, without a table."""
    values = (*literals(kind), f"CAST(NULL AS {kind})")
    return " UNION ALL ".join(f"SELECT {at} AS id, {literal} AS v" for at, literal in enumerate(values))


def predicates(kind: str) -> list[str]:
    first, second, *_, middle, _, last = literals(kind)
    ranges = (f"v {op} {literal}" for literal, op in product((first, second, middle, last), ("<", "<=", ">", ">=")))
    return [
        *share(ranges, 5),
        f"v BETWEEN {second} AND {middle}",
        f"v = {first} OR v > {middle}",
        f"v <> {first}",
        f"v IN ({first}, {last})",
        f"v NOT IN ({second}, {last})",
        f"v IN ({middle}, NULL)",
        f"v <=> {last}",
        f"NOT (v <=> {first})",
        f"NOT (v < {middle} OR id = 6)",
        f"v > {first} AND id % 2 = 0",
    ]


def truth(spark: SparkSession, kind: str, conditions: list[str], ids: str = "id >= 0") -> dict[str, list[int]]:
    """By condition, the ids of the values for which it is true, without a table."""
    columns = ", ".join(f"({condition}) AS p{at}" for at, condition in enumerate(conditions))
    values = spark.sql(f"SELECT id, {columns} FROM ({rows(kind)}) WHERE {ids} ORDER BY id").collect()
    return {condition: [row.id for row in values if row[f"p{at}"]] for at, condition in enumerate(conditions)}


def ids(spark: SparkSession, table: str, where: str = "true") -> list[int]:
    return sorted(row.id for row in spark.sql(f"SELECT id FROM {table} WHERE {where}").collect())


def create(spark: SparkSession, kind: str, partitioning: str, stored: str, where: str = "id >= 0") -> str:
    table = f"local.limits.t_{re.split('[^A-Z]', kind)[0].lower()}"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    properties = ", ".join(
        f"'{key}' = '{value}'" for key, value in (pair.split("=") for pair in f"write.format.default={stored}".split())
    )
    spark.sql(
        f"CREATE TABLE {table} (id INT, v {kind}) USING iceberg PARTITIONED BY ({partitioning}) "
        f"TBLPROPERTIES ({properties})"
    )
    spark.sql(f"INSERT INTO {table} SELECT * FROM ({rows(kind)}) WHERE {where}")
    return table


LAYOUTS = [
    ("INT", "truncate(1000, v)", "parquet write.metadata.metrics.default=none"),
    ("INT", "bucket(2, id), truncate(1000, v)", "orc"),
    ("INT", "truncate(2147483647, v)", "avro"),
    ("BIGINT", "truncate(1000, v)", "parquet write.metadata.metrics.default=none"),
    ("BIGINT", "truncate(700, v)", "parquet"),
    ("TIMESTAMP", "hours(v)", "parquet write.metadata.metrics.default=none"),
    ("TIMESTAMP", "hours(v)", "parquet"),
]
_BARE = "parquet write.metadata.metrics.default=none"
LAYOUTS_IN_ORDER = [
    ("DECIMAL(38, 2)", "truncate(1000, v)", _BARE),
    *((kind, "bucket(3, v)", _BARE) for kind in ALL_KINDS),
    ("STRING", "truncate(2, v)", _BARE),
    ("BINARY", "truncate(1, v)", _BARE),
    *(
        (kind, f"{unit}(v)", stored)
        for kind in ("TIMESTAMP_NTZ", "TIMESTAMP", "DATE")
        for unit in ("hours", "days", "months", "years")
        for stored in (_BARE, "parquet")
        if (kind, unit) not in (("DATE", "hours"), ("TIMESTAMP", "hours"))
    ),
    *((kind, "bucket(3, v)", "orc") for kind in ("BIGINT", "DECIMAL(38, 2)", "STRING", "BINARY")),
    *((kind, transform, "parquet") for kind, (_, _, transform) in KINDS_IN_ORDER.items()),
    *((kind, "v", _BARE) for kind in ("DECIMAL(38, 2)", "STRING", "BINARY")),
]


@pytest.mark.parametrize(
    ("kind", "partitioning", "stored"), [*swept(LAYOUTS, 3), *swept(LAYOUTS_IN_ORDER, len(LAYOUTS_IN_ORDER) // 4)]
)
def test_filters(spark: SparkSession, kind: str, partitioning: str, stored: str) -> None:
    table = create(spark, kind, partitioning, stored)
    for predicate, expected in truth(spark, kind, predicates(kind)).items():
        assert ids(spark, table, predicate) == expected, predicate


@pytest.mark.parametrize("kind", swept(KINDS, 2))
def test_constants_that_overflow_where_no_value_does(spark: SparkSession, kind: str) -> None:
    """`v > -2147483648` compares the partition values with 2147483296."""
    inner = "id BETWEEN 2 AND 4" if kind.startswith("TIMESTAMP") else "id BETWEEN 3 AND 6"
    table = create(spark, kind, KINDS[kind][2], "parquet", inner)
    for predicate, expected in truth(spark, kind, predicates(kind), inner).items():
        assert ids(spark, table, predicate) == expected, predicate


MODES = [
    ("INT", "copy-on-write"),
    ("INT", "merge-on-read"),
    ("BIGINT", "copy-on-write"),
    ("TIMESTAMP", "merge-on-read"),
    ("TIMESTAMP", "copy-on-write"),
    ("BIGINT", "merge-on-read"),
]
# By a bucket, and by the transform of the type.
STATEMENTS = [
    *((kind, KINDS[kind][2], mode) for kind, mode in MODES),
    *(
        (kind, transform, mode)
        for mode in ("copy-on-write", "merge-on-read")
        for kind, (_, _, in_order) in ALL_KINDS.items()
        for transform in ("bucket(3, v)", in_order)
        if (kind, mode) not in MODES or transform == "bucket(3, v)"
    ),
]


@pytest.mark.parametrize(("kind", "transform", "mode"), swept(STATEMENTS, 6))
def test_statements(spark: SparkSession, kind: str, transform: str, mode: str) -> None:
    table = create(spark, kind, transform, _BARE)
    listed = ", ".join(f"'write.{name}.mode' = '{mode}'" for name in ("delete", "update", "merge"))
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({listed})")
    first, second, *_, middle, _, last = literals(kind)
    deleted = [f"v < {second}", f"v > {middle}", f"v >= {last}", f"v <= {first}"]
    deleted += [f"v = {middle}", f"v IN ({first}, {last})", f"v <> {last}", f"NOT (v <=> {second})"]
    expected = truth(spark, kind, [*deleted, f"v < {middle}"])
    all_ids = list(range(len(literals(kind)) + 1))
    for predicate in deleted:
        spark.sql(f"DELETE FROM {table} WHERE {predicate}")
        assert ids(spark, table) == [at for at in all_ids if at not in expected[predicate]], predicate
        spark.sql(f"INSERT INTO {table} SELECT * FROM ({rows(kind)}) WHERE {predicate}")
    spark.sql(f"UPDATE {table} SET id = id + 100 WHERE v < {middle}")
    changed = expected[f"v < {middle}"]
    assert ids(spark, table) == sorted(at + 100 if at in changed else at for at in all_ids)
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT v FROM ({rows(kind)}) WHERE v < {middle}) s "
        f"ON t.v = s.v AND t.v < {middle} "
        "WHEN MATCHED THEN UPDATE SET id = t.id - 100 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (-1, s.v)"
    )
    assert ids(spark, table) == all_ids


def test_a_spec_of_the_past(spark: SparkSession) -> None:
    table = create(spark, "INT", "truncate(1000, v)", "parquet")
    spark.sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD truncate(1000, v) WITH truncate(1024, v)")
    spark.sql(f"INSERT INTO {table} SELECT id + 100, v FROM ({rows('INT')})")
    for predicate, expected in truth(spark, "INT", predicates("INT")).items():
        both = expected + [at + 100 for at in expected]
        if "id" not in predicate:
            assert ids(spark, table, predicate) == both, predicate


def test_other_files_are_skipped(spark: SparkSession) -> None:
    """Those of other partitions, though one has a value that wrapped around."""
    table = create(spark, "INT", "truncate(1000, v)", "parquet")
    # With the file of the values that wrapped around, and with the lowest ones that did not.
    assert metrics(spark.sql(f"SELECT id FROM {table} WHERE v < -5000"))["resultDataFiles"] == 2
    assert metrics(spark.sql(f"SELECT id FROM {table} WHERE v BETWEEN 0 AND 999"))["resultDataFiles"] == 2
    assert metrics(spark.sql(f"SELECT id FROM {table} WHERE v = 2000"))["resultDataFiles"] == 1
    table = create(spark, "TIMESTAMP", "hours(v)", "parquet")
    spark.sql(f"INSERT INTO {table} SELECT 10, TIMESTAMP '2024-05-05 00:00:00'")
    spring = spark.sql(f"SELECT id FROM {table} WHERE v >= '2024-02-01' AND v < '2024-06-01'")
    assert metrics(spring)["resultDataFiles"] == 5  # four have hours that overflow


def test_a_join_prunes_no_row(spark: SparkSession) -> None:
    """The range of the other side begins at the least integer."""
    table = "local.limits.probed"
    spark.sql(f"CREATE OR REPLACE TABLE {table} (id INT, v INT) USING iceberg PARTITIONED BY (truncate(1000, v))")
    spark.sql(f"INSERT INTO {table} SELECT id, CAST(id * 1000 - 10000 AS INT) FROM range(20)")
    spark.sql("CREATE OR REPLACE TABLE local.limits.built (low INT, high INT, k INT) USING iceberg")
    spark.sql(f"INSERT INTO local.limits.built VALUES ({LEAST}, -3000, 1), (-5000, 5000, 2)")
    joined = (
        f"SELECT /*+ BROADCAST(b) */ id FROM {table} p JOIN local.limits.built b "
        "ON p.v >= b.low AND p.v <= b.high WHERE b.k = 1"
    )
    assert len(spark.sql(joined).collect()) == 8


@pytest.mark.parametrize("kind", swept(ALL_KINDS, 3))
def test_joins_on_buckets(spark: SparkSession, kind: str) -> None:
    """Of two tables with different numbers of them, and with a range that the other side implies."""
    table, other = create(spark, kind, "bucket(4, v)", "parquet"), "local.limits.other"
    spark.sql(f"CREATE OR REPLACE TABLE {other} (k INT, v {kind}) USING iceberg PARTITIONED BY (bucket(6, v))")
    spark.sql(f"INSERT INTO {other} SELECT id * 10, v FROM ({rows(kind)}) WHERE id <> 3")
    values = f"(SELECT id * 10 AS k, v FROM ({rows(kind)}) WHERE id <> 3)"
    bucket = "iceberg_bucket(4, {})".format
    for on in (
        f"{bucket('a.v')} = {bucket('b.v')}",
        f"{bucket('a.v')} <=> {bucket('b.v')} AND a.v <=> b.v",
        f"a.v = b.v AND {bucket('a.v')} IN (0, 1, 3)",
        f"{bucket('a.v')} < {bucket('b.v')} AND b.k = 10",
    ):
        for hint in ("", "/*+ BROADCAST(b) */", "/*+ MERGE(b) */"):
            query = f"SELECT {hint} a.id, b.k FROM {{}} a JOIN {{}} b ON {on}"
            expected, joined = (
                sorted(map(tuple, spark.sql(query.format(*sides)).collect()))
                for sides in ((f"({rows(kind)})", values), (table, other))
            )
            assert joined == expected, (on, hint)


@pytest.mark.parametrize("kind", swept(ALL_KINDS, 3))
def test_functions_return_the_partition_values(spark: SparkSession, kind: str) -> None:
    for transform in (ALL_KINDS[kind][2], "bucket(5, v)"):
        table = create(spark, kind, transform, "parquet")
        (field,) = spark.sql(f"SELECT _partition FROM {table}").schema[0].dataType.fieldNames()
        call = f"iceberg_{transform}"
        assert ids(spark, table, f"NOT (_partition.{field} <=> {call})") == []
        compared = (call.replace("v)", f"{literal})") for literal in literals(kind))
        conditions = [f"{call} {op} {other}" for other, op in product(compared, ("<", "=", ">="))]
        for condition, expected in truth(spark, kind, share(conditions, 4)).items():
            assert ids(spark, table, condition) == expected, condition


def test_overwrites_are_refused(spark: SparkSession) -> None:
    table = create(spark, "INT", "truncate(1000, v)", "parquet", "id BETWEEN 3 AND 6")
    statement = f"INSERT INTO {table} REPLACE WHERE v < {LEAST + 5} SELECT 9, 9"
    with pytest.raises(Exception, match="rows cannot be replaced by a condition on `v`"):
        spark.sql(statement)
    assert ids(spark, table) == [3, 4, 5, 6]
    spark.sql(f"INSERT INTO {table} SELECT 0, {LEAST}")
    with pytest.raises(Exception, match="rows cannot be replaced by a condition on `v`"):
        spark.sql(f"INSERT INTO {table} REPLACE WHERE v < 0 SELECT 9, 9")
    assert ids(spark, table) == [0, 3, 4, 5, 6]


def test_the_warning(spark: SparkSession) -> None:
    table = create(spark, "BIGINT", "truncate(10, v)", "parquet")
    with pytest.warns(IcebergSqlWarning, match="truncate overflow") as caught:
        spark.sql(f"SELECT id FROM {table} WHERE v < 0").collect()
    assert "apache/iceberg#9767" in str(caught[0].message)
    assert "power of two" in str(caught[0].message)
    (finding,) = (candidate for candidate in sis.health(spark, table).findings if candidate.problem == "wrong bounds")
    assert finding.call is None


# ------------------------------------------------------------------ times before 1970


def early(spark: SparkSession, partitioning: str, metrics_mode: str) -> str:
    """The start of a day, almost a second later, and the day before."""
    table = "local.limits.early"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(
        f"CREATE TABLE {table} (id INT, v TIMESTAMP) USING iceberg PARTITIONED BY ({partitioning}) "
        f"TBLPROPERTIES ('write.metadata.metrics.default' = '{metrics_mode}')"
    )
    spark.sql(
        f"INSERT INTO {table} VALUES (0, TIMESTAMP '1965-01-01 00:00:00.999999'), "
        "(1, TIMESTAMP '1965-01-01 00:00:00'), "
        "(2, TIMESTAMP '1964-12-31 23:59:59.999999'), (3, TIMESTAMP '1965-01-01 00:00:01.999999'), "
        "(4, TIMESTAMP '2024-01-01 00:00:00.999999')"
    )
    return table


@pytest.mark.parametrize(
    ("transform", "mode"),
    swept([("hours", "full"), ("days", "full"), ("months", "none"), ("years", "none"), ("days", "none")], 3),
)
def test_the_first_second_of_a_unit(spark: SparkSession, transform: str, mode: str) -> None:
    """Iceberg counts 1965-01-01 00:00:00.999999 to 1964."""
    table = early(spark, f"{transform}(v)", mode)
    assert ids(spark, table, "v >= '1965-01-01'") == [0, 1, 3, 4]
    assert ids(spark, table, "v < '1965-01-01'") == [2]
    assert ids(spark, table, "year(v) = 1965") == [0, 1, 3]
    (field,) = spark.sql(f"SELECT _partition FROM {table}").schema[0].dataType.fieldNames()
    assert ids(spark, table, f"NOT (_partition.{field} <=> iceberg_{transform}(v))") == []
    value = f"iceberg_{transform}(TIMESTAMP '1964-12-31 23:00:00')"
    expected = [0, 2]
    assert ids(spark, table, f"iceberg_{transform}(v) = {value}") == expected
    spark.sql(f"DELETE FROM {table} WHERE v < '1965-01-01'")
    assert ids(spark, table) == [0, 1, 3, 4]
    with pytest.raises(Exception, match="rows cannot be replaced by a condition on `v`"):
        spark.sql(f"INSERT INTO {table} REPLACE WHERE v < '1965-01-01' SELECT 9, TIMESTAMP '1960-01-01'")
    spark.sql(f"INSERT INTO {table} REPLACE WHERE v >= '2000-01-01' SELECT 5, TIMESTAMP '2025-01-01'")
    assert ids(spark, table) == [0, 1, 3, 5]


# ------------------------------------------------------------------ values that cannot be written

DECIMAL = "local.limits.prices"
TOO_LOW = r"`price` has a value whose partition value by truncate\(500, price\) would be -100.00"


@pytest.fixture
def prices(spark: SparkSession) -> str:
    spark.sql(f"DROP TABLE IF EXISTS {DECIMAL}")
    spark.sql(
        f"CREATE TABLE {DECIMAL} (id INT, price DECIMAL(4, 2)) USING iceberg PARTITIONED BY (truncate(500, price))"
    )
    spark.sql(f"INSERT INTO {DECIMAL} VALUES (1, 99.99BD), (2, -94.99BD)")
    return DECIMAL


def test_a_decimal_that_cannot_be_written(spark: SparkSession, prices: str) -> None:
    """One sentence, whatever writes it; its help is a statement after which the value is written."""
    lowest = spark.sql("SELECT 3 AS id, CAST('-99.99' AS DECIMAL(4, 2)) AS price")
    lowest.createOrReplaceTempView("lowest")
    for write in (
        lambda: spark.sql(f"INSERT INTO {prices} SELECT * FROM lowest"),
        lambda: spark.sql(f"UPDATE {prices} SET price = -99.99BD WHERE id = 1"),
        lambda: lowest.writeTo(prices).append(),
        lambda: lowest.writeTo(prices).overwritePartitions(),
        lambda: lowest.write.insertInto(prices),
        lambda: lowest.write.format("iceberg").mode("append").saveAsTable(prices),
        lambda: sis.sql(spark, f"INSERT INTO {prices} SELECT * FROM lowest"),
    ):
        with pytest.raises(IcebergSqlError, match=TOO_LOW) as caught:
            write()
        assert ids(spark, prices) == [1, 2]
    message = str(caught.value)
    assert "\tat " not in message
    spark.sql(message.partition("help: ")[2])
    spark.sql(f"INSERT INTO {prices} SELECT * FROM lowest")
    assert ids(spark, prices, "price < 0") == [2, 3]
    assert ids(spark, prices, "price <= -99.99") == [3]
    assert ids(spark, prices, "price > -99.99 AND price < 99.99") == [2]


def test_the_least_number_of_a_column_that_is_promoted(spark: SparkSession) -> None:
    """It is judged by the column's type of now, though its manifest was read before."""
    table = "local.type_limits.promoted"
    spark.sql(f"CREATE TABLE {table} (id INT, v INT) USING iceberg PARTITIONED BY (truncate(10, v))")
    try:
        spark.sql(f"INSERT INTO {table} VALUES (1, CAST({LEAST}L AS INT)), (2, 5)")
        assert ids(spark, table, f"v = {LEAST}") == [1]
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN v TYPE BIGINT")
        for condition in (f"v = {LEAST}", f"v IN ({LEAST}, 7)", f"v < {LEAST + 5}"):
            assert ids(spark, table, condition) == [1], condition
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")
