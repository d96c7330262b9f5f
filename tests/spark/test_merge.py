"""MERGE reads the files of the target that its source can match: the rule `merge`."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from foreign import WRITERS
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from samples import FULL
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm.gateway import java_class, scala_object

SWITCH = "spark.iceberg_sql.merge"
# 200 rows of 20 days, one file a day.
TARGET, SOURCE, SMALL = "local.merging.target", "local.merging.source", "local.merging.small"
DAYS = 20
COLUMNS = "k, v, d, ts, s"
ROWS = """SELECT if(id % 17 = 0, NULL, cast(id AS int)) AS k, cast(id % 5 AS int) AS v, cast(ts AS date) AS d,
    if(id % 19 = 0, NULL, ts) AS ts, concat('row-', lpad(id, 3, '0')) AS s
    FROM (SELECT id, timestamp '2024-01-01' + make_dt_interval(0, 0, cast(id * 144 AS int)) AS ts FROM range({rows}))"""
SPECS = {
    "": "", "d": "(d)", "days": "(days(ts))", "hours": "(hours(ts))", "bucket": "(bucket(4, k))",
    "truncate": "(truncate(10, k), truncate(5, s))", "two": "(v, months(d))",
}  # fmt: skip
MODES = ("copy-on-write", "merge-on-read")


def create(spark: SparkSession, name: str, spec: str, rows: int = 10 * DAYS) -> None:
    partitioning = f"PARTITIONED BY {spec}" if spec else ""
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg {partitioning} TBLPROPERTIES ('format-version' = '2') "
        f"AS {ROWS.format(rows=rows)} ORDER BY id"
    )


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    create(spark, SOURCE, "(d)")
    create(spark, SMALL, "", rows=30)
    folder = tmp_path_factory.mktemp("merge") / "staged"
    spark.table(SOURCE).write.parquet(str(folder))
    spark.read.parquet(str(folder)).createOrReplaceTempView("staged")
    yield
    spark.catalog.dropTempView("staged")


@pytest.fixture(scope="module", params=MODES)
def planned_only(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    """A target that no test changes."""
    name = f"local.merging.{request.param.replace('-', '_')}"
    create(spark, name, "(d)")
    set_mode(spark, request.param, name)
    return name


@pytest.fixture(params=MODES)
def target(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    create(spark, TARGET, "(d)")
    set_mode(spark, request.param)
    return TARGET


def set_mode(spark: SparkSession, mode: str, table: str = TARGET) -> None:
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.merge.mode' = '{mode}')")


def merge(source: str, on: str, action: str, target: str = TARGET) -> str:
    return f"MERGE INTO {target} t USING ({source}) s ON {on} {action}"


UPDATE = "WHEN MATCHED THEN UPDATE SET t.v = 100 + s.v"
DELETE = "WHEN MATCHED THEN DELETE"
INSERT = f"WHEN NOT MATCHED THEN INSERT ({COLUMNS}) VALUES (s.k, s.v, s.d, s.ts, s.s)"


def execution(spark: SparkSession, statement: str) -> Any:
    """The QueryExecution of a statement that has not run."""
    state = spark._jsparkSession.sessionState()
    mode = scala_object("org.apache.spark.sql.execution.CommandExecutionMode").SKIP()
    return state.executePlan(state.sqlParser().parsePlan(statement), mode)


def planned(spark: SparkSession, statement: str) -> Any:
    """The physical plan of a statement, which it runs when it is executed."""
    with settings(spark, **{"spark.sql.adaptive.enabled": "false"}):
        plan = execution(spark, statement).executedPlan()
    java_class("org.apache.spark.sql.execution.SparkPlanInfo").fromSparkPlan(plan)  # creates its metrics
    return plan


def filters(spark: SparkSession, statement: str, table: str) -> list[str]:
    """The filters of the target's scans."""
    plan = str(execution(spark, statement).executedPlan().toString())
    name = re.escape(table)  # before Spark 4.1, a scan has another text
    scans = rf"Iceberg\w*Scan\(table={name}, .*?filters=(.*?), \w+=|{name} \(branch=\w+\) \[filters=(.*?), \w+="
    return [new or old for new, old in re.findall(scans, plan)]


# ---------------------------------------------------------------------------- what is read

DAY = "date '2024-01-04'"
# The source, the condition, and what the filters contain.
KNOWN = [
    (f"SELECT 33 AS k, 7 AS v, {DAY} AS d, timestamp '2024-01-04 01:00:00' AS ts, 'x' AS s", "t.k = s.k", "k = 33"),
    ("SELECT * FROM VALUES (3, 1), (140, 2), (NULL, 3) AS x(k, v)", "t.k = s.k", "k IN (3, 140)"),
    (f"SELECT * FROM VALUES ({DAY}, 1), ({DAY} + 1, 2) AS x(d, v)", "s.d = t.d", "d IN (19726, 19727)"),
    (f"SELECT * FROM VALUES ({DAY}, 1) AS x(d, v)", "to_date(t.ts) = s.d", "ts >= 1704326400000000"),
    (f"SELECT k, v, d FROM {SOURCE} WHERE d = {DAY}", "t.k = s.k AND t.d = s.d", "d = 19726"),
    (f"SELECT k, v, d FROM {SOURCE} WHERE d = {DAY}", "t.k = s.k", "k >= 30"),
    (f"SELECT k, max(v) AS v FROM {SOURCE} WHERE d < '2024-01-03' GROUP BY k", "t.k = s.k", "k <= 19"),
    ("SELECT k, v FROM staged WHERE k BETWEEN 20 AND 29 AND d IS NOT NULL", "t.k = s.k", "k <= 29"),
    ("SELECT 3 AS k, 1 AS v UNION ALL SELECT k, v FROM VALUES (150, 1) AS x(k, v)", "t.k = s.k", "k IN (3, 150)"),
    (f"SELECT b.k, a.v FROM {SOURCE} a LEFT JOIN {SMALL} b ON a.k = b.k", "t.k = s.k", "k <= 29"),
    (
        f"SELECT k, v FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY ts) AS n FROM {SMALL}) WHERE n = 1",
        "t.k = s.k", "k <= 29",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "on", "expected"), KNOWN)
def test_the_source_s_values_are_a_filter(
    spark: SparkSession, planned_only: str, source: str, on: str, expected: str
) -> None:
    statement = merge(source, on, UPDATE, planned_only)
    with settings(spark, **{"spark.sql.session.timeZone": "UTC"}):
        pushed = filters(spark, statement, planned_only)
        assert pushed
        assert all(expected in text for text in pushed), pushed
        with settings(spark, **{SWITCH: "false"}):
            assert not all(expected in text for text in filters(spark, statement, planned_only))


def test_a_merge_that_only_inserts(spark: SparkSession, planned_only: str) -> None:
    """Spark makes an INSERT of it, and joins the parts of a UNION one by one."""
    insert = "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)"
    pushed = filters(spark, merge(KNOWN[1][0], "t.k = s.k", insert, planned_only), planned_only)
    assert ["k IN (3, 140)" in text for text in pushed] == [True], pushed
    parts = "SELECT 3 AS k, 1 AS v UNION ALL SELECT k, v FROM VALUES (150, 1) AS x(k, v)"
    pushed = filters(spark, merge(parts, "t.k = s.k", insert, planned_only), planned_only)
    assert ["k = 3" in text for text in pushed] == [True, False], pushed
    assert ["k = 150" in text for text in pushed] == [False, True], pushed


@pytest.mark.tier("quick", of="rule merge")
def test_it_reads_the_files_that_may_match(spark: SparkSession, target: str) -> None:
    statement = merge(KNOWN[2][0], "s.d = t.d AND s.v = t.v", UPDATE)
    assert "reads 2 of 20 files" in str(sis.explain(spark, statement))
    expected = sum(
        row.v == 1 if str(row.d) == "2024-01-04" else row.v == 2
        for row in spark.table(TARGET).filter("d IN ('2024-01-04', '2024-01-05')").collect()
    )
    spark.sql(statement)
    assert spark.table(TARGET).filter("v > 100").count() == expected > 0


# ---------------------------------------------------------------------------- the same rows

SOURCES = [
    *dict.fromkeys(source for source, _, _ in KNOWN if "d" in source and "SELECT *" not in source and "AS s" in source),
    f"SELECT {COLUMNS} FROM {SMALL}",
    f"SELECT {COLUMNS} FROM {SOURCE} WHERE d IN ('2024-01-02', '2024-01-09')",
    f"SELECT {COLUMNS} FROM {SOURCE} WHERE to_date(ts) >= '2024-01-15' AND v > 1",
    f"SELECT {COLUMNS} FROM {SOURCE} WHERE k IS NULL OR k > 170",
    f"SELECT {COLUMNS} FROM staged WHERE k BETWEEN 20 AND 29",
    f"SELECT {COLUMNS} FROM staged WHERE s LIKE 'row-01%'",
    f"SELECT k + 100 AS k, v, d, ts, s FROM {SMALL}",
    f"SELECT coalesce(b.k, 77) AS k, a.v, a.d, a.ts, a.s FROM {SMALL} a LEFT JOIN {SMALL} b ON a.k = b.k AND b.v = 1",
    f"SELECT b.k, coalesce(b.v, 3) AS v, b.d, b.ts, b.s FROM {SOURCE} a LEFT JOIN {SMALL} b ON a.k = b.k WHERE a.v = 1",
    f"SELECT coalesce(a.k, b.k) AS k, b.v, a.d, b.ts, a.s FROM {SMALL} a FULL JOIN {SMALL} b ON a.k = b.k + 25",
    f"SELECT k, max(v) AS v, max(d) AS d, min(ts) AS ts, max(s) AS s FROM {SMALL} GROUP BY k",
    f"SELECT {COLUMNS} FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY ts) AS n FROM {SMALL}) WHERE n = 1",
    f"SELECT {COLUMNS} FROM {SMALL} UNION ALL SELECT k, v, d, ts, s FROM {SOURCE} WHERE d = '2024-01-12'",
    f"(SELECT {COLUMNS} FROM {SMALL} WHERE k < 9) UNION ALL SELECT 150, 3, d, ts, s FROM {SMALL} WHERE k = 3",
    f"SELECT {COLUMNS} FROM {SMALL} EXCEPT SELECT {COLUMNS} FROM {SMALL} WHERE v = 2",
    f"SELECT {COLUMNS} FROM {SMALL} INTERSECT SELECT {COLUMNS} FROM {SOURCE}",
    f"SELECT x AS k, v, d, ts, s FROM {SMALL} LATERAL VIEW explode(array(k, k + 50)) e AS x WHERE k < 5",
    f"SELECT * FROM (SELECT {COLUMNS} FROM {SMALL} ORDER BY k DESC LIMIT 4)",
    f"SELECT k, v, d, ts, s FROM {SMALL} WHERE k IN (SELECT k FROM {SOURCE} WHERE d = '2024-01-01')",
    f"SELECT k, v, d, ts, s FROM {SOURCE} WHERE k < (SELECT max(k) FROM {SMALL})",
    f"SELECT cast(grouping_id() AS int) AS v, k, d, max(ts) AS ts, max(s) AS s FROM {SMALL} GROUP BY d, k WITH ROLLUP",
    f"SELECT {COLUMNS} FROM {SMALL} WHERE false",
    f"SELECT {COLUMNS} FROM {SMALL} TABLESAMPLE (60 PERCENT) REPEATABLE (7)",
]  # fmt: skip
CONDITIONS = [
    "t.k = s.k", "t.k = s.k AND t.d = s.d", "t.ts = s.ts", "t.s = s.s", "to_date(t.ts) = s.d AND t.v = s.v",
    "date_trunc('day', t.ts) = date_trunc('day', s.ts) AND t.k = s.k", "t.k = s.k AND t.d >= s.d",
    "t.ts BETWEEN s.ts AND s.ts + INTERVAL 1 DAY AND t.k = s.k", "t.k <=> s.k", "t.k = s.k OR t.s = s.s",
    "cast(t.k AS bigint) = cast(s.k AS bigint) + 1", "t.k = s.k AND t.d = date '2024-01-03'",
    "iceberg_days(t.ts) = iceberg_days(s.ts) AND t.k = s.k", "t.k > s.k AND t.k < s.k + 3", "t.k = abs(s.k)",
    "substr(t.s, 1, 6) = substr(s.s, 1, 6) AND t.k = s.k", "t.k = s.k AND t.v <> s.v", "t.k = nvl(s.k, 34)",
]  # fmt: skip
# Several rows of the source may match one of the target; only an unconditional DELETE may do that.
ACTIONS = [
    DELETE, f"{DELETE} {INSERT}", INSERT, f"{DELETE} WHEN NOT MATCHED BY SOURCE AND t.v = 1 THEN UPDATE SET t.v = -1",
    f"WHEN MATCHED AND s.v > 1 THEN UPDATE SET t.v = 100 + s.v {INSERT}",
    f"{UPDATE} WHEN NOT MATCHED AND s.k > 10 THEN INSERT ({COLUMNS}) VALUES (s.k, -s.v, s.d, s.ts, s.s)",
]  # fmt: skip


def outcome(spark: SparkSession, statement: str, table: str = TARGET) -> list[str]:
    """The rows after a statement, which is undone; or that it fails."""
    snapshot = spark.sql(f"SELECT snapshot_id FROM {table}.refs").collect()[0][0]
    try:
        spark.sql(statement)
    except (PySparkException, Py4JJavaError) as e:
        if "MERGE_CARDINALITY_VIOLATION" not in str(e):
            raise
        return ["more than one row of the source matches"]
    rows = sorted(map(str, spark.table(table).collect()))
    spark.sql(f"CALL local.system.rollback_to_snapshot('{table.removeprefix('local.')}', {snapshot})")
    return rows


@pytest.mark.parametrize("spec", SPECS)
def test_the_rows_are_the_same(spark: SparkSession, spec: str) -> None:
    create(spark, TARGET, SPECS[spec])
    if spec == "d":
        spark.sql(f"ALTER TABLE {TARGET} ADD PARTITION FIELD bucket(3, k)")
        spark.sql(f"INSERT INTO {TARGET} SELECT {COLUMNS} FROM {SMALL}")
    chance = random.Random(f"merge {spec}")
    cases = list(itertools.product(SOURCES, CONDITIONS, ACTIONS, MODES))
    before = hits(spark)
    for source, on, action, mode in chance.sample(cases, 150 if FULL else 5):
        set_mode(spark, mode)
        statement = merge(source, on, action)
        with settings(spark, **{SWITCH: "false"}):
            expected = outcome(spark, statement)
        assert outcome(spark, statement) == expected, (mode, statement)
    assert hits(spark) > before


def hits(spark: SparkSession) -> int:
    return int(spark.sql("SELECT hits FROM iceberg_rules() WHERE name = 'merge'").collect()[0][0])


def test_no_error_is_new(spark: SparkSession, target: str) -> None:
    """The filter is evaluated for rows that the statement's other conditions would have spared it."""
    positive = "local.merging.positive"
    spark.sql(f"CREATE OR REPLACE TABLE {positive} USING iceberg AS SELECT k, v FROM {SMALL} WHERE v > 0")
    filtered = merge(f"SELECT k, v FROM {positive} WHERE 10 / v > 3", "t.v = s.v AND t.k = s.k", DELETE)
    ranged = merge("SELECT * FROM VALUES (1, 1L), (2, 1L) AS x(k, v)", "t.k = s.k AND s.v < 9 div t.v", DELETE)
    with settings(spark, **{"spark.sql.ansi.enabled": "true"}):
        assert len(outcome(spark, filtered)) < spark.table(TARGET).count()
        assert len(outcome(spark, ranged)) == spark.table(TARGET).count() - 2
        for source in ("SELECT 7 AS v", f"SELECT v + 6 AS v FROM {positive} WHERE v = 1 LIMIT 1"):
            guarded = merge(source, "t.s >= 'row-19' AND cast(substr(t.s, 5) AS int) = s.v + 190", UPDATE)
            spark.sql(f"UPDATE {TARGET} SET s = 'few' WHERE k = 3")
            with settings(spark, **{SWITCH: "false"}):
                expected = outcome(spark, guarded)
            assert outcome(spark, guarded) == expected


@pytest.mark.parametrize("writer", ["spark_millis", "arrow_ms_ntz", "polars_millis", "parquet_avro"])
def test_bounds_of_others_are_not_believed(spark: SparkSession, tmp_path: Path, writer: str) -> None:
    """Of files with TIMESTAMP(MILLIS), Iceberg compares thousandths of the times."""
    name = WRITERS[writer].build(spark, tmp_path, f"merged_{writer}")
    rows = spark.sql(
        f"SELECT k, string(ts) AS ts FROM {name} WHERE ts IS NOT NULL AND year(ts) < 3000 ORDER BY k LIMIT 5"
    )
    values = ", ".join(f"({row.k}, {WRITERS[writer].kind} '{row.ts}')" for row in rows.collect())
    remaining = spark.table(name).count() - 5
    for on in ("t.k = s.k AND t.ts = s.ts", "t.k = s.k AND to_date(t.ts) = to_date(s.ts)"):
        statement = merge(f"SELECT * FROM VALUES {values} AS x(k, ts)", on, DELETE, name)
        assert len(outcome(spark, statement, name)) == remaining, statement


# ---------------------------------------------------------------------------- conflicts


def test_a_commit_elsewhere_is_no_conflict(spark: SparkSession, target: str) -> None:
    statement = merge(f"SELECT 33 AS k, 7 AS v, {DAY} AS d", "t.k = s.k AND t.d = s.d", UPDATE)
    plan = planned(spark, statement)
    spark.newSession().sql(f"INSERT INTO {TARGET} VALUES (900, 1, date '2025-01-01', NULL, NULL)")
    plan.executeCollect()
    assert spark.table(TARGET).filter("v = 107").count() == 1
    assert spark.table(TARGET).filter("k = 900").count() == 1


def test_a_commit_that_may_match_is_a_conflict(spark: SparkSession, target: str) -> None:
    statement = merge(f"SELECT 33 AS k, 7 AS v, {DAY} AS d", "t.k = s.k AND t.d = s.d", UPDATE)
    plan = planned(spark, statement)
    spark.newSession().sql(f"INSERT INTO {TARGET} VALUES (33, 1, {DAY}, NULL, NULL)")
    with pytest.raises(Py4JJavaError, match="conflicting files"):
        plan.executeCollect()


# Sources that read the target: what another writer adds outside of the range may change them.
OF_TARGET = [
    "SELECT k, v FROM {target} WHERE k < 5",
    "SELECT 1 AS k, (SELECT max(k) FROM {target}) AS v",
    "SELECT (SELECT max(k) FROM {target} WHERE d < '2024-01-03') AS k, 1 AS v",
    "SELECT (SELECT count(*) FROM {target}) % 100 AS v, 3 AS k",
    "SELECT max(k) AS k, 1 AS v FROM {target}",
    "SELECT k, v FROM VALUES (1, 2) AS x(k, v) WHERE v < (SELECT count(*) FROM {target})",
    "SELECT k, v FROM VALUES (1, 2) AS x(k, v) WHERE k IN (SELECT k FROM {target})",
    "SELECT k, v FROM VALUES (1, 2) AS x(k, v) WHERE NOT EXISTS (SELECT 1 FROM {target} WHERE k = 1000)",
    "SELECT cast(count(*) AS int) AS k, 1 AS v FROM {target}.files",
    "SELECT k, v FROM iceberg('{folder}') WHERE k < 5",
    "SELECT k, v FROM of_target WHERE k < 5",
    "SELECT k, v FROM cached_target WHERE k < 5",
]


@pytest.mark.parametrize("source", OF_TARGET)
def test_a_source_that_reads_the_target_keeps_all_conflicts(
    spark: SparkSession, planned_only: str, source: str
) -> None:
    folder = spark.sql(f"SELECT file FROM {planned_only}.metadata_log_entries").collect()[-1][0].split("/metadata/")[0]
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW of_target AS SELECT * FROM {planned_only}")
    if "cached" in source:
        spark.sql(f"CACHE TABLE cached_target AS SELECT * FROM {planned_only}")
    before = hits(spark)
    try:
        reading = source.format(folder=folder, target=planned_only)
        pushed = filters(spark, merge(reading, "t.k = s.k", UPDATE, planned_only), planned_only)
    finally:
        spark.sql("DROP VIEW IF EXISTS cached_target")
    assert pushed
    assert hits(spark) == before, pushed


def test_a_commit_between_changes_nothing_of_the_source(spark: SparkSession, target: str) -> None:
    """The range is that of the source's snapshot, and no other is read."""
    create(spark, "local.merging.changing", "(d)", rows=20)
    plan = planned(spark, merge("SELECT k, v FROM local.merging.changing", "t.k = s.k", UPDATE))
    spark.newSession().sql("INSERT INTO local.merging.changing VALUES (150, 1, date '2025-01-01', NULL, NULL)")
    plan.executeCollect()
    assert spark.table(TARGET).filter("v >= 100").count() == 18
