"""The guard: filters on Iceberg's functions return the rows for which they are true, and still prune."""

from __future__ import annotations

from collections.abc import Iterator

import guard_grid as grid
import pytest
from pyspark.sql import SparkSession
from samples import FULL, swept

STEP = 1 if FULL else 24  # one in so many checks is run

# name -> the transforms whose fields the table has
PARTITIONINGS: dict[str, tuple[str, ...]] = {
    "none": (),
    "identity": ("identity",),
    "bucket": ("bucket",),
    "truncate": ("truncate",),
    "years": ("years",),
    "months": ("months",),
    "days": ("days",),
    "hours": ("hours",),
    "other_n": ("bucket*2",),
    "other_w": ("truncate*3",),
    "both": ("identity", "bucket"),
}
NESTED = {"nested_none": (), "nested_identity": ("identity",), "nested_bucket": ("bucket",), "nested_days": ("days",)}
SOME = ("i", "d", "s", "ts")  # the columns whose fields change in tables of several specs


@pytest.fixture(scope="module", autouse=True)
def settings(spark: SparkSession) -> Iterator[None]:
    """Plan validation after each rule; thousands of small queries, without code generation."""
    ours = {
        "spark.sql.planChangeValidation": "true",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    for key, value in ours.items():
        spark.conf.set(key, value)
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.guard")
    yield
    for key in ours:
        spark.conf.unset(key)


def make(spark: SparkSession, name: str) -> str:
    """The grid's table of that name, created on first use."""
    table = f"local.guard.{name}"
    if spark.catalog.tableExists(table):
        return table
    if name in PARTITIONINGS:
        grid.create(spark, table, [f for t in PARTITIONINGS[name] for f in grid.fields(t)])
        grid.insert(spark, table, range(grid.ROWS))
    elif name in NESTED:
        parts = [f for t in NESTED[name] for f in grid.fields(t)]
        for column in grid.COLUMNS:
            parts = [f if "." in f else _nested(f, column) for f in parts]
        grid.create(spark, table, parts, nested=True)
        grid.insert(spark, table, range(grid.ROWS), nested=True)
    else:
        _several_specs(spark, table, name)
    return table


def _nested(field: str, column: str) -> str:
    if field == column or field.endswith((f" {column})", f"({column})")):
        return f"{field[: len(field) - len(column) - field.endswith(')')]}p.{column}{')' * field.endswith(')')}"
    return field


def _several_specs(spark: SparkSession, table: str, name: str) -> None:
    v1 = name == "void_v1"
    stages = {
        "evolved_to_bucket": ([], ["{c}"], ["bucket(4, {c})"]),
        "evolved_to_identity": (["bucket(4, {c})"], [], ["{c}"]),
        "void_v1": (["{c}"], ["bucket(4, {c})"]),
    }[name]
    third = -(-grid.ROWS // len(stages))
    grid.create(spark, table, [f.format(c=c) for f in stages[0] for c in SOME], v=1 if v1 else 2)
    for number, stage in enumerate(stages):
        if number:
            for field in [f.format(c=c) for f in stages[number - 1] for c in SOME]:
                grid.past_the_gate(spark, f"ALTER TABLE {table} DROP PARTITION FIELD {field}")
            for at, field in enumerate(f.format(c=c) for f in stage for c in SOME):
                grid.past_the_gate(spark, f"ALTER TABLE {table} ADD PARTITION FIELD {field} AS f{number}_{at}")
        grid.insert(spark, table, range(grid.ROWS)[number * third : (number + 1) * third])


SPECS = ("evolved_to_bucket", "evolved_to_identity", "void_v1")


MAIN = pytest.mark.tier("quick", of="rule guard")


@pytest.mark.parametrize("name", [*(pytest.param(n, marks=MAIN) for n in [*PARTITIONINGS][::8]), *SPECS,
                                  *swept((n for i, n in enumerate(PARTITIONINGS) if i % 8), 2)])  # fmt: skip
def test_rows_of_a_filter(spark: SparkSession, name: str) -> None:
    check(spark, grid.checks(spark, make(spark, name), start=len(name), step=STEP))


@pytest.mark.parametrize("name", NESTED)
def test_rows_of_a_filter_on_a_nested_column(spark: SparkSession, name: str) -> None:
    table = make(spark, name)
    check(spark, grid.checks(spark, table, source="p.{c}", start=1, step=STEP * 2))
    check(spark, grid.checks(spark, table, source="q.{c}", start=2, step=STEP * 8))


def test_rows_of_a_filter_in_generated_code(spark: SparkSession) -> None:
    for key in ("spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode"):
        spark.conf.unset(key)
    try:
        for name in ("identity", "bucket", "evolved_to_bucket"):
            check(spark, grid.checks(spark, make(spark, name), step=STEP * 3))
    finally:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")
        spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")


def check(spark: SparkSession, checks: Iterator[grid.Check]) -> None:
    todo = list(checks)
    bad = [f for at in range(0, len(todo), 20) for f in grid.failures(spark, todo[at : at + 20])]
    assert todo
    assert bad == []
