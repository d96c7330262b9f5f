"""What the gate costs: `spark.sql` with it and without it, in turns, in one run.

python tests/benchmarks/gate.py
"""

from __future__ import annotations

import statistics
import tempfile
import time

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.gate import intercept

ROUNDS, CALLS = 15, 200
STATEMENTS = {
    "no word of DDL": "SELECT 1",
    "a word of DDL in a string": "SELECT 'create or replace' AS x",
    "1,000 rows of VALUES": "SELECT * FROM VALUES " + ", ".join(f"({i})" for i in range(1000)),
}


def seconds(sql, text, calls):
    begun = time.perf_counter()
    for _ in range(calls):
        sql(text)
    return (time.perf_counter() - begun) / calls


def main():
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]"})
        gated, own = spark.sql, intercept.own_sql(spark)
        print("| statement | own, ms | gated, ms | ratio: median (min to max) |")
        print("|---|---|---|---|")
        for name, text in STATEMENTS.items():
            calls = CALLS if len(text) < 100 else CALLS // 20
            for sql in (own, gated):
                seconds(sql, text, calls)
            pairs = [
                (seconds(own, text, calls), seconds(gated, text, calls)) for _ in range(ROUNDS)
            ]
            ratios = sorted(b / a for a, b in pairs)
            a, b = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
            median = statistics.median(ratios)
            print(
                f"| {name} | {a:.2f} | {b:.2f} | {median:.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}) |"
            )
        spark.stop()


if __name__ == "__main__":
    main()
