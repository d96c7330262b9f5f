"""Predicates that prune by themselves: files read of 160 daily ones, and what the rule costs.

python tests/benchmarks/pruning.py
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from pathlib import Path

import spark_iceberg_sql as sis

sys.path.insert(0, str(Path(__file__).parent.parent / "spark"))
from conftest import SMALL
from scans import metrics
from test_prune import FILES, ROWS

SHOWN = (
    "year(ts) = 2023",
    "year(ts) = 2023 AND month(ts) = 11",
    "extract(QUARTER FROM ts) = 1 AND year(ts) = 2024",
    "year(ts) = 2023 AND month(ts) = 11 AND dayofweek(ts) = 1",
    "date_trunc('day', ts) = '2023-12-24'",
    "date_trunc('week', ts) >= '2024-01-24'",
    "date_trunc('month', ts) IN ('2023-11-01', '2024-01-01')",
    "trunc(d, 'MM') = '2023-11-01'",
    "date_format(ts, 'yyyy-MM-dd') = '2024-01-01'",
    "cast(ts AS string) LIKE '2024-01%'",
    "unix_timestamp(ts) < 1696248000",
    "ts + INTERVAL 7 DAYS > '2024-03-01'",
    "datediff(ts, '2023-12-24') BETWEEN 0 AND 3",
    "year(ts) * 100 + month(ts) = 202401",
    "date_trunc('day', from_utc_timestamp(ts, 'Asia/Tokyo')) = '2023-12-24'",
    "year(ts) = 2023 OR date_trunc('month', ts) = '2024-02-01'",
    "iceberg_bucket(8, id) = 6",
)
COST = {
    "no predicate of the kind": "id > 5 AND name LIKE 'name1%' AND ts > '2023-12-01'",
    "`year(ts) = 2023`": "year(ts) = 2023",
    "`year(ts) = 2023 AND month(ts) = 11`": "year(ts) = 2023 AND month(ts) = 11",
    "`date_format(ts, 'yyyy-MM-dd') = ...`": "date_format(ts, 'yyyy-MM-dd') = '2024-01-01'",
}
ROUNDS, QUERIES = 5, 40


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = {**SMALL, "spark.sql.session.timeZone": "UTC"}
        spark = sis.session(Path(folder) / "warehouse", config=config)
        spark.sql(f"CREATE TABLE local.t USING iceberg PARTITIONED BY (days(ts), bucket(4, id)) AS {ROWS}")
        print(f"| predicate | files read of {FILES} before | after |\n|---|--:|--:|")
        for predicate in SHOWN:
            read = []
            for switch in ("false", "true"):
                spark.conf.set("spark.iceberg_sql.prune", switch)
                read.append(metrics(spark.table("local.t").where(predicate))["resultDataFiles"])
            print(f"| `{predicate.replace('|', chr(92) + '|')}` | {read[0]} | {read[1]} |")
        executor = spark._jvm.org.apache.spark.sql.catalyst.rules.RuleExecutor
        print("\n| filter | ms in the rule a query: min | median | max |\n|---|--:|--:|--:|")
        for name, predicate in COST.items():
            spent = []
            for _ in range(ROUNDS + 2):
                executor.resetMetrics()
                for _ in range(QUERIES):
                    spark.table("local.t").where(predicate)._jdf.queryExecution().optimizedPlan()
                line = re.search(r"sparkicebergsql\.Prune +\d+ / (\d+)", executor.dumpTimeSpent())
                assert line is not None
                spent.append(int(line[1]) / QUERIES / 1e6)
            spent = spent[2:]  # the first two warm up
            print(f"| {name} | {min(spent):.3f} | {statistics.median(spent):.3f} | {max(spent):.3f} |")
        spark.stop()


if __name__ == "__main__":
    main()
