"""The spec that advice chooses from a sample against the best of all specs on all rows, over random workloads.

python tests/benchmarks/advice.py [WORKLOADS]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.advise_layout import Key
from spark_iceberg_sql.insight.workload import workload
from spark_iceberg_sql.spark.bridge import sessions
from spark_iceberg_sql.spark.insight.advise import _Search
from spark_iceberg_sql.spark.insight.hypothetical_source import source_of

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
from conftest import SMALL
from previews import EVENTS

TABLE = "local.events"
SAMPLE = 20_000
# 500,000 rows are a table of some thousand times the size: its files, and what opening one costs, shrink with it.
PROPERTIES = "'write.target-file-size-bytes' = '400000', 'read.split.open-file-cost' = '12000'"


def query(some: random.Random) -> str:
    """A query with a range of days, a value or two, or both."""
    day = some.randrange(170)
    length = some.choice([1, 1, 7, 30])
    when = f"ts >= date_add('2024-01-01', {day}) AND ts < date_add('2024-01-01', {day + length})"
    one = some.choice(
        [
            f"tenant = {int(200 * some.random() * some.random())}",
            f"user_id = {some.randrange(1_000_000)}",
            f"country = 'c{int(60 * some.random() ** 3)}'",
            f"event IN ('{some.choice(['view', 'click', 'buy'])}', 'error')",
        ]
    )
    where = some.choice([when, one, f"{when} AND {one}", f"{when} AND {one}"])
    return f"SELECT * FROM {TABLE} WHERE {where}"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    some = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=SMALL)
        spark.sql(f"CREATE TABLE {TABLE} USING iceberg TBLPROPERTIES ({PROPERTIES}) AS {EVENTS}")
        source = source_of(spark, TABLE)
        regrets, gains, seconds = [], [], []
        for number in range(count):
            queries = workload(
                [(query(some), some.paretovariate(1.5)) for _ in range(some.randrange(3, 9))]
            )
            with sessions.working_in(spark):
                truth = costs(_Search(spark, source, queries, 10**9))
                start = time.perf_counter()
                seen = costs(_Search(spark, source, queries, SAMPLE))
                seconds.append(time.perf_counter() - start)
            chosen = min(seen, key=lambda spec: seen[spec])
            best = min(truth.values())
            # A spec that the sample allows may have files that are too small on all rows: it counts as the worst.
            regrets.append(truth.get(chosen, max(truth.values())) / best)
            gains.append(truth[()] / best)
            print(
                f"{number}: {len(queries)} queries, {len(truth)} specs, {regrets[-1]:.3f}",
                flush=True,
            )
        spark.stop()
    within = sum(regret <= 1.1 for regret in regrets) / len(regrets)
    print("| | median | 90 % | worst |\n|---|--:|--:|--:|")
    for words, values in (("cost over the best", regrets), ("unpartitioned over the best", gains)):
        high = quantiles(values, n=10)[-1] if len(values) > 1 else values[0]
        print(f"| {words} | {median(values):.2f} | {high:.2f} | {max(values):.2f} |")
    print(f"\nwithin 10 %: {within:.0%} of {count} workloads; {median(seconds):.0f} s each")


def costs(search: _Search) -> dict[tuple[Key, ...], int]:
    """The cost of each spec, keyed by its fields."""
    return {tuple(f.key for f in spec): cost for spec, cost in search.costs().items()}


if __name__ == "__main__":
    main()
