"""Predicates that prune through the rule `prune`: files read in every kind of statement, and EXPLAIN."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from samples import partly
from scans import metrics, plan
from session_settings import settings

from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

TABLE = "local.prune.daily"
# 160 days with one row per file, from 1 October 2023; partitioned by days(ts) and bucket(4, id).
FILES = 160
ROWS = f"""
    SELECT id, ts, cast(ts AS timestamp_ntz) AS n, cast(ts AS date) AS d, named_struct('ts', ts) AS s,
           concat('name', id) AS name
    FROM (SELECT id, timestamp '2023-10-01 12:00:00' + make_dt_interval(cast(id AS int)) AS ts
          FROM range({FILES}))
"""


SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.planChangeValidation": "true",
    "spark.sql.adaptive.enabled": "false",
}


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **SETTINGS):
        yield


def create(spark: SparkSession, table: str, properties: str = "") -> str:
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (days(ts), bucket(4, id)) {properties} AS {ROWS}"
    )
    return table


@pytest.fixture(scope="module")
def daily(spark: SparkSession) -> str:
    return create(spark, TABLE)


def read(rows: DataFrame) -> int:
    return metrics(rows)["resultDataFiles"]


def without(spark: SparkSession, query: str) -> DataFrame:
    """The query, planned with the rule off."""
    with settings(spark, **{"spark.iceberg_sql.prune": "false"}):
        rows = spark.sql(query)
        rows._jdf.queryExecution().executedPlan()
        return rows


# Predicate, and files read of 160. Without the rule each reads 160, except those that Iceberg prunes itself.
PREDICATES = {
    "year(ts) = 2023": 92,
    "year(ts) <> 2023": 68,
    "2024 <= year(ts)": 68,
    "year(ts) IN (2023, 2019)": 92,
    "year(ts) = '2023'": 92,
    "year(ts) = 2023 AND month(ts) = 11": 30,
    "month(ts) BETWEEN 11 AND 12 AND year(ts) = 2023": 61,
    "year(ts) = 2024 AND quarter(ts) = 1 AND day(ts) = 1": 3,
    "year(ts) = 2023 AND month(ts) = 11 AND dayofweek(ts) = 1": 4,
    "extract(YEAR FROM ts) = 2023 AND date_part('month', ts) = 10": 31,
    "date_trunc('day', ts) = '2023-12-24'": 1,
    "date_trunc('week', ts) >= '2024-01-24'": 40,
    "date_trunc('quarter', ts) < '2024-01-01'": 92,
    "date_trunc('month', ts) BETWEEN '2023-11-01' AND '2023-12-01'": 61,
    "date_trunc('month', ts) IN ('2023-11-01', '2024-01-01')": 61,
    "date_trunc('hour', ts) = '2023-12-24 12:00:00'": 1,
    "trunc(ts, 'MM') = '2023-11-01'": 30,
    "date_format(ts, 'yyyy-MM-dd') = '2024-01-01'": 1,
    "date_format(ts, 'yyyyMM') IN ('202311', '202401')": 61,
    "date_format(ts, 'yyyy-MM') >= '2024-01'": 68,
    "cast(ts AS string) LIKE '2024-01%'": 31,
    "substring(cast(ts AS string), 1, 7) = '2023-11'": 30,
    "to_date(ts) = '2023-12-24'": 1,
    "unix_timestamp(ts) < 1696248000": 1,
    "ts + INTERVAL 7 DAYS > '2024-03-01'": 15,
    "ts - INTERVAL 36 HOURS < '2023-10-01 12:00:00'": 2,
    "datediff(ts, '2023-12-24') BETWEEN 0 AND 3": 4,
    "year(ts) * 100 + month(ts) = 202401": 31,
    "date_trunc('day', from_utc_timestamp(ts, 'Asia/Tokyo')) = '2023-12-24'": 1,
    "year(ts) = 2023 OR date_trunc('month', ts) = '2024-02-01'": 121,
    "NOT (year(ts) = 2023 OR ts > '2024-02-01')": 31,
    "year(n) = 2023": 92,
    "date_trunc('month', n) = '2023-11-01'": 30,
    "date_add(d, 7) BETWEEN '2024-01-01' AND '2024-01-03'": 3,
    "date_trunc('month', d) = '2023-11-01'": 30,
    "year(s.ts) = 2023": 92,
    "iceberg_months(ts) = 650": 8,
    "iceberg_years(d) = 53": 92,
    "iceberg_truncate(4, name) = 'name' AND iceberg_truncate(6, name) = 'name15'": 11,
}


@pytest.mark.parametrize("predicate", partly(pytest.mark.tier("quick", of="rule prune"), PREDICATES, 4))
def test_files_read(spark: SparkSession, daily: str, predicate: str) -> None:
    query = f"SELECT * FROM {daily} WHERE {predicate}"
    rows = spark.sql(query)
    # Before 4.0, Spark compares these as texts: none is equal.
    never_equal = SPARK_VERSION < (4, 0) and "ts) IN ('" in predicate
    assert read(rows) == (0 if never_equal else PREDICATES[predicate])
    assert sorted(rows.collect()) == sorted(without(spark, query).collect())


def test_a_finer_bucket_reads_the_coarser_ones_files(spark: SparkSession, daily: str) -> None:
    query = f"SELECT id FROM {daily} WHERE iceberg_bucket(8, id) = 6"
    coarse = read(spark.sql(f"SELECT id FROM {daily} WHERE iceberg_bucket(4, id) = 2"))
    rows = spark.sql(query)
    assert read(rows) == coarse < FILES == read(without(spark, query))
    assert sorted(rows.collect()) == sorted(without(spark, query).collect())
    several = spark.sql(f"SELECT id FROM {daily} WHERE iceberg_bucket(8, id) IN (2, 6, 3)")
    assert coarse < read(several) < FILES
    assert "bucket[4](id)" not in plan(spark.sql(f"SELECT id FROM {daily} WHERE iceberg_bucket(6, id) = 2"))


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_delete_update_merge(spark: SparkSession, mode: str) -> None:
    properties = ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("delete", "update", "merge"))
    table = create(spark, "local.prune.changed", f"TBLPROPERTIES ({properties}, 'format-version' = '2')")
    spark.sql(f"DELETE FROM {table} WHERE date_trunc('day', ts) = '2023-12-24' AND id >= 0")
    assert changed(spark, table) == 1
    spark.sql(f"UPDATE {table} SET name = 'changed' WHERE date_format(ts, 'yyyy-MM-dd') = '2023-12-25'")
    assert changed(spark, table) == 1
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT id FROM range(500)) s "
        "ON t.id = s.id AND year(t.ts) = 2024 AND month(t.ts) = 2 "
        "WHEN MATCHED THEN UPDATE SET name = 'merged'"
    )
    assert changed(spark, table) == 29
    answer = spark.sql(f"SELECT count(*), sum(if(name = 'changed', 1, 0)), sum(if(name = 'merged', 1, 0)) FROM {table}")
    assert tuple(answer.first() or ()) == (FILES - 1, 1, 29)


def test_a_merge_sees_what_its_condition_does_not_match(spark: SparkSession) -> None:
    """NOT MATCHED BY SOURCE is about the rows beyond the implied range, so none may be pruned."""
    by_switch = []
    for switch in ("true", "false"):
        table = create(spark, "local.prune.merged", "TBLPROPERTIES ('format-version' = '2')")
        spark.conf.set("spark.iceberg_sql.prune", switch)
        spark.sql(
            f"MERGE INTO {table} t USING (SELECT id FROM range(150, 170)) s "
            "ON t.id = s.id AND year(t.ts) = 2024 AND date_trunc('month', t.ts) = '2024-03-01' "
            "WHEN MATCHED THEN UPDATE SET name = 'matched' "
            "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new') "
            "WHEN NOT MATCHED BY SOURCE AND year(t.ts) = 2023 THEN DELETE "
            "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'left'"
        )
        rows = spark.sql(f"SELECT name, count(*), sum(id) FROM {table} GROUP BY name")
        by_switch.append(sorted((row[0][:4], row[1], row[2]) for row in rows.collect()))
    spark.conf.unset("spark.iceberg_sql.prune")
    assert by_switch[0] == by_switch[1]
    assert {name: sum(r[1] for r in by_switch[0] if r[0] == name) for name in ("left", "matc", "new")} == {
        "left": 60,
        "matc": 8,
        "new": 12,
    }


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL"])
def test_outer_joins_keep_their_rows(spark: SparkSession, daily: str, kind: str) -> None:
    query = (
        f"SELECT a.id AS x, b.id AS y FROM {daily} a {kind} JOIN {daily} b "
        "ON a.id = b.id AND year(a.ts) = 2023 AND date_trunc('month', b.ts) = '2023-12-01'"
    )
    rows = sorted(map(str, spark.sql(query).collect()))
    assert rows == sorted(map(str, without(spark, query).collect()))
    assert len(rows) == {"LEFT": FILES, "RIGHT": FILES, "FULL": 2 * FILES - 31}[kind]


@pytest.mark.parametrize("kind", ["TEMPORARY VIEW", "VIEW"])
def test_views_prune(spark: SparkSession, daily: str, kind: str) -> None:
    name = "prune_view" if kind.startswith("T") else "spark_catalog.default.prune_view"
    spark.sql(f"CREATE OR REPLACE {kind} {name} AS SELECT id, ts AS at FROM {daily}")
    try:
        rows = spark.sql(f"SELECT id FROM {name} WHERE year(at) = 2023 AND month(at) = 11")
        assert read(rows) == rows.count() == 30
    finally:
        spark.sql(f"DROP VIEW {name}")


def changed(spark: SparkSession, table: str) -> int:
    """Data files that the last commit replaced or wrote deletes for."""
    summary = spark.sql(f"SELECT summary FROM {table}.snapshots ORDER BY committed_at DESC LIMIT 1").first()
    assert summary is not None
    properties = summary.summary
    return int(properties.get("deleted-data-files") or properties.get("added-delete-files") or 0)


@pytest.mark.parametrize("verb", ["DELETE FROM {t} WHERE {p}", "UPDATE {t} SET name = 'x' WHERE {p}"])
def test_a_copy_on_write_statement_reads_what_it_needs(spark: SparkSession, verb: str) -> None:
    table = create(spark, "local.prune.copied")
    predicate = "date_trunc('day', ts) = '2023-12-24' AND id + 0 >= 0"
    text = spark.sql("EXPLAIN " + verb.format(t=table, p=predicate)).first()
    assert text is not None
    scans = [line for line in text[0].splitlines() if "BatchScan" in line]
    assert scans
    assert all("ts >= 1703376000000000, ts < 1703462400000000" in line for line in scans)


def scans(rows: DataFrame) -> list[str]:
    return [line for line in plan(rows).splitlines() if "BatchScan" in line]


def test_both_sides_of_a_join_prune(spark: SparkSession, daily: str) -> None:
    query = (
        f"SELECT a.id, b.name FROM {daily} a JOIN {daily} b ON a.ts = b.ts WHERE year(a.ts) = 2023 AND month(a.ts) = 12"
    )
    assert read(spark.sql(query)) == 2 * 31
    assert spark.sql(query).count() == 31


def test_dynamic_pruning_of_a_join_stays(spark: SparkSession, daily: str) -> None:
    spark.sql(
        "CREATE OR REPLACE TABLE local.prune.dim USING iceberg AS "
        f"SELECT ts AS at, cast(id AS int) AS k FROM {daily} WHERE id % 10 = 0"
    )
    query = (
        f"SELECT /*+ BROADCAST(dim) */ f.id FROM {daily} f JOIN local.prune.dim dim ON f.ts = dim.at "
        "WHERE dim.k < 60 AND date_trunc('month', f.ts) = '2023-11-01'"
    )
    rows = spark.sql(query)
    assert sorted(row.id for row in rows.collect()) == [40, 50]
    fact = next(line for line in scans(rows) if "daily" in line)
    assert "dynamicpruning" in fact
    assert "ts >= 1698796800000000, ts < 1701388800000000" in fact
    # A file has one row: 2 files of the fact table are read, and those of the dimension.
    assert metrics(rows)["numOutputRows"] <= metrics(without(spark, query))["numOutputRows"] < 30


def test_sub_queries_prune(spark: SparkSession, daily: str) -> None:
    inner = f"SELECT max(id) FROM {daily} WHERE year(ts) = 2023"
    query = f"SELECT id FROM {daily} WHERE id IN ({inner}) AND year(ts) = 2023"
    with settings(spark, **{"spark.iceberg_sql.aggregates": "false"}):  # which answers the inner one
        rows = spark.sql(query)
        assert len(scans(rows)) >= 2
        assert all("ts >= 1672531200000000, ts < 1704067200000000" in scan for scan in scans(rows))
        assert [row.id for row in rows.collect()] == [91]


@pytest.mark.parametrize(
    "predicate",
    [
        "year(ts) = 2023 + cast(rand() * 0 AS int)",
        "year(ts) = 2023 AND rand(7) < 0.5",
        "year(ts) = (SELECT max(year(d)) FROM {t})",
        "month(ts) = 11",
        "date_format(ts, 'MM') = '11'",
        "date_format(ts, 'dd.MM.yyyy') = '24.12.2023'",
        "iceberg_bucket(6, id) = 2",
        "year(ts) = year(d)",
    ],
)
def test_what_implies_nothing_is_left_alone(spark: SparkSession, daily: str, predicate: str) -> None:
    query = f"SELECT * FROM {daily} WHERE {predicate.format(t=daily)}"
    rows = spark.sql(query)
    assert "implied" not in str(rows._jdf.queryExecution().optimizedPlan())
    assert sorted(rows.collect()) == sorted(without(spark, query).collect())


def test_other_sources_are_left_alone(spark: SparkSession) -> None:
    rows = spark.sql("SELECT * FROM VALUES (timestamp '2023-01-01') AS v(ts) WHERE year(ts) = 2023 OR rand() < 2")
    assert "implie" not in plan(rows)


def test_a_stream_is_left_alone(spark: SparkSession, daily: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    spark.sql("CREATE TABLE local.prune.source (id bigint, ts timestamp) USING iceberg")
    spark.sql(f"INSERT INTO local.prune.source SELECT id, ts FROM {daily}")
    stream = spark.readStream.table("local.prune.source").where("year(ts) = 2023").select("id")
    folder = str(tmp_path_factory.mktemp("stream"))
    to = stream.writeStream.format("memory").queryName("streamed").option("checkpointLocation", folder)
    query = to.trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(120)
        assert spark.table("streamed").count() == 92
    finally:
        query.stop()
        spark.catalog.dropTempView("streamed")


@pytest.mark.tier("quick", of="rule prune")
def test_explain_tells_what_was_added_from_what_was_written(spark: SparkSession, daily: str) -> None:
    # The scan covers whole days: the range is only in its filters; a note on the user's literal says why.
    text = plan(spark.sql(f"SELECT id FROM {daily} WHERE year(ts) = 2023"))
    assert "= 2023 (implies ((ts >= 2023-01-01 00:00:00) AND (ts < 2024-01-01 00:00:00)))" in text
    assert "ts >= 1672531200000000, ts < 1704067200000000" in text
    # Half a day needs a filter, in which the bound is marked.
    text = plan(spark.sql(f"SELECT id FROM {daily} WHERE unix_timestamp(ts) < 1700000000"))
    assert "< 2023-11-14 22:13:20 (implied))" in text
    assert "< 1700000000 (implies (ts < 2023-11-14 22:13:20))" in text
    assert "implie" not in plan(spark.sql(f"SELECT id FROM {daily} WHERE ts >= '2023-10-10' AND year(ts) > 2000"))


@pytest.mark.tier("quick", of="rule prune")
def test_the_switch(spark: SparkSession, daily: str) -> None:
    query = f"SELECT id FROM {daily} WHERE year(ts) = 2023"
    assert read(without(spark, query)) == FILES
    assert read(spark.sql(query)) == 92
    listed = spark.sql("SELECT switch, enabled, fault FROM iceberg_rules() WHERE name = 'prune'").collect()
    assert [tuple(row) for row in listed] == [("spark.iceberg_sql.prune", True, None)]


def test_nothing_grows(spark: SparkSession, daily: str) -> None:
    """The optimizer runs its batch until nothing changes: the rule recognizes what it has added."""
    condition = " AND ".join(
        f"({p})" for p in ("year(ts) IN (2023, 2024)", "month(ts) IN (1, 2, 11)", "dayofweek(ts) = 2")
    )
    rows = spark.sql(
        f"SELECT id FROM {daily} WHERE {condition} OR iceberg_bucket(8, id) IN (1, 2) AND to_date(ts) = '2023-10-05'"
    )
    session = rows._jdf.sparkSession()
    once = rows._jdf.queryExecution().optimizedPlan()
    text = str(once.toString())
    assert text.count("implied") <= 64
    assert str(session.sessionState().optimizer().execute(once).toString()) == text


def test_ends_of_what_types_hold(spark: SparkSession) -> None:
    """Values that wrap around, and years with more or fewer than four digits, are outside any range and are kept."""
    low, high, hour = -(2**31), 2**31 - 1, 3_600_000_000
    ends = [
        (low, -(2**63), low),
        (low + 2, (low + 1) * hour, low + 3),
        (-1, (low + 5) * hour, -4_000_000),
        (0, -63_000_000_000_000_000, -719_500),
        (1, -62_135_596_800_000_000, -719_162),
        (5, 0, 0),
        (7, 253_402_300_799_999_999, 2_932_896),
        (10, 253_402_300_800_000_000, 2_932_897),
        (high - 1, (high + 1) * hour + 7, high - 3),
        (high, 2**63 - 1, high),
    ]
    data = spark.createDataFrame(
        [(n, *row) for n, row in enumerate(ends)], "id int, i int, m bigint, k int"
    ).selectExpr("id", "i", "timestamp_micros(m) AS ts", "date_from_unix_date(k) AS d")
    # One file each.
    data.writeTo("local.prune.ends").using("iceberg").partitionedBy(F.col("id")).createOrReplace()
    predicates = [
        f"{f} {op} {v}"
        for op in ("=", "<", ">=")
        for f, v in (
            ("date_add(d, 7)", "date '2024-01-01'"),
            ("date_sub(d, 7)", "date '1969-12-25'"),
            ("year(d)", "1970"),
            ("datediff(d, date '1970-01-05')", "-4"),
            ("datediff(date '1970-01-05', d)", "4"),
            ("year(ts)", "1970"),
            ("iceberg_hours(ts)", "0"),
            ("iceberg_hours(ts)", "-2147483646"),
            ("iceberg_truncate(10, i)", "0"),
            ("iceberg_truncate(10, i)", "2147483646"),
            ("unix_date(d) + 7", "7"),
            ("year(d) * 1000", "1970000"),
            ("cast(d AS string)", "'1970-01-01'"),
            ("date_format(ts, 'yyyy')", "'0001'"),
            ("date_format(ts, 'yyyy')", "'1970'"),
        )
    ]
    predicates += ["cast(d AS string) LIKE '+%'", "cast(ts AS string) LIKE '0001%'", "cast(d AS string) LIKE '-0%'"]
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        truth = spark.table("local.prune.ends").selectExpr("id", *predicates).collect()
        for n, predicate in enumerate(predicates):
            expected = sorted(row.id for row in truth if row[n + 1])
            rows = spark.table("local.prune.ends").where(predicate).select("id").collect()
            assert sorted(row.id for row in rows) == expected, predicate
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
