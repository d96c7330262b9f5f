"""The rule joins on random tables and queries, and on tables that change: the rows with it are those without it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from samples import share
from scans import leaves
from session_settings import settings

SWITCH = "spark.iceberg_sql.joins"
NAMESPACE = "local.joins_random"
QUERIES = 160
SETTINGS = {"spark.sql.session.timeZone": "Europe/Berlin", "spark.sql.adaptive.enabled": "true"}


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **SETTINGS):
        yield


def files(rows: DataFrame) -> int:
    scans = [leaf for leaf in leaves(rows) if leaf.nodeName().startswith("BatchScan")]
    return sum(scan.metrics().apply("resultDataFiles").value() for scan in scans)


def both(spark: SparkSession, query: str) -> tuple[list[str], list[str], int, int]:
    """Its rows with the rule and without, and the files that it reads."""
    rows = spark.sql(query)
    result = sorted(map(str, rows.collect()))
    with settings(spark, **{SWITCH: "false"}):
        plain = spark.sql(query)
        return result, sorted(map(str, plain.collect())), files(rows), files(plain)


# From March, so that some of the hours are those of a change of the clocks.
ROWS = """
    SELECT if(x % 17 = 0, NULL, x) AS id, cast(x * 7 % 50 AS int) AS i,
           if(x % 13 = 0, NULL, timestamp '2024-03-20' + make_dt_interval(0, cast(x * 5 AS int))) AS ts,
           timestamp_ntz '2024-03-20 00:00:00' + make_dt_interval(0, cast(x * 5 AS int)) AS n,
           if(x % 11 = 0, NULL, date_add(date '2024-03-20', cast(x DIV 5 AS int))) AS d,
           concat(char(97 + x % 20), x) AS s, cast(x * 1.25 AS decimal(10, 2)) AS p
    FROM (SELECT cast(id AS bigint) AS x FROM range({start}, {end}))
"""
SPECS = ("", "days(ts)", "months(ts)", "bucket(4, id)", "truncate(1, s)", "d", "days(n), bucket(2, i)", "hours(ts)")


def create(spark: SparkSession, name: str, spec: str, pick: random.Random) -> str:
    """A table of several files; some have delete files, files of another spec, and a column that was added later."""
    table = f"{NAMESPACE}.{name}"
    by = f"PARTITIONED BY ({spec})" if spec else ""
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg {by} TBLPROPERTIES ('write.distribution-mode' = 'none', "
        f"'write.delete.mode' = 'merge-on-read') AS {ROWS.format(start=0, end=120)}"
    )
    for start in (120, 150, 180):
        if start == 150 and pick.random() < 0.5:
            spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD {pick.choice(['truncate(10, i)', 'months(d)'])}")
        spark.sql(f"INSERT INTO {table} {ROWS.format(start=start, end=start + 30)}")
    if pick.random() < 0.5:
        spark.sql(f"DELETE FROM {table} WHERE id % 9 = 0")
    return table


# Comparable expressions of the two sides, e and k.
PAIRS = (
    ("e.id", "k.id"),
    ("e.i", "k.i"),
    ("e.ts", "k.ts"),
    ("e.n", "k.n"),
    ("e.d", "k.d"),
    ("e.s", "k.s"),
    ("e.p", "k.p"),
    ("e.id", "k.i"),
    ("e.id", "k.p"),
    ("to_date(e.ts)", "k.d"),
    ("e.d", "to_date(k.ts)"),
    ("e.ts", "k.d"),
    ("e.n", "k.ts"),
    ("date_trunc('day', e.ts)", "k.ts"),
    ("date_format(e.ts, 'yyyy-MM-dd')", "cast(k.d AS string)"),
    ("e.ts - INTERVAL 6 HOURS", "k.ts"),
    ("year(e.d) * 100 + month(e.d)", "k.i + 202400"),
    ("iceberg_days(e.ts)", "k.d"),
    ("iceberg_bucket(4, e.id)", "k.i % 4"),
    ("iceberg_truncate(1, e.s)", "substr(k.s, 1, 1)"),
    ("cast(e.id AS double)", "cast(k.id AS double)"),
    ("substr(e.s, 1, 1)", "substr(k.s, 1, 1)"),
    ("coalesce(e.id, 5)", "k.id"),
    ("hour(e.ts)", "k.i"),
)
TYPES = ("JOIN", "JOIN", "JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")


def condition(pick: random.Random) -> str:
    conjuncts = []
    for _ in range(pick.choice([1, 1, 2])):
        left, right = pick.choice(PAIRS)
        conjuncts.append(f"{left} {pick.choice(['=', '=', '=', '=', '<=>', '<', '>=', '<>'])} {right}")
    if pick.random() < 0.2:
        conjuncts = ["e.ts >= k.ts AND e.ts < k.ts + INTERVAL 2 DAYS"]
    return pick.choice([" AND ", " AND ", " AND ", " OR "]).join(conjuncts)


def keys(pick: random.Random, tables: list[str]) -> str:
    """The other side of a join."""
    predicate = pick.choice([f"id % 40 = {pick.randrange(40)}", f"id BETWEEN {(a := pick.randrange(190))} AND {a + 8}"])
    return f"(SELECT * FROM {pick.choice(tables)} WHERE {predicate})"


def query(pick: random.Random, tables: list[str]) -> str:
    kind, table = pick.choice(TYPES), pick.choice(tables)
    fact = pick.choice(
        [
            table,
            table,
            f"(SELECT * FROM {table} WHERE i < 40)",
            f"(SELECT * FROM {table} WHERE ts >= '2024-03-25' AND d IS NOT NULL)",
            f"(SELECT * FROM {table} UNION ALL SELECT * FROM {pick.choice(tables)})",
        ]
    )
    columns = "e.id, e.s" if "SEMI" in kind or "ANTI" in kind else "e.id, e.s, k.id AS other"
    hint = pick.choice(["", "/*+ BROADCAST(k) */", "/*+ BROADCAST(k) */", "/*+ BROADCAST(e) */", "/*+ MERGE(k) */"])
    on = condition(pick)
    sides = (f"{fact} e", f"{keys(pick, tables)} k")
    if pick.random() < 0.3 and columns != "e.id, e.s":
        sides = sides[::-1]
    text = f"SELECT {hint} {columns} FROM {sides[0]} {kind} {sides[1]} ON {on}"
    shape = pick.random()
    if shape < 0.1:
        return f"SELECT s, count(*), count(id) FROM ({text}) GROUP BY s"
    if shape < 0.2:
        return f"{text} UNION ALL {text}"
    if shape < 0.3:
        return f"SELECT r.id, c.i FROM ({text}) r JOIN {keys(pick, tables)} c ON r.id = c.id"
    if shape < 0.4:
        return f"{text} WHERE e.id > (SELECT min(id) FROM {keys(pick, tables)})"
    if shape < 0.5:
        return f"SELECT a.id, b.s FROM ({text}) a LEFT JOIN {table} b ON a.id = b.id"
    return text


@pytest.mark.parametrize("seed", share(range(4), 4))
def test_random_joins(spark: SparkSession, seed: int) -> None:
    pick = random.Random(seed)
    tables = [create(spark, f"t{seed}_{i}", spec, pick) for i, spec in enumerate(pick.sample(SPECS, 3))]
    pruned = 0
    for _ in share(range(QUERIES // 8), 2):
        text = query(pick, tables)
        rows, plain, read, read_plain = both(spark, text)
        assert rows == plain, text
        # A scan that is narrower may be broadcast instead, and then does not prune the other one.
        pruned += read < read_plain
    assert pruned > len(share(range(QUERIES // 8), 2)) // 20


def test_the_snapshot_of_the_plan(spark: SparkSession) -> None:
    """Rows that are written between planning and execution."""
    table = f"{NAMESPACE}.written"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (bucket(16, id)) AS SELECT id FROM range(90)"
    )
    text = f"SELECT e.id, k.x FROM {table} e JOIN VALUES (3), (100) AS k (x) ON e.id = k.x"
    results = []
    for switch in ("true", "false"):
        spark.conf.set(SWITCH, switch)
        rows = spark.sql(text)
        rows._jdf.queryExecution().executedPlan()
        spark.sql(f"INSERT INTO {table} VALUES (100)")
        results.append([sorted(map(str, rows.collect())), sorted(map(str, spark.sql(text).collect()))])
        spark.sql(f"DELETE FROM {table} WHERE id = 100")
    spark.conf.unset(SWITCH)
    assert results[0] == results[1]
    assert "100" in str(results[0][1])


def test_reads_of_the_past_and_of_branches(spark: SparkSession) -> None:
    table = f"{NAMESPACE}.past"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (a) AS SELECT id AS a, id AS b FROM range(9)"
    )
    first = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").first()[0]
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH old")
    spark.sql(f"INSERT INTO {table} VALUES (3, 100), (20, 3)")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN b TO c")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN b BIGINT")
    spark.sql(f"INSERT INTO {table} VALUES (30, 31, 3)")
    k = "JOIN VALUES (3L), (7L) AS k (x)"
    for source, column in (
        (f"{table} VERSION AS OF {first}", "a"),
        (f"{table} VERSION AS OF {first}", "b"),
        (f"{table} VERSION AS OF 'old'", "a"),
        # Not its column c: Iceberg itself fails to filter it by the current name.
        (f"{NAMESPACE}.past.branch_old", "a"),
        (table, "a"),
        (table, "b"),
        (table, "c"),
    ):
        rows, plain, read, read_plain = both(spark, f"SELECT e.*, k.x FROM {source} e {k} ON e.{column} = k.x")
        assert rows == plain
        assert rows
        assert read <= read_plain


def test_new_sessions(spark: SparkSession) -> None:
    """The rules of adaptive execution belong to a session: those created before and after the rules have them."""
    table = f"{NAMESPACE}.sessions"
    spark.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (id) AS SELECT id FROM range(12)")
    k = "VALUES (3), (5) AS k (x)"
    text = f"SELECT /*+ BROADCAST(k) */ e.id FROM {table} e JOIN {k} ON e.id + 1 = k.x + 1 AND e.id >= k.x"
    for session in (spark, spark.newSession()):
        rows = session.sql(text)
        assert len(rows.collect()) == 2
        assert files(rows) < 12
        (hits,) = session.sql("SELECT hits FROM iceberg_rules() WHERE name = 'joins'").first()
        assert hits > 0
