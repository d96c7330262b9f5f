"""Former faults that lost rows, each with its own table: filters, DELETE, plans that outlive a rule, CALL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from samples import share
from scans import metrics

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning

LEAST, LEAST_LONG = -(2**31), -(2**63)
HOUR = 3_600_000_000


@pytest.fixture(autouse=True)
def _session(spark: SparkSession) -> Iterator[None]:
    yield
    for key in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone"):
        spark.conf.unset(key)
    spark.sql("SET TIME ZONE 'UTC'")


def table(spark: SparkSession, name: str, columns: str, rows: str, clauses: str = "") -> str:
    """A table of one data file."""
    full = f"local.right_rows.{name}"
    spark.sql(f"CREATE OR REPLACE TABLE {full} ({columns}) USING iceberg {clauses}")
    spark.sql(f"INSERT INTO {full} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
    return full


def found(spark: SparkSession, source: str, predicate: str, column: str) -> list[Any]:
    rows = spark.sql(f"SELECT CAST({column} AS string) AS v FROM {source} WHERE {predicate}")
    return sorted(row.v for row in rows.collect())


# Type, the values of one file, predicate, the values that satisfy it.
WRAPPED = [
    ("int", "5, 17, 25, -2147483648", "{f}truncate(10, x) = 10", ["17"]),
    ("int", "5, 17, 25, -2147483648", "{f}truncate(10, x) IN (0, 20)", ["25", "5"]),
    ("int", "5, 17, 25, -2147483648", "{f}truncate(10, x) < 100", ["17", "25", "5"]),
    ("int", "5, 17, 25, -2147483648", "{f}truncate(10, x) <> 10", ["-2147483648", "25", "5"]),
    ("bigint", f"5L, 17L, {LEAST_LONG + 1}L", "{f}truncate(10, x) = 10L", ["17"]),
    ("bigint", f"5L, 17L, {LEAST_LONG + 1}L", "{f}truncate(10, x) < 100L", ["17", "5"]),
    ("decimal(4,2)", "-99.99BD, 1.23BD, 7.00BD", "{f}truncate(500, x) = 0.00", ["1.23"]),
    ("decimal(4,2)", "-99.99BD, 1.23BD, 7.00BD", "{f}truncate(500, x) >= 5.00", ["7.00"]),
    (
        "timestamp",
        "timestamp_micros(3600000000), timestamp_micros(9223372036854775807)",
        "{f}hours(x) = 1",
        ["1970-01-01 01:00:00"],
    ),
    (
        "timestamp",
        "timestamp_micros(3600000000), timestamp_micros(-9223372036854775807)",
        "{f}hours(x) >= 0 AND {f}hours(x) <= 2",
        ["1970-01-01 01:00:00"],
    ),
]


@pytest.mark.parametrize(
    ("kind", "values", "predicate", "expected", "name"),
    share([(*case, name) for case in WRAPPED for name in ("iceberg_", "local.system.")], 3),
)
def test_a_bound_that_wraps_hides_no_row(
    spark: SparkSession, kind: str, values: str, predicate: str, expected: list[str], name: str
) -> None:
    spark.sql("SET TIME ZONE 'UTC'")
    source = table(spark, "wrapped", f"x {kind}", values)
    where = predicate.format(f=name)
    assert found(spark, source, where, "x") == expected
    spark.sql(f"DELETE FROM {source} WHERE {where}")
    assert found(spark, source, where, "x") == []


def test_a_promoted_columns_partitions_wrapped_as_the_narrow_type_does(spark: SparkSession) -> None:
    source = table(spark, "promoted", "x int", f"{LEAST}, 5, 17", "PARTITIONED BY (truncate(10, x))")
    with pytest.warns(IcebergSqlWarning, match="SIS409"):
        spark.sql(f"ALTER TABLE {source} ALTER COLUMN x TYPE bigint")
    for where in ("iceberg_truncate(10, x) = -2147483650", "iceberg_truncate(100, x) < 0"):
        assert found(spark, source, where, "x") == [str(LEAST)]


def test_a_range_misses_no_row_of_a_partition_whose_value_wrapped(spark: SparkSession) -> None:
    spark.sql("SET TIME ZONE 'UTC'")
    source = table(
        spark,
        "hourly",
        "x timestamp",
        "timestamp_micros(3600000000), timestamp_micros(9223372036854775807)",
        "PARTITIONED BY (hours(x))",
    )
    assert len(found(spark, source, "year(x) >= 1970", "x")) == 2
    source = table(spark, "tens", "x int", f"{LEAST}, 5", "PARTITIONED BY (truncate(10, x))")
    assert found(spark, source, "iceberg_truncate(7, x) < 100", "x") == ["5"]
    assert found(spark, source, "iceberg_truncate(7, x) > 100", "x") == [str(LEAST)]


def test_a_long_list_with_a_null_in_it_is_no_more_than_it_says(spark: SparkSession) -> None:
    """Spark turns more than ten values into a set; NOT IN a set with NULL is never true."""
    source = table(spark, "listed", "x int", "1, 2, 3", "PARTITIONED BY (bucket(16, x))")
    values = ", ".join(map(str, range(100, 111)))
    for name in ("iceberg_", "local.system."):
        call = f"{name}bucket(16, x)"
        assert found(spark, source, f"{call} NOT IN ({values}, NULL)", "x") == []
        assert found(spark, source, f"{call} NOT IN ({values})", "x") == ["1", "2", "3"]


# Settings, column, values, predicate, the values that satisfy it.
VALUES: list[tuple[dict[str, str], str, str, str, list[str]]] = [
    *(
        ({"ansi": "false"}, "int", "5, 50, 77, 1000, 2147483647", predicate, expected)
        for predicate, expected in (
            ("iceberg_truncate(10, x) * 100 = 5000", ["50"]),
            ("iceberg_truncate(10, x) * 1000 > 0", ["1000", "50", "77"]),
            ("iceberg_truncate(10, x) * 10 IN (500, 700)", ["50", "77"]),
            ("iceberg_truncate(10, x) + 100 < 0", ["2147483647"]),
        )
    ),
    ({"ansi": "false"}, "bigint", "5L, 50L", "iceberg_truncate(10, x) * 1000 = 50000", ["50"]),
    ({}, "int", f"{LEAST}, 5", "iceberg_truncate(7, x) = 2147483643", [str(LEAST)]),
    ({}, "int", f"{LEAST}, 5", "iceberg_truncate(7, x) IN (0, 2147483643)", [str(LEAST), "5"]),
    ({}, "int", f"{LEAST}, 5", "iceberg_truncate(100, x) = iceberg_truncate(100, -2147483648)", [str(LEAST)]),
    (
        {},
        "bigint",
        f"{LEAST_LONG + 1}L, 5L",
        f"iceberg_truncate(100, x) = iceberg_truncate(100, {LEAST_LONG + 1}L)",
        [str(LEAST_LONG + 1)],
    ),
    (
        {"ansi": "false"},
        "timestamp",
        "timestamp'2023-05-05 00:00:00', timestamp'2024-05-05 00:00:00', timestamp'2001-01-01 00:00:00'",
        "((x - timestamp'1970-01-01') div interval '1' second) * 1000000000 >= 1600000000000000000",
        ["2023-05-05 00:00:00", "2024-05-05 00:00:00"],
    ),
    (
        {"ansi": "false"},
        "timestamp",
        "timestamp'2024-05-05 00:00:00', timestamp'9000-01-01 00:00:00'",
        "cast(year(x) * 1000000 AS bigint) + month(x) = 2024000005",
        ["2024-05-05 00:00:00"],
    ),
]
# Zone, instants, predicate, the local times that satisfy it.
CLOCKS = [
    (
        "America/Caracas",
        "2016-05-01 02:10:00, 2016-05-01 02:29:00, 2016-05-01 10:30:00, 2016-05-02 10:30:00",
        "to_date(x) = DATE '2016-05-01' AND hour(x) IN (2, 10)",
        ["2016-05-01 02:10:00", "2016-05-01 02:29:00", "2016-05-01 10:30:00"],
    ),
    (
        "Asia/Pyongyang",
        "2018-05-04 23:15:00, 2018-05-04 10:00:00, 2018-05-04 03:00:00",
        "to_date(x) = DATE '2018-05-04' AND hour(x) IN (3, 23)",
        ["2018-05-04 03:00:00", "2018-05-04 23:15:00"],
    ),
    (
        "Africa/Monrovia",
        "1972-01-07 00:44:50, 1972-01-07 09:10:00, 1972-01-07 12:00:00",
        "to_date(x) = DATE '1972-01-07' AND hour(x) IN (0, 9)",
        ["1972-01-07 00:44:50", "1972-01-07 09:10:00"],
    ),
    (
        "Pacific/Chatham",
        "2025-09-28 03:50:00, 2025-09-28 11:50:00",
        "to_date(x) = DATE '2025-09-28' AND hour(x) IN (3, 11)",
        ["2025-09-28 03:50:00", "2025-09-28 11:50:00"],
    ),
    (
        "America/St_Johns",
        "2010-03-14 00:00:30, 2010-03-14 17:20:00, 2010-03-14 12:00:00",
        "to_date(x) = DATE '2010-03-14' AND hour(x) IN (0, 17)",
        ["2010-03-14 00:00:30", "2010-03-14 17:20:00"],
    ),
    (
        "America/St_Johns",
        "2006-10-29T02:30:30Z, 2006-10-28 12:00:00, 2006-10-29T02:40:00Z",
        "x >= '2006-10-01' AND x < TIMESTAMP '2006-10-29T02:50:00Z' AND day(x) IN (5, 29)",
        ["2006-10-29 00:00:30"],
    ),
    (
        "America/St_Johns",
        "2006-10-29T02:40:00Z, 2006-10-29 12:00:00",
        "x >= TIMESTAMP '2006-10-29T02:30:15Z' AND x < '2006-12-01' AND day(x) = 28",
        ["2006-10-28 23:10:00"],
    ),
    (
        "America/New_York",
        "2024-11-03T10:30:00Z, 2024-11-03T11:30:00Z, 2024-11-03T12:30:00Z",
        "date_format(timestamp_seconds(unix_timestamp(x) - 18000), 'yyyy-MM-dd HH:mm') = '2024-11-03 01:30'",
        ["2024-11-03 05:30:00", "2024-11-03 06:30:00"],
    ),
    (
        "America/New_York",
        "2024-11-03T10:30:00Z, 2024-11-03T11:30:00Z, 2024-11-03T12:30:00Z",
        "cast(timestamp_millis(unix_millis(x) - 18000000) AS string) <= '2024-11-03 01:30:00'",
        ["2024-11-03 05:30:00", "2024-11-03 06:30:00"],
    ),
]
VALUES += [
    (
        {"zone": zone},
        "timestamp",
        ", ".join(f"timestamp '{moment.strip()}'" for moment in moments.split(",")),
        predicate,
        expected,
    )
    for zone, moments, predicate, expected in CLOCKS
]


@pytest.mark.parametrize(("settings", "kind", "values", "predicate", "expected"), share(VALUES, 2))
def test_what_a_predicate_implies_leaves_no_row_out(
    spark: SparkSession, settings: dict[str, str], kind: str, values: str, predicate: str, expected: list[str]
) -> None:
    spark.sql(f"SET TIME ZONE '{settings.get('zone', 'UTC')}'")
    source = table(spark, "implied", f"x {kind}", values)
    spark.conf.set("spark.sql.ansi.enabled", settings.get("ansi", "true"))
    assert found(spark, source, predicate, "x") == expected
    spark.sql(f"DELETE FROM {source} WHERE {predicate}")
    assert found(spark, source, predicate, "x") == []


# ------------------------------------------------------------------ plans that outlive a rule


@pytest.fixture
def by_column(spark: SparkSession) -> str:
    """Partitioned by the column itself, so that Iceberg's own result for a bucket is wrong."""
    name = "local.right_rows.by_column"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (x) AS SELECT int(id) AS x FROM range(6)")
    return name


@pytest.mark.parametrize("how", ["uninstalled", "switched off", "excluded", "a temporary view", "cached"])
def test_a_plan_that_outlives_the_guard_returns_its_rows(spark: SparkSession, by_column: str, how: str) -> None:
    rows = spark.sql(f"SELECT x FROM {by_column} WHERE iceberg_bucket(4, x) = 2")
    rows.createOrReplaceTempView("outliving")
    try:
        if how == "switched off":
            spark.conf.set("spark.iceberg_sql.guard", "false")
        elif how == "excluded":
            spark.conf.set("spark.sql.optimizer.excludedRules", "sparkicebergsql.Guard")
        else:
            sis.uninstall(spark)
        if how == "a temporary view":
            rows = spark.table("outliving")
        elif how == "cached":
            rows = spark.table("outliving").cache()
        assert [row.x for row in rows.collect()] == [4]
        rows.unpersist()
    finally:
        spark.conf.unset("spark.iceberg_sql.guard")
        spark.conf.unset("spark.sql.optimizer.excludedRules")
        sis.install(spark)
        spark.catalog.dropTempView("outliving")


def test_a_stream_that_outlives_the_guard_returns_its_rows(spark: SparkSession, by_column: str, tmp_path: Path) -> None:
    spark.sql("CREATE OR REPLACE TABLE local.right_rows.streamed (x int) USING iceberg PARTITIONED BY (x)")
    spark.sql(f"INSERT INTO local.right_rows.streamed SELECT x FROM {by_column}")
    stream = spark.readStream.table("local.right_rows.streamed").where("iceberg_bucket(4, x) = 2")
    writer = stream.writeStream.format("memory").queryName("outlived")
    sis.uninstall(spark)
    try:
        query = writer.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start()
        assert query.awaitTermination(120)
        assert [row.x for row in spark.table("outlived").collect()] == [4]
    finally:
        sis.install(spark)
        spark.catalog.dropTempView("outlived")
        spark.sql("DROP TABLE local.right_rows.streamed")


# ------------------------------------------------------------------ procedures that take a filter

DAYS = 6


def daily(spark: SparkSession, by: str = "days(ts)") -> str:
    """Two small files per day."""
    name = "local.right_rows.daily"
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} (id bigint, ts timestamp, v string) USING iceberg PARTITIONED BY ({by}) "
        "TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'format-version' = '2')"
    )
    for _ in range(2):
        spark.sql(
            f"INSERT INTO {name} SELECT id, timestamp '2023-12-29 12:00:00' + make_dt_interval(int(id)), 'v' "
            f"FROM range({DAYS})"
        )
    return name


# The procedure's filter, and how many of the 12 files it rewrites.
CHOSEN = [
    ("iceberg_days(ts) = DATE '2023-12-30'", 2),
    ("local.system.days(ts) = DATE '2023-12-30'", 2),
    ("iceberg_months(ts) = 647", 6),
    ("year(ts) = 2024", 6),
    ("year(ts) = 2024 AND month(ts) = 1 AND iceberg_days(ts) < DATE '2024-01-03'", 4),
    ("date_trunc('day', ts) = TIMESTAMP '2023-12-30' OR year(ts) = 2024", 8),
    ("to_date(ts) = DATE '2023-12-30' AND id >= 0", 2),
    ("iceberg_bucket(4, id) = iceberg_bucket(4, 0L)", None),
    ("local.system.bucket(4, id) = 0", None),
    ("NOT (iceberg_days(ts) = DATE '2023-12-30')", 10),
    ("iceberg_hours(ts) >= 473000", None),
]


@pytest.mark.parametrize(("where", "files"), CHOSEN)
def test_rewrite_data_files_takes_our_functions_and_what_prune_knows(
    spark: SparkSession, where: str, files: int | None
) -> None:
    spark.sql("SET TIME ZONE 'UTC'")
    name = daily(spark)
    before = sorted(map(str, spark.table(name).collect()))
    text = where.replace("'", "\\'")
    done = spark.sql(
        f"CALL local.system.rewrite_data_files(table => 'right_rows.daily', where => '{text}', "
        "options => map('rewrite-all', 'true'))"
    ).first()
    assert done is not None
    assert sorted(map(str, spark.table(name).collect())) == before
    assert done.rewritten_data_files_count > 0
    if files is not None:
        assert done.rewritten_data_files_count == files


@pytest.mark.parametrize("where", ["iceberg_days(ts) = DATE '2023-12-30'", "year(ts) = 2023 AND month(ts) = 12"])
def test_rewrite_position_delete_files_takes_them_too(spark: SparkSession, where: str) -> None:
    spark.sql("SET TIME ZONE 'UTC'")
    name = daily(spark)
    spark.sql(f"DELETE FROM {name} WHERE id IN (1, 4) AND v = 'v'")
    before = sorted(map(str, spark.table(name).collect()))
    text = where.replace("'", "\\'")
    spark.sql(
        f"CALL local.system.rewrite_position_delete_files(table => 'right_rows.daily', where => '{text}', "
        "options => map('rewrite-all', 'true'))"
    )
    assert sorted(map(str, spark.table(name).collect())) == before


def test_what_cannot_be_translated_is_refused_and_nothing_is_rewritten(spark: SparkSession) -> None:
    daily(spark)
    with pytest.raises(Exception, match=r"(?i)month"):
        spark.sql("CALL local.system.rewrite_data_files(table => 'right_rows.daily', where => 'month(ts) = 2')")


# ------------------------------------------------------------------ nothing is lost in speed


def test_what_is_not_pushed_prunes_by_its_range(spark: SparkSession) -> None:
    name = "local.right_rows.ranges"
    spark.sql(f"CREATE OR REPLACE TABLE {name} (x int, h timestamp) USING iceberg")
    for at in range(4):
        spark.sql(f"INSERT INTO {name} VALUES ({at * 10 + 3}, timestamp '2024-01-0{at + 1} 05:00:00')")
    assert metrics(spark.sql(f"SELECT * FROM {name} WHERE iceberg_truncate(10, x) = 20"))["resultDataFiles"] == 1
    where = "iceberg_hours(h) = iceberg_hours(timestamp '2024-01-02 05:00:00')"
    assert metrics(spark.sql(f"SELECT * FROM {name} WHERE {where}"))["resultDataFiles"] == 1
