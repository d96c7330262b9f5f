"""Why a conjunct does not prune, and the rewrites that are tried: without Spark."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.insight.explain.conjuncts import FieldClause, why_not_pruning, why_not_pushed, why_withheld
from spark_iceberg_sql.insight.explain.predicate_rewrites import COLUMN, probe_values, rewrites
from spark_iceberg_sql.model.spark_expressions import SparkExpression

NAME = SparkExpression("AttributeReference", "name", "string")
ID = SparkExpression("AttributeReference", "id", "bigint")
TS = SparkExpression("AttributeReference", "ts", "timestamp")


def text(value: str) -> SparkExpression:
    return SparkExpression("Literal", f"'{value}'", "string", value)


def number(value: int) -> SparkExpression:
    return SparkExpression("Literal", str(value), "int", str(value))


def equal(left: SparkExpression, right: SparkExpression) -> SparkExpression:
    return SparkExpression("EqualTo", f"{left.sql} = {right.sql}", "boolean", None, (left, right))


def call(kind: str, sql: str, kind_of_value: str, *children: SparkExpression) -> SparkExpression:
    return SparkExpression(kind, sql, kind_of_value, None, children)


MONTH = call("Month", "month(ts)", "int", TS)
LOWER = call("Lower", "lower(name)", "string", NAME)
UDF = call("PythonUDF", "f(id)", "int", ID)
CAST = call("Cast", "CAST(name AS INT)", "int", NAME)


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (equal(MONTH, number(2)), "`month(ts)` is cyclic, so it is not a range of `ts`"),
        (equal(number(2), MONTH), "`month(ts)` is cyclic"),
        (equal(LOWER, text("x")), "`lower(name)` is computed from the column"),
        (equal(ID, TS), "it compares columns with each other"),
        (equal(UDF, number(1)), "`f(id)` is a user-defined function"),
        (equal(CAST, number(1)), "`name` is converted from string to int"),
        (call("Like", "name LIKE '%x'", "boolean", NAME, text("%x")), "the pattern is not a prefix"),
        (call("EndsWith", "endswith(name, 'x')", "boolean", NAME, text("x")), "only a prefix"),
        (equal(ID, call("ScalarSubquery", "(SELECT 1)", "int")), "known only when the query runs"),
    ],
)
def test_why_iceberg_does_not_receive_it(term: SparkExpression, reason: str) -> None:
    assert reason in why_not_pushed(term)


def test_functions_that_are_not_passed_to_iceberg() -> None:
    bucket = call("StaticInvoke", "iceberg_bucket(4, id)", "int", number(4), ID)
    identity_field = FieldClause("id", "id", "identity")
    why = why_withheld(bucket, "id", [identity_field])
    assert "a partition field is `id` itself" in why
    assert why_not_pushed(equal(bucket, number(0)), why) == why
    assert "wrong rows for some values of `id`" in why_withheld(bucket, "id", [])
    assert "compares columns" in why_not_pushed(equal(bucket, ID), why)
    of_file = call("Contains", "_file", "string", SparkExpression("AttributeReference", "_file", "string"))
    assert "`_file` is a metadata column" in why_not_pushed(of_file)


def test_columns_without_metrics() -> None:
    for kind, description in (("struct<a: int>", "a struct"), ("array<int>", "an array")):
        column = SparkExpression("AttributeReference", "s", kind)
        term = call("IsNull", "s IS NULL", "boolean", column)
        why = why_not_pruning(term, ["s"], [], total=2, fully_matching=0, without_bounds={"s": 2})
        assert why == f"Iceberg has no bounds or null counts for `s`, {description}"
    inner = call("GetStructField", "s.a", "int", SparkExpression("AttributeReference", "s", "struct<a: int>"))
    term = call("IsNull", "s.a IS NULL", "boolean", inner)
    assert "bounds for `s.a`" in why_not_pruning(term, ["s.a"], [], total=2, fully_matching=0, without_bounds={})


def test_why_files_are_kept() -> None:
    bucket = FieldClause("bucket(4, id)", "id", "bucket")
    less = SparkExpression("LessThan", "id < 3", "boolean", None, (ID, number(3)))

    def why(term: SparkExpression, **counts: int) -> str:
        return why_not_pruning(
            term,
            ["id"],
            [bucket],
            total=10,
            fully_matching=counts.get("whole", 0),
            without_bounds={"id": counts.get("without", 0)},
        )

    assert why(less, whole=10) == "every row of every file matches it"
    assert "`bucket(4, id)` prunes only for = and IN" in why(less)
    assert "excludes no file" in why(equal(ID, number(3)))
    assert "the files have no bounds for `id`" in why(less, without=10)
    assert "may contain" not in why(less, without=10)
    assert "3 files have no bounds for `id`, and every file's bounds for `id`" in why(less, without=3)


def _substring(start: int, length: int) -> SparkExpression:
    sql = f"substring(name, {start}, {length})"
    return call("Substring", sql, "string", NAME, number(start), number(length))


def _format(pattern: str) -> SparkExpression:
    return call("DateFormatClass", "date_format(ts, '...')", "string", TS, text(pattern))


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (equal(_substring(1, 2), text("ab")), ["{} LIKE 'ab%'"]),
        (equal(_substring(1, 2), text("a%")), ["startswith({}, 'a%')"]),
        (equal(_substring(1, 3), text("ab")), []),
        (equal(_substring(2, 2), text("ab")), []),
        (equal(_substring(1, 0), text("")), []),
        (
            equal(_format("dd.MM.yyyy"), text("31.12.2024")),
            ["{} >= TIMESTAMP '2024-12-31 00:00:00' AND {} < TIMESTAMP '2025-01-01 00:00:00'"],
        ),
        (
            equal(_format("MM/yyyy"), text("12/2024")),
            ["{} >= TIMESTAMP '2024-12-01 00:00:00' AND {} < TIMESTAMP '2025-01-01 00:00:00'"],
        ),
        (equal(_format("dd.yyyy"), text("31.2024")), []),
        (equal(_format("dd.MM.yyyy"), text("31.02.2024")), []),
        (equal(_format("dd'T'MM.yyyy"), text("31T02.2024")), []),
        (equal(_format("DD.MM.yyyy"), text("31.02.2024")), []),
    ],
)
def test_rewrites(term: SparkExpression, expected: list[str]) -> None:
    assert [rewrite.replace(COLUMN, "{}") for rewrite in rewrites(term)] == expected


def test_trials_are_near_the_constants() -> None:
    (range_,) = rewrites(equal(_format("dd.MM.yyyy"), text("31.12.2024")))
    values = set(probe_values(equal(_format("dd.MM.yyyy"), text("31.12.2024")), range_))
    assert {None, "2024-12-31 00:00:00", "2024-12-30 23:59:59", "2025-01-01 00:00:00"} <= values


def test_the_steps_of_a_decimal() -> None:
    price = SparkExpression("AttributeReference", "price", "decimal(10,2)")
    less = SparkExpression("LessThan", "price < 3", "boolean", None, (price, number(3)))
    field = FieldClause("truncate(100, price)", "price", "truncate", "1.00")
    why = why_not_pruning(less, ["price"], [field], total=2, fully_matching=0, without_bounds={})
    assert why.startswith("`truncate(100, price)` (steps of 1.00) excludes no file")
