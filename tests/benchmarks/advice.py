"""The spec that advice proposes against the best of all specs, each really written, over random workloads.

python -m tests.benchmarks.advice [events lineitem store_sales] [--workloads 34] [--limit 1.5] [--rows N]

For each data set: advice is asked for every workload, by the public function. Every spec that any advice estimated at
less than `--limit` times the cost of its best one is then written, each into a table, and Spark plans every query on
it. A proposal with an order of rows is written with its own statements. `lineitem` and `store_sales` need `tpcgen-cli`
on PATH.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.advise.model import Advice, Proposal
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, relations
from spark_iceberg_sql.spark.bridge.tables import file_statistics
from tests.benchmarks.previews import EVENTS, write_without_processes

CONFIG = {"spark.master": "local[2]", "spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "2"}
QUERIES = 30  # that the workloads of a data set are drawn from
SCALES = {"lineitem": ("tpch", "0.05"), "store_sales": ("tpcds", "0.1")}
Workload = Sequence[tuple[str, float]]


class Cost(NamedTuple):
    """Of a query or workload: bytes read, and the cost of opening the files."""

    files: float
    bytes: float

    def total(self, open_cost: int) -> float:
        return self.bytes + self.files * open_cost


def predicates(data: str, some: random.Random) -> str:
    """A random predicate over a data set's columns."""
    day, length = some.randrange(170), some.choice([1, 1, 7, 30])
    if data == "events":
        return some.choice(
            [
                f"ts >= date_add('2024-01-01', {day}) AND ts < date_add('2024-01-01', {day + length})",
                f"tenant = {int(200 * some.random() * some.random())}",
                f"user_id = {some.randrange(1_000_000)}",
                f"country = 'c{int(60 * some.random() ** 3)}'",
                f"event IN ('{some.choice(['view', 'click', 'buy'])}', 'error')",
                f"url LIKE '/p/{some.randrange(10, 100)}%'",
                "country IS NULL",
            ]
        )
    if data == "lineitem":
        first = f"DATE '{some.randrange(1992, 1998)}-{some.randrange(1, 13):02}-01'"
        order = some.randrange(1, 290_000)
        return some.choice(
            [
                f"l_shipdate >= {first} AND l_shipdate < {first} + INTERVAL {some.choice([1, 3, 12])} MONTH",
                f"l_orderkey = {order}",
                f"l_orderkey BETWEEN {order} AND {order + some.choice([100, 5000])}",
                f"l_shipmode = '{some.choice(['AIR', 'RAIL', 'SHIP', 'MAIL'])}'",
                f"l_partkey = {some.randrange(1, 10_000)}",
                f"l_suppkey IN ({some.randrange(1, 500)}, {some.randrange(1, 500)})",
                f"l_shipinstruct LIKE '{some.choice(['DELIVER', 'NONE', 'TAKE'])}%'",
                "l_receiptdate > l_commitdate AND l_returnflag = 'R'",
            ]
        )
    date_key = 2_450_816 + some.randrange(1800)
    return some.choice(
        [
            f"ss_sold_date_sk BETWEEN {date_key} AND {date_key + some.choice([0, 7, 30, 365])}",
            f"ss_item_sk = {some.randrange(1, 2000)}",
            f"ss_customer_sk = {some.randrange(1, 10_000)}",
            f"ss_store_sk = {some.choice([1, 2, 4])}",
            "ss_customer_sk IS NULL",
            f"ss_promo_sk IN ({some.randrange(1, 30)}, {some.randrange(1, 30)})",
            f"ss_quantity BETWEEN {some.randrange(1, 50)} AND {some.randrange(50, 100)}",
        ]
    )


def queries(data: str, some: random.Random) -> Iterator[str]:
    """Random queries: rows, aggregates that metadata may answer, of one or two predicates."""
    table = f"local.{data}"
    while True:
        conditions = " AND ".join(predicates(data, some) for _ in range(some.choice([1, 1, 2])))
        yield f"SELECT {some.choice(['*', '*', '*', 'count(*)'])} FROM {table} WHERE {conditions}"


def create(spark: SparkSession, data: str, rows: int, folder: str) -> None:
    if data == "events":
        events = EVENTS.format(rows=rows)
        source = f"SELECT * EXCEPT (country), IF(id % 50 = 7, NULL, country) AS country FROM ({events})"
    else:
        workload, scale = SCALES[data]
        command = ["tpcgen-cli", workload, "parquet", "-s", scale, "--tables", data, "--output-dir", folder]
        subprocess.run(command, check=True)
        source = f"SELECT * FROM parquet.`{next(iter(sorted(Path(folder).glob(f'{data}*'))))}` LIMIT {rows}"
    # A small table stands for one of some thousand times the size: its files, and what opening one costs, shrink.
    spark.sql(
        f"CREATE TABLE local.{data} USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '{4 * rows // 5}', "
        f"'read.split.open-file-cost' = '{3 * rows // 125}') AS {source}"
    )


def costs(spark: SparkSession, table: str, data: str, texts: Sequence[str]) -> dict[str, Cost]:
    """What Spark plans to read of a table with the data set's rows, for each query of the data set."""
    with sessions.working_in(spark):
        iceberg_table = relations.catalog_table(table)
    result = {}
    for text in texts:
        query = text.replace(f"local.{data}", table)
        scans = hypothetical_plans.scans(spark, query, iceberg_table, [tuple(table.split("."))])
        reads = [hypothetical_plans.read_by(scan.scan) for scan in scans]
        result[text] = Cost(sum(files for files, _ in reads), sum(size for _, size in reads))
    return result


def total(by_query: Mapping[str, Cost], load: Workload, open_cost: int) -> float:
    return sum(weight * by_query[text].total(open_cost) for text, weight in load)


def ratio(cost: float, best: float) -> float:
    """A cost in costs of the best; a workload whose queries find no rows may cost nothing."""
    return cost / best if best else float("inf") if cost else 1.0


def median_file(spark: SparkSession, table: str) -> int:
    with sessions.working_in(spark):
        sizes = sorted(file_statistics.file_sizes(relations.catalog_table(table)))
    return sizes[len(sizes) // 2]


def written(spark: SparkSession, data: str, proposal: Proposal, number: int) -> str:
    """The data set written as a proposal says; returns the table's name."""
    table = f"local.w_{data}_{number}"
    clause = f"PARTITIONED BY ({proposal.spec})" if proposal.spec else ""
    properties = ", ".join(
        f"'{row.key}' = '{row.value}'"
        for row in spark.sql(f"SHOW TBLPROPERTIES local.{data}").collect()
        if row.key in ("write.target-file-size-bytes", "read.split.open-file-cost")
    )
    spark.sql(f"CREATE TABLE {table} USING iceberg {clause} TBLPROPERTIES ({properties}) AS SELECT * FROM local.{data}")
    if proposal.sort_order and proposal.rewrite is not None:
        for statement in proposal.ddl:
            if " WRITE " in statement:
                spark.sql(statement.replace(f"local.{data}", table))
        spark.sql(proposal.rewrite.replace(f"local.{data}", table))
    return table


def benchmark(spark: SparkSession, data: str, args: argparse.Namespace, folder: str) -> None:
    rows, workloads, some = args.rows, args.workloads, random.Random(f"{data} {args.seed}")
    create(spark, data, rows, folder)
    open_cost, min_file = 3 * rows // 125, 4 * rows // 5 // 16
    source = queries(data, some)
    texts = list(dict.fromkeys(next(source) for _ in range(QUERIES)))
    loads = [
        [(text, some.paretovariate(1.5)) for text in some.sample(texts, some.randrange(3, 9))] for _ in range(workloads)
    ]
    start = time.perf_counter()
    advices: list[Advice] = [sis.advise(spark, f"local.{data}", load, sample=rows // 25) for load in loads]
    print(f"{data}: {workloads} times advice, {time.perf_counter() - start:.0f} s", flush=True)
    start = time.perf_counter()
    texts = [text for text in texts if any(text == query for load in loads for query, _ in load)]
    today = costs(spark, f"local.{data}", data, texts)
    sorted_costs: dict[int, float] = {}  # by the number of the workload
    for number, (advice, load) in enumerate(zip(advices, loads, strict=True)):
        if advice.best.sort_order and not advice.best.is_today:
            table = written(spark, data, advice.best, 100_000 + number)
            sorted_costs[number] = total(costs(spark, table, data, [text for text, _ in load]), load, open_cost)
            spark.sql(f"DROP TABLE {table} PURGE")
    proposed = {advice.best.spec for advice in advices if not advice.best.sort_order}
    tried = {proposal.spec for advice in advices for proposal in advice if not proposal.sort_order}
    for advice in advices:
        limit = args.limit * advice.best.cost
        tried.update(item.spec for item in advice.ruled_out if item.cost is not None and item.cost < limit)
    real: dict[str, dict[str, Cost]] = {}
    for number, spec in enumerate(sorted(tried)):
        plain = Proposal(spec, 0, 0, 0, (), 0, 0)
        table = written(spark, data, plain, number)
        if not spec or spec in proposed or median_file(spark, table) >= min_file:
            real[spec] = costs(spark, table, data, texts)
        spark.sql(f"DROP TABLE {table} PURGE")
    print(f"{data}: {len(tried)} specs written and planned, {time.perf_counter() - start:.0f} s", flush=True)
    regrets, worse, gains = [], 0, []
    for number, (advice, load) in enumerate(zip(advices, loads, strict=True)):
        now = total(today, load, open_cost)
        best_spec, best = min(((spec, total(cost, load, open_cost)) for spec, cost in real.items()), key=lambda p: p[1])
        chosen = advice.best
        if chosen.is_today:
            cost = now
        elif chosen.sort_order:
            cost = sorted_costs[number]
        else:
            cost = total(real[chosen.spec], load, open_cost)
        regrets.append(ratio(cost, min(now, best)))
        gains.append(ratio(now, min(now, best)))
        worse += cost > now
        if regrets[-1] > 1.1 or cost > now:
            sys.stderr.write(
                f"{data} {number}: {chosen.title} costs {cost:,.0f}, not {chosen.cost:,}; {best_spec} {best:,.0f}; "
                f"today {now:,.0f}; {[text for text, _ in load]}\n"
            )
    within = sum(regret <= 1.1 for regret in regrets) / len(regrets)
    print(
        f"| {data} | {workloads} | {len(tried)} | {within:.0%} | {median(regrets):.2f} | "
        f"{quantiles(regrets, n=10)[-1]:.2f} | {max(regrets):.2f} | {worse} | {median(gains):.2f} | {max(gains):.2f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.advice", description=__doc__)
    parser.add_argument("data", nargs="*", default=["events", *SCALES])
    parser.add_argument("--workloads", type=int, default=34)
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--limit", type=float, default=1.5, help="in costs of the best: a dearer spec is not written")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=CONFIG)
        write_without_processes(spark)
        for data in args.data:
            benchmark(spark, data, args, f"{folder}/{data}")
        spark.stop()


if __name__ == "__main__":
    main()
