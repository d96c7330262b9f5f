"""What `sis.plan` costs on tables with many data files, and with many columns.

python tests/benchmarks/plans.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

from py4j.clientserver import ClientServerConnection
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.plans import relations

ROUNDS = 7
REPLACE = "REPLACE PARTITION FIELD id_bucket WITH bucket(32, id)"
# name, specs, files of each, files in a manifest
TABLES = [
    ("10,000 files, 10 manifests", 1, 10_000, 1000),
    ("10,000 files, 1,000 manifests", 1, 10_000, 10),
    ("200,000 files, 100 manifests", 1, 200_000, 2000),
    ("10,000 files of two specs, 20 manifests", 2, 5_000, 500),
    ("10,000 files of two specs, 1,000 manifests", 2, 5_000, 10),
    ("200,000 files of two specs, 40 manifests", 2, 100_000, 5000),
]
asked: Counter[str] = Counter()


def count_requests() -> None:
    """Count this process's requests to the JVM in `asked`."""
    send = ClientServerConnection.send_command

    def counted(connection: ClientServerConnection, command: str) -> str:
        asked["requests"] += 1
        return send(connection, command)

    ClientServerConnection.send_command = counted


def make(spark: SparkSession) -> dict[str, str]:
    """The tables' names by what they are."""
    text = Path(__file__).with_name("ManyFiles.java").read_text("utf-8")
    loader = compiler.compile_java(text, "ManyFiles.java", compiler.context_loader())
    files = compiler.instance(loader, "sparkicebergsql.benchmarks.ManyFiles")
    names = {}
    for number, (title, specs, file_count, per_manifest) in enumerate(TABLES):
        name = f"local.db.t{number}"
        spark.sql(
            f"CREATE TABLE {name} (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id)) "
            "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
        )
        for spec in range(specs):
            if spec:
                spark.sql(f"ALTER TABLE {name} {REPLACE}")
            files.append(relations.catalog_table(name), file_count, per_manifest)
        names[title] = name
    columns = ", ".join(f"c{i} {('BIGINT', 'STRING', 'TIMESTAMP')[i % 3]}" for i in range(2000))
    spark.sql(f"CREATE TABLE local.db.wide (id BIGINT, ts TIMESTAMP, {columns}) USING iceberg")
    return {**names, "2,000 columns": "local.db.wide"}


def main() -> None:
    count_requests()
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]"})
        statements = {title: f"ALTER TABLE {name} ADD PARTITION FIELD days(ts)" for title, name in make(spark).items()}
        statements["CREATE of a table that does not exist"] = (
            "CREATE TABLE local.db.new (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))"
        )
        for statement in 3 * list(statements.values()):
            sis.plan(spark, statement)
        print("| statement | least, ms | median, ms | requests to the JVM |\n|---|--:|--:|--:|")
        for title, statement in statements.items():
            durations, requests = [], []
            for _ in range(ROUNDS):
                asked.clear()
                begun = time.perf_counter()
                sis.plan(spark, statement)
                durations.append((time.perf_counter() - begun) * 1000)
                requests.append(asked["requests"])
            print(f"| {title} | {min(durations):,.0f} | {statistics.median(durations):,.0f} | {min(requests)} |")
        spark.stop()


if __name__ == "__main__":
    main()
