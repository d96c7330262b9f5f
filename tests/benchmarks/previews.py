"""Previews against what Spark then really writes: flights, skewed events, and TPC-H where `tpcgen-cli` is on PATH.

python tests/benchmarks/previews.py [DATA ...] [--rows 1000000] [--rounds 5]

--rows: of events and of lineitem, about. --rounds: of each preview and write, in turns; without the first, if there are
several, their median counts.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql import demo

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
from conftest import SMALL, write_without_processes

EVENTS = """
SELECT id, timestamp_seconds(1704067200 + cast(15552000 * sqrt(id / {rows}) AS bigint)) AS ts,
  cast(200 * rand(2) * rand(12) AS int) AS tenant, cast(1000000 * rand(3) * rand(13) AS bigint) AS user_id,
  concat('c', cast(60 * rand(4) * rand(14) * rand(24) AS int)) AS country,
  element_at(array('view', 'view', 'click', 'buy', 'error'), 1 + cast(5 * rand(5) AS int)) AS event,
  round(100 * -ln(1 - rand(6)), 2) AS amount, concat('/p/', cast(5000 * rand(7) * rand(17) AS int)) AS url
FROM range(0, {rows}, 1, 8)
"""
ROWS = {"events": 500_000, "lineitem": 180_000}
LINEITEM_ROWS = 6_000_000  # at scale 1 of TPC-H
# What makes small data behave like large data: files that roll, and shuffle partitions that are split.
ROLLS = {"write.target-file-size-bytes": "500000"}
SPLITS = {"write.spark.advisory-partition-size-bytes": "4000000"}
NONE = {"write.distribution-mode": "none"}
CASES: dict[str, list[tuple[str, dict[str, str]]]] = {
    "flights": [
        ("months(time_hour)", {}),
        ("days(time_hour)", {}),
        ("carrier", {}),
        ("bucket(16, tailnum)", {}),
        ("months(time_hour), origin", {}),
        ("truncate(500, distance)", {}),
        ("", ROLLS),
        ("carrier", ROLLS),
        ("origin", SPLITS),
        ("carrier", SPLITS),
        ("origin", NONE),
        ("months(time_hour)", ROLLS | NONE),
    ],
    "events": [
        ("days(ts)", {}),
        ("months(ts), bucket(16, user_id)", {}),
        ("country", {}),
        ("tenant", {}),
        ("months(ts), event", {}),
        ("truncate(10, tenant)", {}),
        ("", ROLLS),
        ("event", ROLLS),
        ("country", SPLITS),
        ("truncate(50, tenant)", SPLITS),
        ("country", NONE),
        ("bucket(4, user_id)", ROLLS | SPLITS),
    ],
    "lineitem": [
        ("months(l_shipdate)", {}),
        ("years(l_shipdate), l_returnflag", {}),
        ("bucket(16, l_orderkey)", {}),
        ("l_shipmode", {}),
        ("truncate(100000, l_orderkey)", {}),
        ("l_shipmode, l_shipinstruct", {}),
        ("", ROLLS),
        ("l_returnflag", ROLLS),
        ("l_shipmode", SPLITS),
        ("l_linestatus", SPLITS),
        ("l_returnflag", NONE),
        ("l_shipmode", ROLLS | NONE),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="*", help=", ".join(CASES))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(Path(folder) / "warehouse", config=SMALL)
        write_without_processes(spark)
        tpch = shutil.which("tpcgen-cli")
        names = arguments.data or [name for name in CASES if tpch or name != "lineitem"]
        rows = ROWS if arguments.rows is None else dict.fromkeys(ROWS, arguments.rows)
        if "events" in names:
            spark.sql(f"CREATE TABLE local.events USING iceberg AS {EVENTS.format(rows=rows['events'])}")
        if "flights" in names:
            demo.load_flights(spark, "local.flights")
        if "lineitem" in names and tpch:
            command = [tpch, "tpch", "parquet", "-s", str(rows["lineitem"] / LINEITEM_ROWS), "--tables", "lineitem"]
            subprocess.run([*command, "--output-dir", folder], check=True)
            data_file = next(Path(folder).rglob("lineitem*.parquet"))
            spark.read.parquet(str(data_file)).writeTo("local.lineitem").using("iceberg").create()
        print(
            "| data | spec and settings | files | written | bytes off | 95 % of partitions | stated | preview | write |"
        )
        print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
        measures = [measure(spark, name, *case, arguments.rounds) for name in names for case in CASES[name]]
        for title, values in (
            ("files", [item.files_off for item in measures]),
            ("bytes", [item.bytes_off for item in measures]),
        ):
            within = sum(value <= 0.05 for value in values) / len(values)
            print(f"\n{title}: {within:.0%} within 5 %, median {median(values):.1%}, worst {max(values):.1%}")
        partitions = sum(item.partitions for item in measures)
        within_error = sum(item.partitions_within for item in measures) / partitions
        print(f"\npartitions: {within_error:.1%} of {partitions:,} within the error that the preview states")
        ratios = [item.preview_seconds / item.write_seconds for item in measures]
        print(
            f"\ntime of the preview, by that of the write: {min(ratios):.2f} to {max(ratios):.2f}, "
            f"median {median(ratios):.2f}"
        )
        spark.stop()


class Measure(NamedTuple):
    """A preview against the write: relative errors, the partitions and how many of them are within the error stated."""

    files_off: float
    bytes_off: float
    partitions: int
    partitions_within: int
    preview_seconds: float
    write_seconds: float


def measure(spark: SparkSession, name: str, spec: str, properties: dict[str, str], rounds: int) -> Measure:
    """One case: a preview, then the write."""
    by = f"PARTITIONED BY ({spec})" if spec else ""
    options = ", ".join(f"'{k}' = '{v}'" for k, v in {"a": "b", **properties}.items())
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        preview = sis.preview(spark, f"local.{name}", spec, properties=properties)
        between = time.perf_counter()
        spark.sql("DROP TABLE IF EXISTS local.written")
        write = f"CREATE TABLE local.written USING iceberg {by} TBLPROPERTIES ({options}) AS SELECT * FROM local.{name}"
        spark.sql(write)
        times.append((between - start, time.perf_counter() - between))
    preview_seconds, write_seconds = map(median, zip(*(times[1:] or times), strict=True))
    key = "partition" if spec else "content"
    written = spark.sql(
        "SELECT count(*) AS files, sum(file_size_in_bytes) AS bytes, sum(record_count) AS rows "
        f"FROM local.written.files GROUP BY {key}"
    ).collect()
    files, size = sum(row["files"] for row in written), sum(row["bytes"] for row in written)
    # By rows and bytes, since values are shown differently: equal numbers of rows are hardly told apart by their bytes.
    real = sorted((row["rows"], row["bytes"]) for row in written)
    expected = sorted((partition.rows, partition.bytes) for partition in preview.per_partition)
    off = sorted(abs(ours[1] / theirs[1] - 1) for ours, theirs in zip(expected, real, strict=True))
    stated = re.search(r"of a partition \+-(\d+)%", preview.basis.bytes)
    error = int(stated[1]) / 100 if stated else 0.001  # all of them were written
    settings = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in properties.items())
    print(
        f"| {name} | `{spec or 'unpartitioned'}`{', ' if settings else ''}{settings} | {preview.files} | {files} | "
        f"{preview.bytes / size - 1:+.1%} | {off[int(0.95 * (len(off) - 1))]:.1%} | {error:.0%} | "
        f"{preview_seconds:.2f} | {write_seconds:.2f} |",
        flush=True,
    )
    within = sum(value <= error for value in off)
    return Measure(
        abs(preview.files / files - 1), abs(preview.bytes / size - 1), len(off), within, preview_seconds, write_seconds
    )


if __name__ == "__main__":
    main()
