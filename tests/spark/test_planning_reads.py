"""What the rules read of the metadata of a table of many files: counts of manifests, files and bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.plans import scan_files
from spark_iceberg_sql.spark.optimizer import planning_facts
from tests.benchmarks import scale

FILES, MANIFESTS = 4_000, 10
# Of a sample: FileSample.MANIFESTS and FILES.
SAMPLED, OF_EACH = 8, 64
# SnapshotFiles.LIMIT
LISTED = 200_000

Read = Callable[[str], tuple[int, int]]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    name = scale.make(spark, FILES)
    scale.plan(spark, f"SELECT * FROM {name} WHERE x > 2")  # the rule `bounds` looks at all files once
    return name


@pytest.fixture
def read(spark: SparkSession, table: str) -> Read:
    """Plans a query; how many manifests and files the rules have read for it."""

    def reads(query: str) -> tuple[int, int]:
        manifests, files = planning_facts.metadata_read()
        scale.plan(spark, query.format(t=table))
        now = planning_facts.metadata_read()
        return now[0] - manifests, now[1] - files

    return reads


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM {t} WHERE ts >= '2023-01-01' AND ts < '2023-01-02'",
        "SELECT sum(x) FROM {t}",
        "SELECT tenant, count(*) FROM {t} GROUP BY tenant",
        "SELECT * FROM {t} ORDER BY x + y LIMIT 10",
        "SELECT * FROM {t} WHERE concat(iceberg_days(ts), x) LIKE '%5'",
    ],
)
def test_a_shape_that_cannot_gain_reads_nothing(read: Read, query: str) -> None:
    assert read(query) == (0, 0)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM {t} ORDER BY tenant LIMIT 10",
        "SELECT * FROM {t} WHERE tenant = 'tenant-0500' LIMIT 10",
        "SELECT to_date(ts), count(*) FROM {t} WHERE tenant > 'tenant-0500' GROUP BY 1",
    ],
)
def test_a_query_that_cannot_gain_reads_a_sample(read: Read, query: str) -> None:
    manifests, files = read(query)
    assert manifests <= SAMPLED
    assert files <= SAMPLED * OF_EACH


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM {t}",
        "SELECT iceberg_days(ts), count(*) FROM {t} GROUP BY 1",
        "SELECT iceberg_days(ts), min(id) FROM {t} GROUP BY 1",
        "SELECT DISTINCT to_date(ts) FROM {t}",
    ],
)
def test_a_query_that_gains_reads_each_manifest_once(read: Read, query: str) -> None:
    manifests, files = read(query)
    assert MANIFESTS <= manifests <= MANIFESTS + SAMPLED
    assert FILES <= files <= FILES + SAMPLED * OF_EACH
    assert read(query) == (0, 0)  # what is known of the snapshot is kept


@pytest.mark.parametrize("order", ["ts DESC", "ts", "id DESC", "id"])
def test_the_first_rows_are_in_few_manifests(read: Read, spark: SparkSession, table: str, order: str) -> None:
    query = f"SELECT id FROM {{t}} ORDER BY {order} LIMIT 10"
    manifests, files = read(query)
    assert manifests <= SAMPLED + (2 if order.startswith("ts") else MANIFESTS)
    assert files <= SAMPLED * OF_EACH + FILES // MANIFESTS * 2
    filtered = spark.sql(query.format(t=table))._jdf.queryExecution().optimizedPlan().toString()
    assert (">= " if "DESC" in order else "<= ") in filtered
    assert read(query) == (0, 0)


def test_manifests_of_other_partitions_stay_closed(read: Read) -> None:
    query = "SELECT count(*), max(id) FROM {t} WHERE ts >= '2023-01-01' AND ts < '2023-01-03'"
    manifests, files = read(query)
    assert 1 <= manifests <= 2 * 2  # of the sample and of all files
    assert files <= FILES // MANIFESTS * 2


@pytest.mark.parametrize(
    "query",
    [
        "SELECT iceberg_days(ts) AS d, count(*) AS n, min(id) AS first FROM {t} GROUP BY 1",
        "SELECT DISTINCT to_date(ts) AS d FROM {t}",
        "SELECT max(id) AS last, count(y) AS n FROM {t} WHERE ts >= '2023-01-01'",
    ],
)
def test_the_first_query_of_a_session_reads_each_manifest_once(spark: SparkSession, query: str) -> None:
    """The rules that answer it use what the check of the manifests has just read; the answer is the same."""
    query = query.format(t=scale.make(spark, FILES))
    manifests, files = planning_facts.metadata_read()
    answer = spark.sql(query).collect()
    assert planning_facts.metadata_read() == (manifests + MANIFESTS, files + FILES)
    scale.forget(spark, scale.OF_QUERIES)
    assert sorted(spark.sql(query).collect()) == sorted(answer)
    assert planning_facts.metadata_read()[0] > manifests + MANIFESTS
    assert len(answer) > 0


def test_the_end_of_a_manifest_that_a_check_has_read_is_known(spark: SparkSession) -> None:
    """A commit makes a new snapshot, of whose manifests only the new one is looked at."""
    name = scale.make(spark, FILES)
    scale.plan(spark, f"SELECT * FROM {name} WHERE x > 2")
    complete = {str(key.get(1)) for key in scale.kept_entries(spark).keySet() if key.get(0) == "complete"}
    paths = [row[0] for row in spark.sql(f"SELECT path FROM {name}.manifests").collect()]
    assert len(paths) == MANIFESTS
    assert all(any(key.startswith(path) for key in complete) for path in paths)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(x) FROM {t}",
        "SELECT tenant, count(*) FROM {t} GROUP BY tenant",
        "SELECT a.x FROM {t} a CROSS JOIN {t} b LIMIT 10",
    ],
)
def test_a_first_query_without_conditions_reads_nothing(spark: SparkSession, query: str) -> None:
    """No figure of a file decides anything in it, and no time is read that could be in another unit."""
    query = query.format(t=scale.make(spark, FILES))
    before = planning_facts.metadata_read()
    scale.plan(spark, query)
    assert planning_facts.metadata_read() == before


def test_a_first_order_that_cannot_gain_reads_a_sample(spark: SparkSession) -> None:
    query = f"SELECT x FROM {scale.make(spark, FILES)} ORDER BY tenant LIMIT 10"
    manifests, files = planning_facts.metadata_read()
    scale.plan(spark, query)
    now = planning_facts.metadata_read()
    assert now[0] - manifests <= SAMPLED
    assert now[1] - files <= SAMPLED * OF_EACH


def test_partition_values_of_a_first_query_are_read_once(spark: SparkSession) -> None:
    query = f"SELECT sum(x) FROM {scale.make(spark, FILES)} WHERE day(iceberg_days(ts)) = 31"
    before = planning_facts.metadata_read()
    scale.plan(spark, query)
    assert planning_facts.metadata_read() == (before[0] + MANIFESTS, before[1] + FILES)


def test_partition_values_between_stated_bounds_are_not_read(spark: SparkSession, table: str, read: Read) -> None:
    query = "SELECT sum(x) FROM {t} WHERE iceberg_days(ts) = date'2023-01-01' OR day(iceberg_days(ts)) = 31"
    assert read(query) == (0, 0)
    days = "partition.ts_day = date'2023-01-01' OR day(partition.ts_day) = 31"
    [(expected,)] = spark.sql(f"SELECT count(*) FROM {table}.files WHERE {days}").collect()
    [scan] = scan_files.tables_read(spark.sql(query.format(t=table)), executed=False)
    assert scan.files == expected < FILES / 10


@pytest.fixture(scope="module")
def large(spark: SparkSession) -> str:
    """A table of more files than the rules list."""
    return scale.make(spark, LISTED + 10_000)


@pytest.mark.parametrize(
    ("query", "of_files"),
    [
        (
            "SELECT iceberg_days(ts), count(*), min(id), max(ts) FROM {t} GROUP BY 1",
            (
                "SELECT partition.ts_day, sum(record_count), min(readable_metrics.id.lower_bound), "
                "max(readable_metrics.ts.upper_bound) FROM {t}.files GROUP BY 1"
            ),
        ),
        (
            "SELECT max(id), count(*), count(y) FROM {t} WHERE ts >= '2023-01-01'",
            (
                "SELECT max(readable_metrics.id.upper_bound), sum(record_count), sum(record_count) FROM {t}.files "
                "WHERE partition.ts_day >= '2023-01-01'"
            ),
        ),
        ("SELECT DISTINCT to_date(ts) FROM {t}", "SELECT DISTINCT partition.ts_day FROM {t}.files"),
    ],
)
def test_answers_from_more_files_than_are_listed(spark: SparkSession, large: str, query: str, of_files: str) -> None:
    answer = spark.sql(query.format(t=large))
    assert "BatchScan" not in answer._jdf.queryExecution().sparkPlan().toString()
    assert sorted(map(tuple, answer.collect())) == sorted(map(tuple, spark.sql(of_files.format(t=large)).collect()))


@pytest.mark.parametrize(
    ("query", "opened"),
    [
        ("SELECT id FROM {t} ORDER BY ts DESC LIMIT 10", SAMPLED + 2),
        ("SELECT id FROM {t} ORDER BY id LIMIT 10", SAMPLED),  # by the sample alone
        ("SELECT id FROM {t} WHERE tenant > 'tenant-0500' LIMIT 10", 0),
        ("SELECT to_date(ts), count(*) FROM {t} WHERE tenant > 'tenant-0500' GROUP BY 1", SAMPLED),
    ],
)
def test_of_more_files_than_are_listed_few_are_read(spark: SparkSession, large: str, query: str, opened: int) -> None:
    scale.plan(spark, f"SELECT * FROM {large} WHERE x > 2")
    manifests, _ = planning_facts.metadata_read()
    scale.plan(spark, query.format(t=large))
    assert planning_facts.metadata_read()[0] - manifests <= opened


def test_after_a_commit_one_manifest_is_checked(spark: SparkSession) -> None:
    name = scale.make(spark, 100)
    scale.plan(spark, f"SELECT * FROM {name} WHERE x > 2")
    spark.sql(f"INSERT INTO {name} VALUES (1, timestamp '2024-01-01', 't', 0.5, 1)")
    manifests, files = planning_facts.metadata_read()
    scale.plan(spark, f"SELECT * FROM {name} WHERE x > 2")
    assert planning_facts.metadata_read() == (manifests + 1, files + 1)


def test_what_is_kept_has_a_bound(spark: SparkSession, table: str) -> None:
    size, limit = planning_facts.bytes_kept()
    assert 0 < size <= limit
    assert limit <= 64 << 20
    for i in range(40):
        scale.plan(spark, f"SELECT iceberg_days(ts), count(*) + {i} FROM {table} GROUP BY 1")
    grown, _ = planning_facts.bytes_kept()
    assert grown <= limit
    assert grown > size or grown > limit * 7 // 8  # full, where other tests filled it before


def test_old_names_of_a_snapshot(spark: SparkSession) -> None:
    """Names that have changed places since the snapshot that is read."""
    name = "local.db.swapped_names"
    spark.sql(f"CREATE OR REPLACE TABLE {name} (a INT, b INT) USING iceberg")
    for start in (0, 10, 20):
        spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, 100 - id FROM range({start}, {start + 10})")
    old = spark.sql(f"SELECT snapshot_id FROM {name}.snapshots ORDER BY committed_at DESC LIMIT 1").head()[0]
    for statement in ("a TO c", "b TO a", "c TO b"):
        spark.sql(f"ALTER TABLE {name} RENAME COLUMN {statement}")
    then = f"{name} VERSION AS OF {old}"
    assert spark.sql(f"SELECT min(a), max(a), count(*) FROM {then} WHERE a >= 10").head() == (10, 29, 20)
    assert [row[0] for row in spark.sql(f"SELECT a FROM {then} ORDER BY a LIMIT 2").collect()] == [0, 1]
    assert [row[0] for row in spark.sql(f"SELECT a FROM {name} ORDER BY a LIMIT 2").collect()] == [71, 72]
    assert spark.sql(f"SELECT count(*) FROM {name} WHERE a <= 80").head() == (10,)
