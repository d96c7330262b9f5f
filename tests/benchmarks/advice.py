"""The spec that advice chooses from a sample against the best of all specs on all rows, over random workloads.

python tests/benchmarks/advice.py [WORKLOADS [ROWS]]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median, quantiles

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.advise_layout import Key
from spark_iceberg_sql.insight.workload import workload
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.spark.bridge import sessions
from spark_iceberg_sql.spark.insight.advise import _Search
from spark_iceberg_sql.spark.insight.hypothetical_source import source_of

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
from conftest import SMALL
from previews import EVENTS

TABLE = "local.events"
ROWS = 500_000  # with far fewer, files are mostly footers, and no spec's files are too small
SHARES = (100, 25)  # a sample has one of so many rows
Costs = dict[str, dict[tuple[Key, ...], int]]


def properties(rows: int) -> str:
    """A table of so many rows stands for one of some thousand times the size: its files, and what opening one
    costs, shrink with it."""
    target, opening = 4 * rows // 5, 3 * rows // 125
    return f"'write.target-file-size-bytes' = '{target}', 'read.split.open-file-cost' = '{opening}'"


def query(some: random.Random) -> tuple[str, dict[str, bool]]:
    """A query with a range of days, a value or two, or both; its columns, each with whether by equality."""
    day = some.randrange(170)
    length = some.choice([1, 1, 7, 30])
    when = f"ts >= date_add('2024-01-01', {day}) AND ts < date_add('2024-01-01', {day + length})"
    name, one = some.choice(
        [
            ("tenant", f"tenant = {int(200 * some.random() * some.random())}"),
            ("user_id", f"user_id = {some.randrange(1_000_000)}"),
            ("country", f"country = 'c{int(60 * some.random() ** 3)}'"),
            ("event", f"event IN ('{some.choice(['view', 'click', 'buy'])}', 'error')"),
        ]
    )
    where, columns = some.choice(
        [
            (when, {"ts": False}),
            (one, {name: True}),
            *[(f"{when} AND {one}", {"ts": False, name: True})] * 2,
        ]
    )
    return f"SELECT * FROM {TABLE} WHERE {where}", columns


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else ROWS
    some = random.Random(20)
    loads = [
        [(*query(some), some.paretovariate(1.5)) for _ in range(some.randrange(3, 9))]
        for _ in range(count)
    ]
    texts = workload(list({text for load in loads for text, _, _ in load}))
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=SMALL)
        events = EVENTS.replace("500000", str(rows))
        spark.sql(
            f"CREATE TABLE {TABLE} USING iceberg TBLPROPERTIES ({properties(rows)}) AS {events}"
        )
        source = source_of(spark, TABLE)
        names = {column.field.field_id: column.name for column in source.schema.columns}
        ways = {"all rows": (10**9, "data")}
        ways |= {f"{rows // n:,} rows": (rows // n, "data") for n in SHARES}
        ways["metadata"] = (20_000, "metadata")
        found: dict[str, Costs] = {}
        for way, (sample, using) in ways.items():
            start = time.perf_counter()
            with sessions.working_in(spark):
                search = _Search(spark, source, texts, sample, using)
                found[way] = by_key(search.costs_by_query())
            took = time.perf_counter() - start
            specs = len(next(iter(found[way].values())))
            print(f"{way}: {specs} specs, {len(texts)} queries, {took:.0f} s", flush=True)
        spark.stop()
    truth = found.pop("all rows")
    print(f"\n{rows:,} rows, {count} workloads\n")
    print(
        "| chosen from | within 10 % of the best | median | 90 % | worst | worse than unpartitioned |"
    )
    print("|---|--:|--:|--:|--:|--:|")
    for way, seen in found.items():
        regrets, worse = [], 0
        for load in loads:
            best = min(total(truth, load, names, every=True).values())
            ours = total(seen, load, names)
            chosen = min(ours, key=lambda spec: (ours[spec], len(spec)))
            # A spec that the sample allows may have files that are too small on all rows: it counts as the worst.
            on_all = total(truth, load, names, every=True)
            regrets.append(on_all.get(chosen, max(on_all.values())) / best)
            worse += regrets[-1] * best > on_all[()]
        print(line(way, regrets, worse))
    gains = []
    for load in loads:
        on_all = total(truth, load, names, every=True)
        gains.append(on_all[()] / min(on_all.values()))
    print(line("(unpartitioned)", gains, 0))


def by_key(costs: Mapping[str, Mapping[tuple[PartitionField, ...], int]]) -> Costs:
    """The costs, keyed by the fields of the specs: each search makes field objects of its own."""
    return {
        text: {tuple(f.key for f in spec): cost for spec, cost in each.items()}
        for text, each in costs.items()
    }


def total(
    costs: Costs,
    load: list[tuple[str, dict[str, bool], float]],
    names: Mapping[int | None, str],
    *,
    every: bool = False,
) -> dict[tuple[Key, ...], float]:
    """The cost of a workload under each spec. every: also under those that advice would not try for it."""
    columns: dict[str, bool] = {}
    for _, used, _ in load:
        for name, equal in used.items():
            columns[name] = columns.get(name, False) or equal
    return {
        spec: sum(weight * costs[text][spec] for text, _, weight in load)
        for spec in costs[load[0][0]]
        if every
        or all(
            columns.get(names[source], False) or (names[source] in columns and "bucket" not in kind)
            for source, kind in spec
        )
    }


def line(way: str, values: list[float], worse: int) -> str:
    within = sum(value <= 1.1 for value in values) / len(values)
    high = quantiles(values, n=10)[-1] if len(values) > 1 else values[0]
    return f"| {way} | {within:.0%} | {median(values):.2f} | {high:.2f} | {max(values):.2f} | {worse} |"


if __name__ == "__main__":
    main()
