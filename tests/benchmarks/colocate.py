"""Joins and groups by buckets with the rule `colocate` and without, in turns: clicks and orders of users.

Seconds on the clock, and of CPU time in the JVM, which other load on the machine changes less.

python -m tests.benchmarks.colocate [--rows 20000 1000000 5000000] [--rounds 4] [--buckets 8]
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import tempfile
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import spark_iceberg_sql as sis

SWITCH = "spark.iceberg_sql.colocate"
CONFIG = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.autoBroadcastJoinThreshold": "1MB",  # tables that are larger than the default take too long here
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
CLICKS = """
    SELECT hash(id) % ({rows} div 20) AS user, timestamp_seconds(1700000000 + id) AS ts, id % 50 AS page,
           sha2(cast(id AS string), 256) AS agent, id % 7 AS seconds
    FROM range({rows})
"""
ORDERS = "SELECT hash(id * 3) % ({rows} div 20) AS user, id AS number, id % 1000 AS amount FROM range({rows} div 4)"
QUERIES = {
    "orders and clicks": "SELECT count(*), sum(seconds), max(amount) FROM clicks c JOIN orders o ON c.user = o.user",
    "clicks without orders": "SELECT count(*), max(agent) FROM clicks c LEFT ANTI JOIN orders o ON c.user = o.user",
    "users who ordered": (
        "SELECT page, count(*) FROM clicks c WHERE EXISTS "
        "(SELECT 1 FROM orders o WHERE o.user = c.user AND amount > 900) GROUP BY page"
    ),
    "amount by user": (
        "SELECT max(n), max(s) FROM (SELECT c.user, count(*) AS n, sum(amount) AS s FROM clicks c "
        "JOIN (SELECT user, sum(amount) AS amount FROM orders GROUP BY user) o ON c.user = o.user GROUP BY c.user)"
    ),
    "clicks by user": (
        "SELECT max(n), max(a) FROM (SELECT user, count(*) AS n, max(agent) AS a FROM clicks GROUP BY user)"
    ),
    "sessions": (
        "SELECT count(*) FROM (SELECT user, ts - lag(ts) OVER (PARTITION BY user ORDER BY ts) AS gap FROM clicks) "
        "WHERE gap IS NULL OR gap > INTERVAL 30 MINUTES"
    ),
    # Nothing to gain: the rule must not cost anything.
    "clicks by page": "SELECT page, count(*), max(agent) FROM clicks GROUP BY page",
    "a filter": "SELECT count(*), max(agent) FROM clicks WHERE page = 7",
    "a few orders": (
        "SELECT count(*), max(agent) FROM clicks c JOIN (SELECT * FROM orders WHERE number < 1000) o ON c.user = o.user"
    ),
    "one user has half": (
        "SELECT max(n), max(a) FROM (SELECT user, count(*) AS n, max(agent) AS a FROM skewed GROUP BY user)"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.colocate", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 1_000_000, 5_000_000], help="of the clicks")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--buckets", type=int, default=8)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=CONFIG)
        spark.sparkContext.setLogLevel("ERROR")
        for rows in arguments.rows:
            spark.sql(f"CREATE NAMESPACE local.n{rows}")
            spark.sql(f"USE local.n{rows}")
            skewed = CLICKS.replace("hash(id)", "if(id % 2 = 0, 1, hash(id))")
            for name, query in (("clicks", CLICKS), ("orders", ORDERS), ("skewed", skewed)):
                spark.sql(
                    f"CREATE TABLE {name} USING iceberg PARTITIONED BY (bucket({arguments.buckets}, user)) AS "
                    + query.format(rows=rows)
                )
            measure(spark, rows, arguments.rounds)
        spark.stop()


def measure(spark: SparkSession, rows: int, rounds: int) -> None:
    print(f"\n| {rows:,} clicks | shuffles | with | s | with | times faster | CPU, s | with | times less |")
    print(f"|---|{'--:|' * 8}")
    ratios = []
    stat = Path(f"/proc/{spark._jvm.java.lang.ProcessHandle.current().pid()}/stat")
    for name, query in QUERIES.items():
        seconds: dict[str, list[float]] = {"false": [], "true": []}
        processed: dict[str, list[float]] = {"false": [], "true": []}
        frames: dict[str, DataFrame] = {}
        results: dict[str, list[str]] = {}
        for number in range(rounds + 1):
            for switch in ("false", "true") if number % 2 else ("true", "false"):
                spark.conf.set(SWITCH, switch)
                start, cpu = time.perf_counter(), cpu_seconds(stat)
                frames[switch] = spark.sql(query)
                results[switch] = sorted(map(str, frames[switch].collect()))
                seconds[switch].append(time.perf_counter() - start)
                processed[switch].append(cpu_seconds(stat) - cpu)
        if results["false"] != results["true"]:
            raise SystemExit(f"{name}: the rows differ")
        alone, ours = (statistics.median(of[1:]) for of in seconds.values())  # the first round warms up
        cpu_alone, cpu_ours = (statistics.median(of[1:]) for of in processed.values())
        ratios.append((alone / ours, cpu_alone / cpu_ours))
        counts = [shuffles(frames[switch]) for switch in ("false", "true")]
        print(
            f"| {name} | {counts[0]} | {counts[1]} | {alone:.2f} | {ours:.2f} | {alone / ours:.2f} "
            f"| {cpu_alone:.2f} | {cpu_ours:.2f} | {cpu_alone / cpu_ours:.2f} |",
            flush=True,
        )
    for kind, of in zip(("on the clock", "of CPU time"), zip(*ratios, strict=True), strict=True):
        mean = math.exp(statistics.fmean(map(math.log, of)))
        print(f"\n{kind}: geometric mean {mean:.2f} times less, worst {min(of):.2f}, best {max(of):.1f}")


def cpu_seconds(stat: Path) -> float:
    """Of a process, all its threads, by its file in /proc."""
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shuffles(frame: DataFrame) -> int:
    plan = str(frame._jdf.queryExecution().executedPlan().toString())
    return plan.partition("== Initial Plan ==")[0].count("Exchange hashpartitioning")


if __name__ == "__main__":
    main()
