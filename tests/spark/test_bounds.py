"""The rule `bounds`: statements over files whose bounds are wrong, what it costs the other files, and its warnings."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from foreign import WRITERS, altered, arrow, imported, inverted, recent, truth
from pyspark.sql import SparkSession
from scans import metrics, plan

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning

# The warnings are the subject of some tests, and not of the others.
pytestmark = pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.foreign")
    yield
    spark.conf.unset("spark.sql.session.timeZone")


@pytest.fixture
def millis(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A table of one imported file with TIMESTAMP(MILLIS)."""
    return WRITERS["arrow_ms"].build(spark, tmp_path, f"t{abs(hash(request.node.name))}")


def keys(spark: SparkSession, table: str) -> list[int]:
    return [row.k for row in spark.sql(f"SELECT k FROM {table} ORDER BY k").collect()]


IN_2024 = [k for k, ts in recent() if ts is not None and ts.year == 2024]


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("predicate", ["year(ts) = 2024", "ts >= '2024-01-01' AND ts < '2025-01-01'"])
def test_statements(spark: SparkSession, millis: str, mode: str, predicate: str) -> None:
    listed = ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("delete", "update", "merge"))
    spark.sql(f"ALTER TABLE {millis} SET TBLPROPERTIES ({listed})")
    truth(spark, recent(), "timestamp").createOrReplaceTempView("true_rows")
    recent_keys = [k for k, _ in recent()]
    spark.sql(
        f"MERGE INTO {millis} t USING (SELECT * FROM true_rows WHERE k < 5) s "
        f"ON t.k = s.k AND t.ts = s.ts AND {predicate.replace('ts', 't.ts')} "
        "WHEN MATCHED THEN UPDATE SET d = NULL WHEN NOT MATCHED THEN INSERT *"
    )
    assert keys(spark, millis) == sorted([*recent_keys, *(k for k in range(5) if k not in IN_2024)])
    spark.sql(f"UPDATE {millis} SET k = -1 WHERE {predicate} AND k = {IN_2024[-1]}")
    assert keys(spark, millis).count(-1) == 1
    spark.sql(f"DELETE FROM {millis} WHERE {predicate}")
    left = [k for k in recent_keys if k not in IN_2024]
    assert sorted({*keys(spark, millis)}) == left
    rows = spark.sql(f"SELECT k, ts FROM {millis} WHERE k IN ({', '.join(map(str, left))})").collect()
    stamps = dict(recent())
    assert all(row.ts == stamps[row.k] for row in rows)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM {t}",
        "SELECT max(ts), count(DISTINCT ts) FROM {t}",
        "SELECT k FROM {t} ORDER BY ts DESC LIMIT 3",
        "SELECT ts FROM {t} UNION ALL SELECT DISTINCT ts FROM {t}",
        "SELECT ts FROM {t} EXCEPT SELECT ts FROM true_rows WHERE k < 5",
        "SELECT k, row_number() OVER (ORDER BY ts, k) FROM {t}",
        "SELECT a.k FROM {t} a JOIN true_rows b ON a.ts = b.ts",
        "SELECT k FROM true_rows r WHERE EXISTS (SELECT 1 FROM {t} WHERE {t}.ts = r.ts)",
        "SELECT s.ts FROM (SELECT named_struct('ts', ts) AS s FROM {t}) WHERE s.ts IS NOT NULL",
        "SELECT ts FROM (SELECT ts, explode(array(k, k)) FROM {t}) LIMIT 1000000",
        "WITH w AS (SELECT k, ts FROM {t}) SELECT a.ts FROM w a JOIN w b ON a.k = b.k",
        "SELECT (SELECT max(ts) FROM {t}) AS last",
    ],
)
def test_times_are_right_wherever_they_are_read(spark: SparkSession, millis: str, query: str) -> None:
    """Iceberg's vectorized reader takes milliseconds in dictionaries as microseconds."""
    truth(spark, recent(), "timestamp").createOrReplaceTempView("true_rows")
    rows = spark.sql(query.format(t=millis)).collect()
    assert sorted(map(str, rows)) == sorted(map(str, spark.sql(query.format(t="true_rows")).collect()))


def test_a_delete_by_metadata(spark: SparkSession, millis: str) -> None:
    """No row is before 1971; by their bounds all are."""
    spark.sql(f"DELETE FROM {millis} WHERE ts < '1971-01-01'")
    assert keys(spark, millis) == [k for k, _ in recent()]


def test_other_files_are_skipped(spark: SparkSession, millis: str) -> None:
    """The imported file is read by each query for its own rows; of ten others, one."""
    for month in range(1, 11):
        spark.sql(f"INSERT INTO {millis} SELECT 5000 + {month}, TIMESTAMP '2025-{month:02}-03 00:00:00', NULL")
    for predicate in (
        "ts BETWEEN '2025-02-01' AND '2025-02-28'",
        "date_format(ts, 'yyyy-MM') = '2025-02'",
        "iceberg_months(ts) = 661",
    ):
        rows = spark.sql(f"SELECT k FROM {millis} WHERE {predicate}")
        assert metrics(rows)["resultDataFiles"] == 2, predicate
        assert [row.k for row in rows.collect()] == [5002]
    rows = spark.sql(f"SELECT k FROM {millis} WHERE k = 5002")  # another column
    assert metrics(rows)["resultDataFiles"] == 1


@pytest.mark.tier("quick", of="rule bounds")
def test_a_rewrite_cures(spark: SparkSession, millis: str) -> None:
    """The statement of the warning, in this session, writes the times that the file has."""
    with pytest.warns(IcebergSqlWarning) as caught:
        assert spark.sql(f"SELECT count(*) FROM {millis} WHERE ts > '2024-01-01'").head()[0] > 0
    message = next(str(caught_warning.message) for caught_warning in caught if "`ts`" in str(caught_warning.message))
    spark.sql(message.partition("help: ")[2])
    rows = spark.sql(f"SELECT k, ts FROM {millis}")
    assert "vectorization" not in plan(rows)
    assert {tuple(row) for row in rows.collect()} == set(recent())
    bounds = spark.sql(f"SELECT readable_metrics.ts.lower_bound FROM {millis}.files WHERE content = 0").collect()
    assert [row[0].year for row in bounds] == [2023]


@pytest.mark.tier("quick", of="rule bounds")
def test_one_warning_at_the_users_line(spark: SparkSession, millis: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            spark.sql(f"SELECT k FROM {millis} WHERE ts > '2024-01-01'").collect()
    (warning,) = (caught_warning for caught_warning in caught if issubclass(caught_warning.category, IcebergSqlWarning))
    assert Path(warning.filename).name == Path(__file__).name
    text = str(warning.message)
    assert f"`{millis}`" in text
    assert "`ts`" in text
    assert "a.parquet" in text
    assert "apache/iceberg#18173" in text


def test_nanoseconds_are_told_of(spark: SparkSession, tmp_path: Path) -> None:
    """No reader of Iceberg's returns their times: the warning says so, and no rewrite is offered."""
    rows = [row for row in recent() if row[0] != 1001]
    pq.write_table(arrow(rows, "ns"), tmp_path / "a.parquet")
    table = imported(spark, tmp_path, "nanos")
    with pytest.warns(IcebergSqlWarning, match="wrong times") as caught:
        spark.sql(f"SELECT k FROM {table} WHERE ts > '2024-01-01'").collect()
    assert "CALL" not in str(caught[0].message)


def test_nested_columns(spark: SparkSession, tmp_path: Path) -> None:
    import pyarrow as pa

    stamps = [dt.datetime(2024, 2, day, tzinfo=dt.timezone.utc) for day in range(1, 20)] * 3
    rows = pa.table({"s": [{"ts": stamp} for stamp in stamps]})
    kind = pa.schema([("s", pa.struct([("ts", pa.timestamp("ms", "UTC"))]))])
    pq.write_table(rows.cast(kind), tmp_path / "a.parquet")
    spark.sql("CREATE TABLE local.foreign.nested (s STRUCT<ts: TIMESTAMP>) USING iceberg")
    spark.sql(f"CALL local.system.add_files(table => 'foreign.nested', source_table => '`parquet`.`{tmp_path}`')")
    for predicate in ("year(s.ts) = 2024", "s.ts >= '2024-02-01'", "s.ts IS NOT NULL"):
        query = f"SELECT count(*), min(s.ts) FROM local.foreign.nested WHERE {predicate}"
        assert tuple(spark.sql(query).head()) == (57, dt.datetime(2024, 2, 1)), predicate  # noqa: DTZ001


@pytest.mark.parametrize("reads", ["VERSION AS OF 'before'", "VERSION AS OF 'branch'"])
def test_other_snapshots(spark: SparkSession, millis: str, reads: str) -> None:
    """The file at fault is in a snapshot of the past only."""
    spark.sql(f"ALTER TABLE {millis} CREATE TAG before")
    spark.sql(f"ALTER TABLE {millis} CREATE BRANCH branch")
    spark.sql(f"DELETE FROM {millis}")
    query = f"SELECT count(*) FROM {millis} {reads} WHERE year(ts) = 2024 AND ts > '2023-01-01'"
    assert spark.sql(query).head()[0] == len(IN_2024)
    assert spark.sql(query.replace(reads, "")).head()[0] == 0


def test_a_table_that_is_made_again_at_its_path(spark: SparkSession) -> None:
    """The same metadata file name, another layout: what was implied for the old table is forgotten."""
    table = "local.foreign.again"
    rows = "VALUES (-2147483648, 1), (5, 3), (2147483600, 4) AS s(id, k)"
    query = f"SELECT k FROM {table} WHERE iceberg_truncate(10, id) > 2147483600 AND iceberg_truncate(8, id) < 0"
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        spark.sql(f"CREATE TABLE {table} (id INT, k INT) USING iceberg")
        spark.sql(f"INSERT INTO {table} SELECT * FROM {rows} WHERE k < 3")
        spark.sql(f"INSERT INTO {table} SELECT * FROM {rows} WHERE k >= 3")
        assert [row.k for row in spark.sql(query).collect()] == [1]
        spark.sql(f"DROP TABLE {table} PURGE")
        spark.sql(f"CREATE TABLE {table} (id INT, k INT) USING iceberg")
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD truncate(10, id)")
        spark.sql(f"INSERT INTO {table} SELECT * FROM {rows}")
        assert [row.k for row in spark.sql(query).collect()] == [1]
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


def test_sound_tables_are_pushed_down(spark: SparkSession, tmp_path: Path) -> None:
    """Times of the 1970s, whose footers tell that they are in microseconds, and sentinels."""
    spark.sql("CREATE TABLE local.foreign.sound (k INT, ts TIMESTAMP) USING iceberg")
    for year in range(1968, 1980):
        spark.sql(f"INSERT INTO local.foreign.sound SELECT {year}, TIMESTAMP '{year}-06-01 00:00:00'")
    rows = spark.sql("SELECT k FROM local.foreign.sound WHERE ts < '1970-01-01'")
    assert metrics(rows)["resultDataFiles"] == 2
    assert "vectorization" not in plan(rows)


def test_a_text_column(spark: SparkSession, tmp_path: Path) -> None:
    """Bounds of a text have no range to read the files by: the filter stays with Spark."""
    source = altered(inverted, recent).build(spark, tmp_path, "text_bounds")
    rows = spark.sql(f"SELECT k FROM {source} WHERE k < 3 AND ts IS NOT NULL")
    assert sorted(row.k for row in rows.collect()) == [0, 1, 2]


def test_what_explain_and_health_say(spark: SparkSession, millis: str) -> None:
    explanation = sis.explain(spark, f"SELECT k FROM {millis} WHERE year(ts) = 2024")
    (scan,) = explanation.scans
    assert scan.files == 1
    (wrong,) = scan.wrong_bounds
    assert (wrong.column, wrong.kind, wrong.files) == ("ts", "millis", 1)
    assert "TIMESTAMP(MILLIS)" in str(explanation)
    first = sis.health(spark, millis).findings[0]
    assert first.problem == "wrong bounds"
    assert (first.files, first.rewritten_files) == (1, 1)
    assert first.call is not None
    spark.sql(first.call)
    assert all(finding.problem != "wrong bounds" for finding in sis.health(spark, millis).findings)


@pytest.mark.parametrize("unit", ["TIMESTAMP_MILLIS", "TIMESTAMP_MICROS"])
def test_a_hive_table_is_imported_or_written_anew(spark: SparkSession, unit: str) -> None:
    table = f"hive_{unit.lower()}"
    spark.conf.set("spark.sql.parquet.outputTimestampType", unit)
    try:
        truth(spark, recent(), "timestamp").createOrReplaceTempView("true_rows")
        spark.sql(
            f"CREATE TABLE spark_catalog.default.{table} USING parquet PARTITIONED BY (day) AS "
            "SELECT k, ts, CAST(to_date(ts) AS STRING) AS day FROM true_rows WHERE ts IS NOT NULL"
        )
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")
    script = sis.from_hive(spark, f"spark_catalog.default.{table}").script
    statements = [statement for step in script for statement in step.statements]
    assert any("add_files" in statement for statement in statements) == (unit == "TIMESTAMP_MICROS")
    assert any("TIMESTAMP(MILLIS)" in step.why for step in script) == (unit == "TIMESTAMP_MILLIS")


def test_an_overwrite_by_a_condition_is_refused(spark: SparkSession, millis: str) -> None:
    """Iceberg would choose the files to drop by their bounds, and keep these rows beside the new ones."""
    statement = f"INSERT INTO {millis} REPLACE WHERE ts >= '2024-01-01' SELECT 1, TIMESTAMP '2024-02-02', NULL"
    with pytest.raises(Exception, match="rows cannot be replaced by a condition on `ts`"):
        spark.sql(statement)
    assert keys(spark, millis) == [k for k, _ in recent()]
    spark.sql(statement.replace("ts >= '2024-01-01'", "k >= 0"))
    assert keys(spark, millis) == [1]
