"""What tables by path cost beside other ways to read them, side by side in one run.

Virtual columns, planning with many manifests and many metadata files, small queries, a UUID that no metadata file
has, and pyiceberg's scan.

python tests/benchmarks/paths.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from pyiceberg.expressions import EqualTo
from pyiceberg.table import StaticTable
from pyspark.errors import AnalysisException

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.gate import intercept

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
MANIFESTS, LEFTOVERS, METADATA_FILES, FILES = 1_000, 30_000, 5_000, 200
LOAD = "spark.read.load"


def milliseconds(action):
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def table(title, ways, base):
    """One line a way: the median in ms, and the median of the ratio to `base` in each round, with its spread."""
    for action in ways.values():
        action()
    rounds = [{name: milliseconds(action) for name, action in ways.items()} for _ in range(ROUNDS)]
    print(f"\n| {title} | ms | ratio to {base} |\n|---|--:|--:|")
    for name in ways:
        ratios = sorted(timings[name] / timings[base] for timings in rounds)
        middle = statistics.median(timings[name] for timings in rounds)
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"| {name} | {middle:,.0f} | {spread} |", flush=True)


def many_manifests(spark, folder):
    """A table whose every commit left its own manifest; its data files do not exist."""
    iceberg = spark._jvm.org.apache.iceberg
    loaded = iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, "local.db.wide")
    for number in range(MANIFESTS):
        file = iceberg.DataFiles.builder(loaded.spec()).withPath(f"{folder}/data/{number}.parquet")
        file = file.withFileSizeInBytes(1_000).withRecordCount(10).withFormat("parquet").build()
        loaded.newFastAppend().appendFile(file).commit()


def main():
    with tempfile.TemporaryDirectory() as folder:
        spark = sis.session(folder, config={"spark.master": "local[2]"})
        plain = intercept.unchecked_sql(spark)
        read = spark.read.format("iceberg").load
        plain("CREATE TABLE local.db.t (id BIGINT, name STRING) USING iceberg")
        plain(f"INSERT INTO local.db.t SELECT /*+ REPARTITION({FILES}) */ id, string(id) FROM range(5000000)")
        plain("CREATE TABLE local.db.small (id BIGINT, name STRING) USING iceberg")
        plain("INSERT INTO local.db.small SELECT /*+ COALESCE(1) */ id, 'x' FROM range(1000)")
        path, small, wide = (f"{folder}/db/{name}" for name in ("t", "small", "wide"))

        def query(columns):
            return lambda: plain(f"SELECT {columns} FROM iceberg('{path}') WHERE id % 7 = 0").collect()

        ways = {
            "max(name)": query("max(name)"),
            "with max(_file)": query("max(name), max(_file)"),
            "with max(_size)": query("max(name), max(_size)"),
            "with max(_time)": query("max(name), max(_time)"),
        }
        table(f"5 million rows in {FILES} files", ways, "max(name)")

        last = "SELECT sum(id), max(name) FROM"
        ways = {
            LOAD: lambda: read(small).selectExpr("sum(id)", "max(name)").collect(),
            "catalog table": lambda: plain(f"{last} local.db.small").collect(),
            "iceberg(path)": lambda: plain(f"{last} iceberg('{small}')").collect(),
        }
        table("1,000 rows, analysis and execution", ways, LOAD)

        def newest(table_path):
            return str(max(Path(table_path, "metadata").glob("v*.json"), key=lambda f: int(f.name[1:].split(".")[0])))

        def scanned():
            return StaticTable.from_metadata(newest(path)).scan(row_filter=EqualTo("id", 4_000_000)).to_arrow()

        assert scanned().num_rows == 1
        ways = {
            LOAD: lambda: read(path).where("id = 4000000").collect(),
            "iceberg(path)": lambda: plain(f"SELECT * FROM iceberg('{path}') WHERE id = 4000000").collect(),
            "pyiceberg, StaticTable.scan": scanned,
        }
        table(f"one row of 5 million, {FILES} files", ways, LOAD)

        plain(
            "CREATE TABLE local.db.wide (id BIGINT) USING iceberg TBLPROPERTIES ("
            "'commit.manifest-merge.enabled' = 'false', 'write.metadata.previous-versions-max' = '2', "
            "'write.metadata.delete-after-commit.enabled' = 'true')"
        )
        many_manifests(spark, wide)
        plain("REFRESH TABLE local.db.wide")

        def planned(frame):
            frame._jdf.queryExecution().executedPlan().toString()

        def plans(where):
            return {
                LOAD: lambda: planned(read(wide).where(where)),
                "catalog table": lambda: planned(plain(f"SELECT * FROM local.db.wide WHERE {where}")),
                "iceberg(path)": lambda: planned(plain(f"SELECT * FROM iceberg('{wide}') WHERE {where}")),
                "pyiceberg, plan_files": lambda: list(StaticTable.from_metadata(newest(wide)).scan().plan_files()),
            }

        table(f"plan of {MANIFESTS:,} manifests", plans("id > 5"), LOAD)
        for number in range(LEFTOVERS):
            Path(wide, "metadata", f"{number:08}-m0.avro").touch()
        table(f"the same, {LEFTOVERS:,} more files in metadata/", plans("id > 6"), LOAD)

        text = Path(newest(small)).read_text()
        for number in range(10, METADATA_FILES + 10):
            Path(small, "metadata", f"v{number}.metadata.json").write_text(text)

        def missed():
            try:
                plain(f"SELECT * FROM iceberg('{small}', metadata_table_uuid => 'none')")
            except AnalysisException:
                return
            raise AssertionError

        ways = {"newest version": lambda: plain(f"SELECT * FROM iceberg('{small}')"), "no such UUID": missed}
        table(f"analysis with {METADATA_FILES:,} metadata files", ways, "newest version")
        spark.stop()


if __name__ == "__main__":
    main()
