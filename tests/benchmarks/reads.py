"""Queries that read only what their answer needs: files, rows and seconds against Spark and Iceberg alone, in turns.

    python -m tests.benchmarks.reads [overhead] [dashboard] [tpch] [tpcds] [--scale 1] [--rounds 3]

Each query runs with all optimizer rules on and off, in turns; both must return the same rows. What TPC-H and TPC-DS
need: `tests/benchmarks/tpc.py`; their large tables are partitioned by month, and by 30 days. `overhead` optimizes plans
that no rule changes, without running them, with and without the five rules that read less.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.optimizer.rule_records import RULES
from tests.benchmarks import tpc

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
from scans import leaves

CONFIG = {
    "spark.driver.memory": "5g",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
SPECS = {
    "lineitem": "months(l_shipdate)",
    "orders": "months(o_orderdate)",
    "store_sales": "truncate(30, ss_sold_date_sk)",
}
# No rule changes these: the time that they take to find that out is lost.
WITHOUT_GAIN = (
    "SELECT * FROM small",
    "SELECT * FROM small WHERE id > 5 AND id < 900",
    "SELECT tenant, sum(amount) FROM small WHERE note LIKE '%7%' GROUP BY tenant ORDER BY 2",
    "SELECT a.kind, count(*) FROM small a JOIN small b ON a.note = b.kind WHERE b.amount > 5 GROUP BY a.kind",
    "SELECT * FROM small ORDER BY amount * 2 LIMIT 10",
)
READING_LESS = ("aggregates", "joins", "limit", "topk", "values")
PLANS = 400
EVENTS = """
    SELECT id, timestamp '2024-01-01' + make_dt_interval(0, 0, 0, id * 2.6) AS ts, id % 40 AS tenant,
           element_at(array('view', 'click', 'order', 'error'), cast(id % 4 AS int) + 1) AS kind,
           cast(id % 1000 AS decimal(9, 2)) AS amount, sha2(cast(id AS string), 256) AS note
    FROM range({rows})
"""


@dataclass(frozen=True)
class Run:
    """One run of a query: its rows, seconds, the data files and rows that its scans read, and its plan.

    plan: of final_plan.
    """

    rows: list[str]
    seconds: float
    files: int
    rows_read: int
    plan: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.reads", description=__doc__)
    parser.add_argument("workloads", nargs="*", default=["dashboard"], help="overhead, dashboard, tpch, tpcds")
    parser.add_argument("--scale", default="1", help="of TPC-H and TPC-DS; 1 is about a gigabyte")
    parser.add_argument("--rows", type=int, default=4_000_000, help="of the event table")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=CONFIG)
        spark.sparkContext.setLogLevel("ERROR")
        for workload in arguments.workloads:
            spark.sql(f"CREATE NAMESPACE local.{workload}")
            spark.sql(f"USE local.{workload}")
            if workload == "overhead":
                measure_overhead(spark)
                continue
            if workload == "dashboard":
                create_events(spark, arguments.rows)
            else:
                create_generated(spark, workload, arguments.scale, folder)
            measure(spark, workload, arguments.rounds)
        spark.stop()


def measure_overhead(spark: SparkSession) -> None:
    spark.sql(f"CREATE TABLE small USING iceberg PARTITIONED BY (days(ts)) AS {EVENTS.format(rows=1000)}")
    print("\n| query | milliseconds without the rules | more with them |\n|---|--:|--:|")
    for query in WITHOUT_GAIN:
        milliseconds: dict[str, list[float]] = {"false": [], "true": []}
        for number in range(2 * PLANS):
            switch = "true" if number % 2 else "false"
            set_rules(spark, switch, READING_LESS)
            execution = spark.sql(query)._jdf.queryExecution()
            start = time.perf_counter()
            execution.optimizedPlan()
            milliseconds[switch].append((time.perf_counter() - start) * 1000)
        alone, ours = (statistics.median(of[PLANS // 4 :]) for of in milliseconds.values())  # the first warm up
        print(f"| {query} | {alone:.2f} | {ours - alone:+.2f} |", flush=True)


def set_rules(spark: SparkSession, switch: str, names: Iterable[str] = ()) -> None:
    """Switch rules on or off: all that do not refuse queries, or those with these names."""
    for rule in RULES:
        if rule.name in names or not (names or rule.name == "require_filter"):
            spark.conf.set(rule.switch, switch)


def create_events(spark: SparkSession, rows: int) -> None:
    events = EVENTS.format(rows=rows)
    spark.sql(f"CREATE TABLE events USING iceberg PARTITIONED BY (days(ts)) AS {events} ORDER BY ts")
    logs = f"SELECT date_format(ts, 'yyyyMMdd') AS ds, kind AS level, id % 5000 AS size FROM ({events})"
    spark.sql(f"CREATE TABLE logs USING iceberg PARTITIONED BY (ds) AS {logs} ORDER BY ds")
    spark.sql(
        "CREATE TABLE calendar USING iceberg AS SELECT day, weekofyear(day) AS week, day IN (DATE '2024-01-01', "
        "DATE '2024-03-29', DATE '2024-04-01') AS holiday, date_format(day, 'd MMM') AS name "
        "FROM (SELECT date_add(DATE '2023-06-01', cast(id AS int)) AS day FROM range(730))"
    )
    spark.sql(
        "CREATE TABLE incidents USING iceberg AS SELECT * FROM VALUES ('a', TIMESTAMP '2024-02-03 10:00:00', "
        "TIMESTAMP '2024-02-03 12:00:00'), ('b', TIMESTAMP '2024-02-05', TIMESTAMP '2024-02-06') "
        "AS t(name, since, until)"
    )


def create_generated(spark: SparkSession, workload: str, scale: str, folder: str) -> None:
    for table, source in tpc.generate(workload, scale, Path(folder) / workload).items():
        by = f"PARTITIONED BY ({SPECS[table]})" if table in SPECS else ""
        spark.sql(f"CREATE TABLE {table} USING iceberg {by} AS SELECT * FROM parquet.`{source}`")


def measure(spark: SparkSession, workload: str, rounds: int) -> None:
    names = list(tpc.queries(workload).items())
    print(f"\n| {workload} | files | with | rows | with | s | with | times faster | plan |")
    print(f"|---|{'--:|' * 7}---|")
    speed_ups, fastest = [], []
    for name, query in names:
        runs: dict[str, list[Run]] = {"false": [], "true": []}
        for number in range(rounds + 1):
            for switch in ("false", "true") if number % 2 else ("true", "false"):
                set_rules(spark, switch)
                runs[switch].append(run(spark, query))
        alone, ours = (of[1:] for of in runs.values())  # the first round warms up
        if sorted(alone[0].rows) != sorted(ours[0].rows) and " LIMIT " not in query:
            raise SystemExit(f"{name}: the rows differ")
        seconds = [statistics.median(r.seconds for r in of) for of in (alone, ours)]
        speed_ups.append(seconds[0] / seconds[1])
        # Whatever else the machine does only adds to a run: the fastest of each tell the plans apart.
        fastest.append(min(r.seconds for r in alone) / min(r.seconds for r in ours))
        print(
            f"| {name} | {alone[0].files} | {ours[0].files} | {alone[0].rows_read:,} | {ours[0].rows_read:,} "
            f"| {seconds[0]:.2f} | {seconds[1]:.2f} | {speed_ups[-1]:.2f} "
            f"| {'the same' if alone[-1].plan == ours[-1].plan else 'another'} |",
            flush=True,
        )
    for kind, ratios in (("median of the runs", speed_ups), ("fastest of the runs", fastest)):
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(
            f"\n{workload}, {kind}: geometric mean {mean:.2f} times faster, worst {min(ratios):.2f}, "
            f"best {max(ratios):.1f}"
        )
    print(
        "slowest first, fastest runs:", sorted((round(r, 2), n) for r, (n, _) in zip(fastest, names, strict=True))[:5]
    )


def run(spark: SparkSession, query: str) -> Run:
    start = time.perf_counter()
    frame: DataFrame = spark.sql(query)
    rows = frame.collect()
    seconds = time.perf_counter() - start
    scans = [leaf for leaf in leaves(frame) if leaf.nodeName().startswith("BatchScan")]
    rows_read = sum(metric(scan, "numOutputRows") for scan in scans)
    return Run([str(row) for row in rows], seconds, sum(map(files_read, scans)), rows_read, final_plan(frame))


def final_plan(frame: DataFrame) -> str:
    """Spark's, after adaptive execution, without the numbers of expressions and plans."""
    plan = frame._jdf.queryExecution().executedPlan()
    last = plan.executedPlan() if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec" else plan
    return re.sub(r"#\d+L?|plan_id=\d+|\[\d+\]|id=#\d+|snapshotId=\d+", "#", str(last.toString()))


def metric(scan: Any, name: str) -> int:
    value = scan.metrics().get(name)
    return int(value.get().value()) if value.isDefined() else 0


def bytes_planned(frame: DataFrame) -> int:
    """Of the data files of its scans, before Spark's dynamic pruning."""
    return sum(metric(scan, "totalDataFileSize") for scan in leaves(frame))


def files_read(scan: Any) -> int:
    """Iceberg reports the files ahead of Spark's dynamic pruning, which leaves out splits by their partition values."""
    files = metric(scan, "resultDataFiles")
    return min(files, metric(scan, "numSplits")) if scan.runtimeFilters().size() else files


if __name__ == "__main__":
    main()
