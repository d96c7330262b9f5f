"""MERGE by other ways than `spark.sql`, into columns of other types, and beside other changes: the rule `merge`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import connect_client
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn
from samples import swept
from session_settings import settings
from test_merge import (
    DAY,
    DAYS,
    DELETE,
    MODES,
    SWITCH,
    TARGET,
    UPDATE,
    create,
    filters,
    hits,
    merge,
    outcome,
    planned,
    set_mode,
)

import spark_iceberg_sql as sis


@pytest.fixture(params=MODES)
def target(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    create(spark, TARGET, "(d)")
    set_mode(spark, request.param)
    return TARGET


CLIENT = """
import sys
from pyspark.sql import SparkSession, functions as fn
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
target = sys.argv[2]
def hits():
    return spark.sql("SELECT hits FROM iceberg_rules() WHERE name = 'merge'").first()[0]
before = hits()
day = fn.to_date(fn.lit("2024-01-04"))
source = spark.createDataFrame([(33, 7), (35, 8)], "k int, v int").withColumn("d", day)
source.createOrReplaceTempView("s")
spark.sql(f"MERGE INTO {target} t USING s ON t.k = s.k AND t.d = s.d WHEN MATCHED THEN UPDATE SET v = s.v + 100")
if hasattr(source, "mergeInto"):
    condition = fn.expr(f"{target}.k = s.k AND {target}.d = s.d")
    source.alias("s").mergeInto(target, condition).whenMatched(fn.col("s.k") == 35).delete().merge()
else:
    spark.sql(f"MERGE INTO {target} t USING s ON t.k = s.k AND t.d = s.d WHEN MATCHED AND s.k = 35 THEN DELETE")
rows = spark.table(target)
print(hits() > before, rows.filter("v = 107").count(), rows.filter("k = 35").count(), rows.count())
"""


@pytest.mark.needs("connect")
def test_a_connect_client(spark: SparkSession, target: str) -> None:
    count = spark.table(target).count()
    with sis.connect_server(spark, port=0) as server:
        command = [str(connect_client.python()), "-c", CLIENT, server.url, target]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.split() == ["True", "1", "0", str(count - 1)], done.stderr[-2000:]


def test_each_batch_of_a_stream(spark: SparkSession, target: str, tmp_path: Path) -> None:
    """The source of each MERGE is a batch of files that arrived since the last."""
    arrived = "local.merging.arrived"
    spark.sql(f"CREATE OR REPLACE TABLE {arrived} (k INT, v INT, d DATE) USING iceberg PARTITIONED BY (d)")
    numbers: list[int] = []

    def upsert(batch: Any, number: int) -> None:
        numbers.append(number)
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(merge("SELECT * FROM batch", "t.k = s.k AND t.d = s.d", UPDATE, target))

    stream = spark.readStream.table(arrived).writeStream.foreachBatch(upsert)
    stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
    for k, day in ((33, "2024-01-04"), (35, "2024-01-04"), (151, "2024-01-16")):
        spark.sql(f"INSERT INTO {arrived} VALUES ({k}, {k % 7}, date '{day}')")
        query = stream.start()
        query.awaitTermination(120)
        assert query.exception() is None
    assert len(numbers) == 3
    spark.catalog.refreshTable(target)  # a stream has a session of its own, and Iceberg's catalogs keep tables
    changed = spark.table(target).filter("v >= 100").orderBy("k").collect()
    assert [(row.k, row.v) for row in changed] == [(33, 105), (35, 100), (151, 104)]


def test_a_data_frame(spark: SparkSession, target: str) -> None:
    source = spark.sql(f"SELECT 33 AS k, 7 AS v, {DAY} AS d").alias("s")
    if not hasattr(source, "mergeInto"):
        pytest.skip("before Spark 4.0, a DataFrame has no mergeInto")
    before, count = hits(spark), spark.table(target).count()
    writer = source.mergeInto(target, fn.expr(f"{target}.k = s.k AND {target}.d = s.d"))
    writer.whenMatched().delete().merge()
    assert spark.table(target).count() == count - 1
    assert hits(spark) > before


# ---------------------------------------------------------------------------- columns

UUIDS = [f"{n:08x}-1234-4678-9234-567812345678" for n in range(0, 1 << 32, 1 << 26)]


@pytest.fixture(scope="module")
def keyed(spark: SparkSession) -> str:
    """A table with a uuid and a fixed column, which Spark itself cannot create: four files with bounds apart."""
    name = "local.merging.keyed"
    jvm = spark._jvm
    assert jvm
    types, fields = jvm.org.apache.iceberg.types.Types, jvm.java.util.ArrayList()
    fields.add(types.NestedField.optional(1, "u", types.UUIDType.get()))
    fields.add(types.NestedField.optional(2, "f", types.FixedType.ofLength(4)))
    catalog = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergCatalog(spark._jsparkSession, "local")
    identifier = jvm.org.apache.iceberg.catalog.TableIdentifier.parse("merging.keyed")
    catalog.createTable(identifier, jvm.org.apache.iceberg.Schema(fields))
    for start in range(0, len(UUIDS), 16):
        values = ", ".join(f"('{u}', X'{u[:8]}')" for u in UUIDS[start : start + 16])
        spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ * FROM VALUES {values} AS x(u, f)")
    return name


KEYS = [
    (f"SELECT * FROM VALUES ('{UUIDS[3]}'), ('{UUIDS[40]}') AS x(u)", "t.u = s.u"),
    (f"SELECT upper(u) AS u FROM VALUES ('{UUIDS[3]}'), ('{UUIDS[41]}') AS x(u)", "t.u = s.u"),
    (f"SELECT * FROM VALUES ('no uuid'), ('{UUIDS[40]}') AS x(u)", "t.u = s.u"),
    ("SELECT 'f0000000' AS u", "t.u > s.u"),
    ("SELECT 'f0000000-1234' AS u", "t.u <= s.u"),
    (f"SELECT X'{UUIDS[40][:8]}' AS f", "t.f = s.f"),
    (f"SELECT X'{UUIDS[40][:6]}' AS f", "t.f = s.f"),
    (f"SELECT X'{UUIDS[40][:6]}' AS f", "t.f > s.f"),
    (f"SELECT X'{UUIDS[40][:8]}00' AS f", "t.f < s.f"),
    ("SELECT CAST(NULL AS binary) AS f UNION ALL SELECT X'00'", "t.f >= s.f"),
]


@pytest.mark.parametrize(("source", "on"), swept(KEYS, 2))
def test_uuids_and_fixed_bytes(spark: SparkSession, keyed: str, source: str, on: str) -> None:
    statement = merge(source, on, DELETE, keyed)
    with settings(spark, **{SWITCH: "false"}):
        expected = outcome(spark, statement, keyed)
    assert outcome(spark, statement, keyed) == expected


def test_columns_that_differ_in_case(spark: SparkSession) -> None:
    name = "local.merging.cases"
    with settings(spark, **{"spark.sql.caseSensitive": "true"}):
        spark.sql(f"CREATE OR REPLACE TABLE {name} (a INT, A INT, v INT) USING iceberg")
        for start in (0, 100):
            spark.sql(
                f"INSERT INTO {name} SELECT cast(id AS int), cast(1000 - id AS int), 0 FROM range({start}, {start + 9})"
            )
        for column, value in (("a", 3), ("A", 897), ("A", 3), ("a", 897)):
            statement = merge(f"SELECT {value} AS x", f"t.{column} = s.x", DELETE, name)
            assert all(f"{column} = {value}" in text for text in filters(spark, statement, name))
            matched = spark.table(name).filter(f"{column} = {value}").count()
            assert len(outcome(spark, statement, name)) == 18 - matched


# ---------------------------------------------------------------------------- changes by others

# Between the planning of a MERGE and its commit: the schema or the spec changes, then a row is written.
CHANGES = [
    "ADD PARTITION FIELD bucket(4, k)",
    "REPLACE PARTITION FIELD d WITH months(d)",
    "DROP PARTITION FIELD d",
    "ADD COLUMN x INT AFTER s",
    "RENAME COLUMN s TO text",
    "WRITE ORDERED BY k",
]


def planned_before(spark: SparkSession, target: str, change: str, row: str) -> Any:
    """The plan of a MERGE, after which another session changes the table and writes a row. row: its k, v and d."""
    plan = planned(spark, merge(f"SELECT 33 AS k, 7 AS v, {DAY} AS d", "t.k = s.k AND t.d = s.d", UPDATE))
    other = spark.newSession()
    other.sql(f"ALTER TABLE {target} {change}")
    nulls = ["NULL"] * (len(other.table(target).columns) - 3)
    other.sql(f"INSERT INTO {target} VALUES ({', '.join([row, *nulls])})")
    return plan


@pytest.mark.parametrize("change", swept(CHANGES, 3))
def test_a_conflict_under_another_spec_or_schema(spark: SparkSession, target: str, change: str) -> None:
    plan = planned_before(spark, target, change, f"33, 1, {DAY}")
    with pytest.raises(Py4JJavaError, match="conflicting files"):
        plan.executeCollect()
    assert spark.table(target).filter("k = 33").count() == 2


@pytest.mark.parametrize("change", swept(CHANGES, 3))
def test_no_conflict_under_another_spec_or_schema(spark: SparkSession, target: str, change: str) -> None:
    """Nor does the MERGE then write rows into the wrong columns or partitions."""
    planned_before(spark, target, change, "900, 1, date '2025-01-01'").executeCollect()
    assert spark.table(target).filter("v = 107 AND k = 33").count() == 1
    assert spark.table(target).filter("k = 900 AND d = '2025-01-01'").count() == 1
    assert spark.table(target).count() == 10 * DAYS + 1
