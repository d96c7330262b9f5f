"""Seeds and positions: what a query computes from where its rows are is the same with the rules that read less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from first_rows import INTERPRETED
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import rand
from scans import metrics
from session_settings import settings

from spark_iceberg_sql.spark.bridge.jvm import shims

RULES = ("aggregates", "joins", "limit", "merge", "prune", "topk", "values")
NAMESPACE = "local.seeds"
EVENTS, DAYS, TARGET = f"{NAMESPACE}.events", f"{NAMESPACE}.days", f"{NAMESPACE}.target"
FILES = 24  # of ten rows, one for each day; a task reads six
ROWS = """
    SELECT CAST(id AS INT) AS k, CAST(id % 50 AS INT) AS id, date_format(day, 'yyyyMMdd') AS code, day AS d,
           timestamp(day) + make_dt_interval(0, CAST(id % 24 AS INT)) AS ts, id / 7.0D AS g
    FROM (SELECT id, date '2024-01-01' + CAST(id DIV 10 AS INT) AS day FROM range(240))
"""
PROPERTIES = "'write.distribution-mode' = 'none', 'read.split.open-file-cost' = '22000000', 'format-version' = '2'"


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **INTERPRETED, **{"spark.sql.session.timeZone": "UTC"}):
        create(spark, EVENTS)
        spark.sql(f"CREATE OR REPLACE TABLE {DAYS} USING iceberg AS SELECT DISTINCT d AS day, code FROM {EVENTS}")
        yield


def create(spark: SparkSession, name: str, more: str = "") -> None:
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (code) TBLPROPERTIES ({PROPERTIES}{more})"
        f" AS SELECT /*+ COALESCE(1) */ * FROM ({ROWS}) ORDER BY k"
    )


def rules(spark: SparkSession, *on: str) -> AbstractContextManager[None]:
    """Of the rules that read less, these alone."""
    return settings(spark, **{f"spark.iceberg_sql.{rule}": str(rule in on).lower() for rule in RULES})


def rows(query: DataFrame) -> list[Row]:
    return sorted(query.collect(), key=repr)


def both(spark: SparkSession, query: str, *on: str) -> tuple[list[Row], list[Row]]:
    """The rows without the rules, and with some of them; all if none is named."""
    with rules(spark):
        without = rows(spark.sql(query))
    with rules(spark, *(on or RULES)):
        return without, rows(spark.sql(query))


def files_read(spark: SparkSession, query: str, *on: str) -> int:
    with rules(spark, *on):
        return metrics(spark.sql(query)).get("resultDataFiles", 0)


# A query for each rule, with the place of a value; the rows that it reads without it are fewer.
NARROWED = {
    "values": f"SELECT k{{}} FROM {EVENTS} WHERE substr(code, 8, 1) = '5'",
    "prune": f"SELECT k{{}} FROM {EVENTS} WHERE year(ts) = 2024 AND month(ts) = 1 AND day(ts) BETWEEN 5 AND 6",
    "limit": f"SELECT k > 0 AS k{{}} FROM (SELECT k FROM {EVENTS} WHERE id >= 0 AND k > 95 LIMIT 15)",
    "topk": f"SELECT k{{}} FROM (SELECT k FROM {EVENTS} WHERE id >= 0 ORDER BY ts DESC, k LIMIT 7)",
    "aggregates": f"SELECT code{{}} FROM (SELECT code, count(*) AS n FROM {EVENTS} GROUP BY code)",
    "joins": f"SELECT k{{}} FROM {EVENTS} JOIN {DAYS} ON d = day WHERE date_format(day, 'dd') IN ('05', '16')",
}
SUBQUERIES = {
    "aggregates": f"SELECT k{{}} FROM {EVENTS} WHERE code = (SELECT max(code) FROM {EVENTS})",
    "joins": f"SELECT k{{}} FROM {EVENTS} WHERE code = (SELECT max(code) FROM {DAYS} WHERE hash(code) % 3 = 0)",
}
POSITIONS = (
    "rand(7)", "randn(7)", "monotonically_increasing_id()", "spark_partition_id()", "input_file_block_start()",
    "randstr(5, 7)", "uniform(1, 100000, 7)",
)  # fmt: skip
# Drawn anew, a choice that SQL leaves open, or the same wherever the row is read.
FREE = ("rand()", "uuid()", "input_file_name()")


@pytest.mark.parametrize("rule", NARROWED)
def test_each_rule_leaves_positions_alone(spark: SparkSession, rule: str) -> None:
    query = NARROWED[rule]
    assert files_read(spark, query.format(""), rule) < files_read(spark, query.format(""))
    without, with_rule = both(spark, query.format(", rand(7) AS r, monotonically_increasing_id() AS n"), rule)
    assert with_rule == without


@pytest.mark.parametrize("rule", SUBQUERIES)
def test_subqueries(spark: SparkSession, rule: str) -> None:
    query = SUBQUERIES[rule]
    assert files_read(spark, query.format(""), rule) < files_read(spark, query.format(""))
    without, with_rule = both(spark, query.format(", rand(7) AS r"), rule)
    assert with_rule == without
    # The value is computed in another stage than that of the scan.
    grouped = query.format(", max(id) AS id").replace("SELECT k", "SELECT k, rand(7) AS r", 1) + " GROUP BY k"
    without, with_rule = both(spark, grouped, rule)
    assert with_rule == without


def pushed(spark: SparkSession, query: str, *on: str) -> str:
    """The filters of the scan."""
    with rules(spark, *on):
        return filters(spark.sql(query))


def filters(query: DataFrame) -> str:
    return str(query._jdf.queryExecution().optimizedPlan().collectLeaves().head().scan().description())


@pytest.mark.parametrize("value", [*POSITIONS, *FREE])
def test_each_kind_of_value(spark: SparkSession, value: str) -> None:
    if value.split("(")[0] in ("randstr", "uniform") and shims.SPARK_VERSION < (4, 0):
        pytest.skip("this Spark has no such function")
    for rule in ("values", "prune"):
        query = NARROWED[rule].format(f", {value} AS r")
        is_same = pushed(spark, query, rule) == pushed(spark, query)
        assert is_same == (value in POSITIONS), rule


def test_a_seed_of_uuid(spark: SparkSession) -> None:
    if shims.SPARK_VERSION < (4, 1):
        pytest.skip("uuid() has no seed")
    query = NARROWED["values"].format(", uuid(7) AS r")
    assert pushed(spark, query, "values") == pushed(spark, query)


def test_choices_that_are_left_open(spark: SparkSession) -> None:
    grouped = f"SELECT code, first(k), collect_list(id) FROM {EVENTS} WHERE substr(code, 8, 1) = '5' GROUP BY code"
    assert pushed(spark, grouped, "values") != pushed(spark, grouped)
    frame = spark.table(EVENTS).where("substr(code, 8, 1) = '5'").dropDuplicates(["id"])
    assert "20240105" in filters(frame)


def test_the_name_of_a_file(spark: SparkSession) -> None:
    without, with_rules = both(spark, NARROWED["values"].format(", input_file_name() AS r"))
    assert with_rules == without
    assert all(row.r for row in without)
    files = f"SELECT input_file_name() AS f, count(*) AS n FROM {EVENTS} WHERE substr(code, 8, 1) = '5' GROUP BY 1"
    without, with_rules = both(spark, files)
    assert with_rules == without
    # After a shuffle there is none, unless the scan is a single task.
    groups = f"SELECT code, max(k) AS k FROM {EVENTS} WHERE code LIKE '%05' GROUP BY code"
    query = f"SELECT code, input_file_name() AS f FROM ({groups})"
    without, with_rules = both(spark, query)
    assert with_rules == without


# Which rows there are, and what is computed from a position elsewhere than in the list above a filter.
QUERIES = {
    "sample": f"SELECT k FROM {EVENTS} TABLESAMPLE (40 PERCENT) REPEATABLE (3) WHERE substr(code, 8, 1) = '5'",
    "sample above": f"SELECT k FROM (SELECT * FROM {EVENTS} WHERE substr(code, 8, 1) = '5') TABLESAMPLE (40 PERCENT)"
    " REPEATABLE (3)",
    "sample of a join": f"SELECT k FROM {EVENTS} TABLESAMPLE (40 PERCENT) REPEATABLE (3) JOIN {DAYS} ON d = day"
    " WHERE date_format(day, 'dd') = '05'",
    "filter": f"SELECT count(*), sum(k) FROM {EVENTS} WHERE rand(4) < 0.5 AND substr(code, 8, 1) = '5'",
    "every third": f"SELECT k FROM {EVENTS} WHERE monotonically_increasing_id() % 3 = 0 AND year(ts) = 2024"
    " AND day(ts) = 5",
    "filter above": f"SELECT k FROM (SELECT * FROM {EVENTS} WHERE day(ts) = 5 AND year(ts) = 2024 AND month(ts) = 1)"
    " WHERE spark_partition_id() > 0",
    "window": f"SELECT k, row_number() OVER (PARTITION BY id % 2 ORDER BY rand(5)) AS n FROM {EVENTS}"
    " WHERE substr(code, 8, 1) = '5'",
    "order": f"SELECT k FROM {EVENTS} WHERE substr(code, 8, 1) = '5' ORDER BY rand(3) LIMIT 5",
    "group": f"SELECT spark_partition_id() AS p, count(*) FROM {EVENTS} WHERE substr(code, 8, 1) = '5' GROUP BY 1",
    "above a group": f"SELECT id, rand(7) FROM {EVENTS} WHERE substr(code, 8, 1) = '5' GROUP BY id",
    "twice": f"WITH s AS (SELECT k, code, rand(7) AS r FROM {EVENTS}) SELECT a.k, a.r, b.r FROM s a"
    " JOIN s b ON a.k = b.k WHERE substr(a.code, 8, 1) = '5'",
    "above a WITH": f"WITH s AS (SELECT k, code, rand(7) AS q FROM {EVENTS} WHERE substr(code, 8, 1) = '5')"
    " SELECT k, q, rand(8) FROM s UNION ALL SELECT -k, q, 0 FROM s",
    "union": f"SELECT k, rand(7) AS r FROM (SELECT k FROM {EVENTS} WHERE substr(code, 8, 1) = '5' UNION ALL"
    f" SELECT -k FROM {EVENTS} WHERE day(ts) = 7 AND year(ts) = 2024)",
    "in a subquery": "SELECT (SELECT max(r * k) FROM"
    f" (SELECT k, rand(7) AS r FROM {EVENTS} WHERE substr(code, 8, 1) = '5')) AS m",
    "in": f"SELECT k, rand(7) AS r FROM {EVENTS} WHERE code IN"
    f" (SELECT code FROM {DAYS} WHERE substr(code, 8, 1) = '5')",
}


@pytest.mark.parametrize("query", QUERIES)
def test_rows(spark: SparkSession, query: str) -> None:
    without, with_rules = both(spark, QUERIES[query])
    assert with_rules == without
    assert without


FRAMES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "sample": lambda frame: frame.sample(fraction=0.5, seed=3),
    "split": lambda frame: frame.randomSplit([0.5, 0.5], seed=3)[1],
    "by": lambda frame: frame.sampleBy("code", {"20240105": 0.5, "20240115": 0.3}, seed=3),
    "column": lambda frame: frame.select("k", rand(7)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames(spark: SparkSession, name: str) -> None:
    def result() -> list[Row]:
        return rows(FRAMES[name](spark.table(EVENTS).where("substr(code, 8, 1) = '5'")))

    with rules(spark):
        without = result()
    assert result() == without
    assert without


def test_views(spark: SparkSession) -> None:
    spark.sql(f"CREATE OR REPLACE TEMP VIEW numbered AS SELECT *, monotonically_increasing_id() AS n FROM {EVENTS}")
    spark.table(EVENTS).where("substr(code, 8, 1) = '5'").createOrReplaceTempView("fives")
    for query in ("SELECT k, n FROM numbered WHERE day(ts) = 5 AND year(ts) = 2024", "SELECT k, rand(7) FROM fives"):
        without, with_rules = both(spark, query)
        assert with_rules == without
    # What is not selected is not computed.
    query = "SELECT max(code) FROM numbered WHERE year(ts) = 2024 AND month(ts) = 1 AND day(ts) < 6"
    assert files_read(spark, query, "prune") < FILES
    # The relation of a view is that of other queries as well.
    assert files_read(spark, "SELECT k FROM fives", "values") < FILES
    for view in ("numbered", "fives"):
        spark.catalog.dropTempView(view)


WRITES = {
    "insert": f"INSERT INTO {TARGET} SELECT k + 1000, id, code, d, ts, rand(7) FROM {EVENTS}"
    " WHERE substr(code, 8, 1) = '5'",
    "create": f"CREATE OR REPLACE TABLE {TARGET} USING iceberg AS SELECT k, code, monotonically_increasing_id() AS n"
    f" FROM {EVENTS} WHERE year(ts) = 2024 AND month(ts) = 1 AND day(ts) IN (5, 16)",
    "source": f"MERGE INTO {TARGET} t USING (SELECT k, code, rand(7) AS r FROM {EVENTS}"
    " WHERE substr(code, 8, 1) = '5') s ON t.k = s.k AND t.code = s.code WHEN MATCHED THEN UPDATE SET g = s.r",
    "update": f"UPDATE {TARGET} SET g = rand(7) WHERE year(ts) = 2024 AND month(ts) = 1 AND day(ts) IN (5, 16)",
}  # fmt: skip


# Spark refuses random values in a MERGE that rewrites files, and in the assignments of any.
@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("insert", "copy-on-write"),
        ("create", "copy-on-write"),
        ("source", "merge-on-read"),
        ("update", "copy-on-write"),
        ("update", "merge-on-read"),
    ],
)
def test_writes(spark: SparkSession, name: str, mode: str) -> None:
    if (name, mode) == ("update", "merge-on-read") and shims.SPARK_VERSION < (4, 0):
        pytest.skip("this Spark fails without whole-stage code: it does not initialize rand(7) in an Expand")
    results = []
    for on in ((), RULES):
        create(spark, TARGET, f", 'write.merge.mode' = '{mode}', 'write.update.mode' = '{mode}'")
        with rules(spark, *on):
            spark.sql(WRITES[name])
            results.append(rows(spark.table(TARGET)))
    assert results[1] == results[0]


def test_a_merge_of_numbered_rows_reads_less(spark: SparkSession) -> None:
    """The positions are the source's, below the join: the target's scan cannot change them."""
    create(spark, TARGET)
    spark.range(100, 103).createOrReplaceTempView("incoming")
    merge = f"""MERGE INTO {TARGET} t
        USING (SELECT CAST(id AS INT) AS k, '20240111' AS code, monotonically_increasing_id() AS n FROM incoming) s
        ON t.k = s.k AND t.code = s.code WHEN MATCHED THEN UPDATE SET id = s.n"""
    with rules(spark, "merge"):
        ((plan,),) = spark.sql(f"EXPLAIN EXTENDED {merge}").collect()
        assert "code = '20240111'" in plan
    spark.catalog.dropTempView("incoming")
