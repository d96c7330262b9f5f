"""Tables that other writers have made: each query returns the rows of the files, with and without the rules."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from foreign import WRITERS, Writer, predicates, truth
from pyspark.sql import SparkSession
from samples import share

from spark_iceberg_sql.spark.optimizer.rule_records import RULES

AGGREGATES = "count(*), count(ts), count(d), min(ts), max(ts), min(d), max(d)"


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.foreign")
    yield
    spark.conf.unset("spark.sql.session.timeZone")


@pytest.fixture(scope="module", params=WRITERS)
def table(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Writer]:
    """A table by its name in a query; the view `truth` has its rows."""
    writer = WRITERS[request.param]
    folder: Path = tmp_path_factory.mktemp(request.param)
    source = writer.build(spark, folder, request.param)
    rows = truth(spark, writer.rows(), writer.kind)
    if writer.shifts:
        rows = spark.table(source).localCheckpoint()
    rows.createOrReplaceTempView("truth")
    return source, writer


def queries(writer: Writer, step: int = 1) -> Iterator[str]:
    """Queries of one text column, {} the table. step: 9 tries one of nine."""
    all_predicates = list(predicates(writer.rows()))
    for predicate in share(all_predicates, step):
        yield f"SELECT CAST(struct(k, ts, d) AS STRING) AS row FROM {{}} WHERE {predicate}"
    for predicate in ("true", *share(all_predicates[::5], 6)):
        yield f"SELECT CAST(struct({AGGREGATES}) AS STRING) AS row FROM {{}} WHERE {predicate}"
    for on in ("f.ts = t.ts", "f.d = t.d AND year(f.ts) >= 1"):
        rows = "(SELECT * FROM truth WHERE k % 7 = 0)"
        yield f"SELECT CAST(struct(f.k, t.k) AS STRING) AS row FROM {{}} f JOIN {rows} t ON {on}"


def answers(spark: SparkSession, source: str, query_texts: list[str]) -> dict[str, list[str]]:
    """By query, the rows that it returns. Many queries are one job, but each is planned on its own."""
    rows_by_query: dict[str, list[str]] = {query: [] for query in query_texts}
    for start in range(0, len(query_texts), 24):
        parts = (
            f"SELECT {i} AS i, row FROM ({query_texts[i].format(source)})"
            for i in range(start, min(start + 24, len(query_texts)))
        )
        for i, row in spark.sql(" UNION ALL ".join(parts)).collect():
            rows_by_query[query_texts[i]].append(row)
    return {query: sorted(rows) for query, rows in rows_by_query.items()}


def differing(spark: SparkSession, source: str, query_texts: list[str]) -> dict[str, tuple[list[str], list[str]]]:
    """The queries that a table answers otherwise than its rows: both answers."""
    actual, expected = answers(spark, source, query_texts), answers(spark, "truth", query_texts)
    return {query: (actual[query], expected[query]) for query in query_texts if actual[query] != expected[query]}


def test_every_row(spark: SparkSession, table: tuple[str, Writer]) -> None:
    source, writer = table
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        assert not differing(spark, source, list(queries(writer, 18)))


@pytest.fixture
def _no_rules(spark: SparkSession) -> Iterator[None]:
    for rule in RULES:
        spark.conf.set(rule.switch, "false")
    yield
    for rule in RULES:
        spark.conf.unset(rule.switch)


@pytest.mark.usefixtures("_no_rules")
def test_iceberg_alone_loses_rows(spark: SparkSession, table: tuple[str, Writer]) -> None:
    """The tables are what they are for."""
    source, writer = table
    if writer.loses:
        query_texts = [query for query in queries(writer) if "JOIN" not in query][:24]
        assert any(differing(spark, source, query_texts[start : start + 3]) for start in range(0, 24, 3))
