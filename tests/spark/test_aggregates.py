"""The rule `aggregates`: aggregates from the metadata of files, group by group; the rows and what is read."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from samples import FULL, share
from scans import metrics
from session_settings import settings

from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

SWITCH = "spark.iceberg_sql.aggregates"
DAYS, PER_DAY = 40, 6
# 40 days of 6 rows from 20 January 2024: one file for each day.
ROWS = f"""
    SELECT id, ts, date_format(ts, 'yyyyMMdd') AS ds, cast(ts AS date) AS d,
           if(id % 5 = 0, null, cast(id % 7 AS int)) AS x, concat('name', id) AS s,
           cast(id AS decimal(10,2)) AS amount, cast(id AS double) AS f
    FROM (SELECT id, timestamp '2024-01-20 00:00:00' + make_dt_interval(0, 4 * cast(id AS int)) AS ts
          FROM range({DAYS * PER_DAY}))
"""
SETTINGS = {"spark.sql.session.timeZone": "UTC", "spark.sql.adaptive.enabled": "false"}


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **SETTINGS):
        yield


def create(spark: SparkSession, name: str, partitioning: str, rows: str = ROWS) -> str:
    table = f"local.aggregates.{name}"
    spark.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg {partitioning} AS {rows}")
    return table


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> str:
    return create(spark, "days", "PARTITIONED BY (days(ts))")


@pytest.fixture(scope="module")
def ds(spark: SparkSession) -> str:
    return create(spark, "ds", "PARTITIONED BY (ds)")


def outcome(rows: DataFrame) -> list[str]:
    return sorted(map(str, rows.collect()))


def files(spark: SparkSession, sql: str) -> int:
    """The data files that a query reads with the rule; it returns the same rows and columns without it."""
    answered = spark.sql(sql)
    read = metrics(answered).get("resultDataFiles", 0)
    rows, schema = outcome(answered), answered.schema
    with settings(spark, **{SWITCH: "false"}):
        plain = spark.sql(sql)
        assert rows == outcome(plain), sql
        assert schema == plain.schema
    return read


WHOLE = [
    "SELECT iceberg_days(ts), count(*), min(ts), max(id) FROM {days} GROUP BY 1",
    "SELECT max(ts), min(id), count(x), count(amount) FROM {days} WHERE year(ts) = 2024 AND month(ts) = 2",
    "SELECT DISTINCT ds FROM {ds}",
    "SELECT count(DISTINCT ds), count(*) FROM {ds} WHERE substr(ds, 5, 2) = '02'",
    "SELECT to_date(ts), count(*) + 1, max(x), min(amount), max(d) FROM {days} GROUP BY to_date(ts)",
    "SELECT cast(ts AS date), count(1) FROM {days} GROUP BY 1 HAVING count(1) > 1 ORDER BY 1 DESC",
    "SELECT date_trunc('month', ts) AS m, max(ts), count(x) FROM {days} WHERE ts < '2024-02-10' GROUP BY 1 ORDER BY m",
    "SELECT year(ts) * 100 + month(ts), count(*) FROM {days} GROUP BY 1",
    "SELECT year(ts), month(ts), quarter(ts), dayofweek(ts), count(*) FROM {days} GROUP BY 1, 2, 3, 4",
    "SELECT date_format(ts, 'yyyy-MM'), count(*) FROM {days} GROUP BY 1",
    "SELECT d, min(ts) FROM {days} GROUP BY d",
    "SELECT upper(ds), substr(ds, 1, 6), count(*) FROM {ds} GROUP BY ds",
    "SELECT substr(ds, 1, 6), max(ds), min(ds), count(DISTINCT ds) FROM {ds} GROUP BY 1",
    "SELECT count(*) FROM (SELECT ds FROM {ds} GROUP BY ds)",
    "SELECT count(*), count(x) FROM {ds} WHERE to_date(ds, 'yyyyMMdd') = date '2024-02-03' OR ds LIKE '%05'",
    "SELECT count(*), max(id) FROM {ds} WHERE ds = '20991231'",
    "SELECT ds, count(*), max(id) FROM {ds} WHERE ds = '20240120' AND substr(ds, 7) = '99' GROUP BY ds",
    "SELECT max(id) FROM {days} WHERE to_date(ts) >= date '2024-02-03' AND to_date(ts) < date '2024-02-07'",
    "SELECT iceberg_months(ts), count(*) FROM {days} WHERE iceberg_days(ts) > date '2024-02-03' GROUP BY 1",
    "SELECT ds, c FROM (SELECT ds, count(*) AS c FROM {ds} GROUP BY ds) WHERE c > 3 AND ds > '20240210'",
    """SELECT a.ds, a.c, b.m FROM (SELECT ds, count(*) c FROM {ds} GROUP BY ds) a
       JOIN (SELECT to_date(ts) d, max(id) m FROM {days} GROUP BY 1) b ON to_date(a.ds, 'yyyyMMdd') = b.d""",
    "SELECT ds, count(*) FROM {ds} GROUP BY ds UNION ALL SELECT concat(d), count(1) FROM {days} GROUP BY d",
]


@pytest.mark.tier("quick", of="rule aggregates")
@pytest.mark.parametrize("sql", WHOLE[:4])
def test_metadata_answers(spark: SparkSession, days: str, ds: str, sql: str) -> None:
    assert files(spark, sql.format(days=days, ds=ds)) == 0


@pytest.mark.parametrize("sql", WHOLE[4:])
def test_metadata_answers_other_shapes(spark: SparkSession, days: str, ds: str, sql: str) -> None:
    assert files(spark, sql.format(days=days, ds=ds)) == 0


@pytest.mark.tier("quick", of="rule aggregates")
def test_a_scalar_subquery_prunes(spark: SparkSession, ds: str) -> None:
    assert files(spark, f"SELECT count(*), sum(id) FROM {ds} WHERE ds = (SELECT max(ds) FROM {ds})") == 1


PARTS = [
    ("SELECT to_date(ts), count(*), max(x) FROM {days} WHERE ts >= '2024-02-01 12:00:00' GROUP BY 1", 1),
    ("SELECT count(*), min(x), max(ts) + interval 1 day, count(x) FROM {days} WHERE ts >= '2024-02-01 12:00:00'", 1),
    ("SELECT date_trunc('month', ts), count(*) FROM {days} WHERE id < 230 GROUP BY 1", 10 + 17),
    ("SELECT ds, count(x) FROM {ds} WHERE id > 100 AND ds < '20240215' GROUP BY ds HAVING count(*) > 2", 1),
    ("SELECT max(id), min(id) FROM {ds} WHERE id BETWEEN 20 AND 100", 2),
]


@pytest.mark.parametrize(("sql", "read"), PARTS)
def test_the_files_of_other_groups_are_read(spark: SparkSession, days: str, ds: str, sql: str, read: int) -> None:
    assert files(spark, sql.format(days=days, ds=ds)) <= read


NOT = [
    "SELECT ds, count(*) FROM {ds} WHERE s LIKE '%7' GROUP BY ds",
    "SELECT ds, max(s), count(*) FROM {ds} GROUP BY ds",
    "SELECT ds, max(f) FROM {ds} GROUP BY ds",
    "SELECT ds, sum(id) FROM {ds} GROUP BY ds",
    "SELECT ds, count(DISTINCT id) FROM {ds} GROUP BY ds",
    "SELECT ds, count(*) FILTER (WHERE x > 3) FROM {ds} GROUP BY ds",
    "SELECT ds, max(id + 1) FROM {ds} GROUP BY ds",
    "SELECT ds, count(*) FROM {ds} GROUP BY CUBE (ds)",
    "SELECT x, count(*) FROM {ds} GROUP BY x",
    "SELECT count(*), sum(id) FROM {ds}",
    "SELECT hour(ts), count(*) FROM {days} GROUP BY 1",
    "SELECT ds, count(*) FROM {ds} WHERE rand(3) > 0.5 GROUP BY ds",
]


def hits(spark: SparkSession) -> int:
    return int(spark.sql("SELECT hits FROM iceberg_rules() WHERE name = 'aggregates'").first()[0])


@pytest.mark.parametrize("sql", NOT)
def test_these_are_left_alone(spark: SparkSession, days: str, ds: str, sql: str) -> None:
    n = hits(spark)
    spark.sql(sql.format(days=days, ds=ds))._jdf.queryExecution().optimizedPlan()
    assert hits(spark) == n


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
@pytest.mark.parametrize("version", [2, 3])
def test_deletes(spark: SparkSession, mode: str, version: int) -> None:
    table = create(spark, f"deletes_{version}", f"PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '{version}')")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = '{mode}')")
    spark.sql(f"DELETE FROM {table} WHERE id IN (0, 7)")
    deleted = 2 if mode == "merge-on-read" else 0
    assert files(spark, f"SELECT ds, count(*), min(id), count(x) FROM {table} GROUP BY ds") == deleted
    assert files(spark, f"SELECT count(*), min(id), count(x) FROM {table}") == deleted
    assert files(spark, f"SELECT DISTINCT ds FROM {table}") == 0
    spark.sql(f"DELETE FROM {table} WHERE id < 7 AND id + 0 >= 0")
    assert files(spark, f"SELECT DISTINCT ds FROM {table}") <= deleted
    assert files(spark, f"SELECT min(id), count(*) FROM {table} WHERE ds < '20240125'") <= deleted


def test_specs_columns_and_versions(spark: SparkSession) -> None:
    table = create(spark, "evolved", "PARTITIONED BY (ds)")
    first = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").first()[0]
    spark.sql(f"ALTER TABLE {table} ADD COLUMN y int")
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(4, id)")
    spark.sql(f"INSERT INTO {table} SELECT *, 5 FROM ({ROWS}) WHERE id < 24")
    assert files(spark, f"SELECT ds, count(*), max(id) FROM {table} GROUP BY ds") == 0
    assert files(spark, f"SELECT iceberg_bucket(4, id), count(*) FROM {table} WHERE ds > '2' GROUP BY 1") > 0
    assert files(spark, f"SELECT ds, count(y), max(y) FROM {table} GROUP BY ds") > 0
    assert files(spark, f"SELECT ds, count(*) FROM {table} VERSION AS OF {first} GROUP BY ds") == 0
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH b")
    spark.sql(f"DELETE FROM {table}.branch_b WHERE ds = '20240121'")
    on_branch = files(spark, f"SELECT DISTINCT ds FROM {table}.branch_b")
    assert on_branch == 0 or SPARK_VERSION < (4, 1)  # a branch cannot be fixed to its snapshot there
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD ds")
    spark.sql(f"INSERT INTO {table} SELECT *, 6 FROM ({ROWS}) WHERE id > 200")
    assert files(spark, f"SELECT ds, count(*), min(id) FROM {table} GROUP BY ds") > 0
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN x TO z")
    assert files(spark, f"SELECT ds, count(z), min(z) FROM {table} WHERE ds < '20240122' GROUP BY ds") >= 0


def test_nulls(spark: SparkSession) -> None:
    rows = f"""
        SELECT id, if(id < 5, null, ts) ts, if(id < 5, null, ds) ds, if(ds < '20240126', null, x) x FROM ({ROWS})
    """
    table = create(spark, "nulls", "PARTITIONED BY (ds)", rows)
    for sql in (
        f"SELECT ds, count(*), count(ds), count(x), min(x), max(ts) FROM {table} GROUP BY ds",
        f"SELECT to_date(ts), count(*), count(ts) FROM {table} GROUP BY 1",
        f"SELECT count(*), count(ds), count(DISTINCT ds), min(x), min(ds) FROM {table}",
        f"SELECT count(*), max(id), min(ts) FROM {table} WHERE ds IS NULL",
        f"SELECT count(*), max(id), min(ts) FROM {table} WHERE ds <> '20240125'",
        f"SELECT coalesce(ds, 'none'), count(*) FROM {table} GROUP BY 1",
    ):
        assert files(spark, sql) == 0, sql


def test_a_correlated_count_over_no_rows_is_zero(spark: SparkSession, ds: str) -> None:
    inner = f"SELECT count(*) FROM {ds} i WHERE i.ds = o.ds AND i.ds < '20240124'"
    files(spark, f"SELECT o.id, ({inner}) FROM {ds} o WHERE o.ds BETWEEN '20240122' AND '20240126'")
    files(spark, f"SELECT o.id FROM {ds} o WHERE o.ds < '20240126' AND ({inner}) = 0")


def test_prepared_plans_read_one_snapshot(spark: SparkSession) -> None:
    table = create(spark, "moving", "PARTITIONED BY (ds)")
    query = f"SELECT ds, count(*) FROM {table} WHERE id > 8 GROUP BY ds"
    files(spark, query)
    spark.sql(f"INSERT INTO {table} SELECT * FROM ({ROWS}) WHERE id < 30")
    files(spark, query)
    spark.sql(f"INSERT OVERWRITE {table} SELECT * FROM ({ROWS}) WHERE id < 12")
    files(spark, query)


# Before the clocks change in New York (March, November), Berlin and Beirut (March), Lord Howe (April), in 2024.
CLOCK_CHANGES = [1710028800, 1711815600, 1712404800, 1730577600]


@pytest.mark.parametrize("zone", ["America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Europe/Berlin"])
def test_time_zones(spark: SparkSession, zone: str) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        hours = ", ".join(f"timestamp_seconds({int(start)})" for start in CLOCK_CHANGES)
        rows = f"""
            SELECT start + make_dt_interval(0, 0, 20 * cast(n AS int)) AS ts, n
            FROM range(60) AS r(n) CROSS JOIN (SELECT explode(array({hours})) AS start)
        """
        options = "TBLPROPERTIES ('write.spark.fanout.enabled' = 'false')"
        table = create(spark, "zones", f"PARTITIONED BY (hours(ts)) {options}", f"{rows} WHERE n % 7 <> 3")
        local = create(
            spark, "local_days", f"PARTITIONED BY (d) {options}", f"SELECT *, cast(ts AS date) d FROM ({rows})"
        )
        for e in (
            "to_date(ts)", "date_trunc('hour', ts)", "hour(ts)", "month(ts), day(ts)",
            "date_format(ts, 'yyyy-MM-dd HH')",
        ):  # fmt: skip
            read = files(spark, f"SELECT {e}, count(*), min(ts), max(ts) FROM {table} GROUP BY {e}")
            assert read < 40 or "Lord" in zone, e  # half an hour from the hours of the files
        for e in ("to_date(ts)", "date_trunc('day', ts)", "date_trunc('week', to_date(ts))", "iceberg_days(ts)"):
            files(spark, f"SELECT {e}, count(*), min(ts) FROM {local} GROUP BY {e}")
        assert files(spark, f"SELECT max(ts) FROM {local} WHERE year(ts) = 2024 AND month(ts) = 3") == 0
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_other_formats(spark: SparkSession) -> None:
    for name in ("orc", "avro"):
        table = create(spark, name, f"PARTITIONED BY (ds) TBLPROPERTIES ('write.format.default' = '{name}')")
        spark.sql(
            f"INSERT INTO {table} SELECT id, ts + interval '0.000123' second, ds, d, x, s, amount, f FROM ({ROWS})"
        )
        assert files(spark, f"SELECT ds, count(*) FROM {table} GROUP BY ds") == 0
        assert files(spark, f"SELECT ds, max(ts), min(ts) FROM {table} GROUP BY ds") > 0


def test_without_statistics(spark: SparkSession) -> None:
    table = create(spark, "bare", "PARTITIONED BY (ds) TBLPROPERTIES ('write.metadata.metrics.default' = 'none')")
    assert files(spark, f"SELECT ds, count(*) FROM {table} GROUP BY ds") == 0
    assert files(spark, f"SELECT ds, count(x) FROM {table} GROUP BY ds") > 0
    assert files(spark, f"SELECT to_date(ts), count(*) FROM {table} GROUP BY 1") > 0
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'counts')")
    spark.sql(f"INSERT INTO {table} SELECT * FROM ({ROWS})")
    assert files(spark, f"SELECT ds, count(x), max(id) FROM {table} GROUP BY ds") > 0


KEYS = [
    "ds", "d", "to_date(ts)", "year(ts)", "month(ts)", "date_trunc('month', ts)", "date_trunc('week', ts)",
    "substr(ds, 1, 6)", "iceberg_days(ts)", "iceberg_months(ts)", "iceberg_bucket(4, id)", "date_format(ts, 'yyyyMM')",
    "year(ts) * 100 + month(ts)", "coalesce(ds, 'x')", "ds > '20240201'", "dayofmonth(ts)", "iceberg_truncate(100, id)",
]  # fmt: skip
AGGREGATES = [
    "count(*)", "count(x)", "min(x)", "max(x)", "min(ts)", "max(id)", "max(d)", "min(amount)", "count(DISTINCT ds)",
    "count(DISTINCT d)", "max(ds)", "count(ts)", "count(1) + 1", "max(id) - min(id)", "count(s)", "count(f)",
    "count(y)", "max(y)", "max(to_date(ts))",
]  # fmt: skip
CONDITIONS = [
    "ds >= '20240205'", "ds LIKE '%7'", "ts >= '2024-02-03 08:00:00'", "ts < '2024-02-03'", "id > 50", "id % 2 = 0",
    "x = 3", "x IS NOT NULL", "x IS NULL", "month(ts) = 2", "year(ts) = 2024", "to_date(ts) <> date '2024-02-05'",
    "substr(ds, 7, 2) IN ('01', '05', '25')", "iceberg_bucket(4, id) = 1", "NOT (ds = '20240208')", "ds IS NULL",
    "(month(ts) = 1 OR id < 30)", "date_trunc('week', ts) >= '2024-02-05'", "d BETWEEN '2024-02-01' AND '2024-02-09'",
    "iceberg_days(ts) = date '2024-02-10'", "iceberg_truncate(100, id) = 100", "y = 1", "id BETWEEN 20 AND 200", "true",
]  # fmt: skip
LAYOUTS = [
    "", "PARTITIONED BY (ds)", "PARTITIONED BY (days(ts))", "PARTITIONED BY (months(ts), bucket(4, id))",
    "PARTITIONED BY (truncate(100, id))", "PARTITIONED BY (d, bucket(4, id))",
]  # fmt: skip


def random_tables(spark: SparkSession, picked: random.Random) -> Iterator[str]:
    """Tables with a history: appends, later columns and fields, deletes, nulls, several specs."""
    for i, layout in enumerate(LAYOUTS):
        rows = f"SELECT *, cast(null AS int) AS y FROM ({ROWS})"
        table = create(spark, f"random{i}", layout, f"{rows} WHERE id < 150")
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
        spark.sql(f"INSERT INTO {table} {rows} WHERE id BETWEEN 150 AND 200 ORDER BY id")
        if picked.random() < 0.7:
            spark.sql(f"DELETE FROM {table} WHERE id IN ({picked.randrange(200)}, {picked.randrange(200)})")
        if picked.random() < 0.5:
            spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD truncate(50, id)")
        spark.sql(
            f"INSERT INTO {table} SELECT id, if(id % 50 = 1, null, ts), if(id % 40 = 1, null, ds), d, x, s, amount, f, "
            f"cast(id % 2 AS int) FROM ({ROWS}) WHERE id > {picked.choice([190, 220, 238])}"
        )
        yield table


def random_query(table: str, picked: random.Random) -> str:
    keys = picked.sample(KEYS, picked.choice([0, 1, 1, 1, 2, 3]))
    values = picked.sample(AGGREGATES, picked.choice([0, 1, 2, 3]) if keys else picked.choice([1, 2, 3]))
    if any("DISTINCT" in v for v in values) and picked.random() < 0.6:
        values = [v for v in values if "DISTINCT" not in v] or ["count(*)"]
    where = " AND ".join(picked.sample(CONDITIONS, picked.choice([0, 0, 1, 1, 2])))
    sql = f"SELECT {', '.join(keys + values)} FROM {table}{' WHERE ' + where if where else ''}"
    if keys:
        sql += f" GROUP BY {', '.join(keys)}"
        if picked.random() < 0.2:
            sql += " HAVING count(*) > 2"
    return sql


@pytest.mark.parametrize("seed", share([1, 2], 2))
def test_random_queries(spark: SparkSession, seed: int) -> None:
    picked = random.Random(seed)
    applied = 0
    for table in random_tables(spark, picked):
        for _ in share(range(40), 5):
            sql = random_query(table, picked)
            n = hits(spark)
            rows = spark.sql(sql)
            rows._jdf.queryExecution().optimizedPlan()
            if hits(spark) > n:  # else both plans are the same
                applied += 1
                files(spark, sql)
    assert applied > (50 if FULL else 15), applied
