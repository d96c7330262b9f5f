"""ORDER BY ... LIMIT reads only the files that may hold the first rows: the rule `topk`."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from first_rows import INTERPRETED, SETTINGS, compared, planned, rows_read
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from samples import share, swept
from scans import plan
from session_settings import settings
from test_moved import equality_delete

from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

RULE = "topk"
# 60 days with 24 rows each, one a hour, from 1 January 2024, one file a day.
DAILY, DAYS, HOURS = "local.topk.daily", 60, 24
ALL = DAYS * HOURS
# Ten files of ten rows each, in the order of id. In every third file every fifth v is null.
BLOCKS, BLOCK = "local.topk.blocks", 10


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **SETTINGS):
        yield


@pytest.fixture(scope="module")
def daily(spark: SparkSession) -> str:
    spark.sql(f"""
        CREATE OR REPLACE TABLE {DAILY} USING iceberg PARTITIONED BY (days(ts)) AS
        SELECT id, ts, cast(ts AS timestamp_ntz) AS n, cast(ts AS date) AS d, date_format(ts, 'yyyyMMdd') AS ds,
               named_struct('ts', ts) AS s, cast(id / 4 AS decimal(12, 2)) AS amount, cast(id AS double) AS f
        FROM (SELECT id, timestamp '2024-01-01' + make_dt_interval(0, cast(id AS int)) AS ts FROM range({ALL}))
    """)
    return DAILY


def create_blocks(spark: SparkSession, name: str, properties: str = "") -> str:
    spark.sql(f"CREATE OR REPLACE TABLE {name} (id INT, v INT) USING iceberg TBLPROPERTIES ({properties})")
    for start in range(0, 10 * BLOCK, BLOCK):
        value = "if(id % 5 = 0, NULL, cast(id AS int))" if start // BLOCK % 3 == 0 else "cast(id AS int)"
        spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, {value} FROM range({start}, {start + BLOCK})")
    return name


@pytest.fixture(scope="module")
def blocks(spark: SparkSession) -> str:
    return create_blocks(spark, BLOCKS, "'format-version' = '2'")


# Query of the daily table, and rows read of 1,440: 24 in each file.
QUERIES = {
    "SELECT * FROM {t} ORDER BY ts DESC LIMIT 10": 24,
    "SELECT * FROM {t} ORDER BY ts LIMIT 10": 24,
    "SELECT * FROM {t} ORDER BY ts NULLS LAST LIMIT 20 OFFSET 20": 48,
    "SELECT * FROM {t} ORDER BY ts DESC NULLS FIRST LIMIT 24": 24,
    "SELECT * FROM {t} ORDER BY ts DESC NULLS FIRST LIMIT 25": 48,
    "SELECT id FROM {t} ORDER BY n DESC LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY d DESC, id LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY ds DESC, id DESC LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY s.ts DESC LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY amount DESC LIMIT 10": 24,
    "SELECT ts AS t, id + 1 AS i FROM {t} ORDER BY t DESC LIMIT 10": 24,
    "SELECT u FROM (SELECT t AS u FROM (SELECT ts AS t FROM {t})) ORDER BY u LIMIT 10": 24,
    "SELECT id FROM {t} WHERE ts < '2024-02-01' ORDER BY ts DESC LIMIT 10": 24,
    "SELECT id FROM {t} WHERE ts < '2024-02-01 05:00:00' ORDER BY ts DESC LIMIT 10": 48,
    "SELECT id FROM {t} WHERE ts BETWEEN '2024-01-10' AND '2024-02-01' AND id >= 0 ORDER BY ts LIMIT 10": 24,
    "SELECT id FROM {t} WHERE year(ts) = 2024 AND month(ts) = 2 ORDER BY ts DESC LIMIT 10": 24,
    "SELECT id FROM {t} WHERE date_trunc('month', ts) < '2024-02-01' ORDER BY ts DESC LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY iceberg_days(ts) DESC, id LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY iceberg_hours(n), id LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY iceberg_months(d) DESC, id LIMIT 10": 29 * 24,
    "SELECT id FROM {t} ORDER BY iceberg_truncate(100, id) DESC, id LIMIT 10": 48,
    "SELECT id FROM {t} ORDER BY iceberg_truncate(6, ds) DESC, id LIMIT 10": 29 * 24,
    "SELECT id FROM {t} ORDER BY iceberg_truncate(6, ds) NULLS LAST, id LIMIT 10": 31 * 24,
    "SELECT id FROM {t} ORDER BY date_trunc('month', ts) DESC, id LIMIT 10": 29 * 24,
    "SELECT id FROM {t} ORDER BY to_date(ts), id LIMIT 10": 24,
    "SELECT id FROM {t} ORDER BY year(ts) * 100 + month(ts) DESC, id LIMIT 10": 29 * 24,
    "SELECT id FROM {t} ORDER BY 0 - unix_timestamp(ts), id LIMIT 10": 24,
    "SELECT m, count(*) FROM (SELECT date_format(ts, 'yyyy-MM-dd') AS m FROM {t} ORDER BY m DESC, id LIMIT 30)"
    " GROUP BY m ORDER BY m": 48,
    "SELECT * FROM (SELECT id FROM {t} ORDER BY ts DESC LIMIT 3) UNION ALL"
    " SELECT * FROM (SELECT id FROM {t} ORDER BY ts LIMIT 3)": 48,
    "WITH c AS (SELECT id, ts AS x FROM {t} WHERE ts > '2024-02-01') SELECT * FROM c ORDER BY x LIMIT 3": 48,
}


MAIN = pytest.mark.tier("quick", of="rule topk")


@pytest.mark.parametrize("query", [pytest.param(q, marks=MAIN) if q in list(QUERIES)[:3] else q for q in QUERIES])
def test_rows_read(spark: SparkSession, daily: str, query: str) -> None:
    rows, read, expected, all_read = compared(spark, query.format(t=daily), RULE)
    assert rows == expected
    assert read == QUERIES[query]
    assert all_read > read


# Shapes whose answer may depend on rows of all files, or for which nothing is certain.
UNCHANGED = [
    "SELECT * FROM {t} ORDER BY f DESC LIMIT 10",
    "SELECT id, rand(7) FROM {t} ORDER BY ts DESC LIMIT 10",
    "SELECT id FROM {t} WHERE rand(7) < 0.9 ORDER BY ts DESC LIMIT 10",
    "SELECT id FROM {t} WHERE id % 100 = 0 ORDER BY ts DESC LIMIT 10",
    "SELECT id FROM {t} WHERE f > 5 ORDER BY ts DESC LIMIT 10",
    "SELECT id FROM {t} ORDER BY ts DESC LIMIT 100000",
    "SELECT id FROM {t} ORDER BY dayofmonth(ts) DESC, id LIMIT 10",
    "SELECT id FROM {t} ORDER BY iceberg_bucket(4, id), id LIMIT 10",
    "SELECT id FROM {t} ORDER BY id % 7, id LIMIT 10",
    "SELECT id FROM {t} ORDER BY coalesce(ts, timestamp '2030-01-01') DESC LIMIT 10",
    "SELECT d, count(*) AS c FROM {t} GROUP BY d ORDER BY d DESC LIMIT 10",
    "SELECT DISTINCT d FROM {t} ORDER BY d DESC LIMIT 10",
    "SELECT id, row_number() OVER (ORDER BY id) AS r FROM {t} ORDER BY ts DESC LIMIT 10",
    "SELECT a.id FROM {t} a JOIN (SELECT id FROM {t}) b ON a.id = b.id + 1 ORDER BY a.ts DESC LIMIT 10",
    "SELECT id FROM {t} TABLESAMPLE (50 PERCENT) REPEATABLE (3) ORDER BY ts DESC LIMIT 10",
    "SELECT id, e FROM {t} LATERAL VIEW explode(array()) AS e ORDER BY ts DESC LIMIT 10",
    "SELECT id FROM {t} SORT BY ts DESC LIMIT 10",
]


@pytest.mark.parametrize("query", UNCHANGED)
def test_other_shapes_are_left_alone(spark: SparkSession, daily: str, query: str) -> None:
    rows, read, expected, all_read = compared(spark, query.format(t=daily), RULE)
    assert read == all_read
    assert rows == expected


def test_a_scalar_subquery(spark: SparkSession, daily: str) -> None:
    query = f"SELECT count(*) FROM {daily} WHERE ts >= (SELECT ts FROM {daily} ORDER BY ts DESC LIMIT 1 OFFSET 2)"
    rows, _, expected, _ = compared(spark, query, RULE)
    assert rows == expected == [(3,)]
    assert "ts >= " in plan(planned(spark, query, RULE, on=True)).partition("Subquery")[2]


def test_the_dataframe_api(spark: SparkSession, daily: str) -> None:
    table = spark.table(daily)
    latest = table.where("id >= 0").orderBy(F.desc("ts"))
    assert [row.id for row in latest.head(3)] == [ALL - 1, ALL - 2, ALL - 3]
    assert rows_read(latest.select((F.col("id") * 2).alias("x")).limit(5)) == HOURS
    assert rows_read(latest.limit(5).where("id % 2 = 0")) == HOURS
    assert latest.tail(2) == table.where("id >= 0").orderBy("ts").limit(2).collect()[::-1]


def test_explain_marks_the_threshold(spark: SparkSession, daily: str) -> None:
    explanation = plan(planned(spark, f"SELECT id FROM {daily} ORDER BY id DESC LIMIT 3", RULE, on=True))
    assert f"id >= {ALL - HOURS}" in explanation
    assert "(implied)" in explanation


@pytest.mark.parametrize(("order", "limit", "files"), [
    ("v", 3, 4), ("v", 9, 4), ("v NULLS LAST", 3, 1), ("v NULLS LAST", 9, 2), ("v DESC", 9, 2),
    ("v DESC NULLS FIRST", 3, 4), ("v DESC NULLS FIRST", 9, 4), ("v", 17, 5), ("v DESC NULLS FIRST", 19, 5),
])  # fmt: skip
def test_nulls(spark: SparkSession, blocks: str, order: str, limit: int, files: int) -> None:
    rows, read, expected, all_read = compared(
        spark, f"SELECT id, v FROM {blocks} ORDER BY {order}, id LIMIT {limit}", RULE
    )
    assert rows == expected
    assert (read, all_read) == (files * BLOCK, 10 * BLOCK)


DELETES = {
    "positions": "'format-version' = '2', 'write.delete.mode' = 'merge-on-read'",
    "vectors": "'format-version' = '3', 'write.delete.mode' = 'merge-on-read'",
    "copy": "'format-version' = '2'",
}


@pytest.mark.parametrize("kind", swept(DELETES, 2))
def test_deleted_rows_do_not_count(spark: SparkSession, kind: str) -> None:
    name = create_blocks(spark, f"local.topk.{kind}", DELETES[kind])
    spark.sql(f"DELETE FROM {name} WHERE id BETWEEN 82 AND 98")
    for order in ("id DESC", "v DESC", "v", "v DESC NULLS FIRST"):
        for limit in share((1, 2, 3, 4, 5, 11, 13), 2):
            query = f"SELECT id, v FROM {name} ORDER BY {order}, id LIMIT {limit}"
            rows, read, expected, all_read = compared(spark, query, RULE)
            assert rows == expected, query
            assert read < all_read, query


def test_files_with_equality_deletes_do_not_count(spark: SparkSession) -> None:
    name = create_blocks(spark, "local.topk.equal", "'format-version' = '2'")
    query = f"SELECT id FROM {name} ORDER BY id DESC LIMIT 3"
    assert compared(spark, query, RULE)[1] == BLOCK
    equality_delete(spark, name, 98)
    rows, read, expected, _ = compared(spark, query, RULE)
    assert rows == expected == [(99,), (97,), (96,)]
    assert read == 2 * BLOCK - 1  # the delete's own file has no sure rows
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 1 FROM range(200, 210)")
    rows, read, expected, _ = compared(spark, query, RULE)
    assert rows == expected == [(209,), (208,), (207,)]
    assert read == BLOCK


def test_files_without_statistics_are_read(spark: SparkSession) -> None:
    name = create_blocks(spark, "local.topk.bare", "'format-version' = '2'")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'none')")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 1 FROM range(50, 150, 10)")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'counts')")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 1 FROM range(60, 160, 10)")
    for limit in (3, 8, 12, 25):
        query = f"SELECT id FROM {name} ORDER BY id DESC LIMIT {limit}"
        rows, read, expected, _ = compared(spark, query, RULE)
        assert rows == expected
        assert read == (2 + -(-limit // BLOCK)) * BLOCK


def test_partition_values_are_bounds(spark: SparkSession) -> None:
    """As in tables imported from Hive, whose files have no statistics of the partition column."""
    name = "local.topk.partitioned"
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (ds)"
        " TBLPROPERTIES ('write.metadata.metrics.default' = 'none')"
        " AS SELECT id, if(id < 10, NULL, concat('d', id div 10)) AS ds FROM range(90)"
    )
    for order, files in {"ds": 2, "ds DESC": 2, "ds NULLS LAST": 2, "ds DESC NULLS FIRST": 2}.items():
        rows, read, expected, all_read = compared(spark, f"SELECT * FROM {name} ORDER BY {order}, id LIMIT 15", RULE)
        assert rows == expected
        assert (read, all_read) == (files * 10, 90), order


def test_time_travel_and_branches(spark: SparkSession) -> None:
    name = create_blocks(spark, "local.topk.travel", "'format-version' = '2'")
    first = spark.sql(f"SELECT snapshot_id FROM {name}.snapshots ORDER BY committed_at DESC LIMIT 1").collect()[0][0]
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH side")
    spark.sql(f"INSERT INTO {name}.branch_side SELECT /*+ COALESCE(1) */ id, 2 FROM range(200, 210)")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 2 FROM range(300, 310)")
    for source, top in {
        name: 309,
        f"{name} VERSION AS OF {first}": 99,
        f"{name} VERSION AS OF 'side'": 209,
        f"{name}.branch_side": 209,
    }.items():
        rows, read, expected, all_read = compared(spark, f"SELECT id FROM {source} ORDER BY id DESC LIMIT 3", RULE)
        assert rows == expected == [(top,), (top - 1,), (top - 2,)]
        # Before Iceberg 1.12, a branch cannot be fixed to its snapshot.
        assert read == (all_read if "side" in source and SPARK_VERSION < (4, 1) else BLOCK)


def test_a_plan_keeps_its_snapshot(spark: SparkSession) -> None:
    name = create_blocks(spark, "local.topk.pinned", "'format-version' = '2'")
    query = f"SELECT id FROM {name} ORDER BY id DESC LIMIT 12"
    prepared = planned(spark, query, RULE, on=True)
    spark.sql(f"DELETE FROM {name} WHERE id >= 80")
    assert [row.id for row in prepared.collect()] == list(range(99, 87, -1))
    assert [row.id for row in spark.sql(query).collect()] == list(range(79, 67, -1))


def test_evolved_tables(spark: SparkSession) -> None:
    name = create_blocks(spark, "local.topk.evolved", "'format-version' = '2'")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN late INT")
    spark.sql(f"ALTER TABLE {name} ADD PARTITION FIELD truncate(10, id)")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 1, cast(id AS int) FROM range(100, 110)")
    spark.sql(f"ALTER TABLE {name} ADD PARTITION FIELD v")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 120, cast(id AS int) FROM range(110, 120)")
    for order, files in {"late DESC": 1, "late NULLS LAST": 1, "late": 10, "id DESC": 1, "id": 1, "v DESC": 1}.items():
        rows, read, expected, all_read = compared(
            spark, f"SELECT id, late FROM {name} ORDER BY {order}, id DESC LIMIT 5", RULE
        )
        assert rows == expected, order
        if order != "late":  # files without the column have no count of nulls
            assert (read, all_read) == (files * BLOCK, 12 * BLOCK), order
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN id TO key")
    rows, _, expected, _ = compared(spark, f"SELECT key FROM {name} ORDER BY key DESC LIMIT 5", RULE)
    assert rows == expected == [(119,), (118,), (117,), (116,), (115,)]


def test_wrapped_partition_values(spark: SparkSession) -> None:
    """The least int, truncated, is positive: a filter on the column would skip its file."""
    name = "local.topk.wrapped"
    spark.sql(f"CREATE OR REPLACE TABLE {name} (x INT) USING iceberg PARTITIONED BY (truncate(10, x))")
    spark.sql(f"INSERT INTO {name} VALUES (-2147483648), (5), (105), (205), (305)")
    rows, _, expected, _ = compared(spark, f"SELECT x FROM {name} ORDER BY x NULLS LAST LIMIT 2", RULE)
    assert rows == expected == [(-2147483648,), (5,)]
    spark.sql(f"DELETE FROM {name} WHERE x < 0 AND iceberg_truncate(10, x) > 0")
    spark.sql(f"CREATE OR REPLACE TABLE {name} (x INT) USING iceberg PARTITIONED BY (truncate(10, x))")
    spark.sql(f"INSERT INTO {name} VALUES (5), (105), (205), (305)")
    rows, read, expected, _ = compared(spark, f"SELECT x FROM {name} ORDER BY x NULLS LAST LIMIT 2", RULE)
    assert rows == expected == [(5,), (105,)]
    assert read == 2


def test_daylight_saving_time(spark: SparkSession) -> None:
    """Local time repeats on 27 October 2024: date_trunc is not monotonic there."""
    name = "local.topk.clock"
    spark.sql(f"CREATE OR REPLACE TABLE {name} (id BIGINT, ts TIMESTAMP) USING iceberg")
    for start in range(0, 80, 8):
        spark.sql(
            f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, timestamp '2024-10-26 20:00:00Z'"
            f" + make_dt_interval(0, 0, cast(15 * id AS int)) FROM range({start}, {start + 8})"
        )
    for zone in ("Europe/Berlin", "America/New_York", "UTC"):
        with settings(spark, **{"spark.sql.session.timeZone": zone}, **INTERPRETED):
            for key in ("date_trunc('hour', ts)", "date_format(ts, 'yyyy-MM-dd HH:mm')", "to_date(ts)", "n(ts)"):
                expression = key.replace("n(ts)", "cast(ts AS timestamp_ntz)")
                for order in ("", " DESC"):
                    for limit in share((3, 20, 47), 3):
                        query = f"SELECT * FROM {name} ORDER BY {expression}{order}, id LIMIT {limit}"
                        rows, _, expected, _ = compared(spark, query, RULE)
                        assert rows == expected, (zone, query)


COLUMNS = {
    "i": "cast({n} AS int)",
    "l": "cast({n} AS bigint) * 1000000007",
    "d": "date '2024-03-01' + cast({n} AS int)",
    "ts": "timestamp '2024-03-25' + make_dt_interval(0, cast({n} AS int))",
    "s": "concat(if({n} % 2 = 0, 'ä', 'b'), repeat('x', 12), cast(1000 + {n} AS string))",
    "c": "cast({n} / 8 AS decimal(9, 3))",
    "b": "{n} > 20",
}
SPECS = ["", "days(ts)", "hours(ts)", "i", "truncate(7, l)", "bucket(3, l)", "months(d), b", "s", "truncate(3, s)"]
KEYS = [*COLUMNS, "iceberg_days(ts)", "iceberg_truncate(7, l)", "iceberg_truncate(15, s)", "date_trunc('day', ts)",
        "to_date(ts)", "i + 5", "iceberg_truncate(50, c)", "iceberg_months(d)", "unix_timestamp(ts)"]  # fmt: skip
FILTERS = ["i > {n}", "i <= {n}", "ts < timestamp '2024-03-25' + make_dt_interval(0, {n})", "b", "NOT b", "s >= 'b'",
           "i IS NOT NULL", "l IS NULL", "i IN (1, {n}, 30)", "i <> {n}", "d >= date '2024-03-10'", "s LIKE 'b%'",
           "iceberg_days(ts) > date '2024-03-25'", "i % 2 = 0", "year(d) = 2024",
           "c < {n}", "i > {n} OR b"]  # fmt: skip


def random_table(spark: SparkSession, numbers: random.Random, name: str, blocks: int = 0) -> None:
    version = numbers.choice([2, 3]) if SPARK_VERSION >= (4, 0) else 2
    properties = (
        f"'format-version' = '{version}', 'write.delete.mode' = 'merge-on-read',"
        f" 'write.metadata.metrics.default' = '{numbers.choice(['none', 'counts', 'truncate(13)', 'full', 'full'])}'"
    )
    columns = ", ".join(
        f"if(pmod(hash(id, '{column}'), {{nulls}}) = 0, NULL, {text.format(n='(id + shift)')}) AS {column}"
        for column, text in COLUMNS.items()
    )
    spec = numbers.choice(SPECS)
    partitioned = f"PARTITIONED BY ({spec})" if spec else ""
    for block in range(blocks or numbers.randrange(3, 7)):
        start, width = numbers.randrange(0, 60), numbers.choice([3, 10, 10, 30])
        source = (
            f"SELECT /*+ COALESCE(1) */ id, {columns.format(nulls=numbers.choice([1, 4, 50, 1000, 1000]))}"
            f" FROM (SELECT id, {numbers.randrange(-20, 20)} AS shift FROM range({start}, {start + width}))"
        )
        if block == 0:
            spark.sql(
                f"CREATE OR REPLACE TABLE {name} USING iceberg {partitioned} TBLPROPERTIES ({properties}) AS {source}"
            )
        else:
            spark.sql(f"INSERT INTO {name} {source}")
        if numbers.random() < 0.3:
            spark.sql(f"DELETE FROM {name} WHERE pmod(hash(id), 3) = 0 AND id > {numbers.randrange(0, 60)}")
        if numbers.random() < 0.2:
            spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'full')")
        if numbers.random() < 0.15:
            spark.sql(f"ALTER TABLE {name} ADD PARTITION FIELD truncate({numbers.randrange(2, 99)}, i)")


def random_query(numbers: random.Random, name: str) -> str:
    keys = numbers.sample(KEYS, numbers.choice([1, 1, 2]))
    order = ", ".join(
        key + numbers.choice(["", " DESC"]) + numbers.choice(["", "", " NULLS FIRST", " NULLS LAST"]) for key in keys
    )
    conditions = numbers.sample(FILTERS, numbers.choice([0, 0, 1, 1, 2]))
    where = " AND ".join(f"({text.format(n=numbers.randrange(0, 50))})" for text in conditions)
    limit = numbers.choice([1, 2, 3, 5, 10, 30])
    skipped = f" OFFSET {numbers.randrange(1, 12)}" if numbers.random() < 0.2 else ""
    return (
        f"SELECT * FROM {name}{' WHERE id >= 0 AND ' + where if where else ''}"
        f" ORDER BY {order}, id, hash(i, l, ts, s, c, d, b) LIMIT {limit}{skipped}"
    )


@pytest.mark.parametrize("seed", share(range(6), 6))
def test_random_queries(spark: SparkSession, seed: int) -> None:
    numbers = random.Random(f"topk {seed}")
    fewer = 0
    with settings(spark, **INTERPRETED):
        for table in range(2):
            name = f"local.topk.random{seed}_{table}"
            random_table(spark, numbers, name)
            for _ in share(range(16), 4):
                query = random_query(numbers, name)
                rows, read, expected, all_read = compared(spark, query, RULE)
                assert rows == expected, query
                assert read <= all_read, query
                fewer += read < all_read
    assert fewer > 0
