"""health with queries: what it proposes lets them read no more, by what really is read, and ends."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest
from pyspark.sql import SparkSession
from samples import share, swept

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.health.model import Health
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, relations

T = "local.health.judged"
SMALL = (
    "'write.target-file-size-bytes' = '60000', 'write.parquet.page-row-limit' = '500', "
    "'read.split.open-file-cost' = '{}'"
)
ROWS = """SELECT id, pmod(hash(id), 20) AS shop, timestamp_seconds(1704067200 + id * 60) AS ts,
concat('user-', pmod(hash(id, 7), 500)) AS actor, IF(pmod(hash(id, 3), 9) = 0, NULL, CAST(rand(5) * 100 AS FLOAT)) AS x
FROM range({}, {}, 1, {})"""
HOURS = f"SELECT * FROM {T} WHERE ts >= '2024-01-03 00:00:00' AND ts < '2024-01-03 06:00:00'"
ALL = f"SELECT shop, count(DISTINCT actor) FROM {T} GROUP BY shop"


def read(spark: SparkSession, queries: Sequence[str]) -> tuple[int, int]:
    """The files and bytes that scans of the queries really plan."""
    with sessions.working_in(spark):
        table = relations.catalog_table(T)
    scans = [scan for query in queries for scan in hypothetical_plans.scans(spark, query, table, [tuple(T.split("."))])]
    reads = [hypothetical_plans.read_by(scan.scan) for scan in scans]
    return sum(files for files, _ in reads), sum(size for _, size in reads)


def follow(spark: SparkSession, health: Health) -> None:
    for finding in health.findings:
        if finding.call is not None:
            spark.sql(finding.call)


def create(
    spark: SparkSession, clauses: str = "", *, open_cost: int = 4000, commits: int = 1, rows: int = 12_000
) -> None:
    spark.sql(f"DROP TABLE IF EXISTS {T}")
    step = rows // commits
    spark.sql(
        f"CREATE TABLE {T} USING iceberg {clauses} TBLPROPERTIES ({SMALL.format(open_cost)}) AS {ROWS.format(0, 0, 1)}"
    )
    for start in range(0, rows, step):
        spark.sql(f"INSERT INTO {T} {ROWS.format(start, start + step, 1)}")


def test_a_rewrite_that_lets_queries_read_more_is_ruled_out(spark: SparkSession) -> None:
    """Two files for each day, of which one is read for six hours: put together, both are."""
    create(spark, "PARTITIONED BY (days(ts))", open_cost=1000, commits=17)
    assert [finding.problem for finding in sis.health(spark, T).findings] == ["small files"]
    judged = sis.health(spark, T, [HOURS])
    assert judged.findings == ()
    (finding,) = (finding for finding in judged.ruled_out if finding.problem == "small files")
    assert "the queries would read more bytes" in str(finding.reason)
    rows = spark.sql(f"SELECT * FROM iceberg_health('{T}', queries => array(\"{HOURS}\"))").collect()
    assert [(row["problem"], row["call"], row["reason"]) for row in rows] == [
        (finding.problem, None, finding.reason) for finding in judged.ruled_out
    ]
    proposed = sis.health(spark, T, [ALL])
    assert [finding.problem for finding in proposed.findings] == ["spec", "spec"]
    reads = proposed.findings[0].reads
    assert reads is not None
    assert (reads.files_now, reads.bytes_now) == read(spark, [ALL])
    follow(spark, proposed)
    assert read(spark, [ALL])[0] - reads.files in (0, 1)  # rewrite_data_files divides the bytes evenly
    assert sis.health(spark, T, [ALL]).findings == ()


HISTORIES = {
    "fine partitions": ("PARTITIONED BY (hours(ts))", 1, ()),
    "many commits": ("PARTITIONED BY (bucket(2, id))", 6, ()),
    "old specs": (
        "PARTITIONED BY (days(ts))",
        2,
        ("ALTER TABLE {t} REPLACE PARTITION FIELD days(ts) WITH months(ts)",),
    ),
    "a declared order": ("", 1, ("ALTER TABLE {t} WRITE LOCALLY ORDERED BY shop",)),
    "deleted rows": ("", 3, ("DELETE FROM {t} WHERE id % 5 = 1",)),
    "unpartitioned": ("", 4, ()),
}
PREDICATES = (
    *("shop = 7", "ts >= '2024-01-03' AND ts < '2024-01-04'", "actor LIKE 'user-9%'", "x IS NULL", "x IS NOT NULL"),
    *("id BETWEEN 4000 AND 4999", "shop IN (3, 4)", "actor = 'user-77'", "true", "year(ts) = 2024 AND shop < 3"),
)


@pytest.mark.parametrize(("history", "seed"), share(product(HISTORIES, range(34)), 280))
def test_what_is_proposed_never_reads_more_and_ends(spark: SparkSession, history: str, seed: int) -> None:
    """And it is among what advise proposes; 204 tables and workloads in a sweep."""
    some = random.Random(f"{history} {seed}")
    clauses, commits, statements = HISTORIES[history]
    create(spark, clauses, open_cost=some.choice((0, 1000, 20_000)), commits=commits)
    for statement in statements:
        spark.sql(statement.format(t=T))
    if statements:
        spark.sql(f"INSERT INTO {T} {ROWS.format(12_000, 15_000, 1)}")
    queries = [f"SELECT id, actor FROM {T} WHERE {p}" for p in some.sample(PREDICATES, some.randint(1, 4))]
    rows = spark.table(T).orderBy("id").collect()
    for _ in range(5):
        before = read(spark, queries)
        health, advice = sis.health(spark, T, queries), sis.advise(spark, T, queries)
        calls = [finding.call for finding in health.findings if finding.call is not None]
        spec_calls = [finding.call for finding in health.findings if finding.problem in ("spec", "layout")]
        if advice.best.is_today:
            assert spec_calls == []
        else:
            assert spec_calls in ([], *([*proposal.ddl, proposal.rewrite] for proposal in advice.proposals))
            layouts = ("spec", "layout")
            assert spec_calls or calls or any(finding.problem in layouts for finding in health.ruled_out)
        if not calls:
            break
        follow(spark, health)
        after = read(spark, queries)
        assert after[0] <= before[0] + len(queries), health
        assert after[1] <= before[1] * 1.01 + 1000, health
    else:
        pytest.fail(f"it does not end: {health}")
    assert spark.table(T).orderBy("id").collect() == rows


@pytest.mark.parametrize(
    "query", swept(["SELECT to_date(ts), count(*) FROM {t} GROUP BY 1", "SELECT max(id) FROM {t}"], 2)
)
def test_what_metadata_answers_today_stays_answered(spark: SparkSession, query: str) -> None:
    """Such a query reads no file today; what is proposed for others may make it read some, and that is counted."""
    create(spark, "PARTITIONED BY (days(ts))")
    text = query.format(t=T)
    assert [scan.files for scan in sis.explain(spark, text).scans if scan.files] == []
    for queries in ([text], [(text, 20), f"SELECT * FROM {T} WHERE shop = 3"]):
        advice = sis.advise(spark, T, queries)
        assert advice.today is not None
        assert next(read.files for read in advice.today.per_query if read.query == text) == 0
        for read in advice.best.per_query:
            assert read.query != text or read.files_now == 0
    assert [f for f in sis.health(spark, T, [text]).findings if f.problem in ("spec", "layout")] == []
    follow(spark, sis.health(spark, T, [text]))
    assert [scan.files for scan in sis.explain(spark, text).scans if scan.files] == []


def test_delete_files_of_a_new_spec_s_rewrite(spark: SparkSession) -> None:
    """They belong to no file afterwards: the rewrite drops them, and a second round has nothing to propose."""
    create(spark, "PARTITIONED BY (days(ts))", commits=2)
    spark.sql(f"ALTER TABLE {T} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'format-version' = '2')")
    spark.sql(f"DELETE FROM {T} WHERE id % 2 = 0")
    queries = [f"SELECT max(actor) FROM {T} WHERE shop = 3"]
    first = sis.health(spark, T, queries)
    assert "remove-dangling-deletes" in str([finding.call for finding in first.findings][-1])
    follow(spark, first)
    assert [finding for finding in sis.health(spark, T, queries).findings if finding.problem == "delete files"] == []
