"""Joins and groups by buckets with the rule `colocate` and without, in turns: clicks and orders of users.

Of each query, the median of some rounds: seconds on the clock, of tasks, of CPU time in the whole JVM, which other
load on the machine changes less, and the bytes that the tasks wrote for a shuffle. By whether only
groups and windows shuffle, or a join does, or nothing can be gained: the geometric mean, the worst and the best.
A run may be of one of these parts; the tables are kept in FOLDER for the others.

python -m tests.benchmarks.colocate [--rows 20000 10000000] [--rounds 4] [--part joins] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import spark_iceberg_sql as sis

SWITCH = "spark.iceberg_sql.colocate"
CONFIG = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.autoBroadcastJoinThreshold": "1MB",  # tables that are larger than the default take too long here
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.retainedStages": "100000",
}
CLICKS = """
    SELECT hash(id) % ({rows} div 20) AS user, timestamp_seconds(1700000000 + id) AS ts, id % 50 AS page,
           sha2(cast(id AS string), 256) AS agent, id % 7 AS seconds
    FROM range({rows})
"""
ORDERS = """
    SELECT hash(id * 3) % ({rows} div 20) AS user, id AS number, id % 1000 AS amount, id % 50 AS page
    FROM range({rows} div 4)
"""
# By what is shuffled without the rule.
JOINS, GROUPS, NOTHING = PARTS = ("joins", "groups", "nothing")
QUERIES = {
    "orders and clicks": (
        JOINS,
        "SELECT count(*), sum(seconds), max(amount), max(agent) FROM clicks c JOIN orders o ON c.user = o.user",
    ),
    "clicks without orders": (
        JOINS,
        "SELECT count(*), max(agent) FROM clicks c LEFT ANTI JOIN orders o ON c.user = o.user",
    ),
    "users who ordered": (
        JOINS,
        (
            "SELECT page, count(*) FROM clicks c WHERE EXISTS "
            "(SELECT 1 FROM orders o WHERE o.user = c.user AND amount > 900) GROUP BY page"
        ),
    ),
    "amount by user": (
        JOINS,
        (
            "SELECT max(n), max(s) FROM (SELECT c.user, count(*) AS n, sum(amount) AS s FROM clicks c "
            "JOIN (SELECT user, sum(amount) AS amount FROM orders GROUP BY user) o ON c.user = o.user GROUP BY c.user)"
        ),
    ),
    "clicks of a page by user": (
        JOINS,
        "SELECT count(*), max(c.agent) FROM clicks c JOIN orders o ON c.user = o.user AND c.page = o.page",
    ),
    "clicks by user": (
        GROUPS,
        "SELECT max(n), max(a) FROM (SELECT user, count(*) AS n, max(agent) AS a FROM clicks GROUP BY user)",
    ),
    "clicks by user and page": (
        GROUPS,
        "SELECT count(*), max(a) FROM (SELECT user, page, ts, max(agent) AS a FROM clicks GROUP BY user, page, ts)",
    ),
    "sessions": (
        GROUPS,
        (
            "SELECT count(*) FROM (SELECT user, ts - lag(ts) OVER (PARTITION BY user ORDER BY ts) AS gap FROM clicks) "
            "WHERE gap IS NULL OR gap > INTERVAL 30 MINUTES"
        ),
    ),
    "last clicks": (
        GROUPS,
        (
            "SELECT count(*), max(agent) FROM "
            "(SELECT agent, row_number() OVER (PARTITION BY user ORDER BY ts DESC) AS n FROM clicks) WHERE n = 1"
        ),
    ),
    "clicks by page": (NOTHING, "SELECT page, count(*), max(agent) FROM clicks GROUP BY page"),
    "a filter": (NOTHING, "SELECT count(*), max(agent) FROM clicks WHERE page = 7"),
    "a few orders": (
        NOTHING,
        (
            "SELECT count(*), max(agent) FROM clicks c JOIN (SELECT * FROM orders WHERE number < 1000) o "
            "ON c.user = o.user"
        ),
    ),
    "one user has half": (
        NOTHING,
        "SELECT max(n), max(a) FROM (SELECT user, count(*) AS n, max(agent) AS a FROM skewed GROUP BY user)",
    ),
}
KINDS = ("clock, s", "tasks, s", "CPU, s", "shuffled, MB")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.colocate", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 10_000_000], help="of the clicks")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--buckets", type=int, default=8)
    parser.add_argument("--part", nargs="+", default=PARTS, choices=PARTS, help="what is shuffled without the rule")
    parser.add_argument("--query", nargs="+", default=QUERIES, choices=QUERIES, metavar="NAME", help="these alone")
    parser.add_argument("--folder", help="keeps the tables; those of other --buckets need another")
    parser.add_argument("--always", action="store_true", help="also where the rule expects nothing to be gained")
    arguments = parser.parse_args()
    names = [name for name, (part, _) in QUERIES.items() if part in arguments.part and name in arguments.query]
    with tempfile.TemporaryDirectory() as temporary:
        spark = sis.session(Path(arguments.folder or temporary) / "warehouse", config=CONFIG)
        spark.sparkContext.setLogLevel("ERROR")
        for rows in arguments.rows:
            spark.sql(f"CREATE NAMESPACE IF NOT EXISTS local.n{rows}")
            spark.sql(f"USE local.n{rows}")
            create(spark, rows, arguments.buckets)
            measure(spark, rows, arguments.rounds, names, "always" if arguments.always else "true")
        spark.stop()


def create(spark: SparkSession, rows: int, buckets: int) -> None:
    skewed = CLICKS.replace("hash(id)", "if(id % 2 = 0, 1, hash(id))")
    for name, query in (("clicks", CLICKS), ("orders", ORDERS), ("skewed", skewed)):
        spark.sql(
            f"CREATE TABLE IF NOT EXISTS {name} USING iceberg PARTITIONED BY (bucket({buckets}, user)) AS "
            + query.format(rows=rows)
        )


def measure(spark: SparkSession, rows: int, rounds: int, names: list[str], forced: str) -> None:
    print(f"\n| {rows:,} clicks | shuffles | with | " + " | ".join(f"{kind} | with | less" for kind in KINDS) + " |")
    print(f"|---|{'--:|' * (2 + 3 * len(KINDS))}")
    ratios: dict[str, list[tuple[float, ...]]] = {part: [] for part in PARTS}
    costs = Costs(spark)
    for name in names:
        part, query = QUERIES[name]
        rounds_of: dict[str, list[tuple[float, ...]]] = {"false": [], forced: []}
        frames: dict[str, DataFrame] = {}
        results: dict[str, list[str]] = {}
        for number in range(rounds + 1):
            for switch in ("false", forced) if number % 2 else (forced, "false"):
                spark.conf.set(SWITCH, switch)
                costs.start()
                frames[switch] = spark.sql(query)
                results[switch] = sorted(map(str, frames[switch].collect()))
                rounds_of[switch].append(costs.values())
        if results["false"] != results[forced]:
            raise SystemExit(f"{name}: the rows differ")
        medians = [
            [statistics.median(values) for values in zip(*of[1:], strict=True)]  # the first round warms up
            for of in rounds_of.values()
        ]
        less = tuple(alone / ours if ours else math.inf for alone, ours in zip(*medians, strict=True))
        ratios[part].append(less)
        cells = " | ".join(f"{a:.2f} | {o:.2f} | {n:.2f}" for a, o, n in zip(*medians, less, strict=True))
        print(f"| {name} | {shuffles(frames['false'])} | {shuffles(frames[forced])} | {cells} |", flush=True)
    for part, of in ratios.items():
        for cost_name, values in zip(KINDS[:3], zip(*of, strict=True), strict=False):
            mean = math.exp(statistics.fmean(map(math.log, values)))
            print(
                f"\n{part}, {cost_name}: geometric mean {mean:.2f} times less, "
                f"worst {min(values):.2f}, best {max(values):.2f}"
            )


class Costs:
    """What happened since a start: by the clock, in the tasks, and in the JVM's file in /proc."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._stat = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/stat")
        self._start = (0.0, 0.0, 0)

    def start(self) -> None:
        self._start = (time.perf_counter(), cpu_seconds(self._stat), len(self._stages()))

    def values(self) -> tuple[float, ...]:
        """As in KINDS."""
        seconds, cpu = time.perf_counter() - self._start[0], cpu_seconds(self._stat) - self._start[1]
        time.sleep(0.2)  # the listener of the stages is asynchronous
        stages = self._stages()
        ours = stages[: len(stages) - self._start[2]]  # the latest first
        tasks = sum(stage.executorRunTime() for stage in ours) / 1000
        return seconds, tasks, cpu, sum(stage.shuffleWriteBytes() for stage in ours) / 1e6

    def _stages(self) -> list[Any]:
        context: Any = self._spark.sparkContext
        store, none = context._jsc.sc().statusStore(), self._jvm.java.util.ArrayList()
        quantiles = context._gateway.new_array(self._jvm.double, 0)
        stages = store.stageList(none, False, False, quantiles, none)
        return [stages.apply(i) for i in range(stages.size())]


def cpu_seconds(stat: Path) -> float:
    """Of a process, all its threads, by its file in /proc."""
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shuffles(frame: DataFrame) -> int:
    plan = str(frame._jdf.queryExecution().executedPlan().toString())
    return plan.partition("== Initial Plan ==")[0].count("Exchange hashpartitioning")


if __name__ == "__main__":
    main()
