"""What a query of a table with very large, valid metadata costs, beside Iceberg alone, in turns.

python -m tests.benchmarks.large_metadata [SHARE [KIND ...]]

SHARE: of the full size, 1 by default. KIND: of tests/large_metadata.py, all by default. Each query reads two columns of
two rows; the metadata file is read anew each time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from tests.large_metadata import KINDS, table

ROUNDS = 3
COUNTS = {"columns": 50_000, "partition_fields": 20_000, "specs": 100_000, "schemas": 100_000}


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure(spark: SparkSession, kind: str, count: int) -> None:
    file = table(spark, kind, count)

    def iceberg_alone() -> object:
        return spark.read.format("iceberg").load(str(file)).select("id", "name").collect()

    def by_path() -> object:
        os.utime(file)
        return spark.sql(f"SELECT id, name FROM iceberg('{file.parent.parent}')").collect()

    def in_catalog() -> object:
        name = f"local.large.{kind}_{count}"
        spark.catalog.refreshTable(name)
        return spark.sql(f"SELECT id, name FROM {name} WHERE id < 9").collect()

    rounds = []
    for _ in range(ROUNDS + 1):
        sis.uninstall(spark)
        alone = seconds(iceberg_alone), seconds(in_catalog)
        sis.install(spark)
        rounds.append((*alone, seconds(by_path), seconds(in_catalog)))
    medians = [statistics.median(column) for column in zip(*rounds[1:], strict=True)]
    print(
        f"{count:>7} {kind:<17} iceberg('path') {medians[2]:6.2f} s, Iceberg's load {medians[0]:6.2f} s, "
        f"ratio {medians[2] / medians[0]:.2f}; in a catalog {medians[3]:6.2f} s, without the rules "
        f"{medians[1]:6.2f} s, ratio {medians[3] / medians[1]:.2f}",
        flush=True,
    )


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory() as folder:
        config = {"spark.master": "local[2]", "spark.sql.debug.maxToStringFields": "25"}
        spark = sis.session(Path(folder), config=config)
        for kind in sys.argv[2:] or KINDS:
            measure(spark, kind, int(COUNTS[kind] * share))
        spark.stop()


if __name__ == "__main__":
    main()
