"""Tables by path: how the functions are called, and all operations on such a table."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import scans
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.table_functions import FUNCTIONS
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.tables.credentials import collection

TABLE = "local.by_path.days"


@pytest.fixture(scope="module")
def path(spark: SparkSession) -> Iterator[str]:
    """A table of ten days and four buckets, one manifest per day; 400 rows, ids from 0."""
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, name STRING, ts TIMESTAMP) USING iceberg "
        "PARTITIONED BY (days(ts), bucket(4, id)) "
        "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
    )
    for start in (0, 200):
        spark.sql(
            f"INSERT INTO {TABLE} SELECT id, concat('n', id), "
            f"timestamp'2024-01-01' + make_interval(0, 0, 0, CAST(id DIV 40 AS INT)) "
            f"FROM range({start}, {start + 200})"
        )
    yield location(spark, TABLE)
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def location(spark: SparkSession, table: str) -> str:
    rows = spark.sql(f"DESCRIBE EXTENDED {table}").where("col_name = 'Location'").collect()
    return str(rows[0].data_type).removeprefix("file:")


def one(spark: SparkSession, text: str, **arguments: object) -> object:
    return spark.sql(text, **arguments).collect()[0][0]  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ calls


@pytest.mark.tier("quick", of="tables by path")
@pytest.mark.parametrize(
    "call",
    [
        "icebergLocal('{path}')",
        "ICEBERGLOCAL('{path}')",
        "iceberg_local('{path}')",
        "iceberg_local(path => '{path}')",
        "icebergLocal('{path}', 'parquet', 'auto')",
        "icebergLocal('{path}/')",
        "icebergLocal('file:{path}')",
        "icebergHDFS('file://{path}')",
        "iceberg_hdfs('{path}')",
        "iceberg('{path}')",
        "iceberg('{path}', 'auto')",
        "iceberg(url => 'file:{path}', format => 'Parquet')",
        "iceberg('file:' || lower('{path}'))",
        "iceberg(nvl(NULL, '{path}'))",
        "iceberg((SELECT max(p) FROM VALUES ('{path}') AS v(p)))",
        "iceberg(concat_ws('/', array('{path}', 'metadata', 'v3.metadata.json')))",
    ],
)
def test_a_call(spark: SparkSession, path: str, call: str) -> None:
    assert path.islower()
    assert one(spark, f"SELECT count(*) FROM {call.format(path=path)}") == 400


@pytest.mark.tier("quick", of="tables by path")
def test_parameters(spark: SparkSession, path: str) -> None:
    count = "SELECT count(*) FROM iceberg"
    assert one(spark, f"{count}(:p)", args={"p": path}) == 400
    assert one(spark, f"{count}(?)", args=[path]) == 400


@pytest.mark.needs("variables")
def test_variables(spark: SparkSession, path: str) -> None:
    count = "SELECT count(*) FROM iceberg"
    spark.sql(f"DECLARE OR REPLACE VARIABLE where_it_is STRING DEFAULT '{path}'")
    assert one(spark, f"{count}(where_it_is)") == 400
    assert one(spark, f"{count}(where_it_is || '/')") == 400
    spark.sql(f"EXECUTE IMMEDIATE 'SELECT count(*) FROM iceberg(?)' USING '{path}'")


@pytest.mark.tier("quick", of="tables by path")
def test_a_named_collection(spark: SparkSession, path: str) -> None:
    folder, name = path.rsplit("/", 1)
    prefix = "spark.iceberg_sql.collection.here"
    spark.conf.set(f"{prefix}.path", folder)
    spark.conf.set(f"{prefix}.format", "auto")
    try:
        for call in (
            f"icebergLocal('here', filename => '{name}')",
            f"icebergLocal(collection => 'here', filename => '{name}')",
            f"icebergLocal(collection => 'here', path => '{path}')",
        ):
            assert one(spark, f"SELECT count(*) FROM {call}") == 400
        spark.conf.set(f"{prefix}.colour", "red")
        with pytest.raises(AnalysisException, match="the setting `colour`, which is not an argument"):
            spark.sql(f"SELECT * FROM icebergLocal('here', filename => '{name}')")
    finally:
        for key in ("path", "format", "colour"):
            spark.conf.unset(f"{prefix}.{key}")


def test_a_collection_of_wrong_arguments(spark: SparkSession) -> None:
    for arguments, message in (
        ({"acces_key_id": "AKIA0"}, "argument `acces_key_id`\nhelp: write access_key_id"),
        ({"endpoint": "http://h", "url": None}, "`url` is None"),
    ):
        with pytest.raises(IcebergSqlError, match=message):
            collection(spark, "wrong", **arguments)  # type: ignore[arg-type]
    assert spark.conf.get("spark.iceberg_sql.collection.wrong.endpoint", None) is None


REFUSED = [
    ("icebergLocal(' ')", "INVALID_PARAMETER_VALUE", "it is empty"),
    ("icebergLocal()", "REQUIRED_PARAMETER_NOT_FOUND", "`path`"),
    ("icebergLocal('{path}', 'orc', 'auto', 'x')", "WRONG_NUM_ARGS", "icebergLocal"),
    ("icebergLocal('{path}', snapshotid => 1)", "UNRECOGNIZED_PARAMETER_NAME", r"\[`snapshot_id`"),
    (
        "icebergLocal('{path}', path => '{path}')",
        "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED",
        "`path`",
    ),
    (
        "icebergLocal('{path}', ref => 'a', branch => 'b')",
        "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE",
        "`ref`",
    ),
    ("icebergLocal(string(rand()))", "NON_FOLDABLE_ARGUMENT", "`path`"),
    ("icebergLocal('{path}', 'csv')", "INVALID_PARAMETER_VALUE", "`csv` is not one of auto, parquet"),
    ("icebergLocal('{path}', snapshot_id => 'x')", "INVALID_PARAMETER_VALUE", "`x` is not an integer"),
    ("icebergLocal('{path}', snapshot_id => NULL)", "INVALID_PARAMETER_VALUE", "it is NULL"),
    (
        "icebergLocal('{path}', use_partition_pruning => 'maybe')",
        "INVALID_PARAMETER_VALUE",
        "`maybe` is not true or false",
    ),
    ("icebergLocal('t')", "INVALID_PARAMETER_VALUE", "`t` is relative"),
    ("icebergLocal('s3://b/t')", "INVALID_PARAMETER_VALUE", r"write iceberg\('s3://b/t'\)"),
    ("icebergLocal('{path}/no')", "PATH_NOT_FOUND", "{path}/no/metadata"),
    ("icebergLocal(collection => 'none')", "INVALID_PARAMETER_VALUE", r"collection\.none\.\*"),
    ("iceberg('{path}', 'key', 'secret')", "INVALID_PARAMETER_VALUE", "it only applies to S3"),
    ("icebergS3('b/t')", "INVALID_PARAMETER_VALUE", "s3://bucket/path"),
    ("icebergS3('http://k:s@h/b/t')", "INVALID_PARAMETER_VALUE", "use a named collection"),
    ("icebergS3('s3://b/t')", "INVALID_PARAMETER_VALUE", "iceberg-aws-bundle"),
    ("icebergS3('s3://b/t', 'NOSIGN', 'x')", "INVALID_PARAMETER_VALUE", "cannot be combined"),
    ("icebergAzure('nonsense', 'c', 't')", "INVALID_PARAMETER_VALUE", "AccountName="),
    ("icebergAzure('https://a.blob.core.windows.net', 'c')", "REQUIRED_PARAMETER_NOT_FOUND", "blobpath"),
]


@pytest.mark.tier("quick", of="tables by path")
@pytest.mark.filterwarnings("ignore:.*is in the statement's text")
@pytest.mark.parametrize(("call", "condition", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_wrong_call(spark: SparkSession, path: str, call: str, condition: str, message: str) -> None:
    with pytest.raises(AnalysisException, match=message.replace("{path}", re.escape(path))) as caught:
        spark.sql(f"SELECT 1 FROM {call.format(path=path)}")
    condition, _ = shims.refusal(condition, {"funcName": "", "paramName": "", "paramType": ""})
    assert str(caught.value.getCondition()).startswith(condition)
    assert caught.value.getSqlState()
    assert "line 1 pos 14" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM icebergLocal('{path}') VERSION AS OF 1",
        "SELECT * FROM icebergLocal('{path}', SETTINGS snapshot_id = 1)",
        "DESCRIBE icebergLocal('{path}')",
        "INSERT INTO FUNCTION icebergLocal('{path}') SELECT 1",
    ],
)
def test_what_stays_a_parse_error_in_plain_spark(spark: SparkSession, path: str, text: str) -> None:
    with pytest.raises(ParseException):
        intercept.unchecked_sql(spark)(text.format(path=path))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_described(spark: SparkSession, function: object) -> None:
    for name in (function.name, *function.aliases):  # type: ignore[attr-defined]
        text = "\n".join(r[0] for r in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect())
        assert all(f"* {a.name} - {a.description}" in text for a in function.arguments)  # type: ignore[attr-defined]
        assert spark.catalog.functionExists(name)


# ------------------------------------------------------------------------------ operations


def test_joins(spark: SparkSession, path: str) -> None:
    me = f"iceberg('{path}')"
    assert one(spark, f"SELECT count(*) FROM {me} a JOIN {me} b ON a.id = b.id") == 400
    assert one(spark, f"SELECT count(*) FROM {me} a JOIN {TABLE} b USING (id)") == 400
    assert one(spark, f"SELECT count(*) FROM {me} NATURAL JOIN {me}") == 400
    assert one(spark, f"SELECT count(*) FROM {TABLE} a, LATERAL (SELECT * FROM {me} b WHERE b.id = a.id)") == 400
    anti = f"SELECT count(*) FROM {TABLE} WHERE id NOT IN (SELECT id FROM {me} WHERE id > 9)"
    assert one(spark, anti) == 10


def test_a_storage_partitioned_join_needs_no_shuffle(spark: SparkSession, path: str) -> None:
    settings = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
        "spark.sql.requireAllClusterKeysForCoPartition": "false",
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.adaptive.enabled": "false",
    }
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        for other in (f"iceberg('{path}')", TABLE):
            rows = spark.sql(
                f"SELECT a.id, b.name FROM iceberg('{path}') a JOIN {other} b ON a.id = b.id AND a.ts = b.ts"
            )
            assert "Exchange" not in scans.plan(rows)
            assert rows.count() == 400
    finally:
        for name, old in before.items():
            spark.conf.unset(name) if old is None else spark.conf.set(name, old)


def test_cte_views_cache_and_writes(spark: SparkSession, path: str) -> None:
    me = f"iceberg('{path}')"
    assert one(spark, f"WITH c AS (SELECT * FROM {me}) SELECT count(*) FROM c WHERE id IN (SELECT id FROM c)") == 400
    spark.sql(f"CREATE OR REPLACE TEMP VIEW by_path_view AS SELECT id FROM {me}")
    assert one(spark, "SELECT max(id) FROM by_path_view") == 399
    spark.sql("CREATE TABLE local.by_path.copy USING iceberg AS SELECT * FROM " + me)
    try:
        spark.sql(f"INSERT INTO local.by_path.copy SELECT * FROM {me} WHERE id < 5")
        assert one(spark, "SELECT count(*) FROM local.by_path.copy") == 405
        spark.sql(
            f"MERGE INTO local.by_path.copy t USING (SELECT * FROM {me} WHERE id < 2) s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'new'"
        )
        assert one(spark, "SELECT count(*) FROM local.by_path.copy WHERE name = 'new'") == 4
        copy = f"iceberg('{location(spark, 'local.by_path.copy')}')"
        spark.sql(f"CACHE TABLE cached_copy AS SELECT * FROM {copy}")
        assert one(spark, "SELECT count(*) FROM cached_copy") == 405
        spark.sql("INSERT INTO local.by_path.copy SELECT * FROM local.by_path.copy WHERE id = 7")
        assert one(spark, f"SELECT count(*) FROM {copy}") == 406
        spark.sql("UNCACHE TABLE cached_copy")
    finally:
        spark.sql("DROP TABLE local.by_path.copy PURGE")
    described = {r.col_name: r.data_type for r in spark.sql(f"DESCRIBE QUERY SELECT * FROM {me}").collect()}
    assert described == {"id": "bigint", "name": "string", "ts": "timestamp"}
    assert "BatchScan" in str(one(spark, f"EXPLAIN SELECT * FROM {me}"))


def test_a_permanent_view_in_another_session(spark: SparkSession, path: str) -> None:
    spark.sql("CREATE DATABASE IF NOT EXISTS spark_catalog.default")
    name = "spark_catalog.default.by_path_forever"
    spark.sql(f"CREATE OR REPLACE VIEW {name} AS SELECT id, _size FROM iceberg('{path}') WHERE id < 3")
    try:
        other = spark.newSession()
        assert other.sql(f"SELECT count(*) FROM {name} WHERE _size > 0").collect()[0][0] == 3
    finally:
        spark.sql(f"DROP VIEW {name}")


def test_many_threads(spark: SparkSession, path: str) -> None:
    sums: list[object] = []

    def read() -> None:
        sums.append(spark.sql(f"SELECT sum(id) FROM iceberg('{path}')").collect()[0][0])

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [sum(range(400))] * 8


# ------------------------------------------------------------------------------ push-down


@pytest.mark.tier("quick", of="tables by path")
def test_partitions_are_pruned(spark: SparkSession, path: str) -> None:
    where = "WHERE ts >= timestamp'2024-01-09' AND id = 333"
    read = scans.metrics(spark.sql(f"SELECT name FROM iceberg('{path}') {where}"))
    table = scans.metrics(spark.sql(f"SELECT name FROM {TABLE} {where}"))
    names = ("resultDataFiles", "skippedDataFiles", "scannedDataManifests", "skippedDataManifests")
    assert [read[n] for n in names] == [table[n] for n in names]
    assert (read["skippedDataManifests"], read["scannedDataManifests"]) == (1, 1)
    assert (read["resultDataFiles"], read["skippedDataFiles"]) == (1, 19)
    unpruned = f"SELECT name FROM iceberg('{path}', use_partition_pruning => false) {where}"
    everything = scans.metrics(spark.sql(unpruned))
    assert (everything["resultDataFiles"], everything["skippedDataManifests"]) == (40, 0)
    assert spark.sql(unpruned).collect() == spark.sql(f"SELECT name FROM {TABLE} {where}").collect()


@pytest.mark.tier("quick", of="tables by path")
def test_our_functions_prune(spark: SparkSession, path: str) -> None:
    rows = spark.sql(f"SELECT id FROM iceberg('{path}') WHERE iceberg_bucket(4, id) = 2")
    assert scans.metrics(rows)["resultDataFiles"] == 10


@pytest.mark.tier("quick", of="tables by path")
def test_predicates_columns_and_counts_are_pushed(spark: SparkSession, path: str) -> None:
    text = scans.plan(spark.sql(f"SELECT name FROM iceberg('{path}') WHERE id = 3"))
    scan = next(line for line in text.splitlines() if "BatchScan" in line)
    assert "id = 3" in scan
    assert re.search(r"\[id#\d+L?, name#\d+\]", scan)
    counted = spark.sql(f"SELECT count(*), max(id) FROM iceberg('{path}')")
    assert "BatchScan" not in scans.plan(counted)
    assert tuple(counted.collect()[0]) == (400, 399)


# ------------------------------------------------------------------------------ caching


@pytest.mark.tier("quick", of="tables by path")
def test_a_new_snapshot_is_seen_at_once(spark: SparkSession, tmp_path: Path) -> None:
    table = "local.by_path.grows"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    try:
        me = f"iceberg('{location(spark, table)}')"
        for count in range(4):
            assert one(spark, f"SELECT count(*) FROM {me}") == count
            assert one(spark, f"SELECT count(id) + count(_file) FROM {me}") == 2 * count
            spark.sql(f"INSERT INTO {table} VALUES ({count})")
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


def test_a_table_made_anew_at_the_same_path_is_read_anew(spark: SparkSession) -> None:
    table = "local.by_path.again"
    for columns in ("id INT", "id INT, name STRING", "name STRING"):
        spark.sql(f"CREATE TABLE {table} ({columns}) USING iceberg")
        try:
            rows = spark.sql(f"SELECT * FROM iceberg('{location(spark, table)}')")
            assert rows.columns == [c.split()[0] for c in columns.split(", ")]
        finally:
            spark.sql(f"DROP TABLE {table} PURGE")


def test_the_cache_saves_reads_and_can_be_switched_off(spark: SparkSession, path: str) -> None:
    """Bytes read while planning, from Hadoop's own statistics of the local file system."""
    jvm = spark._jvm
    assert jvm is not None

    def read() -> int:
        all_statistics = jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
        return sum(int(statistics.getBytesRead()) for statistics in all_statistics if statistics.getScheme() == "file")

    def planning(call: str) -> int:
        before = read()
        rows = spark.sql(f"SELECT * FROM {call} WHERE id = 3")
        rows._jdf.queryExecution().executedPlan().execute().getNumPartitions()
        return read() - before

    planning(f"iceberg('{path}')")
    again = planning(f"iceberg('{path}')")
    off = planning(f"iceberg('{path}', use_metadata_files_cache => false)")
    assert again < off / 4
