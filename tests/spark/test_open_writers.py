"""The rule `writers`: a write that may open more writers than the memory holds is sorted, or reported."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.jvm import compiler

DB = "local.writers"
TABLES = {
    "by_value": "PARTITIONED BY (p)",
    "by_day": "PARTITIONED BY (days(ts))",
    "by_bucket": "PARTITIONED BY (bucket(16, id))",
    "by_many_buckets": "PARTITIONED BY (bucket(400, id), bucket(400, p))",
    "by_flag": "PARTITIONED BY (flag)",
    "by_flag_and_value": "PARTITIONED BY (flag, p)",
    "nowhere": "",
    "fanout": "PARTITIONED BY (p) TBLPROPERTIES ('write.spark.fanout.enabled' = 'true')",
    "fanout_buckets": "PARTITIONED BY (bucket(400, id), bucket(400, p)) TBLPROPERTIES ("
    "'write.spark.fanout.enabled' = 'true')",
    "unshuffled_values": "PARTITIONED BY (p) TBLPROPERTIES ('write.distribution-mode' = 'none')",
    "sorted": "PARTITIONED BY (p) TBLPROPERTIES ('write.spark.fanout.enabled' = 'false')",
    # In each of two tasks, 151 writers have 200 MB of buffers.
    "unshuffled": "PARTITIONED BY (bucket(150, id)) TBLPROPERTIES ('write.distribution-mode' = 'none')",
    # In 201 writers, 270 MB of buffers; with the filters of three columns, 870 MB.
    "by_200": "PARTITIONED BY (bucket(200, id))",
    "filtered": "PARTITIONED BY (bucket(200, id)) TBLPROPERTIES ("
    + ", ".join(f"'write.parquet.bloom-filter-enabled.column.{c}' = 'true'" for c in ("id", "p", "ts"))
    + ")",
}
SOURCE = "SELECT id, id % 40 AS p, timestamp_seconds(id * 7200) AS ts, id % 2 = 0 AS flag FROM range({})"
MANY, FEW, HUGE = SOURCE.format(50_000), SOURCE.format(10), SOURCE.format(50_000_000)


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {DB}")
    for name, clause in TABLES.items():
        spark.sql(f"CREATE TABLE {DB}.{name} (id BIGINT, p BIGINT, ts TIMESTAMP, flag BOOLEAN) USING iceberg {clause}")
    yield
    for name in TABLES:
        spark.sql(f"DROP TABLE {DB}.{name} PURGE")


@pytest.fixture(autouse=True)
def switch(spark: SparkSession) -> Iterator[None]:
    """The rule on, with nothing reported yet."""
    before = spark.conf.get("spark.iceberg_sql.writers", None)
    spark.conf.unset("spark.iceberg_sql.writers")
    java = compiler.relation_facts().getClass().getClassLoader().loadClass("sparkicebergsql.OpenWriters")
    reported = java.getDeclaredField("REPORTED")
    reported.setAccessible(True)
    reported.get(None).clear()
    yield
    if before is not None:
        spark.conf.set("spark.iceberg_sql.writers", before)


def reports(write: Callable[[], object]) -> list[str]:
    """The warnings of a write about its writers."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        write()
    texts = [str(r.message) for r in records if issubclass(r.category, IcebergSqlWarning)]
    return [text for text in texts if "writer" in text]


def is_sorted(spark: SparkSession, statement: str) -> bool:
    """Whether Spark sorts the rows as the table is partitioned, for one writer at a time."""
    plan = spark.sql(f"EXPLAIN {statement}").first().plan  # type: ignore[union-attr]
    return re.search(r"Sort \[.*\], false", plan) is not None


@pytest.mark.tier("quick", of="rule writers")
@pytest.mark.parametrize(
    ("table", "query", "outcome"),
    [
        ("by_value", MANY, "sorted"),
        ("by_value", FEW, ""),
        ("by_value", f"{MANY} LIMIT 5", ""),
        ("by_value", f"SELECT id, 7 AS p, ts, flag FROM ({MANY})", ""),
        ("by_value", f"SELECT * FROM {DB}.nowhere WHERE id > 3", ""),
        ("by_value", f"SELECT a.* FROM {DB}.nowhere a JOIN {DB}.by_day b USING (id)", "sorted"),
        ("by_value", f"{MANY} ORDER BY ts", "reported"),
        ("by_value", HUGE, "reported"),
        ("by_day", MANY, "sorted"),
        ("by_bucket", MANY, ""),
        ("by_many_buckets", MANY, "sorted"),
        ("by_many_buckets", HUGE, "sorted"),
        ("by_many_buckets", FEW, ""),
        ("by_flag", MANY, ""),
        ("by_flag_and_value", MANY, "sorted"),
        ("nowhere", MANY, ""),
        ("fanout", MANY, ""),
        ("fanout_buckets", MANY, "reported"),
        ("unshuffled", MANY, ""),
        ("unshuffled", SOURCE.format(2_000_000), "sorted"),
        ("unshuffled_values", MANY, "sorted"),
        ("by_many_buckets", f"{MANY} ORDER BY ts", "reported"),
        ("by_200", MANY, ""),
        ("filtered", MANY, "sorted"),
    ],
)
def test_what_becomes_of_a_write(spark: SparkSession, table: str, query: str, outcome: str) -> None:
    for verb in ("INTO", "OVERWRITE"):
        statement = f"INSERT {verb} {DB}.{table} {query}"
        texts = reports(lambda s=statement: spark.sql(f"EXPLAIN {s}"))
        assert len(texts) == (outcome == "reported" and verb == "INTO"), texts  # once
        spark.conf.set("spark.iceberg_sql.writers", "false")
        before = is_sorted(spark, statement)
        spark.conf.unset("spark.iceberg_sql.writers")
        assert is_sorted(spark, statement) == (before or outcome == "sorted")


def test_rows_and_files(spark: SparkSession) -> None:
    """As without the rule: the same rows, one file for each partition and task, in every kind of write."""
    rows = "SELECT id, id % 450 AS p, timestamp_seconds(id * 7200) AS ts, true AS flag FROM range(900)"
    table = f"{DB}.w"
    writes = {
        "insert": lambda: spark.sql(f"INSERT INTO {table} {rows}"),
        "append": lambda: spark.sql(rows).writeTo(table).append(),
        "partitions": lambda: spark.sql(rows).writeTo(table).overwritePartitions(),
        "save": lambda: spark.sql(rows).write.mode("append").saveAsTable(table),
    }
    for name, write in writes.items():
        spark.sql(
            f"CREATE TABLE {table} (id BIGINT, p BIGINT, ts TIMESTAMP, flag BOOLEAN) USING iceberg PARTITIONED BY (p)"
        )
        try:
            assert not reports(write), name
            count = spark.sql(f"SELECT count(*), count(DISTINCT id), sum(p) FROM {table}").first()
            assert tuple(count) == (900, 900, 450 * 449), name  # type: ignore[arg-type]
            assert spark.table(f"{table}.files").count() == 450, name
        finally:
            spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.tier("quick", of="rule writers")
def test_the_sentence(spark: SparkSession) -> None:
    heap = spark._jvm.Runtime.getRuntime().maxMemory() / 2**20  # type: ignore[union-attr]
    megabytes = 1.25 + 4 * 25 / 1024
    help_ = (
        "\nhelp: with TBLPROPERTIES ('write.spark.fanout.enabled' = 'false'), the rows are sorted by partition, and "
        "one writer is open at a time; or start Spark with more `spark.driver.memory`"
    )
    (text,) = reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {DB}.by_day {HUGE}"))
    assert text == (
        f"`{DB}.by_day`: this write keeps a writer with 1.3 MB of buffers open for each partition of its rows: "
        f"their number is unknown, and {heap / 2 / megabytes:,.0f} fill half of the memory of {heap:,.0f} MB{help_}"
    )
    (text,) = reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {DB}.by_many_buckets {MANY} ORDER BY ts"))
    assert text == (
        f"`{DB}.by_many_buckets`: this write may keep 50,000 writers open, one for each partition of a task, which "
        f"with 1.3 MB of buffers each and the rows need up to {50_000 * megabytes:,.0f} MB of the memory of "
        f"{heap:,.0f} MB{help_}"
    )


def test_what_is_not_known_is_said_once(spark: SparkSession) -> None:
    first = reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {DB}.by_day {HUGE}"))
    second = reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {DB}.by_value {HUGE}"))
    assert (len(first), len(second)) == (1, 0)


def test_the_switch(spark: SparkSession) -> None:
    spark.conf.set("spark.iceberg_sql.writers", "false")
    assert not reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {DB}.by_day {HUGE}"))
    spark.conf.unset("spark.iceberg_sql.writers")


def test_the_help_is_right(spark: SparkSession) -> None:
    """Iceberg refuses rows that Spark's order scatters: -0.0 and 0.0 are one value to Spark, two to Iceberg."""
    table = f"{DB}.doubles"
    with pytest.warns(IcebergSqlWarning, match="SIS503"):
        spark.sql(f"CREATE TABLE {table} (id BIGINT, d DOUBLE) USING iceberg PARTITIONED BY (d)")
    rows = "SELECT id, id * 0.5D AS d FROM range(50000)"
    (text,) = reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {table} {rows}"))
    assert text.endswith("help: start Spark with more `spark.driver.memory`, or write the partitions in several steps")
    spark.sql(f"DROP TABLE {table} PURGE")
    table = f"{DB}.helped"
    spark.sql(f"CREATE TABLE {table} USING iceberg PARTITIONED BY (p) AS {FEW}")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.spark.fanout.enabled' = 'false')")
    assert not reports(lambda: spark.sql(f"INSERT INTO {table} {MANY}"))
    assert spark.table(table).count() == 50_010
    spark.sql(f"DROP TABLE {table} PURGE")


def test_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Each batch, whose rows are those of files."""
    table = f"{DB}.streamed"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, p BIGINT, ts TIMESTAMP, flag BOOLEAN) USING iceberg PARTITIONED BY (p)"
    )
    rows = spark.sql(MANY)
    rows.coalesce(1).write.parquet(str(tmp_path / "rows"))
    source = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "rows"))
    query = source.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
    stream = query.toTable(table)
    try:
        stream.awaitTermination()
        assert "Sort [" in stream._jsq.explainInternal(False)  # type: ignore[attr-defined]
        assert spark.table(table).count() == 50_000
    finally:
        stream.stop()
        spark.sql(f"DROP TABLE {table} PURGE")


WRITERS: dict[str, Callable[[DataFrame, str], object]] = {
    "writeTo": lambda df, t: df.writeTo(t).append(),
    "save": lambda df, t: df.write.format("iceberg").mode("append").option("write-format", "orc").save(t),
    "avro": lambda df, t: df.writeTo(t).option("write-format", "avro").append(),
    "overwritePartitions": lambda df, t: df.writeTo(t).overwritePartitions(),
    "fanout": lambda df, t: df.writeTo(t).option("fanout-enabled", "true").append(),
    "sorted": lambda df, t: df.writeTo(t).option("fanout-enabled", "false").append(),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_dataframes(spark: SparkSession, writer: str) -> None:
    table = f"{DB}.by_value"
    spark.sql(f"DELETE FROM {table}")
    assert not reports(lambda: WRITERS[writer](spark.sql(MANY), table))
    assert spark.table(table).count() == 50_000


def test_create_table_as_select_keeps_the_order_of_the_query(spark: SparkSession) -> None:
    ordered = f"{MANY} ORDER BY id DESC"
    table = f"{DB}.ctas"
    create = f"CREATE TABLE {table} USING iceberg PARTITIONED BY (p) AS {ordered}"
    assert len(reports(lambda: spark.sql(create))) == 1
    (file, *_) = spark.sql(f"SELECT file_path FROM {table}.files").collect()
    ids = [row.id for row in spark.read.parquet(file.file_path).select("id").collect()]
    assert ids == sorted(ids, reverse=True)
    spark.sql(f"DROP TABLE {table} PURGE")


TARGET = "SELECT id, id % 6 AS p, 'old' AS v, id * 2 AS w FROM range(3000)"
CHANGES = "SELECT id, (id + 1) % 6 AS p, 'new' AS v, id AS w FROM range(1500, 4500)"
ROW_LEVEL = {
    "merge": (
        (
            f"MERGE INTO {{t}} t USING ({CHANGES}) s ON t.id = s.id WHEN MATCHED AND s.id % 10 = 0 THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE AND t.id % 7 = 0 THEN UPDATE SET v = 'gone', p = (t.p + 1) % 6"
        ),
        (
            "SELECT coalesce(s.id, t.id) AS id, CASE WHEN s.id IS NOT NULL THEN s.p WHEN t.id % 7 = 0 "
            "THEN (t.p + 1) % 6 ELSE t.p END AS p, "
            "CASE WHEN s.id IS NOT NULL THEN s.v WHEN t.id % 7 = 0 THEN 'gone' ELSE t.v END AS v, "
            f"coalesce(s.w, t.w) AS w FROM ({TARGET}) t FULL JOIN ({CHANGES}) s ON t.id = s.id "
            "WHERE s.id IS NULL OR t.id IS NULL OR s.id % 10 <> 0"
        ),
    ),
    "update": (
        "UPDATE {t} SET w = w + 1, p = (p + 2) % 6 WHERE id % 2 = 0",
        f"SELECT id, IF(id % 2 = 0, (p + 2) % 6, p) AS p, v, IF(id % 2 = 0, w + 1, w) AS w FROM ({TARGET})",
    ),
    "update by a subquery": (
        f"UPDATE {{t}} SET p = (p + 2) % 6 WHERE id IN (SELECT id FROM ({CHANGES}))",
        f"SELECT id, IF(id >= 1500, (p + 2) % 6, p) AS p, v, w FROM ({TARGET})",
    ),
    "delete": ("DELETE FROM {t} WHERE w % 3 = 0", f"SELECT * FROM ({TARGET}) WHERE w % 3 <> 0"),
}


@pytest.mark.parametrize("version", [2, 3] if pyspark.__version__ > "4" else [2])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("command", ROW_LEVEL)
def test_row_level_commands(spark: SparkSession, command: str, mode: str, version: int) -> None:
    """Sorted through the operation, since they take no options, but for a DELETE in a table of few files."""
    table = f"{DB}.changed"
    modes = ", ".join(f"'write.{c}.mode' = '{mode}'" for c in ("merge", "update", "delete"))
    spark.sql(
        f"CREATE TABLE {table} USING iceberg PARTITIONED BY (p) "
        f"TBLPROPERTIES ('format-version' = '{version}', {modes}) AS {TARGET}"
    )
    statement, expected = ROW_LEVEL[command]
    statement = statement.format(t=table)
    try:
        spark.conf.set("spark.iceberg_sql.writers", "false")
        before = scans(spark, statement)
        spark.conf.unset("spark.iceberg_sql.writers")
        assert is_fanout_off(spark, statement) == (command != "delete")
        assert scans(spark, statement) == before
        assert not reports(lambda: spark.sql(statement))
        assert sorted(spark.table(table).collect()) == sorted(spark.sql(expected).collect())
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


def is_fanout_off(spark: SparkSession, statement: str) -> bool:
    """Whether a row-level command sorts by the partition field of the rows that it writes."""
    plan = spark.sql(f"EXPLAIN {statement}").first().plan  # type: ignore[union-attr]
    return re.search(r"Sort \[.*\bp#\d+L? ASC.*\], false", plan) is not None


def scans(spark: SparkSession, statement: str) -> list[str]:
    """What a statement reads, and with which filters."""
    plan = spark.sql(f"EXPLAIN {statement}").first().plan  # type: ignore[union-attr]
    return [re.sub(r"#\d+L?", "", scan) for scan in re.findall("BatchScan.*", plan)]


@pytest.mark.parametrize("clause", ["'write.spark.fanout.enabled' = 'true'", "'write.spark.fanout.enabled' = 'false'"])
def test_the_table_s_setting_decides_of_row_level_commands(spark: SparkSession, clause: str) -> None:
    table = f"{DB}.decided"
    spark.sql(f"CREATE TABLE {table} USING iceberg PARTITIONED BY (p) TBLPROPERTIES ({clause}) AS {TARGET}")
    statement = ROW_LEVEL["merge"][0].format(t=table)
    try:
        assert not reports(lambda: spark.sql(f"EXPLAIN {statement}"))
        assert is_fanout_off(spark, statement) == ("false" in clause)
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


def test_a_void_field_is_one_value(spark: SparkSession) -> None:
    table = f"{DB}.void"
    clause = "PARTITIONED BY (q, bucket(4, id)) TBLPROPERTIES ('format-version' = '1')"
    with pytest.warns(IcebergSqlWarning):  # of such a spec
        spark.sql(f"CREATE TABLE {table} (id BIGINT, q DOUBLE) USING iceberg {clause}")
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD q")
    rows = "SELECT id, CAST(id AS DOUBLE) AS q FROM range(50000)"
    assert not reports(lambda: spark.sql(f"EXPLAIN INSERT INTO {table} {rows}"))
    spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [("output-spec-id", "99", "not a valid spec"), ("distribution-mode", "odd", "Invalid distribution mode")],
)
def test_what_is_wrong_with_an_option_is_iceberg_s_to_say(
    spark: SparkSession, option: str, value: str, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        spark.sql(MANY).writeTo(f"{DB}.by_value").option(option, value).append()


def test_a_rewrite_is_not_reported(spark: SparkSession) -> None:
    call = "CALL local.system.rewrite_data_files(table => 'writers.by_value', options => map('rewrite-all', 'true'))"
    assert not reports(lambda: spark.sql(call))


def test_an_error_that_a_warning_becomes_fails_no_write(spark: SparkSession) -> None:
    table = f"{DB}.by_value"
    spark.sql(f"DELETE FROM {table}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spark.sql(f"INSERT INTO {table} {MANY}")
    assert spark.table(table).count() == 50_000
