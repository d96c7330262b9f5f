"""What the functions cost: rows a second, and milliseconds a call at analysis.

    python tests/benchmarks/functions.py [rows in millions, default 20] [rounds, default 5]

Side by side in one run, the ways taking turns within each round: ours, Iceberg's own through
`local.system`, an Arrow UDF over pyiceberg-core (pip install pyiceberg-core; a twentieth of the rows),
and a trivial expression on the same column. Rows come from range() and go to the noop sink.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import arrow_udf

import spark_iceberg_sql as sis

MILLION = 1_000_000
UDF_SHARE = 20
COLUMNS = ("CAST(id AS INT) AS i", "CAST(id AS STRING) AS s", "timestamp_micros(id * 60000000) AS ts")
# ours, Iceberg's, the UDF's kernel with its argument and type, the column
CASES: list[tuple[str, str, str, tuple[int, ...], str, str]] = [
    ("iceberg_bucket(16, {})", "local.system.bucket(16, {})", "bucket", (16,), "int", "i"),
    ("iceberg_bucket(16, {})", "local.system.bucket(16, {})", "bucket", (16,), "int", "s"),
    ("iceberg_truncate(10, {})", "local.system.truncate(10, {})", "truncate", (10,), "int", "i"),
    ("iceberg_truncate(2, {})", "local.system.truncate(2, {})", "truncate", (2,), "string", "s"),
    ("iceberg_years({})", "local.system.years({})", "year", (), "int", "ts"),
    ("iceberg_months({})", "local.system.months({})", "month", (), "int", "ts"),
    ("iceberg_days({})", "local.system.days({})", "day", (), "date", "ts"),
    ("iceberg_hours({})", "local.system.hours({})", "hour", (), "int", "ts"),
]
TRIVIAL = {"i": "i + 1", "s": "length(s)", "ts": "unix_micros(ts)"}


def _udf(kernel: str, arguments: tuple[int, ...], kind: str) -> Callable[..., object]:
    target = {"int": pa.int32(), "string": pa.string(), "date": pa.date32()}[kind]

    @arrow_udf(kind)
    def apply(values: pa.Array) -> pa.Array:
        from pyiceberg_core import transform  # its functions cannot be pickled

        return getattr(transform, kernel)(values, *arguments).cast(target)

    return apply


def _rate(rows: DataFrame, count: int) -> float:
    """Millions of rows a second."""
    start = time.perf_counter()
    rows.write.format("noop").mode("overwrite").save()
    return count / MILLION / (time.perf_counter() - start)


def _spread(values: list[float]) -> str:
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{low:.2f} / {middle:.2f} / {high:.2f}"


def throughput(spark: SparkSession, count: int, rounds: int) -> Iterator[str]:
    yield "| call | ours, M rows/s | ours : Iceberg's | ours : Arrow UDF | ours : trivial |"
    yield "|---|---|---|---|---|"
    rows = spark.range(count).selectExpr(*COLUMNS)
    fewer = spark.range(count // UDF_SHARE).selectExpr(*COLUMNS)
    for ours, theirs, kernel, arguments, kind, column in CASES:
        udf = _udf(kernel, arguments, kind)
        rates_by_way: dict[str, list[float]] = {"ours": [], "theirs": [], "udf": [], "trivial": []}
        for _ in range(rounds + 1):
            rates_by_way["ours"].append(_rate(rows.selectExpr(ours.format(column)), count))
            rates_by_way["theirs"].append(_rate(rows.selectExpr(theirs.format(column)), count))
            rates_by_way["udf"].append(_rate(fewer.select(udf(column)), count // UDF_SHARE))
            rates_by_way["trivial"].append(_rate(rows.selectExpr(TRIVIAL[column]), count))
        warm = {way: rates[1:] for way, rates in rates_by_way.items()}
        ratios = [
            _spread([a / b for a, b in zip(warm["ours"], warm[way], strict=True)])
            for way in ("theirs", "udf", "trivial")
        ]
        yield f"| `{ours.format(column)}` | {_spread(warm['ours'])} | {' | '.join(ratios)} |"


def analysis(spark: SparkSession, rounds: int) -> Iterator[str]:
    yield "| calls in a query | ours, ms a call | Iceberg's, ms a call | `id + 1`, ms a call |"
    yield "|---|---|---|---|"
    ways = ("iceberg_bucket(16, id + {})", "local.system.bucket(16, id + {})", "id + 1 + {}")
    for calls in (1, 10, 100):
        durations: dict[str, list[float]] = {way: [] for way in ways}
        empty = []
        for _ in range(40 * rounds):
            empty.append(_milliseconds(spark, "1"))
            for way in ways:
                text = ", ".join(way.format(i) for i in range(calls))
                durations[way].append(_milliseconds(spark, text))
        floor = statistics.median(empty[20 * rounds :])
        cells = [_spread([(t - floor) / calls for t in durations[way][20 * rounds :]]) for way in ways]
        yield f"| {calls} | {' | '.join(cells)} |"


def _milliseconds(spark: SparkSession, select: str) -> float:
    """Parsing and analysis of a query, without running it."""
    start = time.perf_counter()
    spark.sql(f"SELECT {select} FROM range(1)")
    return (time.perf_counter() - start) * 1000


def main() -> None:
    count = int(sys.argv[1] if len(sys.argv) > 1 else 20) * MILLION
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as warehouse:
        spark = sis.session(warehouse, config={"spark.master": "local[2]"})
        print(f"{count:,} rows, {rounds} rounds after a warm-up; each cell is min / median / max\n")
        for line in throughput(spark, count, rounds):
            print(line, flush=True)
        print("\nAnalysis, above an empty query:\n")
        for line in analysis(spark, rounds):
            print(line, flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
