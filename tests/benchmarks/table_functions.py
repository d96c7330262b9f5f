"""What a table by path costs beside `spark.read.load` and a catalog table, side by side in one run.

python tests/benchmarks/table_functions.py
"""

from __future__ import annotations

import statistics
import tempfile
import time

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.gate import intercept

ROUNDS, CALLS, EXECUTIONS = 15, 20, 3


def milliseconds(action, calls):
    begun = time.perf_counter()
    for _ in range(calls):
        action()
    return (time.perf_counter() - begun) / calls * 1000


def table(title, ways, calls, base):
    """One line per way: min, median and max in ms, and the median of its ratio to `base` over the rounds."""
    for action in ways.values():
        milliseconds(action, calls)
    rounds = [{name: milliseconds(action, calls) for name, action in ways.items()} for _ in range(ROUNDS)]
    print(f"\n| {title} | min, ms | median, ms | max, ms | ratio to {base} |")
    print("|---|---|---|---|---|")
    for name in ways:
        times = sorted(timings[name] for timings in rounds)
        ratio = statistics.median(timings[name] / timings[base] for timings in rounds)
        print(f"| {name} | {times[0]:.2f} | {statistics.median(times):.2f} | {times[-1]:.2f} | {ratio:.2f} |")


def main():
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]"})
        plain = intercept.unchecked_sql(spark)
        plain("CREATE TABLE local.db.t (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(8, id))")
        plain("INSERT INTO local.db.t SELECT id, string(id) FROM range(1000000)")
        path = f"{folder}/db/t"
        load = "spark.read.load"
        ways = {
            "catalog table": lambda: plain("SELECT * FROM local.db.t"),
            load: lambda: spark.read.format("iceberg").load(path),
            "iceberg(path)": lambda: plain(f"SELECT * FROM iceberg('{path}')"),
            "iceberg(metadata file)": lambda: plain(f"SELECT * FROM iceberg('{path}/metadata/v2.metadata.json')"),
            "iceberg(path), _file": lambda: plain(f"SELECT _file, * FROM iceberg('{path}')"),
            "iceberg(path), _size": lambda: plain(f"SELECT _size, * FROM iceberg('{path}')"),
        }
        table("analysis", ways, CALLS, load)
        last = "SELECT sum(id), max(name) FROM"
        ways = {
            "catalog table": lambda: plain(f"{last} local.db.t").collect(),
            load: lambda: spark.read.format("iceberg").load(path).selectExpr("sum(id)", "max(name)").collect(),
            "iceberg(path)": lambda: plain(f"{last} iceberg('{path}')").collect(),
        }
        table("execution", ways, EXECUTIONS, load)
        spark.stop()


if __name__ == "__main__":
    main()
