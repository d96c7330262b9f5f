"""The rows of TPC-DS: all queries on partitioned Iceberg tables with all rules, against Spark over the same Parquet.

python -m tests.corpus.tpcds [--scale 1] [--layout item customer] [--query q1 q14] [--folder FOLDER]

Each query runs without its LIMIT, and with it, sorted by all its columns, so that one answer is right. `colocate` is
`always`, and half of the layouts broadcast nothing. Prints each difference and each failure; the exit code is 1 if
there is one. What it needs, and how another Spark is taken: `tests/benchmarks/tpc.py`, `tests/spark_line.py`.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import spark_line

if __name__ == "__main__":  # before anything imports pyspark
    spark_line.use()

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from tests.benchmarks import tpc
from tests.benchmarks.reads import set_rules

CONFIG = {
    "spark.driver.memory": "6g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
PARQUET = "spark_catalog.default"
# Columns of sums and quotients of DOUBLE differ by the order of the rows.
DIGITS = 9
# Of the sales and returns of each channel: the prefix, the customer, the date.
CHANNELS = {
    "store_sales": ("ss_", "customer_sk", "sold_date_sk", "ticket_number"),
    "store_returns": ("sr_", "customer_sk", "returned_date_sk", "ticket_number"),
    "catalog_sales": ("cs_", "bill_customer_sk", "sold_date_sk", "order_number"),
    "catalog_returns": ("cr_", "returning_customer_sk", "returned_date_sk", "order_number"),
    "web_sales": ("ws_", "bill_customer_sk", "sold_date_sk", "order_number"),
    "web_returns": ("wr_", "returning_customer_sk", "returned_date_sk", "order_number"),
}


@dataclass(frozen=True)
class Layout:
    """How the tables are partitioned: the sales and returns by a field with `{item}`, `{customer}`, `{date}` and
    `{order}`, other tables by their name.

    deletes: whether the sales and returns have rows that delete files remove.
    """

    facts: str
    others: dict[str, str] = field(default_factory=dict)
    deletes: bool = False
    settings: dict[str, str] = field(default_factory=dict)

    def spec(self, table: str) -> str | None:
        if table not in CHANNELS:
            return self.others.get(table)
        prefix, *columns = CHANNELS[table]
        customer, date, order = (prefix + column for column in columns)
        return self.facts.format(item=f"{prefix}item_sk", customer=customer, date=date, order=order)


SHUFFLED = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
LAYOUTS = {
    "item": Layout(
        "bucket(16, {item})", {"item": "bucket(16, i_item_sk)", "inventory": "bucket(16, inv_item_sk)"}, False, SHUFFLED
    ),
    "customer": Layout(
        "bucket(16, {customer})",
        {"customer": "bucket(16, c_customer_sk)", "inventory": "inv_warehouse_sk", "item": "i_category"},
        deletes=True,
    ),
    "date": Layout(
        "truncate(30, {date})",
        {"date_dim": "truncate(30, d_date_sk)", "inventory": "truncate(30, inv_date_sk)"},
        False,
        {**SHUFFLED, "spark.sql.adaptive.enabled": "false"},
    ),
    "order": Layout(
        "bucket(4, {order}), truncate(6000, {item})",
        {"item": "truncate(6000, i_item_sk)", "customer": "bucket(8, c_customer_sk)", "store": "s_state"},
        deletes=True,
        settings=SHUFFLED,
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.tpcds", description=__doc__)
    parser.add_argument("--scale", default="1", help="1 is about a gigabyte of text")
    parser.add_argument("--layout", nargs="+", default=list(LAYOUTS), choices=LAYOUTS)
    parser.add_argument("--query", nargs="+", default=[], help="these alone, such as q18")
    parser.add_argument("--full", action="store_true", help="each variant on each layout, not on half of them")
    parser.add_argument("--folder", help="keeps the Parquet files and the tables")
    arguments = parser.parse_args()
    queries = tpc.queries("tpcds")
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.folder or temporary)
        files = tpc.generate("tpcds", arguments.scale, folder / "generated")
        spark = sis.session(folder / "warehouse", config=CONFIG)
        spark.sparkContext.setLogLevel("ERROR")
        for table, file in files.items():
            spark.sql(f"CREATE TABLE {PARQUET}.{table} USING parquet LOCATION '{file.resolve()}'")
        for layout in arguments.layout:
            create(spark, f"local.{layout}", LAYOUTS[layout], files)
        for number, name in enumerate(arguments.query or queries):
            for second, (variant, query) in enumerate(variants(spark, queries[name])):
                started = time.perf_counter()
                set_rules(spark, "false")
                spark.sql(f"USE {PARQUET}")
                expected = rows(spark, query)
                seconds = [time.perf_counter() - started]
                set_rules(spark, "true")
                for position, layout in enumerate(arguments.layout):
                    if not arguments.full and (number + second + position) % 2:
                        continue
                    started = time.perf_counter()
                    if problem := difference(spark, layout, query, expected):
                        failures += 1
                        print(f"{name}, {variant}, {layout}: {problem}", flush=True)
                    seconds.append(time.perf_counter() - started)
                print(f"{name}, {variant}: {expected.total()} rows; s: {[round(s, 1) for s in seconds]}", flush=True)
        spark.stop()
    print(f"{failures} differences and failures")
    return int(failures > 0)


def create(spark: SparkSession, namespace: str, layout: Layout, files: dict[str, Path]) -> None:
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
    for table, file in files.items():
        if spark.catalog.tableExists(f"{namespace}.{table}"):
            continue
        spec, source = layout.spec(table), f"SELECT * FROM parquet.`{file}`"
        by = f"PARTITIONED BY ({spec})" if spec else ""
        properties = ""
        if deletes := layout.deletes and table in CHANNELS:
            prefix, *_, order = CHANNELS[table]
            properties = "TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read')"
            columns = spark.read.parquet(str(file)).columns
            chosen = ", ".join(f"-{c} AS {c}" if c == prefix + order else c for c in columns)
            source = (
                f"SELECT * FROM parquet.`{file}` UNION ALL "
                f"SELECT {chosen} FROM parquet.`{file}` WHERE {prefix}item_sk % 7 = 0"
            )
        spark.sql(f"CREATE TABLE {namespace}.{table} USING iceberg {by} {properties} AS {source}")
        if deletes:
            spark.sql(f"DELETE FROM {namespace}.{table} WHERE {prefix}{order} < 0")


def variants(spark: SparkSession, query: str) -> Iterator[tuple[str, str]]:
    """The query without its LIMIT; and with it, sorted by all columns at last."""
    limited = re.fullmatch(r"(.+?)( LIMIT \d+)", query)
    yield "all rows", limited[1] if limited else query
    if limited:
        spark.sql(f"USE {PARQUET}")
        every = ", ".join(str(position + 1) for position in range(len(spark.sql(query).columns)))
        outermost = limited[1]
        while (shorter := re.sub(r"\([^()]*\)", "", outermost)) != outermost:
            outermost = shorter
        is_sorted = " ORDER BY " in outermost
        yield "LIMIT", f"{limited[1]}{',' if is_sorted else ' ORDER BY'} {every}{limited[2]}"


def difference(spark: SparkSession, name: str, query: str, expected: Counter[tuple[object, ...]]) -> str | None:
    layout = LAYOUTS[name]
    settings = {"spark.iceberg_sql.colocate": "always", **layout.settings}
    before = {key: spark.conf.get(key, None) for key in settings}
    spark.sql(f"USE local.{name}")
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        actual = rows(spark, query)
    except Exception as error:
        return f"fails: {str(error).partition(chr(10))[0][:400]}"
    finally:
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)
    if actual == expected:
        return None
    missing, extra = expected - actual, actual - expected
    return (
        f"{actual.total()} rows, not {expected.total()}; {missing.total()} missing, {extra.total()} more, such as "
        f"{sorted(map(str, missing))[:2]} and {sorted(map(str, extra))[:2]}"
    )


def rows(spark: SparkSession, query: str) -> Counter[tuple[object, ...]]:
    return Counter(tuple(map(rounded, row)) for row in spark.sql(query).collect())


def rounded(value: object) -> object:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
