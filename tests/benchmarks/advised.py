"""TPC-H or TPC-DS on tables partitioned as `advise` proposes for all its queries: Spark and Iceberg alone, and ours.

    python -m tests.benchmarks.advised [tpch] [--scale 1] [--rounds 3] [--master 'local-cluster[2,1,3072]']
        [--folder FOLDER] [--query q18 q19] [--warm 1]

Each query runs with all optimizer rules on and off, in turns; both must return the same rows. Of each, the median of
the rounds: seconds on the clock, of CPU time in the driver's JVM, which without `--master` is all of it, the megabytes
that tasks wrote for a shuffle, and those of the files that the scans were planned to read. At last, whether the rules
change the plan that has run: where they do not, the ratio is what rounds of one plan differ by here.

The tables are kept in FOLDER for another run. A table stands for one of sixteen times the size, of TPC-DS of 128: its
files, and what opening one costs, are that part. Tables that have a single file are not partitioned. What it needs:
`tests/benchmarks/tpc.py`.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from tests.benchmarks import tpc
from tests.benchmarks.colocate import KINDS, Costs
from tests.benchmarks.reads import bytes_planned, final_plan, set_rules

CONFIG = {
    "spark.driver.memory": "5g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.retainedStages": "100000",
}
TIMES = {"tpch": 16, "tpcds": 128}  # the size that a table stands for
FILE_SIZE, OPEN_COST = 512 << 20, 4 << 20  # there, at scale 1
ALL_KINDS = (*KINDS, "files, MB")
SHOWN = ("clock, s", "CPU, s", "shuffled, MB", "files, MB")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.advised", description=__doc__)
    parser.add_argument("workload", nargs="?", default="tpch", choices=TIMES)
    parser.add_argument("--scale", default="1", help="1 is about a gigabyte of text")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm", type=int, default=1, help="rounds before those; a JVM takes several to be even")
    parser.add_argument("--master", default="local[*]")
    parser.add_argument("--folder", help="keeps the tables")
    parser.add_argument("--query", nargs="+", default=[], help="these alone, such as q18")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.folder or temporary)
        namespace = f"local.{arguments.workload}"
        is_kept = (folder / "warehouse" / arguments.workload).exists()
        spark = sis.session(folder / "warehouse", config={**CONFIG, "spark.master": arguments.master})
        spark.sparkContext.setLogLevel("ERROR")
        queries = tpc.queries(arguments.workload)
        if not is_kept:
            create(spark, arguments.workload, arguments.scale, folder)
        spark.sql(f"USE {namespace}")
        if not is_kept:
            partition(spark, [f"{namespace}.{table}" for table in tpc.TABLES[arguments.workload]], queries.values())
        chosen = {name: query for name, query in queries.items() if name in (arguments.query or queries)}
        measure(spark, chosen, arguments.rounds, arguments.warm)
        spark.stop()


def create(spark: SparkSession, workload: str, scale: str, folder: Path) -> None:
    spark.sql(f"CREATE NAMESPACE local.{workload}")
    size, cost = (int(bytes_ / TIMES[workload] * float(scale)) for bytes_ in (FILE_SIZE, OPEN_COST))
    for table, source in tpc.generate(workload, scale, folder / "generated").items():
        spark.sql(
            f"CREATE TABLE local.{workload}.{table} USING iceberg "
            f"TBLPROPERTIES ('write.target-file-size-bytes' = '{size}', 'read.split.open-file-cost' = '{cost}') "
            f"AS SELECT * FROM parquet.`{source}`"
        )


def partition(spark: SparkSession, names: list[str], queries: Iterable[str]) -> None:
    """Change and rewrite the tables as the advice for all of them says."""
    several = [name for name in names if spark.sql(f"SELECT 1 FROM {name}.files").count() > 1]
    started = time.perf_counter()
    advice = sis.advise(spark, several, list(queries))
    print(f"advice for {len(several)} tables: {time.perf_counter() - started:.0f} s; {advice.headline}")
    for together in advice.together:
        print(together)
    for name, of_table in zip(several, advice, strict=True):
        print(f"{name}: {of_table.best.title}", flush=True)
    for proposal in (of_table.best for of_table in advice):
        for statement in proposal.ddl:
            spark.sql(statement)
        if proposal.rewrite is not None and not proposal.is_today:
            spark.sql(proposal.rewrite)


def measure(spark: SparkSession, queries: dict[str, str], rounds: int, warm: int) -> None:
    print("\n| query | " + " | ".join(f"{kind} | with | less" for kind in SHOWN) + " | plan |")
    print(f"|---|{'--:|' * (3 * len(SHOWN))}---|")
    costs = Costs(spark)
    ratios: dict[str, list[float]] = {kind: [] for kind in SHOWN}
    sums: dict[str, list[float]] = {kind: [0.0, 0.0] for kind in SHOWN}
    for name, query in queries.items():
        runs: dict[str, list[tuple[float, ...]]] = {"false": [], "true": []}
        results: dict[str, list[str]] = {}
        plans: dict[str, str] = {}
        for number in range(rounds + warm):
            for switch in ("false", "true") if number % 2 else ("true", "false"):
                set_rules(spark, switch)
                costs.start()
                frame = spark.sql(query)
                results[switch] = sorted(map(str, frame.collect()))
                runs[switch].append((*costs.values(), bytes_planned(frame) / 1e6))
                plans[switch] = final_plan(frame)
        if results["false"] != results["true"] and " LIMIT " not in query:
            raise SystemExit(f"{name}: the rows differ")
        cells = []
        for kind in SHOWN:
            position = ALL_KINDS.index(kind)
            alone, ours = (statistics.median(r[position] for r in of[warm:]) for of in runs.values())
            less = alone / ours if ours else math.inf if alone else 1.0
            ratios[kind].append(less)
            sums[kind] = [sums[kind][0] + alone, sums[kind][1] + ours]
            cells.append(f"{alone:.2f} | {ours:.2f} | {less:.2f}")
        plan = "the same" if plans["false"] == plans["true"] else "another"
        print(f"| {name} | {' | '.join(cells)} | {plan} |", flush=True)
    for kind in SHOWN:
        alone, ours = sums[kind]
        mean = math.exp(statistics.fmean(math.log(r) for r in ratios[kind] if math.isfinite(r)))
        print(
            f"\n{kind}: {alone:.1f} and {ours:.1f} in all; geometric mean {mean:.2f} times less, "
            f"worst {min(ratios[kind]):.2f}, best {max(ratios[kind]):.2f}"
        )


if __name__ == "__main__":
    main()
