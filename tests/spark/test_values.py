"""The rule `values`: predicates that only Spark can evaluate, on the partition values of the files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from scans import metrics
from session_settings import settings

import spark_iceberg_sql as sis

# Some tables are partitioned by what the check warns of.
pytestmark = pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")

NAMESPACE = "local.exact"
# One file for each of 100 days, with 12 rows.
DAYS = f"""
    SELECT id, id % 5 AS n, timestamp '2024-01-01' + make_dt_interval(0, cast(id AS int) * 2) AS ts,
           date_format(timestamp '2024-01-01' + make_dt_interval(0, cast(id AS int) * 2), 'yyyyMMdd') AS ds
    FROM range({100 * 12})
"""


@pytest.fixture(scope="module", autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **{"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "true"}):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {NAMESPACE}")
        yield


def create(spark: SparkSession, name: str, spec: str, query: str, properties: str = "") -> str:
    table = f"{NAMESPACE}.{name}"
    options = f"TBLPROPERTIES ({properties})" if properties else ""
    spark.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY ({spec}) {options} AS {query}")
    return table


@pytest.fixture(scope="module")
def daily(spark: SparkSession) -> str:
    return create(spark, "daily", "ds", DAYS)


def rows_and_files(rows: DataFrame) -> tuple[list[tuple[object, ...]], int]:
    files = metrics(rows)["resultDataFiles"]
    return sorted(map(tuple, rows.collect()), key=repr), files


def compared(spark: SparkSession, query: str) -> tuple[int, int]:
    """The data files that a query reads without the rule and with it; its rows are the same."""
    with settings(spark, **{"spark.iceberg_sql.values": "false"}):
        expected, all_files = rows_and_files(spark.sql(query))
    actual, files = rows_and_files(spark.sql(query))
    assert actual == expected
    return all_files, files


PREDICATES = {
    "substr(ds, 7, 2) = '05'": 4,
    "ds LIKE '%05'": 4,
    "to_date(ds, 'yyyyMMdd') = DATE '2024-02-05'": 1,
    "to_date(ds, 'yyyyMMdd') BETWEEN DATE '2024-02-05' AND DATE '2024-02-07'": 3,
    "ds = 20240205": 1,
    "cast(ds AS int) % 7 = 0 AND id > 5": 15,
    "CASE WHEN ds < '20240110' THEN 'a' ELSE 'b' END = 'a'": 9,
    "substr(ds, 7, 2) = '05' OR id < 12": 5,
    "substr(ds, 7, 2) = '05' AND (ds LIKE '202401%' OR n = 7)": 1,
    "length(ds) = 7": 0,
    "ds RLIKE '^202402.[13]$'": 6,
    "dayofweek(to_date(ds, 'yyyyMMdd')) = 1": 14,
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_files_read(spark: SparkSession, daily: str, predicate: str) -> None:
    all_files, files = compared(spark, f"SELECT id, ds FROM {daily} WHERE {predicate}")
    assert (all_files > 30, files) == (True, PREDICATES[predicate])


@pytest.mark.tier("quick", of="rule values")
def test_in_queries_of_many_shapes(spark: SparkSession, daily: str) -> None:
    predicate = "substr(ds, 7, 2) = '05'"
    for query in (
        f"WITH c AS (SELECT * FROM {daily} WHERE {predicate}) SELECT count(id) FROM c GROUP BY n",
        f"SELECT max(id + 1) FROM (SELECT * FROM {daily}) WHERE {predicate}",
        f"SELECT a.id FROM range(9) a LEFT SEMI JOIN (SELECT id FROM {daily} WHERE {predicate}) b ON a.id = b.id",
    ):
        assert compared(spark, query) == (100, 4)


@pytest.mark.parametrize(
    "predicate", ["id % 2 = 0", "rand() < 2", "substr(ds, 7, 2) = '05' OR n + id > 3", "length(ds) = 8"]
)
def test_a_predicate_that_excludes_no_file_leaves_the_plan_alone(
    spark: SparkSession, daily: str, predicate: str
) -> None:
    rows = spark.sql(f"SELECT id FROM {daily} WHERE {predicate}")
    assert metrics(rows)["resultDataFiles"] == 100
    assert "(implied)" not in str(rows._jdf.queryExecution().optimizedPlan().toString())


def test_user_defined_functions_and_subqueries_are_not_evaluated(spark: SparkSession, daily: str) -> None:
    spark.udf.register("shortened", lambda text: text[:6])
    query = (
        f"SELECT id FROM {daily} WHERE shortened(ds) = '202401' OR ds || '' = (SELECT max(concat(id)) FROM range(3))"
    )
    assert metrics(spark.sql(query))["resultDataFiles"] == 100


def test_a_value_for_which_the_predicate_fails_is_read(spark: SparkSession) -> None:
    table = create(spark, "failing", "s", "SELECT id, if(id = 3, 'x', concat(id)) AS s FROM range(6)")
    with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
        spark.sql(f"SELECT * FROM {table} WHERE cast(s AS int) % 2 = 0 AND id >= 0").collect()
    assert compared(spark, f"SELECT * FROM {table} WHERE try_cast(s AS int) % 2 = 0") == (6, 3)


def test_nulls(spark: SparkSession) -> None:
    table = create(spark, "nulls", "s", "SELECT id, if(id % 3 = 0, NULL, concat('k', id)) AS s FROM range(9)")
    for predicate, files in {
        "coalesce(s, 'k0') LIKE '%0'": 1,
        "length(s) IS NULL": 1,
        "coalesce(s, 'k5') RLIKE '[25]'": 3,
        "length(s) = 2": 6,
        "coalesce(substr(s, 2), '1') = '1'": 2,
    }.items():
        assert compared(spark, f"SELECT id FROM {table} WHERE {predicate}")[1] == files, predicate


def test_values_between_the_bounds_of_manifests(spark: SparkSession) -> None:
    """Negative ones, nulls, and those that no file has, in files of two commits and one other spec."""
    table = create(spark, "dense", "v", "SELECT id, if(id = 7, NULL, int(id - 20)) AS v FROM range(20)")
    spark.sql(f"INSERT INTO {table} SELECT id, int(id * 2) FROM range(3, 23)")
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(2, id)")
    spark.sql(f"INSERT INTO {table} VALUES (50, 13), (51, NULL)")
    for predicate, files in {
        "v % 10 = 3": 1,
        "v % 10 = 4": 4,
        "abs(v) % 10 = 3": 2,
        "coalesce(v, 5) % 10 = 5": 2,
        "length(concat('', v)) IS NULL": 2,
        "v % 100 = 99": 0,
    }.items():
        all_files, read = compared(spark, f"SELECT id FROM {table} WHERE {predicate}")
        assert (all_files >= 40, read) == (True, files), predicate


def test_values_of_transforms(spark: SparkSession) -> None:
    table = create(spark, "hashed", "bucket(16, id), days(ts)", f"SELECT * FROM ({DAYS}) WHERE id < 200")
    both, _ = compared(spark, f"SELECT n FROM {table} WHERE n >= 0")
    for predicate in (
        "iceberg_bucket(16, id) % 2 = 0",
        "dayofweek(iceberg_days(ts)) = 1",
        "iceberg_bucket(16, id) % 2 = 0 AND dayofweek(iceberg_days(ts)) = 1",
    ):
        all_files, files = compared(spark, f"SELECT n FROM {table} WHERE {predicate}")
        assert (all_files, files < 0.7 * both) == (both, True), predicate


def test_predicates_over_two_fields(spark: SparkSession) -> None:
    query = "SELECT id, id % 4 AS a, concat(id % 6) AS b FROM range(24)"
    table = create(spark, "pairs", "a, b", query)
    for predicate, files in {
        "concat(a, b) = '24'": 1,
        "a + cast(b AS int) = 4": 4,
        "concat(b, a) LIKE '0_'": 2,
    }.items():
        assert compared(spark, f"SELECT id FROM {table} WHERE {predicate}") == (12, files), predicate


def test_files_of_specs_without_the_field_are_read(spark: SparkSession) -> None:
    """Their rows may have other values, for which the predicate is true."""
    table = f"{NAMESPACE}.evolved"
    spark.sql(f"CREATE OR REPLACE TABLE {table} (id bigint, s string) USING iceberg")
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a5'), (2, 'b6'), (3, NULL)")
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD s")
    spark.sql(f"INSERT INTO {table} VALUES (4, 'a5'), (5, 'c7'), (6, 'd8'), (7, NULL)")
    for predicate, files in {"s LIKE '%5'": 2, "s LIKE '%6'": 1, "length(s) IS NULL": 2}.items():
        assert compared(spark, f"SELECT id FROM {table} WHERE {predicate}")[1] == files, predicate


def test_a_commit_between_planning_and_execution(spark: SparkSession) -> None:
    """The optimized plan reads the snapshot whose partition values it knows; a new query reads the new one."""
    table = create(spark, "committed", "s", "SELECT id, concat('k', id) AS s FROM range(4)")
    rows = spark.sql(f"SELECT id FROM {table} WHERE s LIKE '%2' OR s LIKE '%9'")
    rows._jdf.queryExecution().executedPlan()
    spark.sql(f"INSERT INTO {table} VALUES (9, 'k9')")
    assert [row.id for row in rows.collect()] == [2]
    query = f"SELECT id FROM {table} WHERE s LIKE '%2' OR s LIKE '%9'"
    assert sorted(row.id for row in spark.sql(query).collect()) == [2, 9]


def test_branches_and_snapshots(spark: SparkSession) -> None:
    table = create(spark, "forked", "s", "SELECT id, concat('k', id) AS s FROM range(4)")
    [(first,)] = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").collect()
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH b")
    spark.sql(f"INSERT INTO {table}.branch_b VALUES (12, 'k12')")
    spark.sql(f"INSERT INTO {table} VALUES (22, 'k22'), (32, 'k32')")
    for version, ids in {"": [2, 22, 32], f" VERSION AS OF {first}": [2], " VERSION AS OF 'b'": [2, 12]}.items():
        rows = spark.sql(f"SELECT id FROM {table}{version} WHERE s LIKE '%2'")
        assert sorted(row.id for row in rows.collect()) == ids
    assert sorted(row.id for row in spark.sql(f"SELECT id FROM {table}.branch_b WHERE s LIKE '%2'").collect()) == [
        2,
        12,
    ]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("int", "-7, 0, 12, 3000000"),
        ("bigint", "-7, 0, 12, 3000000000"),
        ("decimal(9,2)", "-7.25, 0.00, 12.50, 3.10"),
        ("date", "'1960-02-29', '1970-01-01', '2024-02-05', '9999-12-31'"),
        (
            "timestamp",
            "'1960-02-29 01:02:03', '1970-01-01 00:00:00', '2024-02-05 12:00:00', '2024-02-05 12:00:00.000001'",
        ),
        ("timestamp_ntz", "'1960-02-29 01:02:03', '1970-01-01 00:00:00', '2024-02-05 12:00:00', '9999-12-31 00:00:00'"),
        ("boolean", "true, false"),
        ("string", "'', 'a', 'ä', '20240205'"),
    ],
)
def test_types(spark: SparkSession, kind: str, values: str) -> None:
    listed = ", ".join(f"(CAST({value.strip()} AS {kind}))" for value in values.split(","))
    table = create(spark, f"typed_{kind.split('(')[0]}", "v", f"SELECT * FROM VALUES {listed}, (NULL) AS t(v)")
    count = len(values.split(",")) + 1
    for digit in "0157at":
        all_files, files = compared(spark, f"SELECT v FROM {table} WHERE cast(v AS string) LIKE '%{digit}%'")
        assert all_files <= count
        assert files == len(
            spark.sql(f"SELECT DISTINCT v FROM {table} WHERE cast(v AS string) LIKE '%{digit}%'").collect()
        )


def test_explain_shows_the_values(spark: SparkSession, daily: str) -> None:
    [scan] = sis.explain(spark, f"SELECT id FROM {daily} WHERE substr(ds, 7, 2) = '05' AND id % 2 = 0").scans
    assert (scan.files, scan.total_files) == (4, 100)
    exact, other = scan.conjuncts
    assert (exact.files, exact.files_without_added, exact.added_by) == (4, 100, "values")
    assert exact.added is not None
    assert "'20240105'" in exact.added
    assert (other.files, other.added) == (100, None)
