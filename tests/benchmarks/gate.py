"""What the gate costs a statement that it lets through: with it and without it, in turns, in one run.

python tests/benchmarks/gate.py

The parser is measured in the JVM, where the gate stands before it, in processor time; `spark.sql` from Python.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import compiler

ROUNDS = 40
QUERY = "SELECT " + ", ".join(f"c{i} + {i} AS created_at_{i}, lower(name_{i}) AS replaced_{i}" for i in range(170))
STATEMENTS = {
    "SELECT 1": ("SELECT 1", 4000),
    "a query of 10,000 characters": (QUERY, 40),
    "the same with iceberg_bucket": (QUERY.replace("lower(", "iceberg_bucket(16, "), 40),
    "a word of DDL in a string": ("SELECT 'create or replace' AS x", 2000),
}


def timer() -> Callable[..., float]:
    text = Path(__file__).with_name("ParserTimer.java").read_text("utf-8")
    loader = compiler.compile_java(text, "ParserTimer.java", compiler.context_loader())
    parser_timer = compiler.instance(loader, "sparkicebergsql.benchmarks.ParserTimer")
    return lambda parser, text, times: parser_timer.parse(parser, text, times) / times / 1e9


def seconds(spark, text, times):
    begun = time.perf_counter()
    for _ in range(times):
        spark.sql(text)
    return (time.perf_counter() - begun) / times


def row(name, without, gated):
    """Both alternately, and in alternating order: on a machine that gets busy the second one suffers."""
    pairs = []
    for turn in range(ROUNDS):
        first, second = (without, gated) if turn % 2 else (gated, without)
        a, b = first(), second()
        pairs.append((a, b) if turn % 2 else (b, a))
    ratios = sorted(b / a for a, b in pairs)
    a, b = (min(column) * 1e6 for column in zip(*pairs, strict=True))
    median = statistics.median(ratios)
    print(
        f"| {name} | {a:,.1f} | {b:,.1f} | {b / a:.3f} | {median:.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}) |",
        flush=True,
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]"})
        parser, behind = (spark._jsparkSession.sessionState().sqlParser(), requests.parser_without_gate(spark))
        parse = timer()
        print("| statement | without, µs, least | gated, µs, least | ratio | median (min to max) |")
        print("|---|---|---|---|---|")
        for name, (text, times) in STATEMENTS.items():
            for timed_parser in (parser, behind) * 5:
                parse(timed_parser, text, times)
            row(
                f"parser: {name}",
                lambda text=text, times=times: parse(behind, text, times),
                lambda text=text, times=times: parse(parser, text, times),
            )
        open_session = spark.newSession()
        sis.install(open_session, ddl="off")
        for _ in range(2):
            seconds(spark, "SELECT 1", 200)
        row(
            "spark.sql: SELECT 1, mode off against error",
            lambda: seconds(open_session, "SELECT 1", 100),
            lambda: seconds(spark, "SELECT 1", 100),
        )
        spark.stop()


if __name__ == "__main__":
    main()
