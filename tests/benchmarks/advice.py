"""The spec that advice chooses against the best of all specs, each really written, over random workloads.

python tests/benchmarks/advice.py [WORKLOADS [ROWS [SEED]]]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.advise.candidate_fields import alter_statements
from spark_iceberg_sql.insight.advise.layout import FieldKey
from spark_iceberg_sql.insight.advise.model import QueryReads, proposal
from spark_iceberg_sql.insight.advise.spark_costs import FINALISTS, CostEstimator
from spark_iceberg_sql.insight.advise.spark_costs import Costs as CostsOfSpecs
from spark_iceberg_sql.insight.advise.spark_queries import PlannedQuery, WorkloadQueries
from spark_iceberg_sql.insight.advise.spark_search import _MIN_VERIFIED as VERIFIED
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.hypothetical.spark_source import Source, resolve_source
from spark_iceberg_sql.insight.workload import workload
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.spec import Spec as TableSpec
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from planned_files import by_text, planned_by_spec
from previews import EVENTS

TABLE = "local.events"
WRITTEN = "local.written"
ROWS = 250_000  # with far fewer, files are mostly footers
SHARE = 25  # the sample has one of so many rows
QUERIES = 150  # that the workloads are drawn from
CONFIG = {"spark.master": "local[2]", "spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "2"}
Spec = tuple[FieldKey, ...]
Costs = dict[str, dict[Spec, int]]
Load = Sequence[tuple[str, dict[str, bool], float]]


def target(rows: int) -> int:
    """A table of so many rows stands for one of some thousand times the size: its files shrink with it."""
    return 4 * rows // 5


def opening(rows: int) -> int:
    """What opening a file costs, in bytes: it shrinks with the files."""
    return 3 * rows // 125


def properties(rows: int) -> str:
    return f"'write.target-file-size-bytes' = '{target(rows)}', 'read.split.open-file-cost' = '{opening(rows)}'"


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
        [(when, {"ts": False}), (one, {name: True}), *[(f"{when} AND {one}", {"ts": False, name: True})] * 2]
    )
    return f"SELECT * FROM {TABLE} WHERE {where}", columns


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else ROWS
    some = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 20)
    asked = [query(some) for _ in range(QUERIES)]
    loads = [
        [(*one, some.paretovariate(1.5)) for one in some.sample(asked, some.randrange(3, 9))] for _ in range(count)
    ]
    texts = workload(list(dict.fromkeys(text for load in loads for text, _, _ in load)))
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=CONFIG)
        events = EVENTS.replace("500000", str(rows))
        spark.sql(f"CREATE TABLE {TABLE} USING iceberg TBLPROPERTIES ({properties(rows)}) AS {events}")
        source = resolve_source(spark, TABLE)
        names = {column.field.field_id: column.name for column in source.schema.columns}
        ways = {f"a sample of {rows // SHARE:,} rows": (rows // SHARE, "data"), "metadata": (20_000, "metadata")}
        found: dict[str, list[dict[Spec, float]]] = {}
        searches: dict[str, tuple[CostEstimator, CostsOfSpecs]] = {}
        every: dict[Spec, tuple[PartitionField, ...]] = {}
        for way, (sample, using) in ways.items():
            start = time.perf_counter()
            with sessions.working_in(spark):
                search = AdviceSearch(spark, source, texts, sample, using).costs
                first = search.all_specs()
                specs = {key_of(spec): spec for spec in first.layouts}
                tops = [finalists(total(by_key(first), load, names)) for load in loads]
                wanted = {spec: specs[spec] for top in tops for spec in top}
                second = search.refine(first, wanted.values())
                filtered, _ = WorkloadQueries(spark, source, texts, [], runs_joins=True).filters
                exact = counted(search, source, second, filtered, rows)
            again = by_key(second)
            found[way] = [
                verified(total(again, load, names), total(exact, load, names), top)
                for load, top in zip(loads, tops, strict=True)
            ]
            searches[way] = search, second
            every |= specs
            took = time.perf_counter() - start
            print(f"{way}: {len(specs)} specs, {len(texts)} queries, {took:.0f} s; {search.basis}")
        start = time.perf_counter()
        with sessions.working_in(spark):
            ids = write(spark, source, rows, every)
            between = time.perf_counter()
            print(f"{len(every)} specs written, {between - start:.0f} s", flush=True)
            truth = planned(filtered, relations.catalog_table(WRITTEN), ids, rows)
            today = planned(filtered, relations.catalog_table(TABLE), {0: ()}, rows)
        print(f"all queries planned on their files, {time.perf_counter() - between:.0f} s")
        middle = {
            ids[row[0]]: row[1]
            for row in spark.sql(
                f"SELECT spec_id, median(file_size_in_bytes) FROM {WRITTEN}.files GROUP BY spec_id"
            ).collect()
        }
        spark.stop()
    small = {spec for spec, size in middle.items() if spec and size < target(rows) // 16}
    print(f"\n{rows:,} rows, {count} workloads, {len(every)} specs, {len(small)} with small files\n")
    print("| chosen from | within 10 % of the best | median | 90 % | worst | worse than today's | files too small |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for way, seen in found.items():
        regrets, worse, tiny = [], 0, 0
        for load, ours in zip(loads, seen, strict=True):
            now = total(today, load, names)[()]
            really = total(truth, load, names, every=True)
            fit = {spec: cost for spec, cost in really.items() if spec not in small}
            best = min(fit, key=fit.__getitem__)
            chosen = min(ours, key=lambda spec: (ours[spec], len(spec)))
            # Advice knows what today's files cost, and keeps them unless a spec is clearly better.
            stays = ours[chosen] > (1 - error(*searches[way], load, chosen)) * now
            cost = now if stays else really[chosen]
            regrets.append(cost / min(now, fit[best]))
            worse += cost > now
            tiny += not stays and chosen in small
            if regrets[-1] > 1.1:
                sys.stderr.write(
                    f"{way}: {chosen} costs {cost:,}, not {ours[chosen]:,}; {best} {fit[best]:,}, "
                    f"not {ours.get(best, 0):,}; today {now:,}\n"
                )
        print(line(way, regrets, worse, tiny))
    gains = []
    for load in loads:
        now = total(today, load, names)[()]
        really = total(truth, load, names, every=True)
        gains.append(now / min(now, *(c for spec, c in really.items() if spec not in small)))
    print(line("(today: unpartitioned)", gains, 0, 0))


def finalists(costs: Mapping[Spec, float]) -> list[Spec]:
    """The specs that advice ranks again; today's, unpartitioned, is not among them."""
    return sorted(filter(None, costs), key=lambda spec: (costs[spec], len(spec)))[:FINALISTS]


def verified(seeming: Mapping[Spec, float], exact: Mapping[Spec, float], top: Sequence[Spec]) -> dict[Spec, float]:
    """The costs of the specs that advice plans again with all partitions counted."""
    found: dict[Spec, float] = {}
    for spec in sorted((s for s in top if s in seeming), key=lambda s: (seeming[s], len(s))):
        if len(found) >= VERIFIED and seeming[spec] >= min(found.values()):
            break
        if spec in exact:
            found[spec] = exact[spec]
    return found


def error(search: CostEstimator, costs: CostsOfSpecs, load: Load, chosen: Spec) -> float:
    """By how much advice says that the cost of its choice may be off."""
    spec = next(spec for spec in costs.layouts if key_of(spec) == chosen)
    sizes = costs.layouts[spec].sizes
    each = sum(sizes) / len(sizes) + search.open_cost
    reads = []
    for text, _, weight in load:
        files = round(by_text(costs)[text][spec] / each)
        reads.append(QueryReads(text, weight, files, round(files * (each - search.open_cost)), 0, 0))
    cut = len(sizes) > len(set(costs.sample.partition_numbers(spec)))
    made = proposal(
        "", reads, search.open_cost, sizes, (), None, (), error=search.cost_error(costs.sample), has_estimated_cuts=cut
    )
    return made.error


def by_key(costs: CostsOfSpecs) -> Costs:
    """The cost of each query under each spec, by the keys of its fields."""
    return {text: {key_of(spec): cost for spec, cost in of_query.items()} for text, of_query in by_text(costs).items()}


def key_of(spec: Iterable[PartitionField]) -> Spec:
    """The keys of a spec's fields: each search makes field objects of its own."""
    return tuple(field.key for field in spec)


def write(
    spark: SparkSession, source: Source, rows: int, every: Mapping[Spec, Sequence[PartitionField]]
) -> dict[int, Spec]:
    """Write all rows under each spec, into one table. Returns the specs by their ids in it."""
    spark.sql(
        f"CREATE TABLE {WRITTEN} USING iceberg TBLPROPERTIES ({properties(rows)}) AS SELECT * FROM {TABLE} LIMIT 0"
    )
    table = relations.catalog_table(WRITTEN)
    ids: dict[int, Spec] = {}
    now: Sequence[PartitionField] = ()
    for spec, fields in every.items():
        for statement in alter_statements(WRITTEN, now, fields, source.schema):
            spark.sql(statement)
        spark.sql(f"INSERT INTO {WRITTEN} SELECT * FROM {TABLE}")
        table.refresh()
        ids[int(table.spec().specId())] = spec
        now = fields
    assert len(ids) == len(every)
    return ids


def counted(
    search: CostEstimator, source: Source, seeming: CostsOfSpecs, asked: Sequence[PlannedQuery], rows: int
) -> Costs:
    """The cost of each query under each spec with all partitions counted; without specs of small files."""
    found: Costs = {one.query.text: {} for one in asked}
    for fields, slices in seeming.layouts.items():
        spec = TableSpec(0, fields)
        made = search.table_under(seeming.sample, spec, slices)
        if search.is_too_small(made):
            continue
        with hypothetical_tables.table(source.as_table(spec)) as table:
            hypothetical_tables.add_files(table, made.to_bytes())
            for text, costs in planned(asked, table, {0: key_of(fields)}, rows).items():
                found[text] |= costs
    return found


def planned(asked: Sequence[PlannedQuery], table: Any, ids: Mapping[int, Spec], rows: int) -> Costs:
    """The cost of each query on the files of each spec of a table, as Iceberg plans it."""
    found: Costs = {}
    for one in asked:
        costs = found.setdefault(one.query.text, dict.fromkeys(ids.values(), 0))
        for filters in one.filters:
            for number, (files, size) in planned_by_spec(table, filters).items():
                costs[ids[number]] += size + files * opening(rows)
    return found


def total(costs: Costs, load: Load, names: Mapping[int | None, str], *, every: bool = False) -> dict[Spec, float]:
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


def line(way: str, values: list[float], worse: int, tiny: int) -> str:
    within = sum(value <= 1.1 for value in values) / len(values)
    high = quantiles(values, n=10)[-1] if len(values) > 1 else values[0]
    return f"| {way} | {within:.0%} | {median(values):.2f} | {high:.2f} | {max(values):.2f} | {worse} | {tiny} |"


if __name__ == "__main__":
    main()
