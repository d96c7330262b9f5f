"""The rule joins: files that the other side of a join excludes once its values are known, and rows that stay right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from samples import swept
from scans import leaves, plan
from session_settings import settings

SWITCH = "spark.iceberg_sql.joins"
FACT, SORTED, DIM, KEYS, BIG = (f"local.joins.{name}" for name in ("fact", "sorted", "dim", "keys", "big"))
DAYS = 100
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.planChangeValidation": "true",
    "spark.sql.adaptive.enabled": "true",
}


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **SETTINGS):
        yield


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> None:
    """A file for each day from 1 January 2024, with 10 rows; 20 files sorted by id, without partitions; a calendar."""
    ts = "timestamp '2024-01-01' + make_dt_interval(0, 0, cast(id * 144 as int))"
    columns = f"id, {ts} AS ts, cast({ts} AS date) AS day, concat('k', lpad(id, 4, '0')) AS s"
    spark.sql(
        f"CREATE OR REPLACE TABLE {FACT} USING iceberg PARTITIONED BY (days(ts)) "
        f"AS SELECT {columns} FROM range({DAYS * 10})"
    )
    spark.sql(
        f"CREATE OR REPLACE TABLE {SORTED} USING iceberg TBLPROPERTIES ('write.distribution-mode' = 'none') "
        f"AS SELECT {columns}, cast(id AS decimal(10, 2)) AS price, cast(id AS double) AS f, "
        "if(id < 10, NULL, id) AS n FROM range(0, 1000, 1, 20)"
    )
    spark.sql(
        f"CREATE OR REPLACE TABLE {DIM} USING iceberg AS SELECT d, cast(d AS timestamp) AS lo, "
        "cast(d AS timestamp) + INTERVAL 1 DAY AS hi, date_format(d, 'E') AS name, day(d) = 5 AS fifth "
        f"FROM (SELECT date_add(date '2024-01-01', cast(id AS int)) AS d FROM range({DAYS}))"
    )
    spark.sql(
        f"CREATE OR REPLACE TABLE {KEYS} USING iceberg AS SELECT id, id AS g, cast(id AS int) AS i, "
        "concat('k', lpad(id, 4, '0')) AS s, cast(id AS decimal(10, 2)) AS price, cast(id AS double) AS f, "
        "if(id = 3, NULL, id) AS n FROM range(1000)"
    )
    spark.sql(f"CREATE OR REPLACE TABLE {BIG} USING iceberg AS SELECT id, id * 2 AS twice FROM range(1000)")


def read(rows: DataFrame, table: str) -> int:
    """Data files of a table that a query read."""
    count = 0
    for leaf in leaves(rows):
        if leaf.nodeName() == f"BatchScan {table}":
            count += leaf.metrics().apply("resultDataFiles").value()
    return count


def compare(spark: SparkSession, query: str, table: str = FACT) -> tuple[int, int]:
    """Run it with and without the rule: the rows are the same. Returns the files of the table that were read."""
    rows = spark.sql(query)
    result = sorted(map(str, rows.collect()))
    spark.conf.set(SWITCH, "false")
    try:
        plain = spark.sql(query)
        assert result == sorted(map(str, plain.collect()))
        return read(rows, table), read(plain, table)
    finally:
        spark.conf.unset(SWITCH)


# By a query, the files of FACT that it reads with the rule and without.
PRUNED = {
    f"SELECT count(*), sum(e.id) FROM {FACT} e JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.lo = '2024-02-05'": 1,
    f"SELECT e.id, k.d FROM {DIM} k JOIN {FACT} e ON to_date(e.ts) = k.d WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.name = 'Sun'": 14,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON e.ts >= k.lo AND e.ts < k.hi WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON e.ts BETWEEN k.d AND k.d + INTERVAL 12 HOURS WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON date_trunc('day', e.ts) = k.lo WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON e.ts >= k.lo WHERE k.d >= '2024-04-01'": 9,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON e.day = k.d WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON iceberg_days(e.ts) = iceberg_days(k.lo) WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON iceberg_months(e.ts) = iceberg_months(k.lo) "
    "WHERE k.lo = '2024-02-05'": 29,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON iceberg_hours(e.ts) = iceberg_hours(k.hi) + 2 WHERE k.fifth": 4,
    f"SELECT id FROM {FACT} WHERE to_date(ts) IN (SELECT d FROM {DIM} WHERE fifth)": 4,
    f"SELECT id FROM {FACT} e WHERE EXISTS (SELECT 1 FROM {DIM} k WHERE k.d = to_date(e.ts) AND k.fifth)": 4,
    f"SELECT id FROM {FACT} WHERE ts >= (SELECT max(lo) FROM {DIM} WHERE fifth)": 5,
    f"SELECT id FROM {FACT} WHERE to_date(ts) = (SELECT max(d) FROM {DIM} WHERE fifth) AND id > 3": 1,
    f"SELECT * FROM (SELECT id, date_trunc('day', ts) AS t FROM {FACT} WHERE id % 2 = 0) e "
    f"JOIN {DIM} k ON e.t = k.lo WHERE k.fifth": 4,
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON to_date(e.ts) = k.d JOIN {KEYS} i ON e.id = i.id "
    "WHERE k.fifth AND i.i BETWEEN 40 AND 400": 2,
    f"SELECT /*+ MERGE(b) */ e.id, b.twice FROM {FACT} e JOIN {BIG} b ON e.id = b.id "
    f"JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.name = 'Sun'": 14,
    f"SELECT e.id FROM (SELECT id, ts FROM {FACT} UNION ALL SELECT -id, ts FROM {FACT}) e "
    f"JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.fifth": 8,
    f"SELECT e.id, x FROM (SELECT id, ts, explode(array(1, 2)) AS x FROM {FACT}) e "
    f"JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.fifth": 4,
    f"SELECT /*+ BROADCAST(k) */ k.d, e.id FROM (SELECT * FROM {DIM} WHERE fifth) k "
    f"LEFT JOIN {FACT} e ON e.ts >= k.lo AND e.ts < k.hi": 4,
    f"SELECT e.id FROM {FACT} e JOIN VALUES (date '2024-01-07'), (NULL) AS k (d) ON to_date(e.ts) = k.d": 1,
    f"SELECT max(id) FROM {FACT} e LEFT ANTI JOIN {BIG} b ON e.id = b.id + 500 "
    f"JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.fifth": 4,
}


MAIN = pytest.mark.tier("quick", of="rule joins")


@pytest.mark.parametrize("query", [*(pytest.param(q, marks=MAIN) for q in [*PRUNED][:3]), *swept([*PRUNED][3:], 2)])
def test_files_of_days(spark: SparkSession, query: str) -> None:
    assert compare(spark, query) == (PRUNED[query], 2 * DAYS if "UNION" in query else DAYS)


# By a condition and a filter of KEYS, the files of SORTED that are read, of 20 with 50 values each.
BY_BOUNDS = {
    ("e.id = k.id", "k.g IN (3, 7)"): 1,
    ("e.id = k.id", "k.g IN (3, 700)"): 2,
    ("e.id = k.i", "k.g IN (3, 700)"): 2,
    ("e.id = k.id", "k.g < 250"): 5,
    ("e.id = k.id", "k.g < 250 OR k.g >= 900"): 7,
    ("e.id = k.id", "k.g % 100 = 0"): 10,
    ("e.s = k.s", "k.g IN (3, 700)"): 2,
    ("e.s = k.s", "k.g < 250"): 5,
    ("e.price = k.price", "k.g IN (3, 700)"): 2,
    ("e.price = k.price AND e.id = k.id", "k.g < 250"): 5,
    ("e.n = k.n", "k.g IN (3, 700)"): 1,
    ("e.id + 100 = k.id", "k.g IN (103, 700)"): 20,
    ("e.id > k.id", "k.g IN (900, 940)"): 2,
    ("k.id < e.id AND e.id <= k.id + 10", "k.g IN (45, 300)"): 3,
    ("e.id = k.id AND e.s >= k.s", "k.g IN (3, 700)"): 2,
    # Floating-point numbers are left out: equal values may differ, and NaN has no order.
    ("e.f = k.f", "k.g IN (3, 700)"): 20,
    # A null joins a null.
    ("e.n <=> k.n", "k.g IN (3, 700)"): 20,
    ("e.id = k.id OR e.n = k.n", "k.g IN (3, 700)"): 20,
    ("e.id <> k.id", "k.g IN (3, 700)"): 20,
}


@pytest.mark.parametrize(("condition", "keys"), BY_BOUNDS)
def test_files_by_bounds(spark: SparkSession, condition: str, keys: str) -> None:
    query = f"SELECT /*+ BROADCAST(k) */ e.id, k.id FROM {SORTED} e JOIN {KEYS} k ON {condition} WHERE {keys}"
    assert compare(spark, query, SORTED) == (BY_BOUNDS[condition, keys], 20)


UNPRUNED = (
    f"SELECT e.id, k.d FROM {FACT} e LEFT JOIN {DIM} k ON to_date(e.ts) = k.d AND k.fifth",
    f"SELECT id FROM {FACT} e LEFT ANTI JOIN (SELECT * FROM {DIM} WHERE fifth) k ON to_date(e.ts) = k.d",
    f"SELECT id FROM {FACT} e WHERE to_date(ts) NOT IN (SELECT d FROM {DIM} WHERE fifth)",
    f"SELECT e.id, k.d FROM {FACT} e FULL JOIN (SELECT * FROM {DIM} WHERE fifth) k ON to_date(e.ts) = k.d",
    f"SELECT id, EXISTS (SELECT 1 FROM {DIM} k WHERE k.d = to_date(e.ts) AND k.fifth) AS x FROM {FACT} e",
    f"SELECT e.id, r < 2 FROM (SELECT *, rand(7) AS r FROM {FACT}) e JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.fifth",
    f"SELECT e.id FROM {FACT} e JOIN {DIM} k ON month(e.ts) = month(k.d) WHERE k.lo = '2024-02-05'",
)


@pytest.mark.parametrize("query", UNPRUNED)
def test_rows_that_join_nothing_are_needed(spark: SparkSession, query: str) -> None:
    assert compare(spark, query) == (DAYS, DAYS)


def test_without_adaptive_execution(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        assert {compare(spark, query) for query in list(PRUNED)[:5]} == {(DAYS, DAYS)}
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", "true")


JOINED = f"SELECT e.id, e.ts FROM {FACT} e JOIN {DIM} k ON to_date(e.ts) = k.d"
GROUPED = f"SELECT e.day, count(*) AS n FROM {FACT} e JOIN {DIM} k ON to_date(e.ts) = k.d WHERE k.fifth GROUP BY e.day"
# By a query that reads FACT several times, the files that it reads in all; None where Spark may reuse a stage.
SHARED: dict[str, int | None] = {
    f"{JOINED} WHERE k.fifth UNION ALL {JOINED} WHERE k.name = 'Sun'": 18,
    f"{JOINED} WHERE k.fifth UNION ALL SELECT id, ts FROM {FACT}": 104,
    f"SELECT id, ts FROM {FACT} UNION ALL {JOINED} WHERE k.fifth": 104,
    f"SELECT a.id, b.id FROM ({JOINED} WHERE k.fifth) a JOIN ({JOINED} WHERE k.name = 'Mon') b ON a.id = b.id": None,
    f"SELECT a.id, b.id FROM ({JOINED} WHERE k.fifth) a JOIN {FACT} b ON a.id = b.id + 1": None,
    f"{JOINED} WHERE k.fifth AND e.id > (SELECT avg(id) FROM {FACT})": 4,
    f"WITH g AS ({GROUPED}) SELECT a.day, a.n, b.n FROM g a JOIN g b ON a.day = b.day": None,
    f"SELECT a.day, a.n, b.n FROM ({GROUPED}) a RIGHT JOIN (SELECT day, count(*) AS n FROM {FACT} GROUP BY day) b "
    "ON a.day = b.day": None,
    f"{GROUPED} UNION ALL {GROUPED}": None,
    f"{GROUPED} UNION ALL {GROUPED.replace('k.fifth', 'NOT k.fifth')}": 100,
    f"SELECT (SELECT count(*) FROM ({JOINED} WHERE k.fifth)), (SELECT count(*) FROM {FACT})": None,
}


@pytest.mark.parametrize("broadcast", [True, False])
@pytest.mark.parametrize("query", swept(SHARED, 3))
def test_scans_of_the_same_table(spark: SparkSession, query: str, broadcast: bool) -> None:
    if not broadcast:
        query = query.replace("SELECT", "SELECT /*+ MERGE(a, b) */", 1)
    files, plain = compare(spark, query)
    assert files <= plain
    assert SHARED[query.replace("/*+ MERGE(a, b) */ ", "")] in {None, files}


def test_reused_stages(spark: SparkSession) -> None:
    rows = spark.sql(f"{GROUPED} UNION ALL {GROUPED}")
    assert len(rows.collect()) == 8
    assert "ReusedExchange" in plan(rows)
    assert read(rows, FACT) == 4


@pytest.mark.parametrize(("width", "files", "narrowed"), [(10, 100, 100), (500, 20, 2)])
def test_what_dynamic_pruning_leaves_out_needs_no_other_scan(
    spark: SparkSession, width: int, files: int, narrowed: int
) -> None:
    """It compares partition values: bounds leave out more where a partition has files of different ranges."""
    table = f"local.joins.of_{width}"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (truncate({width}, id)) "
        f"TBLPROPERTIES ('write.distribution-mode' = 'none') AS SELECT id FROM range(0, 1000, 1, 20)"
    )
    query = f"SELECT count(*) FROM {table} e JOIN {KEYS} k ON e.id = k.id WHERE k.s IN ('k0005', 'k0455')"
    assert "dynamicpruning" in plan(spark.sql(query))
    assert compare(spark, query, table) == (narrowed, files)
    rows = spark.sql(query)
    rows.collect()
    (scan,) = (leaf for leaf in leaves(rows) if leaf.nodeName() == f"BatchScan {table}")
    assert scan.metrics().apply("numSplits").value() == 2
