"""Intervals, MonotonicExpression and CyclicParts as tables: the result for each input, to the microsecond or day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import compiler, shims
from spark_iceberg_sql.spark.optimizer import rule_classes

SOURCE = Path(__file__).with_name("RuleTables.java")
HOUR, DAY = 3_600_000_000, 86_400_000_000
INT, LONG = 2**31 - 1, 2**63 - 1
SWITCHES = ("spark.iceberg_sql.prune", "spark.iceberg_sql.fast", "spark.iceberg_sql.guard")
TABLE = "local.tables.t"


@pytest.fixture(scope="module")
def ask(spark: SparkSession) -> Any:
    """An object of RuleTables.java, in a class loader below those of the rule `prune`."""
    loader = compiler.context_loader()
    for name, text in rule_classes.base_sources():
        loader = compiler.compile_java(text, f"{name}.java", loader)
    for name, text in compiler.sources("spark_iceberg_sql.spark.optimizer", "Prune"):
        loader = compiler.compile_java(text, f"{name}.java", loader)
    text = SOURCE.read_text(encoding="utf-8")
    loader = compiler.compile_java(text, SOURCE.name, loader)
    return compiler.instance(loader, "sparkicebergsql.RuleTables")


@pytest.fixture(scope="module", autouse=True)
def _session(spark: SparkSession) -> Iterator[None]:
    """A table with a column of each type, with this package's rules off."""
    spark.sql(f"CREATE OR REPLACE TABLE {TABLE} (ts timestamp, n timestamp_ntz, d date, i int, b bigint) USING iceberg")
    for switch in SWITCHES:
        spark.conf.set(switch, "false")
    yield
    for switch in (*SWITCHES, "spark.sql.ansi.enabled"):
        spark.conf.unset(switch)
    spark.sql("SET TIME ZONE 'UTC'")


def expression(spark: SparkSession, text: str, zone: str = "UTC") -> Any:
    """An expression over the table, as optimized."""
    spark.sql(f"SET TIME ZONE '{zone}'")
    plan = spark.sql(f"SELECT {text} AS e FROM {TABLE}")._jdf.queryExecution().optimizedPlan()
    return plan.projectList().apply(0).child()


def condition(spark: SparkSession, text: str, zone: str = "UTC") -> Any:
    spark.sql(f"SET TIME ZONE '{zone}'")
    return spark.table(TABLE).where(text)._jdf.queryExecution().optimizedPlan().condition()


# -- Intervals

OF = [
    ("0", "0", ""),
    ("1", "0", ""),
    ("0", "1", "0:1"),
    ("least", "greatest", "least:greatest"),
    (str(-LONG), str(LONG - 1), f"{-LONG}:{LONG - 1}"),
    (str(LONG - 1), "greatest", f"{LONG - 1}:greatest"),
    ("least", str(-LONG), f"least:{-LONG}"),
    ("greatest", "least", ""),
]
UNION = [
    ("", "", ""),
    ("0:1", "", "0:1"),
    ("0:2", "1:3", "0:3"),
    ("0:1", "1:2", "0:2"),  # adjacent
    ("0:1", "2:3", "0:1 2:3"),
    ("0:9", "2:3", "0:9"),
    ("0:1 4:5 8:9", "1:4", "0:5 8:9"),
    ("0:1 4:5", "2:3 6:7", "0:1 2:3 4:5 6:7"),
    ("0:1", "0:1", "0:1"),
    ("least:0", "0:greatest", "least:greatest"),
    ("least:0", "1:greatest", "least:0 1:greatest"),
    (f"0:{INT}", f"{INT}:{INT + 1}", f"0:{INT + 1}"),
    (f"{LONG - 1}:greatest", f"0:{LONG - 1}", "0:greatest"),
]
INTERSECT = [
    ("", "least:greatest", ""),
    ("0:2", "1:3", "1:2"),
    ("0:1", "1:2", ""),
    ("0:9", "2:3 5:6", "2:3 5:6"),
    ("0:3 5:9", "2:6", "2:3 5:6"),
    ("0:1 2:3 4:5", "0:5", "0:1 2:3 4:5"),
    ("least:greatest", f"{-LONG}:{LONG - 1}", f"{-LONG}:{LONG - 1}"),
    ("least:1", "0:greatest", "0:1"),
    ("least:0", "0:greatest", ""),
    (f"{-INT - 1}:{INT}", f"{INT - 1}:{LONG}", f"{INT - 1}:{INT}"),
]
CONTAINS = [
    ("0:2", "0:2", True),
    ("0:2", "0:1", True),
    ("0:2", "1:3", False),
    ("0:2", "-1:1", False),
    ("0:2 4:6", "1:2 4:5", True),
    ("0:2 4:6", "1:5", False),
    ("0:2", "", True),
    ("", "0:1", False),
    ("least:greatest", "least:greatest", True),
    ("least:0", f"{-LONG}:0", True),
    (f"{-LONG}:0", "least:0", False),
]


def _points(count: int) -> str:
    return " ".join(f"{2 * i}:{2 * i + 1}" for i in range(count))


COARSE = [
    ("", ""),
    ("3:4", "3:4"),
    (_points(32), _points(32)),
    (_points(33), "0:65"),
    (f"least:-1 {_points(32)}", "least:63"),
]


@pytest.mark.parametrize(("start", "end", "expected"), OF)
def test_an_interval(ask: Any, start: str, end: str, expected: str) -> None:
    assert ask.of(start, end) == expected


@pytest.mark.parametrize(("a", "b", "both"), UNION)
def test_a_union(ask: Any, a: str, b: str, both: str) -> None:
    assert (ask.union(a, b), ask.union(b, a)) == (both, both)


@pytest.mark.parametrize(("a", "b", "both"), INTERSECT)
def test_an_intersection(ask: Any, a: str, b: str, both: str) -> None:
    assert (ask.intersect(a, b), ask.intersect(b, a)) == (both, both)


@pytest.mark.parametrize(("a", "b", "holds"), CONTAINS)
def test_what_contains_what(ask: Any, a: str, b: str, holds: bool) -> None:
    assert ask.contains(a, b) is holds


@pytest.mark.parametrize(("a", "expected"), COARSE, ids=range(len(COARSE)))
def test_more_than_32_pieces_are_one(ask: Any, a: str, expected: str) -> None:
    assert ask.coarse(a) == expected


@pytest.mark.parametrize(
    ("a", "holds"), [("least:greatest", True), ("least:0", False), ("0:greatest", False), ("", False)]
)
def test_what_is_all(ask: Any, a: str, holds: bool) -> None:
    assert ask.isAll(a) is holds


# -- MonotonicExpression

# India's last time-zone transition, by an hour: near it the margin is three hours.
CHANGE = datetime(1945, 10, 14, 17, 30, tzinfo=timezone.utc)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CHANGED = int((CHANGE - EPOCH).total_seconds()) * 1_000_000
FIRST_DAY, END_DAY = -683003, 2896373  # the years 100 and 9900
SECOND, UNTIL_1970 = 1 / 3600, -CHANGED / HOUR  # in hours


@dataclass(frozen=True)
class Steps:
    """The properties of a monotonic expression.

    near: hours by which a bound may be off near a transition. reach: how many hours after the transition that ends.
    far: hours by which a bound is always off. ends: of the monotonic range, if not the column's usual ones.
    """

    direction: int = 1
    before: str = "TOTAL"
    beyond: str = "TOTAL"
    near: float = 0
    reach: float = 0
    far: int = 0
    ends: tuple[int, int] = (FIRST_DAY * DAY, END_DAY * DAY - 1)


DAYS = (FIRST_DAY, END_DAY - 1)
ZONED = Steps(near=3, reach=3)
ANY = "ANYTHING"
FAR = "date_add(date_add(to_date(ts), 300000), 300000)"
MONOTONIC: list[tuple[str, Steps | None]] = [
    # Parts of a date. Cyclic ones are not monotonic.
    ("year(ts)", ZONED),
    ("year(n)", Steps()),
    ("year(d)", Steps(ends=DAYS)),
    ("extract(yearofweek FROM ts)", ZONED),
    ("last_day(d)", Steps(1, "APART", "APART", ends=DAYS)),
    ("last_day(ts)", Steps(1, "APART", "APART", 3, 3)),
    *((f"{part}(ts)", None) for part in ("quarter", "month", "day", "dayofyear", "weekofyear", "dayofweek")),
    *((f"{part}(ts)", None) for part in ("weekday", "hour")),
    # Times as numbers and back.
    ("unix_date(d)", Steps(ends=DAYS)),
    *((f"unix_{unit}(ts)", Steps()) for unit in ("seconds", "millis", "micros")),
    ("unix_timestamp(ts)", Steps()),
    ("unix_timestamp(n)", Steps(near=3, reach=29)),
    ("to_unix_timestamp(ts)", Steps()),
    ("to_unix_timestamp(n)", Steps(near=3, reach=29)),
    ("date_from_unix_date(unix_date(d))", Steps(ends=DAYS)),
    ("timestamp_seconds(unix_seconds(ts))", Steps()),
    ("timestamp_millis(unix_millis(ts))", Steps()),
    ("timestamp_micros(unix_micros(ts))", Steps()),
    ("date_trunc('day', timestamp_seconds(unix_seconds(ts)))", ZONED),
    # A range of a thousand days is too wide to search for transitions.
    ("date_trunc('day', timestamp_seconds(unix_seconds(ts) + 60))", Steps(near=26, far=26)),
    ("timestamp_seconds(unix_seconds(ts) * 2)", None),
    ("timestamp_seconds(unix_seconds(ts) div 2)", None),
    # Truncated and shifted.
    ("trunc(d, 'month')", Steps(1, "APART", "APART", ends=DAYS)),
    ("trunc(ts, 'week')", Steps(1, "APART", "APART", 3, 3)),
    ("date_trunc('hour', ts)", ZONED),
    ("next_day(ts, 'MON')", Steps(1, "APART", "APART", 3, 3)),
    ("date_add(to_date(ts), 7)", Steps(1, "TOTAL", "APART", 3, 171)),
    ("date_add(to_date(ts), 1)", Steps(1, "TOTAL", "APART", 3, 27)),
    ("date_add(to_date(ts), 0)", Steps(1, "APART", "TOTAL", 3, 3)),
    ("date_add(to_date(ts), -7)", Steps(1, "APART", "TOTAL", 3, 171)),
    ("date_sub(to_date(ts), 7)", Steps(1, "APART", "TOTAL", 3, 171)),
    ("date_sub(to_date(ts), -7)", Steps(1, "TOTAL", "APART", 3, 171)),
    ("date_add(to_date(ts), 300000)", Steps(1, "TOTAL", "APART", 26, 0, 26)),
    ("date_add(to_date(ts), 300001)", None),
    (f"date_add({FAR}, 300000)", Steps(1, "TOTAL", "APART", 26, 0, 26)),
    (f"date_add(date_add({FAR}, 300000), 1)", None),
    ("date_add(to_date(ts), 400)", Steps(1, "TOTAL", "APART", 3, 9603)),
    ("date_add(to_date(ts), 401)", Steps(1, "TOTAL", "APART", 26, 0, 26)),
    ("add_months(to_date(ts), 1)", Steps(near=3, reach=747)),
    ("add_months(to_date(ts), -2)", Steps(near=3, reach=1491)),
    ("to_date(ts) + INTERVAL 1 MONTH", Steps(near=3, reach=747)),
    ("ts + INTERVAL 1 MONTH", Steps(near=99, reach=771, far=96)),
    ("ts + INTERVAL 3 DAYS", Steps(near=3, reach=99)),
    ("ts - INTERVAL 3 DAYS", Steps(near=3, reach=99)),
    ("ts + INTERVAL 23 HOURS", Steps()),
    ("ts + INTERVAL 24 HOURS", Steps(near=3, reach=51)),
    ("date_trunc('day', ts + INTERVAL 23 HOURS)", Steps(near=3, reach=27)),
    ("ts + make_interval(0, 1, 0, 2, 0, 0, 0)", Steps(near=99, reach=843, far=96)),
    ("ts + make_interval(0, 1, 0, 1, 0, 0, 0)", Steps(near=99, reach=819, far=96)),
    ("from_utc_timestamp(ts, 'Asia/Kolkata')", Steps(near=3, reach=29)),
    ("to_utc_timestamp(ts, 'Asia/Kolkata')", Steps(near=3, reach=29)),
    ("from_utc_timestamp(ts, 'UTC')", Steps()),
    # The margins of two zones may add up.
    ("date_trunc('day', from_utc_timestamp(ts, 'Asia/Kolkata'))", Steps(near=6, reach=29)),
    # Differences: decreasing if the column is subtracted.
    ("datediff(ts, date '1970-01-05')", Steps(1, "APART", "APART", 3, 3)),
    ("datediff(date '1970-01-05', ts)", Steps(-1, "APART", "APART", 3, 3)),
    ("to_date(ts) - date '1970-01-05'", ZONED),
    ("date '1970-01-05' - to_date(ts)", Steps(-1, near=3, reach=3)),
    ("ts - timestamp '1970-01-05'", ZONED),
    ("timestamp '1970-01-05' - ts", Steps(-1, near=3, reach=3)),
    # As text.
    ("cast(ts AS string)", Steps(1, "TOTAL", "APART", 3, 3)),
    ("cast(d AS string)", Steps(1, "TOTAL", "APART", ends=DAYS)),
    ("substring(cast(ts AS string), 1, 7)", Steps(1, "TOTAL", "APART", 3, 3)),
    ("substring(cast(ts AS string), 0, 7)", Steps(1, "TOTAL", "APART", 3, 3)),
    ("substring(cast(ts AS string), 2, 7)", None),
    ("date_format(ts, 'yyyy-MM-dd HH:mm:ss')", Steps(1, ANY, "APART", 3, 3)),
    ("date_format(ts, 'yyyy')", Steps(1, ANY, "APART", 3, 3)),
    ("date_format(ts, 'yyyyMMddHHmmss.')", Steps(1, ANY, "APART", 3, 3)),
    ("date_format(ts, \"yyyy-MM-dd'T'HH:mm\")", Steps(1, ANY, "APART", 3, 3)),
    ("date_format(ts, 'MM-yyyy')", None),
    ("date_format(ts, 'yyyy-dd')", None),
    ("date_format(ts, 'yyyy-MMM')", None),
    # Numbers, with overflow: a hundredth of the type's range is left.
    ("cast(year(ts) AS bigint)", ZONED),
    ("cast(year(ts) AS double)", ZONED),
    ("cast(year(ts) AS decimal(10, 0))", ZONED),
    ("cast(year(ts) AS decimal(9, 0))", None),
    ("cast(year(ts) AS smallint)", None),
    ("cast(ts AS bigint)", Steps()),
    ("cast(ts AS double)", Steps()),
    ("year(ts) + 1", ZONED),
    ("1 + year(ts)", ZONED),
    ("year(ts) - 1", ZONED),
    ("1 - year(ts)", Steps(-1, near=3, reach=3)),
    ("year(ts) + 2125998910", Steps(1, ANY, ANY, 3, 3)),
    ("year(ts) + 2125998911", None),
    ("year(ts) - 2125998910", Steps(1, ANY, ANY, 3, 3)),
    ("2125998911 - year(ts)", None),
    ("year(ts) * 2", ZONED),
    ("-2 * year(ts)", Steps(-1, near=3, reach=3)),
    ("year(ts) * 214748", Steps(1, ANY, ANY, 3, 3)),
    ("year(ts) * 214749", None),
    ("year(ts) * 1", ZONED),
    ("cast(year(ts) AS double) * 0.5D", ZONED),
    ("unix_micros(ts) * 36", Steps(1, ANY, ANY)),
    ("unix_micros(ts) * 37", None),
    ("year(ts) / 2", ZONED),
    ("year(ts) / -2", None),
    ("year(ts) / 1e-6D", ZONED),
    ("year(ts) / 9e-7D", None),
    ("year(ts) div 2", ZONED),
    ("year(ts) div 1", ZONED),
    ("year(ts) div -2", None),
    ("floor(year(ts) / 2)", ZONED),
    ("ceil(year(ts) / 2)", ZONED),
    # Sums of parts: a step of the greater one outweighs the smaller ones.
    ("year(ts) * 100 + month(ts)", ZONED),
    ("100 * year(ts) + month(ts)", ZONED),
    ("year(ts) * 100L + month(ts)", ZONED),
    ("year(ts) * 100 + month(d)", None),
    ("year(ts) * 100 + quarter(ts) + month(ts)", None),
    ("year(ts) * 11 + month(ts)", ZONED),
    ("year(ts) * 10 + month(ts)", None),
    ("year(ts) * 3 + quarter(ts)", ZONED),
    ("year(ts) * 2 + quarter(ts)", None),
    ("year(ts) * 360 + month(ts) * 30 + day(ts)", ZONED),
    ("year(ts) * 360 + month(ts) * 29 + day(ts)", None),
    ("year(ts) * 359 + month(ts) * 30 + day(ts)", None),
    ("year(ts) * 10000 + day(ts)", None),
    ("month(ts) + 1", None),
    ("year(ts) * 214748 + month(ts)", Steps(1, ANY, ANY, 3, 3)),
    ("year(ts) * 214749 + month(ts)", None),
    ("year(ts) * 214700 + month(ts) * 11970", Steps(1, ANY, ANY, 3, 3)),
    ("year(ts) * 214700 + month(ts) * 11971", None),
    ("year(ts) * 214700 + quarter(ts) * 11970", Steps(1, ANY, ANY, 3, 3)),
    ("year(ts) * 214700 + quarter(ts) * 11971", None),
    # Iceberg's functions.
    ("iceberg_truncate(10, i)", Steps(1, ANY, ends=(-INT + 9, INT))),
    ("iceberg_truncate(10, b)", Steps(1, ANY, ends=(-LONG + 9, LONG - 1))),
    ("iceberg_truncate(1073741824, i)", Steps(1, ANY, ends=(-(2**30), INT))),
    ("iceberg_truncate(1073741825, i)", None),
    ("iceberg_bucket(10, i)", None),
    # Before 1970, Iceberg may count a time that ends in .999999 a second too early.
    ("iceberg_years(ts)", Steps(near=SECOND, reach=UNTIL_1970)),
    ("iceberg_months(d)", Steps(ends=DAYS)),
    ("iceberg_days(n)", Steps(near=SECOND, reach=UNTIL_1970)),
    ("iceberg_hours(ts)", Steps(1, "APART", "APART", near=SECOND, reach=UNTIL_1970)),
    # A column of numbers has no range of its own.
    ("i + 1", None),
    ("year(ts) + i", None),
]
# The arithmetic of the other lines of Spark, whose analyzers create different classes.
ELSEWHERE = {"TimeAdd"} if shims.SPARK_VERSION >= (4, 1) else {"TimestampAddInterval"}


@pytest.mark.parametrize(("text", "steps"), MONOTONIC, ids=[text for text, _ in MONOTONIC])
def test_a_monotonic_expression(spark: SparkSession, ask: Any, text: str, steps: Steps | None) -> None:
    of_days = steps is not None and steps.ends == DAYS
    at = CHANGED // DAY if of_days else CHANGED
    encoding = ask.monotonic(expression(spark, text, "Asia/Kolkata"), at)
    if steps is None:
        assert encoding is None
        return
    tokens = encoding.split(" ")
    hours = [int(word) / HOUR for word in tokens[5:8]]
    ends = (int(tokens[1]), int(tokens[2]))
    assert Steps(int(tokens[0]), tokens[3], tokens[4], hours[1], hours[2], hours[0], ends) == steps  # type: ignore[arg-type]


def test_each_kind_of_expression_has_a_row(spark: SparkSession, ask: Any) -> None:
    tested_kinds = {kind for text, _ in MONOTONIC for kind in ask.kinds(expression(spark, text)).split(" ")}
    assert tested_kinds - {""} == set(ask.kinds().split(" ")) - ELSEWHERE


# -- What predicates imply: both ends of each comparison, in days and microseconds


def day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def days(*intervals: str) -> str:
    """2024-01-01:2024-02-01 as Intervals."""
    return " ".join(":".join(str(day(end)) for end in interval.split(":")) for interval in intervals)


START, END = day("2024-01-01"), day("2025-01-01")
FIRST_WRAPPED = -INT + 9  # the smallest ints wrap around when truncated by 10
IMPLIED = [
    ("year(d) = 2024", f"d {START}:{END}"),
    ("year(d) <=> 2024", f"d {START}:{END}"),
    ("year(d) < 2024", f"d least:{START}"),
    ("year(d) <= 2024", f"d least:{END}"),
    ("year(d) > 2024", f"d {END}:greatest"),
    ("year(d) >= 2024", f"d {START}:greatest"),
    ("2024 > year(d)", f"d least:{START}"),
    ("2024 >= year(d)", f"d least:{END}"),
    ("2024 < year(d)", f"d {END}:greatest"),
    ("2024 <= year(d)", f"d {START}:greatest"),
    ("year(d) <> 2024", f"d least:{START} {END}:greatest"),
    ("year(d) BETWEEN 2024 AND 2024", f"d {START}:{END}"),
    ("year(d) IN (2022, 2024)", f"d {days('2022-01-01:2023-01-01')} {START}:{END}"),
    ("year(d) NOT IN (2023, 2024)", f"d least:{day('2023-01-01')} {END}:greatest"),
    ("year(d) = 2024 OR d = date '2025-01-01'", f"d {START}:{END + 1}"),
    ("year(d) = 2024 OR month(d) = 1", ""),
    ("2023 - year(d) = -1", f"d {START}:{END}"),
    ("2023 - year(d) < -1", f"d {END}:greatest"),
    # At the limits of the supported range of year(d), that side is unbounded.
    ("year(d) >= 100", ""),
    ("year(d) > 100", f"d {FIRST_DAY + 365}:greatest"),
    ("year(d) < 9899", f"d least:{END_DAY - 365}"),
    ("year(d) <= 9899", ""),
    ("cast(d AS string) = '2024-02-29'", f"d {day('2024-02-29')}:{day('2024-03-01')}"),
    ("cast(d AS string) LIKE '2024-02%'", f"d {day('2024-02-01')}:{day('2024-03-01')}"),
    ("cast(d AS string) LIKE '%2024'", ""),
    # If years do not all have four digits, the order of the text is unknown.
    ("cast(date_add(d, 36521) AS string) = '2123-12-29'", f"d {START}:{START + 1}"),
    ("cast(date_add(d, 36522) AS string) = '2123-12-29'", ""),
    ("cast(date_sub(d, 36156) AS string) = '1925-01-04'", f"d {START}:{START + 1}"),
    ("cast(date_sub(d, 36157) AS string) = '1925-01-04'", ""),
    # Nothing is computed where a value is null.
    ("trunc(d, 'fortnight') = date '2024-01-01'", ""),
    # The column itself, at the limits of its type.
    ("d = date '2024-01-01'", f"d {START}:{START + 1}"),
    ("d <> date '2024-01-01'", f"d least:{START} {START + 1}:greatest"),
    (f"d = date_from_unix_date({INT})", f"d {INT}:{INT + 1}"),
    (f"d > date_from_unix_date({-INT - 1})", f"d {-INT}:greatest"),
    (f"d <= date_from_unix_date({INT})", f"d least:{INT + 1}"),
    (f"ts >= timestamp_micros({LONG})", ""),
    (f"ts = timestamp_micros({LONG - 1})", f"ts {LONG - 1}:greatest"),
    (f"ts < timestamp_micros({LONG - 1})", f"ts least:{LONG - 1}"),
    (f"ts > timestamp_micros({-LONG - 1})", f"ts {-LONG}:greatest"),
    (f"ts <= timestamp_micros({-LONG - 1})", f"ts least:{-LONG}"),
    ("unix_seconds(ts) = 60", "ts 60000000:61000000"),
    ("unix_seconds(ts) < -60", "ts least:-60000000"),
    # Wrap-around and possible overflow.
    ("iceberg_truncate(10, i) = 20", f"i least:{FIRST_WRAPPED} 20:30"),
    ("iceberg_truncate(10, i) = -20", f"i least:{FIRST_WRAPPED} -20:-10"),
    ("iceberg_truncate(10, i) >= 2147483640", f"i least:{FIRST_WRAPPED} 2147483640:greatest"),
    ("iceberg_truncate(10, b) < -20", "b least:-20"),
    ("year(ts) + 2125998911 > 0", ""),
    ("unix_micros(ts) * 37 > 0", ""),
]


@pytest.mark.parametrize(("predicate", "implied"), IMPLIED, ids=[p for p, _ in IMPLIED])
def test_what_a_predicate_implies(spark: SparkSession, ask: Any, predicate: str, implied: str) -> None:
    assert ask.implied(condition(spark, predicate)) == implied


# -- CyclicParts


def hours(*intervals: str) -> str:
    """2024-01-01T05:00/2024-01-01T06:00, in UTC, as Intervals."""
    return " ".join(
        ":".join(
            str(int((datetime.fromisoformat(f"{end}+00:00") - EPOCH).total_seconds()) * 10**6)
            for end in interval.split("/")
        )
        for interval in intervals
    )


def _sundays(count: int) -> list[int]:
    return [day("2024-01-07") + 7 * i for i in range(count)]


SUNDAYS = " ".join(f"{at}:{at + 1}" for at in _sundays(32))
Refined = tuple[str, str, str, str]
REFINED: list[Refined] = [
    ("UTC", "month(d) = 2", days("2024-01-01:2025-01-01"), days("2024-02-01:2024-03-01")),
    ("UTC", "month(d) IN (12, 1)", days("2023-11-15:2024-02-15"), days("2023-12-01:2024-02-01")),
    ("UTC", "month(d) > 11", days("2023-12-31:2024-12-01"), days("2023-12-31:2024-01-01")),
    ("UTC", "month(d) = 1", days("2023-12-31:2024-01-02"), days("2024-01-01:2024-01-02")),
    ("UTC", "quarter(d) = 4", days("2023-07-01:2024-07-01"), days("2023-10-01:2024-01-01")),
    ("UTC", "year(d) % 4 = 0", days("2023-12-30:2025-01-03"), days("2024-01-01:2025-01-01")),
    ("UTC", "last_day(d) = date '2024-02-29'", days("2024-01-15:2024-03-15"), days("2024-02-01:2024-03-01")),
    ("UTC", "day(d) = 31", days("2024-01-01:2024-04-01"), days("2024-01-31:2024-02-01", "2024-03-31:2024-04-01")),
    ("UTC", "day(d) IN (31, 1)", days("2024-01-30:2024-02-03"), days("2024-01-31:2024-02-02")),
    ("UTC", "day(d) = 29", days("2024-02-28:2024-03-02"), days("2024-02-29:2024-03-01")),
    ("UTC", "day(d) = 29", days("2023-02-28:2023-03-02"), ""),
    (
        "UTC",
        "dayofweek(d) IN (7, 1)",
        days("2024-01-01:2024-01-15"),
        days("2024-01-06:2024-01-08", "2024-01-13:2024-01-15"),
    ),
    ("UTC", "weekday(d) = 0", days("2024-01-01:2024-01-15"), days("2024-01-01:2024-01-02", "2024-01-08:2024-01-09")),
    ("UTC", "dayofyear(d) IN (366, 1)", days("2024-12-30:2025-01-03"), days("2024-12-31:2025-01-02")),
    ("UTC", "weekofyear(d) = 1", days("2024-12-25:2025-01-15"), days("2024-12-30:2025-01-06")),
    ("UTC", "extract(yearofweek FROM d) = 2025", days("2024-12-28:2025-01-03"), days("2024-12-30:2025-01-03")),
    ("UTC", "month(d) * 100 + day(d) = 229", days("2024-02-28:2024-03-02"), days("2024-02-29:2024-03-01")),
    (
        "UTC",
        "hour(n) IN (23, 0)",
        hours("2024-01-01T12:00/2024-01-02T12:00"),
        hours("2024-01-01T23:00/2024-01-02T01:00"),
    ),
    ("UTC", "hour(ts) >= 22", hours("2024-01-01T12:00/2024-01-02T12:00"), hours("2024-01-01T22:00/2024-01-02T00:00")),
    ("UTC", "month(ts) = 1", hours("2023-12-31T23:00/2024-01-01T01:00"), hours("2024-01-01T00:00/2024-01-01T01:00")),
    # In a zone with a half-hour offset.
    (
        "Asia/Kolkata",
        "day(ts) = 2",
        hours("2024-01-01T00:00/2024-01-03T00:00"),
        hours("2024-01-01T18:30/2024-01-02T18:30"),
    ),
    (
        "America/New_York",
        "hour(ts) = 12",
        hours("2024-01-10T00:00/2024-01-11T00:00"),
        hours("2024-01-10T17:00/2024-01-10T18:00"),
    ),
    # Within three hours of a transition, at 06:00, hours are kept, and three on both sides.
    (
        "America/New_York",
        "hour(ts) = 15",
        hours("2024-11-02T18:00/2024-11-03T18:00"),
        hours("2024-11-02T19:00/2024-11-02T20:00", "2024-11-03T00:00/2024-11-03T12:00"),
    ),
    # Without bounds, with too many pieces to evaluate, or on another column: unchanged.
    ("UTC", "month(d) = 2", "least:greatest", "least:greatest"),
    ("UTC", "month(d) = 2", f"{START}:greatest", f"{START}:greatest"),
    ("UTC", "dayofyear(d) = 1", f"{START}:{START + 400}", f"{START}:{START + 1} {END}:{END + 1}"),
    ("UTC", "dayofyear(d) = 1", f"{START}:{START + 401}", f"{START}:{START + 401}"),
    ("UTC", "dayofweek(d) = 1", f"{START}:{START + 32 * 7}", SUNDAYS),
    ("UTC", "dayofweek(d) = 1", f"{START}:{START + 33 * 7}", f"{_sundays(33)[0]}:{_sundays(33)[-1] + 1}"),
    ("UTC", "month(d) = 2 OR i = 1", f"{START}:{END}", f"{START}:{END}"),
    ("UTC", "minute(ts) = 2", hours("2024-01-01T00:00/2024-01-01T02:00"), hours("2024-01-01T00:00/2024-01-01T02:00")),
]


@pytest.mark.parametrize(("zone", "predicate", "values", "left"), REFINED)
def test_what_a_part_that_comes_again_leaves(
    spark: SparkSession, ask: Any, zone: str, predicate: str, values: str, left: str
) -> None:
    assert ask.refine(values, expression(spark, predicate, zone)) == left
