"""The grid of the guard's tests: tables by partitioning, predicates by function and operator, and the expected rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.gate import intercept

# column -> (SQL type, one value per row). Small numbers, and days 648 next to months 648, because the fault that the
# guard prevents compares the function's value with the column's own.
COLUMNS: dict[str, tuple[str, list[str]]] = {
    "i": ("int", ["0", "1", "2", "3", "4", "-80", "100"]),
    "l": ("bigint", ["0", "1", "2", "3", "4", "-8", "1099511627776"]),
    "dec": ("decimal(9,2)", ["0", "0.02", "1", "2", "3", "-1.23", "10.55"]),
    "d": (
        "date",
        [
            *("DATE'1970-01-01'", "DATE'1970-01-03'", "DATE'1971-10-11'", "DATE'2024-01-15'"),
            *("DATE'1969-12-31'", "DATE'1900-02-28'", "DATE'2000-02-29'"),
        ],
    ),
    "ts": (
        "timestamp",
        [
            *(f"timestamp_micros({n})" for n in (0, 2, 54, 648, 19737)),
            "TIMESTAMP'2024-01-15 10:00:00'",
            "TIMESTAMP'1969-12-31 23:59:59.999999'",
        ],
    ),
    "s": ("string", ["'a'", "'ab'", "'abc'", "'abd'", "'2'", "'ünïcödé'", "''"]),
    "b": ("binary", ["X'00'", "X'01'", "X'0102'", "X'0103'", "X'02'", "X'ffff'", "X''"]),
}
COLUMNS["n"] = ("timestamp_ntz", [f"CAST({v} AS timestamp_ntz)" for v in COLUMNS["ts"][1]])
ROWS = 8  # the last one is all nulls

TIMES = ("d", "ts", "n")


def functions() -> Iterator[tuple[str, str]]:
    """(call with `{f}` for the function's prefix and `{c}` for the source, column)"""
    for column in COLUMNS:
        yield "{f}bucket(4, {c})", column
    for column, width in (("i", 10), ("l", 10), ("dec", 50), ("s", 2), ("b", 1)):
        yield f"{{f}}truncate({width}, {{c}})", column
    for unit in ("years", "months", "days", "hours"):
        for column in TIMES:
            if (unit, column) != ("hours", "d"):
                yield f"{{f}}{unit}({{c}})", column


def fields(transform: str) -> list[str]:
    """The partition fields of a table, one per column that the transform accepts."""
    if transform == "identity":
        return list(COLUMNS)
    widths = {"i": 10, "l": 10, "dec": 50, "s": 2, "b": 1}
    name, _, factor = transform.partition("*")
    times = int(factor or 1)
    if name == "bucket":
        return [f"bucket({4 * times}, {c})" for c in COLUMNS]
    if name == "truncate":
        return [f"truncate({w * times}, {c})" for c, w in widths.items()]
    return [f"{name}({c})" for c in TIMES if (name, c) != ("hours", "d")]


def values(row: int, nested: bool) -> str:
    """A row of the table as a VALUES tuple."""
    cells = [cell[row] if row < ROWS - 1 else "NULL" for _, cell in COLUMNS.values()]
    typed = [f"CAST({v} AS {t})" for v, (t, _) in zip(cells, COLUMNS.values(), strict=True)]
    if not nested:
        return f"({row}, {', '.join(typed)})"
    struct = "named_struct(" + ", ".join(f"'{c}', {v}" for c, v in zip(COLUMNS, typed, strict=True)) + ")"
    return f"({row}, {struct}, {struct})"


def past_the_gate(spark: SparkSession, text: str) -> None:
    """Bypass the gate: these tests need questionable partition fields, such as a timestamp itself."""
    intercept.unchecked_sql(spark)(text)


def create(spark: SparkSession, name: str, partition: list[str], *, nested: bool = False, v: int = 2) -> None:
    columns = ", ".join(f"{c} {t}" for c, (t, _) in COLUMNS.items())
    if nested:
        inner = ", ".join(f"{c}: {t}" for c, (t, _) in COLUMNS.items())
        columns = f"p struct<{inner}>, q struct<{inner}>"
    by = f"PARTITIONED BY ({', '.join(partition)})" if partition else ""
    past_the_gate(
        spark,
        f"CREATE TABLE {name} (r int, {columns}) USING iceberg {by} TBLPROPERTIES ('format-version' = '{v}',"
        "'write.distribution-mode' = 'none', 'write.spark.fanout.enabled' = 'true')",
    )


def insert(spark: SparkSession, name: str, rows: range, *, nested: bool = False) -> None:
    spark.sql(f"INSERT INTO {name} VALUES {', '.join(values(r, nested) for r in rows)}")


# -------------------------------------------------------------------------------- predicates

Truth = Callable[[Any], "bool | None"]


@dataclass(frozen=True)
class Operator:
    """`text` with {f} for the call and {v}, {w} for two of its values; `truth`: by the call's value; None is null."""

    text: str
    truth: Callable[[Any, Any, Any], bool | None]


def strict(test: Callable[[Any, Any, Any], bool]) -> Callable[[Any, Any, Any], bool | None]:
    return lambda f, v, w: None if f is None else test(f, v, w)


OPERATORS = (
    Operator("{f} = {v}", strict(lambda f, v, w: f == v)),
    Operator("{v} = {f}", strict(lambda f, v, w: f == v)),
    Operator("{f} <> {v}", strict(lambda f, v, w: f != v)),
    Operator("NOT ({f} = {v})", strict(lambda f, v, w: f != v)),
    Operator("{f} < {v}", strict(lambda f, v, w: f < v)),
    Operator("{f} <= {v}", strict(lambda f, v, w: f <= v)),
    Operator("{f} > {v}", strict(lambda f, v, w: f > v)),
    Operator("NOT ({f} < {v})", strict(lambda f, v, w: f >= v)),
    Operator("{f} IN ({v}, {w})", strict(lambda f, v, w: f in (v, w))),
    Operator("{f} IN ({v}, NULL)", strict(lambda f, v, w: True if f == v else None)),
    Operator("{f} NOT IN ({v}, {w})", strict(lambda f, v, w: f not in (v, w))),
    Operator("{f} NOT IN ({v}, NULL)", strict(lambda f, v, w: False if f == v else None)),
    Operator("{f} BETWEEN {v} AND {w}", strict(lambda f, v, w: v <= f <= w)),
    Operator("{f} NOT BETWEEN {v} AND {w}", strict(lambda f, v, w: not v <= f <= w)),
    Operator("{f} IS NULL", lambda f, v, w: f is None),
    Operator("{f} IS NOT NULL", lambda f, v, w: f is not None),
    Operator("{f} <=> {v}", lambda f, v, w: f == v),
    Operator("NOT ({f} <=> {v})", lambda f, v, w: f != v),
    Operator("{f} <> {v} OR r = 0", lambda f, v, w: None if f is None else f != v),
    Operator("({f} <> {v} AND {f} <> {w})", strict(lambda f, v, w: f not in (v, w))),
    Operator("NOT ({f} = {v} AND r >= 0)", strict(lambda f, v, w: f != v)),
    Operator("IF({f} = {v}, false, true)", lambda f, v, w: f != v),
)


def literal(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        return f"X'{bytes(value).hex()}'"
    if isinstance(value, Decimal):
        return f"CAST({value} AS decimal(9,2))"
    if isinstance(value, dt.date):
        return f"DATE'{value}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Check:
    """One predicate on one table, and the rows that it must return."""

    table: str
    predicate: str
    rows: frozenset[int]


def checks(spark: SparkSession, table: str, *, source: str = "{c}", start: int = 0, step: int = 1) -> Iterator[Check]:
    """Every `step`-th check of a table, based on the function values from an unfiltered query."""
    calls = [(call.replace("{c}", source.replace("{c}", c))) for call, c in functions()]
    plain = [call.format(f="iceberg_") for call in calls]
    truth = spark.sql(f"SELECT r, {', '.join(plain)} FROM {table}").collect()
    count = start
    for at, call in enumerate(calls):
        distinct_values = sorted({_plain(row[at + 1]) for row in truth if row[at + 1] is not None})
        for number, operator in enumerate(OPERATORS):
            count += 1
            if count % step or ("NULL)" in operator.text and "truncate(1" in call):
                continue  # Spark 4.1 cannot print a pushed binary NULL: `b IN (X'00', NULL)` also fails
            v, w = (
                distinct_values[(number + at) % len(distinct_values)],
                distinct_values[(number + at + 1) % len(distinct_values)],
            )
            if "BETWEEN" in operator.text:
                v, w = sorted((v, w))
            f = call.format(f=("iceberg_", "local.system.")[count // step % 2])
            predicate = operator.text.format(f=f, v=literal(v), w=literal(w))
            rows = {row.r for row in truth if operator.truth(_plain(row[at + 1]), v, w)}
            yield Check(table, predicate, frozenset(rows | ({0} if "r = 0" in predicate else set())))


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


def failures(spark: SparkSession, batch: list[Check]) -> list[str]:
    """The checks that return wrong rows; all are run in one query."""
    query = " UNION ALL ".join(
        f"SELECT {k} AS k, r FROM {check.table} WHERE {check.predicate}" for k, check in enumerate(batch)
    )
    actual: dict[int, list[int]] = {}
    for row in spark.sql(query).collect():
        actual.setdefault(row.k, []).append(row.r)
    return [
        f"{check.table}: {check.predicate}: {sorted(actual.get(k, []))}, not {sorted(check.rows)}"
        for k, check in enumerate(batch)
        if sorted(actual.get(k, [])) != sorted(check.rows)
    ]
