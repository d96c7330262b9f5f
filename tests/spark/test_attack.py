"""The attack on the ranges of `prune`: each derivation with an injected mistake, and whether it is detected.

A mistake is injected into the rule's source, which is compiled with the attack and without it. Without the attack,
some case must lose a row, or it would not be a mistake; with it, none may.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from samples import share
from test_right_rows import CLOCKS

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.optimizer import rule_classes

HOUR, DAY = 3_600_000_000, 86_400_000_000


@dataclass(frozen=True)
class Mistake:
    """A mistake to inject: the correct text in a Java file, and the wrong one that replaces it."""

    what: str
    file: str
    right: str
    wrong: str


MISTAKES = [
    # Former faults.
    Mistake("overflow forgotten", "MonotonicExpression", "if (!within(x,", "if (false && !within(x,"),
    Mistake("digits overflow", "MonotonicExpression", "s == null || !s.within(", "s == null || false && !s.within("),
    Mistake(
        "part widened after a sum",
        "MixedRadixSum",
        "e = child(e, 0);\n      kind =",
        "return add(child(e, 0), weight);\n      //",
    ),
    Mistake("truncate apart", "MonotonicExpression", "s.below = ANYTHING; // the", "s.below = APART; // the"),
    Mistake("truncate total", "MonotonicExpression", "s.below = ANYTHING; // the", "s.below = TOTAL; // the"),
    Mistake("skipped half hours", "CyclicParts", "isNear(start, type, clocks) || isNear(next, type, clocks) || ", ""),
    Mistake("shifts by numbers", "MonotonicExpression", "if (shifted) reach", "if (false) reach"),
    # A margin dropped, a range halved, a bound forgotten.
    Mistake(
        "no margin",
        "MonotonicExpression",
        "return date ? (slack + uncertainty) / DAY : slack + uncertainty;",
        "return 0;",
    ),
    Mistake("no slack", "MonotonicExpression", "slack += 4 * DAY", "slack += 0"),
    Mistake(
        "clocks ignored",
        "MonotonicExpression",
        "uncertainty = Math.max(uncertainty, zoned *",
        "uncertainty = Math.max(0, 0 *",
    ),
    Mistake("size of a change ignored", "Clocks", "* 1000000L + 2 * HOUR", "* 0L + HOUR / 4"),
    Mistake("reach of an interval ignored", "MonotonicExpression", "reach += days * DAY", "reach += 0"),
    Mistake("reach of a zone ignored", "MonotonicExpression", "reach += 26 * HOUR", "reach += 0"),
    Mistake(
        "apart is total", "MonotonicExpression", "above = Math.max(above, APART);\n    return this;", "return this;"
    ),
    Mistake("days that wrap", "MonotonicExpression", "if (days > 0 == plus) above", "if (false) above"),
    Mistake("years with a plus", "MonotonicExpression", "above = Math.max(above, APART); // years of five", "// "),
    Mistake(
        "four digits unchecked", "MonotonicExpression", "return days >= DIGITS_FROM && days <= DIGITS_TO", "return true"
    ),
    Mistake("falling taken for climbing", "MonotonicExpression", "direction = -direction;", ""),
    Mistake("a negative factor", "MonotonicExpression", "times && c < 0 ? fall() : this", "this"),
    Mistake("a minuend", "MonotonicExpression", "s != null && falls ? s.fall() : s", "s"),
    Mistake("lighter digits", "MixedRadixSum", "if (d.weights[i] < smaller &&", "if (false &&"),
    Mistake(
        "any separator",
        "MonotonicExpression",
        'else if (" -/.:_".indexOf(c) >= 0) index++;\n      else return null;',
        "else index++;",
    ),
    Mistake("<= for <", "ImpliedRanges", "op == LE ? end() : start())", "start())"),
    Mistake("> for >=", "ImpliedRanges", "op == GE ? start() : end(), steps.last", "end(), steps.last"),
    Mistake(
        "= without its end", "ImpliedRanges", "return between(start(), end());", "return between(start(), start() + 1);"
    ),
    Mistake("turned left out", "ImpliedRanges", "if (!literalRight) op = op.turned();", ""),
    Mistake("one side of OR", "ImpliedRanges", "a.values.union(b.values)", "a.values"),
    Mistake(
        "OR of one",
        "ImpliedRanges",
        "if (b != null) put(result, new ColumnRanges(a.column, a.values.union(b.values)));",
        "put(result, a);",
    ),
    Mistake("the first of IN", "ImpliedRanges", "else ranges.values = ranges.values.union(solved.values);", ""),
    Mistake(
        "NOT IN as IN",
        "ImpliedRanges",
        "ColumnRanges solved = solve((Expression) c.children().apply(0), NE, v);",
        "ColumnRanges solved = solve((Expression) c.children().apply(0), EQ, v);",
    ),
    Mistake("the span of IN", "ImpliedRanges", "if (compare(v, maximum) > 0) maximum = v;", ""),
    Mistake(
        "LIKE past its wildcard",
        "ImpliedRanges",
        '"%_".indexOf(text.charAt(end)) < 0',
        '"%".indexOf(text.charAt(end)) < 0',
    ),
    Mistake("prefix as equality", "ImpliedRanges", "if (prefix && is &&", "if (false &&"),
    Mistake("noon for all hours", "CyclicParts", "return Grain.HOURS;", "return Grain.DAYS;"),
    Mistake("days taken for months", "ExpressionKind", "Grain.DAYS,    Digit.DAY", "Grain.MONTHS,  Digit.DAY"),
    Mistake("finer buckets", "ImpliedTransforms", "|| n % number(field) != 0", ""),
    Mistake("longer prefixes", "ImpliedTransforms", "s.numChars() < width ?", "s.numChars() <= width ?"),
]


@dataclass(frozen=True)
class Case:
    """Predicates over one column, in a zone and a mode, and the rows' values."""

    zone: str
    ansi: str
    kind: str
    values: tuple[str, ...]
    predicates: tuple[str, ...]


def _clocks() -> Iterator[Case]:
    for zone, moments, predicate, _ in CLOCKS:
        values = tuple(f"timestamp '{m.strip()}'" for m in moments.split(","))
        yield Case(zone, "true", "timestamp", values, (predicate,))


def _times(*around: str) -> tuple[str, ...]:
    """Instants around some times: off by hours, half hours and days."""
    offsets = [0, 1, -1, 30 * 10**6, -30 * 10**6]
    offsets += [sign * n * HOUR // 4 for n in range(1, 26) for sign in (1, -1)]
    offsets += [sign * n * DAY + d for n in range(1, 40) for sign in (1, -1) for d in (0, 5 * HOUR, 29 * HOUR // 2)]
    return tuple(
        f"timestamp_micros(unix_micros(timestamp '{moment}') + {offset})" for moment in around for offset in offsets
    ) + tuple(
        f"timestamp_micros({n})"
        for n in (
            -(2**63),
            -(2**62),
            -6 * 10**16,
            -63 * 10**15,
            -62135596800 * 10**6,
            253402300799 * 10**6 + 999999,
            253402300800 * 10**6,
            4 * 10**17,
            2**62,
            2**63 - 1,
        )
    )


CASES = [
    Case(
        "UTC",
        "false",
        "int",
        ("5", "17", "50", "77", "1000", "-7", "-2147483648", "-2147483645", "2147483640", "2147483647"),
        (
            "iceberg_truncate(10, x) * 100 = 5000",
            "iceberg_truncate(10, x) * 1000 > 0",
            "iceberg_truncate(10, x) * 10 IN (500, 700)",
            "iceberg_truncate(10, x) + 100 < 0",
            "iceberg_truncate(7, x) = 2147483643",
            "iceberg_truncate(10, x) = 10",
            "10 >= iceberg_truncate(10, x)",
            "iceberg_truncate(7, x) IN (0, 2147483643)",
            "NOT (iceberg_truncate(10, x) IN (10, 50))",
        ),
    ),
    Case(
        "UTC",
        "false",
        "date",
        (
            "date '2024-02-01'",
            "date '2024-02-29'",
            "date '2023-12-24'",
            "date '1969-12-25'",
            "date '0001-01-01'",
            "date_from_unix_date(-2147483648)",
            "date_from_unix_date(-2147483645)",
            "date_from_unix_date(2147483647)",
            "date_from_unix_date(2147483643)",
            "date_from_unix_date(2932897)",
            "date_from_unix_date(-719500)",
            "date '9999-12-31'",
            "date '2024-03-31'",
            "date_from_unix_date(-1458262)",
            "date '0250-01-01'",
            "date '0150-01-01'",
            "date '9800-01-01'",
            "date '2022-12-15'",
            "date '2023-07-15'",
        ),
        (
            "date_add(x, 7) < date '2024-01-01'",
            "date_add(x, 7) >= date '2024-01-01'",
            "date_sub(x, 7) > date '2024-01-01'",
            "cast(x AS string) < '2024-02-01'",
            "cast(x AS string) >= '2024-02-01'",
            "cast(x AS string) LIKE '0%'",
            "cast(x AS string) LIKE '2024_02%'",
            "datediff(x, date '1970-01-05') = -11",
            "datediff(date '1970-01-05', x) < -19000",
            "date '2024-02-10' - x > INTERVAL 3 DAYS",
            "year(x) * 100 + month(x) = 202402",
            "year(x) * 10 + month(x) = 20242",
            "month(x) + year(x) * 12 = 24290",
            "year(x) * -2 < -4046",
            "year(x) * -2 = -4048",
            "year(x) * 5 + month(x) = 10122",
            "cast(date_sub(x, 109500) AS string) < '-0100'",
            "cast(date_add(x, 100000) AS string) < '2024-01-01'",
            "year(x) = 2024 AND (day(x) = 29 OR month(x) = 3)",
            "date_format(x, 'yyyy E') = '2024 Thu'",
            "3000 - year(x) >= 976",
            "date_format(x, 'yyyy-MMM') = '2024-Feb'",
            "date_format(x, 'yyyy') = '2024'",
            "date_format(x, 'yyyy') = '0001'",
            "date_format(x, 'yyyyQMM') = '2024102'",
            "last_day(x) < date '2024-02-29'",
            "add_months(x, 1) = date '2024-02-29'",
            "trunc(x, 'MM') IN ('2023-12-01', '2024-02-01')",
            "year(x) <> 2023",
            "year(x) IN (1970, 2024, 2025)",
            "year(x) = 2024 OR month(x) = 12",
            "year(x) = 2024 OR trunc(x, 'MM') = '2023-12-01'",
            "year(x) = 2024 AND day(x) = 29",
            "iceberg_months(x) >= 649",
            "year(x) IN (2001,2002,2003,2005,2006,2007,2008,2009,2010,2011,2012,2013,2014,2015,2016,2024,1999)",
            "next_day(x, 'MON') > date '2024-02-04'",
            "year(x) NOT IN (2023, 2022)",
            "year(x) > 2023 AND dayofweek(x) = 5",
        ),
    ),
    Case(
        "America/New_York",
        "true",
        "timestamp",
        _times("2024-11-03T06:00:00Z", "2024-03-13T07:00:00Z", "2024-03-10T07:00:00Z", "2024-01-31T12:00:00Z"),
        (
            "date_format(x, 'yyyy-MM-dd HH:mm') = '2024-11-03 01:30'",
            "cast(x AS string) < '2024-11-03 01:30:00'",
            "date_trunc('hour', x) = '2024-11-03 01:00:00'",
            "cast(x AS string) >= '2024-11-03 01:15:00'",
            "x + INTERVAL 1 MONTH = timestamp '2024-02-29 07:00:00'",
            "x + INTERVAL 1 MONTH < timestamp '2024-02-29 07:00:00'",
            "x + INTERVAL '1' DAY < timestamp '2024-11-04 01:30:00'",
            "x - INTERVAL 30 DAYS >= timestamp '2024-10-04 01:30:00'",
            "date_trunc('day', from_utc_timestamp(x, 'America/Los_Angeles')) = '2024-11-03'",
            "date_format(from_utc_timestamp(x, 'Asia/Tokyo'), 'yyyy-MM-dd HH:mm') >= '2024-11-03 01:30'",
            "date_format(to_utc_timestamp(x, 'Asia/Kolkata'), 'yyyy-MM-dd HH:mm') = '2024-11-03 01:30'",
            "hour(x) = 1 AND to_date(x) = date '2024-11-03'",
            "to_date(x) = date '2024-11-03' AND day(x) = 3",
            "year(x) = 2024 AND month(x) = 11 AND day(x) IN (3, 4)",
            "unix_timestamp(x) < 1730613600",
            "date_format(x - INTERVAL 3 DAYS, 'yyyy-MM-dd HH:mm') = '2024-11-03 01:30'",
            "cast(x - INTERVAL 2 HOURS AS string) <= '2024-11-03 01:30:00'",
            "((x - timestamp'1970-01-01') div interval '1' second) * 10 >= 17000000000",
            "date_format(timestamp_seconds(unix_timestamp(x) + 86400), 'yyyy-MM-dd HH:mm') = '2024-11-03 01:30'",
            "date_format(x - INTERVAL 3 DAYS, 'yyyy-MM-dd HH:mm') = '2024-03-10 03:15'",
            "date_format(x - INTERVAL 3 DAYS, 'yyyy-MM-dd HH:mm') = '2024-03-10 03:30'",
            "date_format(x - INTERVAL 3 DAYS, 'yyyy-MM-dd HH:mm') = '2024-03-10 03:45'",
            "cast(x AS string) LIKE '+%'",
            "date_format(x, 'yyyy') = '0001'",
            "year(x) = 2024 AND hour(x) = 1 AND day(x) = 3",
            "to_date(x) = date '2024-11-03' AND hour(x) = 5",
            "iceberg_hours(x) = 480222",
        ),
    ),
    Case(
        "UTC",
        "false",
        "timestamp",
        _times("2024-01-01T00:00:00Z"),
        (
            "((x - timestamp'1970-01-01') div interval '1' second) * 1000000000 >= 1600000000000000000",
            "cast(year(x) * 1000000 AS bigint) + month(x) = 2024000001",
            "year(x) * 1000000 + month(x) * 10000 + day(x) * 100 = 2024010100",
            "unix_micros(x) * 1000 > 0",
            "unix_seconds(x) * 1000000000 > 1700000000000000000",
            "iceberg_hours(x) < 10",
            "iceberg_hours(x) * 10000 = 438288 * 10000",
            "timestamp_seconds(unix_timestamp(x) div 1000) < timestamp '1970-01-20 16:00:00'",
        ),
    ),
    Case(
        "Pacific/Apia",
        "true",
        "timestamp",
        _times("2011-12-30T10:00:00Z"),
        (
            "to_date(x) = date '2011-12-31' AND hour(x) IN (0, 12)",
            "date_trunc('day', x) >= '2011-12-31'",
            "year(x) = 2011 AND month(x) = 12 AND day(x) = 29",
            "date_format(x, 'yyyy-MM-dd') < '2011-12-30'",
        ),
    ),
    Case(
        "UTC",
        "true",
        "string",
        ("'ab'", "'abc'", "'abcd'", "'abcdef'", "'b'", "''"),
        (
            "iceberg_truncate(4, x) = 'abcd'",
            "iceberg_truncate(4, x) IN ('abc', 'ab')",
            "iceberg_truncate(6, x) = 'abcdef'",
        ),
    ),
    Case(
        "UTC",
        "true",
        "bigint",
        tuple(f"{n}L" for n in range(40)),
        ("iceberg_bucket(8, x) = 6", "iceberg_bucket(12, x) IN (5, 7)", "iceberg_bucket(6, x) = 5"),
    ),
    *_clocks(),
]
SWITCHES = ("spark.iceberg_sql.prune", "spark.iceberg_sql.fast")
# The string and integer columns have a field to prune by.
BY = {"string": "PARTITIONED BY (truncate(2, x))", "bigint": "PARTITIONED BY (bucket(4, x))"}


PROBE = """package sparkicebergsql;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.unsafe.types.UTF8String;
public class Probe extends Prune {
  /** -1 where nothing is implied; else how many of the values the condition takes and what it implies does not. */
  public int lost(Expression condition, LogicalPlan relation, List values) {
    Expression implied = implied(condition, relation);
    if (implied == null) return -1;
    Expression column = (Expression) relation.output().apply(0);
    SingleColumnFunction asked = new SingleColumnFunction(condition, column);
    SingleColumnFunction answered = new SingleColumnFunction(implied, column);
    int lost = 0;
    for (Object v : values) if (takes(asked, v) && !takes(answered, v)) lost++;
    return lost;
  }
  static boolean takes(SingleColumnFunction e, Object v) {
    try {
      Object x = v instanceof String ? e.of(UTF8String.fromString((String) v)) : e.at(((Number) v).longValue());
      return Boolean.TRUE.equals(x);
    } catch (RuntimeException failed) {
      return false;
    }
  }
}
"""
NUMBERS = count()


@cache
def _texts() -> dict[str, str]:
    return dict([*rule_classes.base_sources(), *compiler.sources("spark_iceberg_sql.spark.optimizer", "Prune")])


def compiled(mistake: Mistake | None, attack: bool) -> Any:
    """The rule with an injected mistake, with or without the attack."""
    texts = dict(_texts())
    if mistake is not None:
        assert mistake.right in texts[mistake.file], mistake
        texts[mistake.file] = texts[mistake.file].replace(mistake.right, mistake.wrong)
    if not attack:
        texts["CyclicParts"] = texts["CyclicParts"].replace("DETAILED_CHECKS = 3", "DETAILED_CHECKS = 0")
        texts["CounterexampleSearch"] = texts["CounterexampleSearch"].replace(
            "    try {\n      return new CounterexampleSearch(",
            "    if (predicate != null) return false;\n    try {\n      return new CounterexampleSearch(",
        )
        assert "predicate != null" in texts["CounterexampleSearch"]
    loader = compiler.context_loader()
    # py4j caches methods by class name, so each class has its own name.
    name = f"Probe{next(NUMBERS)}"
    texts[name] = PROBE.replace("Probe", name)
    for file, text in texts.items():
        loader = compiler.compile_java(text, f"{file}.java", loader)
    return compiler.instance(loader, f"sparkicebergsql.{name}")


NUMBER = {"int": "x", "bigint": "x", "date": "unix_date(x)", "timestamp": "unix_micros(x)", "string": "x"}


class Tables:
    """A table per case: its values, and its predicates as the optimizer leaves them."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.rows: list[Any] = []
        for switch in SWITCHES:
            spark.conf.set(switch, "false")
        for number, case in enumerate(CASES):
            self._set(case)
            name = f"local.attack.t{number}"
            spark.sql(f"CREATE OR REPLACE TABLE {name} (x {case.kind}) USING iceberg {BY.get(case.kind, '')}")
            rows = spark.sql(
                f"SELECT {NUMBER[case.kind]} AS v FROM VALUES {', '.join(f'({v})' for v in case.values)} AS t(x)"
            )
            values = spark._jvm.java.util.ArrayList()
            for row in rows.collect():
                values.add(row.v)
            source = spark.table(name)
            self.rows.append((values, [self._filter(source, p) for p in case.predicates]))

    def _set(self, case: Case) -> None:
        self.spark.sql(f"SET TIME ZONE '{case.zone}'")
        self.spark.conf.set("spark.sql.ansi.enabled", case.ansi)

    def _filter(self, source: DataFrame, predicate: str) -> Any:
        plan = source.where(predicate)._jdf.queryExecution().optimizedPlan()
        return plan if plan.nodeName() == "Filter" else None

    def lost(self, rule: Any) -> tuple[list[str], int]:
        """The predicates with a matching value outside the implied range, and how many imply a range."""
        wrong, implied_count = [], 0
        for case, (values, plans) in zip(CASES, self.rows, strict=True):
            self._set(case)
            for predicate, plan in zip(case.predicates, plans, strict=True):
                if plan is None:
                    continue
                lost = rule.lost(plan.condition(), plan.child().relation(), values)
                implied_count += lost >= 0
                if lost > 0:
                    wrong.append(f"{case.zone}: {predicate}")
        return wrong, implied_count


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[Tables]:
    yield Tables(spark)
    for switch in SWITCHES:
        spark.conf.unset(switch)
    spark.conf.unset("spark.sql.ansi.enabled")
    spark.sql("SET TIME ZONE 'UTC'")


def test_without_a_mistake_no_row_is_lost(tables: Tables) -> None:
    wrong, implied_count = tables.lost(compiled(None, attack=True))
    assert wrong == []
    # The correct derivations do not need the attack; it is for future mistakes.
    assert tables.lost(compiled(None, attack=False)) == ([], implied_count)
    assert implied_count > 70


@pytest.mark.parametrize("mistake", share(MISTAKES, 5), ids=lambda m: m.what)
def test_the_attack_catches_a_mistake(tables: Tables, mistake: Mistake) -> None:
    without, _ = tables.lost(compiled(mistake, attack=False))
    assert without != [], "no case shows the mistake"
    assert tables.lost(compiled(mistake, attack=True))[0] == []
