"""The rule `require_filter`: reading a partitioned table without a filter on a partition field is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from session_settings import settings

import spark_iceberg_sql
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, relations

DB = "local.required"
SETTING = "spark.iceberg_sql.require_filter"
PROPERTY = "spark-iceberg-sql.require-filter"
REFUSED = r"no filter prunes by `(?P<fields>.*)`, so this statement would read .*, which (?P<source>.*) does not allow"
ROWS = """SELECT id, id % 7 AS kind, substr('abc', CAST(id % 3 AS INT) + 1, 1) AS region, CAST(ts AS DATE) AS d, ts
FROM (SELECT id, TIMESTAMP '2024-01-01 03:00:00' + make_dt_interval(CAST(id AS INT)) AS ts FROM range(0, 20, 1, 1))"""
SPECS = {
    "by_day": "days(ts)",
    "by_region": "region",
    "by_bucket": "bucket(4, id)",
    "by_month_and_region": "months(d), region",
    "by_prefix": "truncate(10, id)",
    "unpartitioned": "",
}


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {DB}")
    for name, spec in SPECS.items():
        partitioned = f"PARTITIONED BY ({spec})" if spec else ""
        spark.sql(f"CREATE TABLE {DB}.{name} USING iceberg {partitioned} AS {ROWS}")
    yield
    for row in spark.sql(f"SHOW TABLES IN {DB}").collect():
        spark.sql(f"DROP TABLE {DB}.{row.tableName} PURGE")


@pytest.fixture
def required(spark: SparkSession) -> Iterator[None]:
    """A session that requires a filter for any size."""
    with settings(spark, **{SETTING: "true"}):
        yield


def refusal(spark: SparkSession, statement: str) -> str | None:
    """The refusal of a statement; None if it runs."""
    try:
        spark.sql(statement).collect()
    except (IcebergSqlError, PySparkException) as error:
        text = str(error)
    else:
        return None
    assert re.search(REFUSED, text), text
    return text


@pytest.mark.tier("quick", of="rule require_filter")
@pytest.mark.usefixtures("required")
@pytest.mark.parametrize(
    ("query", "is_refused"),
    [
        ("SELECT * FROM by_day", True),
        ("SELECT * FROM by_day WHERE ts >= '2024-01-18'", False),
        ("SELECT * FROM by_day WHERE kind = 3", True),
        ("SELECT count(*) FROM by_day", False),
        ("SELECT * FROM by_day LIMIT 1", False),
        ("SELECT * FROM unpartitioned", False),
    ],
)
def test_the_main_queries(spark: SparkSession, query: str, is_refused: bool) -> None:
    assert (refusal(spark, re.sub(r"FROM (\w+)", rf"FROM {DB}.\1", query)) is not None) == is_refused


@pytest.mark.usefixtures("required")
@pytest.mark.parametrize(
    ("query", "is_refused"),
    [
        # What is a filter on a partition field.
        ("SELECT * FROM by_day WHERE ts IS NOT NULL", True),
        ("SELECT * FROM by_day WHERE ts >= '1970-01-01'", False),  # all of it, as the user says
        ("SELECT * FROM by_day WHERE year(ts) = 2024 AND kind > 2", False),
        ("SELECT * FROM by_day WHERE date_format(ts, 'EEE') = 'Mon'", True),
        ("SELECT * FROM by_day WHERE ts >= '2024-01-18' OR kind = 3", True),
        ("SELECT * FROM by_region WHERE upper(region) = 'A'", False),
        ("SELECT * FROM by_region WHERE region IN ('a', 'b')", False),
        ("SELECT * FROM by_region WHERE region <> 'a'", False),
        ("SELECT * FROM by_region WHERE id = 3", True),
        ("SELECT * FROM by_bucket WHERE id = 3", False),
        ("SELECT * FROM by_bucket WHERE id > 3", True),
        ("SELECT * FROM by_bucket WHERE iceberg_bucket(4, id) = 1", False),
        ("SELECT * FROM by_month_and_region WHERE region = 'a'", False),
        ("SELECT * FROM by_month_and_region WHERE d = DATE '2024-01-05'", False),
        ("SELECT * FROM by_month_and_region WHERE kind = 1", True),
        ("SELECT * FROM by_prefix WHERE id < 10", False),
        # What reads nothing, or the rows of one file.
        ("SELECT min(ts), max(id) FROM by_day", False),
        ("SELECT region, count(*) FROM by_region GROUP BY region", False),
        ("SELECT sum(kind) FROM by_region", True),
        ("SELECT * FROM by_region LIMIT 1000", True),
        ("SELECT count(*) FROM (SELECT kind FROM by_region WHERE kind > 1 LIMIT 1)", True),
        ("SELECT * FROM by_region.files", False),
        ("SELECT * FROM by_region.snapshots", False),
        ("EXPLAIN SELECT * FROM by_region", False),
        ("EXPLAIN FORMATTED SELECT kind, count(id) FROM by_region GROUP BY kind", False),
        ("DESCRIBE TABLE by_region", False),
        # All the tables of a query.
        (
            "SELECT a.id FROM by_region a JOIN by_day b ON a.id = b.id WHERE a.region = 'a' AND b.ts < '2024-01-03'",
            False,
        ),
        ("SELECT a.id FROM by_region a JOIN by_day b ON a.id = b.id WHERE a.region = 'a'", True),
        ("SELECT * FROM by_region WHERE region = 'a' UNION ALL SELECT * FROM by_region", True),
        ("WITH c AS (SELECT * FROM by_region) SELECT * FROM c WHERE region = 'a'", False),
        ("SELECT * FROM unpartitioned WHERE id IN (SELECT id FROM by_region WHERE kind = 2)", True),
        ("SELECT * FROM unpartitioned WHERE id > (SELECT sum(kind) FROM by_region)", True),
        ("SELECT * FROM unpartitioned WHERE id > (SELECT sum(kind) FROM by_region WHERE region = 'a')", False),
        ("SELECT * FROM by_region WHERE region = (SELECT max(region) FROM by_region)", False),
    ],
)
def test_which_queries_are_refused(spark: SparkSession, query: str, is_refused: bool) -> None:
    text = re.sub(r"\b(FROM|JOIN|TABLE) (\w+)", rf"\1 {DB}.\2", query).replace(f"{DB}.c ", "c ")
    assert (refusal(spark, text) is not None) == is_refused


@pytest.mark.usefixtures("required")
def test_a_join_that_leaves_partitions_out_is_a_filter(spark: SparkSession) -> None:
    spark.sql(
        f"CREATE TABLE {DB}.names USING iceberg AS SELECT 'a' AS region, 'north' AS name UNION SELECT 'b', 'south'"
    )
    joined = f"SELECT count(kind) FROM {DB}.by_region JOIN {DB}.names USING (region)"
    assert spark.sql(f"{joined} WHERE name = 'north'").first() == (7,)
    spark.sql(f"INSERT INTO {DB}.names VALUES ('c', 'west')")
    assert refusal(spark, joined)


@pytest.mark.usefixtures("required")
def test_statements_that_read_to_write(spark: SparkSession) -> None:
    spark.sql(
        f"CREATE TABLE {DB}.written USING iceberg PARTITIONED BY (region) "
        f"AS SELECT * FROM {DB}.by_region WHERE region = 'a'"
    )
    snapshots = spark.table(f"{DB}.written.snapshots").count()
    for statement in (
        f"INSERT INTO {DB}.written SELECT * FROM {DB}.by_region",
        f"DELETE FROM {DB}.written WHERE kind = 3",
        f"UPDATE {DB}.written SET kind = 1 WHERE id = 3",
        f"MERGE INTO {DB}.written t USING {DB}.unpartitioned s ON t.id = s.id WHEN MATCHED THEN UPDATE SET kind = 0",
        f"CREATE TABLE {DB}.copied USING iceberg AS SELECT * FROM {DB}.by_region",
    ):
        assert refusal(spark, statement), statement
    assert spark.table(f"{DB}.written.snapshots").count() == snapshots
    assert not spark.catalog.tableExists(f"{DB}.copied")
    for statement in (
        f"INSERT INTO {DB}.written SELECT * FROM {DB}.by_region WHERE region = 'b'",
        f"UPDATE {DB}.written SET kind = 1 WHERE region = 'a' AND id = 3",
        f"""MERGE INTO {DB}.written t USING {DB}.unpartitioned s ON t.id = s.id AND t.region = 'a'
        WHEN MATCHED THEN UPDATE SET kind = 0""",
        f"DELETE FROM {DB}.written WHERE region = 'b'",
        "CALL local.system.rewrite_data_files(table => 'required.written', options => map('rewrite-all', 'true'))",
        "CALL local.system.compute_table_stats('required.written')",
        f"DELETE FROM {DB}.written",
    ):
        assert refusal(spark, statement) is None, statement


@pytest.mark.usefixtures("required")
def test_time_travel_branches_and_tables_by_path(spark: SparkSession) -> None:
    name = f"{DB}.evolved"
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (region) AS SELECT * FROM {DB}.by_region WHERE region = 'a'"
    )
    first = spark.table(f"{name}.snapshots").first().snapshot_id
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH b")
    for source in (f"{name} VERSION AS OF 'b'", f"{name}.branch_b"):
        assert refusal(spark, f"SELECT * FROM {source} WHERE kind = 1"), source
        assert refusal(spark, f"SELECT * FROM {source} WHERE region = 'a'") is None, source
    spark.sql(f"ALTER TABLE {name} REPLACE PARTITION FIELD region WITH days(ts)")
    spark.sql(f"INSERT INTO {name} SELECT * FROM {DB}.by_day WHERE ts < '2024-01-05'")
    location = spark.sql(f"DESCRIBE TABLE EXTENDED {name}").where("col_name = 'Location'").first().data_type
    for source in (f"{name} VERSION AS OF {first}", name, f"iceberg('{location}')"):
        assert refusal(spark, f"SELECT * FROM {source} WHERE kind = 1"), source
        assert refusal(spark, f"SELECT * FROM {source} WHERE region = 'a'") is None, source
    frame = spark.read.format("iceberg").load(location)
    with pytest.raises(IcebergSqlError, match=f"`{location}`: no filter"):
        frame.collect()
    assert frame.where("ts < '2024-01-02'").count() == 2
    # A filter on a field that only earlier files have prunes those alone.
    assert refusal(spark, f"SELECT * FROM {name} WHERE region = 'b'") is not None
    # Iceberg does not look for the old name of a column in an old snapshot, so that such a filter prunes nothing.
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN region TO area")
    assert refusal(spark, f"SELECT * FROM {name} VERSION AS OF {first} WHERE region = 'a'") is not None
    assert refusal(spark, f"SELECT * FROM {name} WHERE area = 'a'") is None


def test_the_size(spark: SparkSession) -> None:
    size = spark.sql(f"SELECT sum(file_size_in_bytes) FROM {DB}.by_day.files").first()[0]
    for setting, is_refused in ((size - 1, True), (size, False), ("1 kB", True), ("0.5 MB", False), ("false", False)):
        with settings(spark, **{SETTING: str(setting)}):
            assert (refusal(spark, f"SELECT * FROM {DB}.by_day") is not None) == is_refused, setting
    with settings(spark, **{SETTING: "5 kB"}):  # bounds leave one file of each region
        spark.sql(
            f"CREATE TABLE {DB}.sorted USING iceberg PARTITIONED BY (region) AS SELECT * FROM {DB}.by_day WHERE id < 0"
        )
        for start in range(0, 20, 5):
            spark.sql(
                f"INSERT INTO {DB}.sorted SELECT * FROM {DB}.by_day "
                f"WHERE id BETWEEN {start} AND {start + 4} AND ts > '2024'"
            )
        assert refusal(spark, f"SELECT * FROM {DB}.sorted WHERE id = 3") is None
        assert refusal(spark, f"SELECT * FROM {DB}.sorted WHERE id >= 3")


def test_the_property_and_the_setting(spark: SparkSession) -> None:
    name, query = f"{DB}.owned", f"SELECT * FROM {DB}.owned"
    spark.sql(f"CREATE TABLE {name} USING iceberg PARTITIONED BY (region) AS SELECT * FROM {DB}.by_day")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('{PROPERTY}' = '1 kB')")
    text = refusal(spark, query)
    assert text
    assert f"which the table's property '{PROPERTY}' = '1 kB' does not allow" in text
    assert "SET spark" not in text
    for setting in ("false", "1 GB"):
        with settings(spark, **{SETTING: setting}):
            assert refusal(spark, query)
    with settings(spark, **{SETTING: "true"}):
        assert f"the session's setting {SETTING} = true" in str(refusal(spark, query))
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('{PROPERTY}.session-override' = 'true')")
    assert f"SET {SETTING} = false" in str(refusal(spark, query))
    for setting in ("false", "1 GB"):
        with settings(spark, **{SETTING: setting}):
            assert refusal(spark, query) is None
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('{PROPERTY}' = 'false')")
    assert refusal(spark, query) is None


def test_a_value_that_is_no_size_is_reported_once(spark: SparkSession) -> None:
    query = f"SELECT * FROM {DB}.by_day"
    with settings(spark, **{SETTING: "10 XB"}):
        with pytest.warns(IcebergSqlWarning) as records:
            assert refusal(spark, query) is None
        assert refusal(spark, query) is None
    (text,) = (str(r.message) for r in records if r.category is IcebergSqlWarning)
    fact = f"the session's setting {SETTING} = 10 XB is not a size, so it requires no filter"
    assert text == f"{fact}\nhelp: write 10 GB, true or false"


@pytest.mark.usefixtures("required")
@pytest.mark.parametrize(
    ("table", "fields", "clauses"),
    [
        ("by_day", "days(ts)", "WHERE ts >= DATE '2024-01-20'"),
        ("by_region", "region", "WHERE region = 'c'"),
        ("by_bucket", "bucket(4, id)", "WHERE id = ..."),
        ("by_month_and_region", "months(d)` or `region", "WHERE d >= DATE '2024-01-01', or WHERE region = 'c'"),
        ("by_prefix", "truncate(10, id)", "WHERE id = ..."),
    ],
)
def test_the_sentence(spark: SparkSession, table: str, fields: str, clauses: str) -> None:
    text = str(refusal(spark, f"SELECT * FROM {DB}.{table}"))
    files, size = spark.sql(f"SELECT count(*), sum(file_size_in_bytes) FROM {DB}.{table}.files").first()
    assert text == (
        f"`{DB}.{table}`: no filter prunes by `{fields}`, so this statement would read {size / 1000:.1f} kB "
        f"in {files} files, which the session's setting {SETTING} = true does not allow\n"
        f"help: add {clauses}; to read all of it, SET {SETTING} = false"
    )
    if "..." not in clauses:
        for clause in clauses.split(", or "):
            assert refusal(spark, f"SELECT * FROM {DB}.{table} {clause}") is None


@pytest.mark.usefixtures("required")
def test_explaining_a_frame_does_not_let_it_run(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    frame = spark.table(f"{DB}.by_region")
    frame.explain()
    assert "BatchScan" in capsys.readouterr().out
    text = str(spark_iceberg_sql.explain(spark, f"SELECT * FROM {DB}.by_region"))
    assert "reads 3 of 3 files" in text
    with pytest.raises(IcebergSqlError, match="no filter prunes"):
        frame.collect()
    with pytest.raises(IcebergSqlError, match="no filter prunes"):
        frame.cache().count()
    frame.unpersist()


@pytest.mark.usefixtures("required")
def test_what_reads_only_metadata_is_not_refused(spark: SparkSession) -> None:
    name, query = f"{DB}.by_day", f"SELECT * FROM {DB}.by_day WHERE kind = 1"
    assert "20" in str(spark_iceberg_sql.health(spark, name))
    with sessions.working_in(spark):
        table = relations.catalog_table(name)
    (scan,) = hypothetical_plans.scans(spark, query, table, [tuple(name.split("."))])
    assert "kind" in json.dumps(scan.texts)
    with pytest.raises(IcebergSqlError, match=r"by_day`: no filter prunes by `days\(ts\)`"):
        spark_iceberg_sql.advise(spark, name, [query])  # reads a sample


@pytest.mark.usefixtures("required")
def test_explain_says_what_would_be_refused(spark: SparkSession) -> None:
    query = f"SELECT max(kind) FROM {DB}.by_region WHERE id % 7 = 1"
    (scan,) = spark_iceberg_sql.explain(spark, query).scans
    assert scan.refusal is not None
    assert scan.refusal in str(refusal(spark, query))
    text = str(spark_iceberg_sql.explain(spark, query))
    assert f"  would be refused: `{DB}.by_region`: no filter prunes by `region`" in text
    assert "\n  help: add WHERE region = " in text
    allowed = (
        f"{query} AND region = 'a'",
        f"SELECT count(*) FROM {DB}.by_region",
        f"SELECT * FROM {DB}.by_day LIMIT 1",
    )
    for statement in allowed:
        assert [scan.refusal for scan in spark_iceberg_sql.explain(spark, statement).scans] == [None]


@pytest.mark.usefixtures("required")
def test_explain_does_not_foresee_what_a_join_prunes(spark: SparkSession) -> None:
    tables = f"{DB}.by_region a JOIN {DB}.by_day b ON a.region = b.region"
    explanation = spark_iceberg_sql.explain(spark, f"SELECT max(a.kind) FROM {tables} WHERE b.ts < '2024-01-03'")
    start = f"unless a join or a subquery leaves out partitions at run time, `{DB}.by_region`: no filter"
    assert [(scan.refusal or "").startswith(start) for scan in explanation.scans] == [True, False]
    assert explanation.scans[1].refusal is None
    assert f"  would be refused: {start}" in str(explanation)
