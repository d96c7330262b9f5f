"""Iceberg's transform functions with the rule `fast` and without it, in whole queries.

    python tests/benchmarks/time_functions.py [millions of rows] [rounds]

Each ratio is of two runs side by side, in both orders; time is the CPU time of the tasks, so that
other work on the machine blurs it little. Prints Markdown tables.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable

from pyspark.sql import SparkSession

import spark_iceberg_sql

STEP = 10_000_123  # microseconds from row to row
SWITCH = "spark.iceberg_sql.fast"
FUNCTIONS = {
    "days(ts)": "iceberg_days(ts)",
    "hours(ts)": "iceberg_hours(ts)",
    "months(ts)": "iceberg_months(ts)",
    "years(ts)": "iceberg_years(ts)",
    "months(d)": "iceberg_months(d)",
    "years(d)": "iceberg_years(d)",
}
# What bucket and truncate would cost as built-in expressions: hash() is the same Murmur3, of another seed.
CANDIDATES = {
    "bucket(16, id)": ("iceberg_bucket(16, id)", "(hash(id) & 2147483647) % 16"),
    "bucket(16, i)": ("iceberg_bucket(16, i)", "(hash(bigint(i)) & 2147483647) % 16"),
    "bucket(16, d)": ("iceberg_bucket(16, d)", "(hash(bigint(unix_date(d))) & 2147483647) % 16"),
    "bucket(16, ts)": ("iceberg_bucket(16, ts)", "(hash(unix_micros(ts)) & 2147483647) % 16"),
    "truncate(10, id)": ("iceberg_truncate(10, id)", "id - pmod(id, 10)"),
    "truncate(10, i)": ("iceberg_truncate(10, i)", "i - pmod(i, 10)"),
}
SHAPES = {
    "max": "SELECT max({call}) FROM {source}",
    # Never pushed (rand() < 0 would be: Spark knows its answer): what is measured is what is left.
    "filter": "SELECT count(*) FROM {source} WHERE {call} = {value} OR rand() < 1e-9",
    "GROUP BY": "SELECT {call}, count(*) FROM {source} GROUP BY 1",
}
# What reading the column and grouping by a number cost with no function at all: no ratio can go below.
FLOORS = {
    "max(ts)": "SELECT max(unix_micros(ts)) FROM {source}",
    "GROUP BY a number of ts": "SELECT shiftright(unix_micros(ts), 36), count(*) FROM {source} GROUP BY 1",
}


def cpu(spark: SparkSession, query: str) -> float:
    """CPU seconds of the tasks of a query."""
    before = stages(spark)
    spark.sql(query).write.format("noop").mode("overwrite").save()
    return sum(time for stage, time in stages(spark).items() if stage not in before) / 1e9


def stages(spark: SparkSession) -> dict[int, int]:
    """CPU nanoseconds of the tasks of each stage."""
    context, gateway = spark.sparkContext._jsc.sc(), spark.sparkContext._gateway
    context.listenerBus().waitUntilEmpty()
    stage_list = context.statusStore().stageList(None, False, False, gateway.new_array(gateway.jvm.double, 0), None)
    listed = [stage_list.apply(i) for i in range(stage_list.size())]
    return {stage.stageId(): stage.executorCpuTime() for stage in listed}


def ratio(first: Callable[[], float], other: Callable[[], float], rounds: int) -> list[list[float]]:
    """CPU seconds of both, round by round, after a warm-up round."""
    first(), other()
    return [[first(), other()] if i % 2 else [other(), first()][::-1] for i in range(rounds)]


def main(millions: int, rounds: int) -> None:
    rows = millions * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        config = {"spark.master": "local[2]", "spark.driver.memory": "2g"}
        spark = spark_iceberg_sql.session(folder, config=config)
        spark.sql(
            # A row every ten seconds, computed for nothing.
            f"""CREATE TEMPORARY VIEW computed AS SELECT timestamp_micros(id) AS ts, id
            FROM range(0, {rows * STEP}, {STEP}, 2)"""
        )
        spark.sql(
            f"""CREATE TABLE local.db.stored USING iceberg AS SELECT id DIV {STEP} AS id, ts,
            CAST(id DIV {STEP} AS int) AS i, date_add(DATE'1970-01-01', CAST(id DIV {STEP} DIV 1000 AS int)) AS d
            FROM computed"""
        )
        for source in ("computed", "local.db.stored"):
            print(f"\n{rows:,} rows, `{source}`; ns of CPU per row, median of {rounds} (min-max of the ratio)\n")
            print("| query | Iceberg | fast | ratio |\n|---|---|---|---|")
            for label, text in FLOORS.items():
                query = text.format(source=source)
                cpu(spark, query)
                costs = [cpu(spark, query) * 1e9 / rows for _ in range(rounds)]
                print(f"| {label} | | {statistics.median(costs):.1f} | |")
            for label, call in FUNCTIONS.items():
                if source == "computed" and "(d)" in label:
                    continue
                value = "DATE'1972-01-01'" if "days" in call else "3"
                for shape, text in SHAPES.items():
                    query = text.format(call=call, source=source, value=value)
                    report(spark, f"{shape} {label}", query, rows, rounds)
        candidates(spark, rows, rounds)
        spark.stop()


def candidates(spark: SparkSession, rows: int, rounds: int) -> None:
    print("\n| function | Iceberg | built-in expression | ratio |\n|---|---|---|---|")
    for label, texts in CANDIDATES.items():
        for source in ("computed", "local.db.stored"):
            if source == "computed" and not label.endswith((" id)", " ts)")):
                continue
            iceberg_query, other = (f"SELECT max({text}) FROM {source}" for text in texts)
            pairs = ratio(lambda q=iceberg_query: cpu(spark, q), lambda q=other: cpu(spark, q), rounds)
            show(f"{label}, `{source}`", pairs, rows)


def report(spark: SparkSession, label: str, query: str, rows: int, rounds: int) -> None:
    def run(switch: str) -> Callable[[], float]:
        def once() -> float:
            spark.conf.set(SWITCH, switch)
            return cpu(spark, query)

        return once

    pairs = ratio(run("false"), run("true"), rounds)
    show(label, pairs, rows)


def show(label: str, pairs: list[list[float]], rows: int) -> None:
    slow, fast = (statistics.median(p[i] for p in pairs) * 1e9 / rows for i in (0, 1))
    ratios = [a / b for a, b in pairs]
    print(
        f"| {label} | {slow:.1f} | {fast:.1f} "
        f"| {statistics.median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f}) |",
        flush=True,
    )


if __name__ == "__main__":
    main(*(int(a) for a in (sys.argv[1:] + ["20", "5"][len(sys.argv) - 1 :])))
