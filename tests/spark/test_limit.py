"""WHERE ... LIMIT reads only a few files that surely hold the rows: the rule `limit`."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from first_rows import INTERPRETED, SETTINGS, planned
from pyspark.sql import SparkSession
from samples import partly, share
from scans import metrics
from session_settings import settings
from test_topk import FILTERS, random_table

RULE = "limit"
# Twenty files of ten rows each, in the order of id; of v, in no order.
TABLE, FILES, ROWS = "local.limit.blocks", 20, 10


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **SETTINGS):
        yield


def create(spark: SparkSession, name: str, properties: str = "'format-version' = '2'") -> str:
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (truncate(10, id))"
        f" TBLPROPERTIES ({properties}, 'write.delete.mode' = 'merge-on-read') AS"
        " SELECT id, cast(pmod(hash(id), 100) AS int) AS v, cast(id AS double) AS f, if(id % 20 < 10, NULL, id) AS w"
        f" FROM (SELECT /*+ COALESCE(1) */ id FROM range({FILES * ROWS}))"
    )
    # So that the scan does not answer filters on id completely.
    spark.sql(f"ALTER TABLE {name} DROP PARTITION FIELD truncate(10, id)")
    return name


def optimized(spark: SparkSession, query: str) -> str:
    """The optimized plan's text, without the numbers of columns."""
    rows = planned(spark, query, RULE, on=True)
    return re.sub(r"#\d+L?", "", rows._jdf.queryExecution().optimizedPlan().toString())


def files_read(spark: SparkSession, query: str, *, on: bool) -> int:
    return metrics(planned(spark, f"SELECT count(*) FROM ({query})", RULE, on=on))["resultDataFiles"]


@pytest.fixture(scope="module")
def blocks(spark: SparkSession) -> str:
    return create(spark, TABLE)


# Query, and the bounds on the rows that its scan reads.
QUERIES = {
    "SELECT id FROM {t} WHERE id > 5 LIMIT 10": "id <= 19",
    "SELECT id FROM {t} WHERE id > 5 LIMIT 15": "id <= 29",
    "SELECT id FROM {t} WHERE id > 5 LIMIT 5 OFFSET 12": "id <= 29",
    "SELECT id + 1 AS x FROM {t} WHERE id BETWEEN 5 AND 155 LIMIT 10": "id <= 19",
    "SELECT id FROM {t} WHERE v >= 0 LIMIT 10": "id <= 9",
    "SELECT id FROM {t} WHERE w IS NOT NULL LIMIT 10": "id <= 19",
    "SELECT id FROM {t} WHERE w IS NULL LIMIT 10": "id <= 9",
    "SELECT id FROM {t} WHERE id <> 3 AND id < 190 LIMIT 10": "id <= 19",
}


@pytest.mark.parametrize("query", partly(pytest.mark.tier("quick", of="rule limit"), QUERIES, 4))
def test_few_files_are_read(spark: SparkSession, blocks: str, query: str) -> None:
    text = query.format(t=blocks)
    assert f"{QUERIES[query]} (implied)" in optimized(spark, text)
    assert 2 * files_read(spark, text, on=True) <= files_read(spark, text, on=False)
    rows = planned(spark, text, RULE, on=True).collect()
    assert len(rows) == len(planned(spark, text, RULE, on=False).collect())
    assert not Counter(rows) - Counter(spark.sql(text.partition(" LIMIT")[0]).collect())


UNCHANGED = [
    "SELECT id FROM {t} LIMIT 10",
    "SELECT id FROM {t} WHERE id > 150 LIMIT 10",
    "SELECT id FROM {t} WHERE id > 5 LIMIT 150",
    "SELECT id FROM {t} WHERE id % 2 = 0 LIMIT 10",
    "SELECT id FROM {t} WHERE f > 5 LIMIT 10",
    "SELECT id FROM {t} WHERE id > 5",
    "SELECT id FROM {t} WHERE id > 5 AND rand(7) < 0.9 LIMIT 10",
    "SELECT id, rand(7) FROM {t} WHERE id > 5 LIMIT 10",
    "SELECT DISTINCT v FROM {t} WHERE id > 5 LIMIT 10",
    "SELECT sum(id) FROM {t} WHERE id > 5 LIMIT 10",
    "SELECT v, max(id) FROM {t} WHERE id > 5 GROUP BY v LIMIT 10",
    "SELECT a.id FROM {t} a JOIN {t} b ON a.id = b.id WHERE a.id > 5 LIMIT 10",
    "SELECT id, sum(v) OVER (ORDER BY id) FROM {t} WHERE id > 5 LIMIT 10",
    "SELECT id FROM {t} TABLESAMPLE (50 PERCENT) WHERE id > 5 LIMIT 10",
    "SELECT id FROM {t} TABLESAMPLE (10 ROWS) WHERE id > 5",
    "SELECT id FROM (SELECT id FROM {t} WHERE id > 5 ORDER BY f) LIMIT 10",
]


@pytest.mark.parametrize("query", UNCHANGED)
def test_other_shapes_are_left_alone(spark: SparkSession, blocks: str, query: str) -> None:
    assert "(implied)" not in optimized(spark, query.format(t=blocks))


def test_a_filter_that_the_scan_answers_is_left_alone(spark: SparkSession) -> None:
    name = "local.limit.partitioned"
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (k)"
        f" AS SELECT id, cast(id AS int) % {FILES} AS k FROM range({FILES * ROWS})"
    )
    covered, kept = f"SELECT id FROM {name} WHERE k > 1 LIMIT 10", f"SELECT id FROM {name} WHERE id >= 0 LIMIT 10"
    assert files_read(spark, covered, on=True) == files_read(spark, covered, on=False)
    assert 2 * files_read(spark, kept, on=True) <= files_read(spark, kept, on=False)


def test_deleted_rows_do_not_count(spark: SparkSession) -> None:
    name = create(spark, "local.limit.deleted")
    spark.sql(f"DELETE FROM {name} WHERE id > 12 AND id % 10 <> 0 AND id < 120")
    for limit in (1, 3, 9, 15):
        query = f"SELECT id FROM {name} WHERE id > 11 LIMIT {limit}"
        assert "(implied)" in optimized(spark, query)
        assert len(planned(spark, query, RULE, on=True).collect()) == limit


def test_files_without_statistics_do_not_count(spark: SparkSession) -> None:
    name = create(spark, "local.limit.bare", "'write.metadata.metrics.default' = 'none'")
    assert "(implied)" not in optimized(spark, f"SELECT id FROM {name} WHERE id > 5 LIMIT 10")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'full')")
    spark.sql(f"INSERT INTO {name} SELECT id, 1, 1.0, id FROM range(200, 300)")
    rows = planned(spark, f"SELECT id FROM {name} WHERE id > 5 LIMIT 10", RULE, on=True)
    assert len(rows.collect()) == 10


def test_an_exists_subquery(spark: SparkSession, blocks: str) -> None:
    query = f"SELECT EXISTS (SELECT 1 FROM {blocks} WHERE id > 5) AS e"
    assert planned(spark, query, RULE, on=True).collect() == [(True,)]
    query = f"SELECT EXISTS (SELECT 1 FROM {blocks} WHERE id > 500) AS e"
    assert planned(spark, query, RULE, on=True).collect() == [(False,)]


@pytest.mark.parametrize("seed", share(range(4), 4))
def test_random_queries(spark: SparkSession, seed: int) -> None:
    """As many rows as without the rule, each of them one that the filter accepts."""
    numbers = random.Random(f"limit {seed}")
    name = f"local.limit.random{seed}"
    with settings(spark, **INTERPRETED):
        random_table(spark, numbers, name, blocks=12)
        for _ in share(range(25), 2):
            conditions = numbers.sample(FILTERS, numbers.choice([1, 1, 2]))
            where = " AND ".join(f"({text.format(n=numbers.randrange(0, 50))})" for text in conditions)
            query = f"SELECT * FROM {name} WHERE id >= 0 AND {where}"
            matching = Counter(map(str, spark.sql(query).collect()))
            limit = numbers.choice([1, 2, 5, 10, 30])
            rows = planned(spark, f"{query} LIMIT {limit}", RULE, on=True)
            chosen = Counter(map(str, rows.collect()))
            assert chosen.total() == min(limit, matching.total()), query
            assert not chosen - matching, query
    hits = spark.sql("SELECT hits FROM iceberg_rules() WHERE name = 'limit'").collect()[0][0]
    assert hits > 0


def test_a_repeated_query_reads_no_metadata_for_its_range_and_a_commit_is_seen(spark: SparkSession) -> None:
    """The range is of one snapshot: rows that a commit replaces are read from the new files."""
    table = "local.limits.repeated"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg TBLPROPERTIES ('write.distribution-mode' = 'none') "
        "AS SELECT id, id % 7 AS k FROM range(0, 1000, 1, 20)"
    )
    query = f"SELECT id FROM {table} WHERE k >= 0 LIMIT 10"
    first = optimized(spark, query)
    assert "(implied)" in first
    assert optimized(spark, query) == first
    assert optimized(spark, query.replace("LIMIT 10", "LIMIT 60")) != first
    spark.sql(f"INSERT OVERWRITE {table} SELECT id + 5000, id % 7 FROM range(0, 1000, 1, 20)")
    assert len(rows := spark.sql(query).collect()) == 10
    assert min(row.id for row in rows) >= 5000
