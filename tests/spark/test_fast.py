"""The rule `fast`: built-in expressions in place of Iceberg's time functions, with equal values."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import FULL, share, swept

ROWS = 30_000_000 if FULL else 20_000  # random values per type
HOURS, DAYS_APART = (200, 10) if FULL else (200_000, 5_000)  # between the tested bounds
SWITCH = "spark.iceberg_sql.fast"
EVERY = 1 if FULL else 7  # of the tested neighbours of bounds: no divisor of 36
UNITS = ("years", "months", "days", "hours")

# Microseconds and days: arbitrary, years 1 to 9999, near the epoch, and on both sides of each unit's bounds.
MICROS = f"""
    SELECT xxhash64(id) AS x FROM range({ROWS})
    UNION ALL SELECT pmod(xxhash64(id), 315537897600000000) - 62135596800000000 FROM range({ROWS})
    UNION ALL SELECT id - 100000 FROM range(0, 200000, {EVERY})
    UNION ALL SELECT (id - 2562047788) * 3600000000 + pmod(id, 3) - 1 FROM range(0, 5124095576, {HOURS})
    UNION ALL SELECT (id - 106751991) * 86400000000 + pmod(id, 3) - 1 FROM range(0, 213503982, {DAYS_APART})
    UNION ALL SELECT (id - 2562047788) * 3600000000 + 999999 FROM range(0, 2562047988, {HOURS})
    UNION ALL SELECT (id - 106751991) * 86400000000 + 999999 FROM range(0, 106752000, {DAYS_APART})
    UNION ALL SELECT -9223372036854000001L + id * 1000000 FROM range(3)
    UNION ALL SELECT unix_date(make_date(CAST(1 + id DIV 36 AS int), CAST(1 + pmod(id DIV 3, 12) AS int), 1))
        * 86400000000L + pmod(id, 3) - 1 FROM range(0, 359964, {EVERY})
    UNION ALL SELECT * FROM VALUES (9223372036854775807L), (-9223372036854775807L - 1), (NULL)
"""
DAYS = f"""
    SELECT CAST((xxhash64(id) & 4294967295) - 2147483648 AS int) AS x FROM range({ROWS})
    UNION ALL SELECT CAST(id - 719200 AS int) FROM range(0, 3800000, {EVERY * 3 - 2})
    UNION ALL SELECT unix_date(make_date(CAST(1 + id DIV 36 AS int), CAST(1 + pmod(id DIV 3, 12) AS int), 1))
        + CAST(pmod(id, 3) AS int) - 1 FROM range(0, 359964, {EVERY})
    UNION ALL SELECT * FROM VALUES (2147483647), (-2147483647 - 1), (NULL)
"""
SOURCES = {
    "ts": f"SELECT timestamp_micros(x) AS v FROM ({MICROS})",
    "ntz": f"SELECT CAST(timestamp_micros(x) AS timestamp_ntz) AS v FROM ({MICROS})",
    "d": f"SELECT date_from_unix_date(x) AS v FROM ({DAYS})",
}
CASES = [(u, s) for u in UNITS for s in SOURCES if (u, s) != ("hours", "d")]


@pytest.fixture(scope="module", autouse=True)
def settings(spark: SparkSession) -> Iterator[None]:
    ours = {"spark.sql.planChangeValidation": "true", "spark.sql.ansi.enabled": "false"}
    for key, value in ours.items():
        spark.conf.set(key, value)
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.fast")
    yield
    for key in (*ours, SWITCH):
        spark.conf.unset(key)


def plan(spark: SparkSession, query: str) -> str:
    """The optimized plan; calls of Iceberg's functions have Spark 4's name on each line."""
    text = str(spark.sql(query)._jdf.queryExecution().optimizedPlan().toString())
    return text.replace("staticinvoke(", "static_invoke(")


def digest(spark: SparkSession, call: str, source: str, fast: bool) -> tuple[int, ...]:
    """Sums over the hashes of (value, result): equal for equal values, in any order."""
    spark.conf.set(SWITCH, str(fast).lower())
    query = (
        f"SELECT count(*) AS n, bit_xor(xxhash64(v, {call})) AS x, "
        f"sum(xxhash64(v, {call}) DIV 4294967296) AS s, count({call}) AS c "
        f"FROM (SELECT /*+ REPARTITION(2) */ * FROM ({source}))"
    )
    assert ("static_invoke" in plan(spark, query)) != fast
    return tuple(spark.sql(query).first() or ())


@pytest.fixture(scope="module")
def relations(spark: SparkSession) -> Iterator[dict[str, str]]:
    """The sources as views whose rows are computed once, by generated code even if the test runs interpreted."""
    frames = {}
    for name, query in SOURCES.items():
        frames[name] = spark.sql(query).cache()
        few = spark.sql("SELECT * FROM {all} WHERE xxhash64(v) % 50 = 0", all=frames[name])
        frames[f"few_{name}"] = few.cache()
    for name, frame in frames.items():
        frame.createOrReplaceTempView(f"fast_{name}")
        assert frame.count() > 0
    yield {name: f"SELECT v FROM fast_{name}" for name in frames}
    for name, frame in frames.items():
        spark.catalog.dropTempView(f"fast_{name}")
        frame.unpersist()


@pytest.mark.parametrize(("unit", "source"), swept(CASES, 2))
def test_equal_values_in_generated_code(spark: SparkSession, relations: dict[str, str], unit: str, source: str) -> None:
    call = f"iceberg_{unit}(v)"
    expected = digest(spark, call, relations[source], fast=False)
    assert expected[0] > ROWS
    assert digest(spark, call, relations[source], fast=True) == expected
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try:
        small = f"{relations[source]} WHERE xxhash64(v) % 10 = 0"
        assert digest(spark, call, small, fast=True) == digest(spark, call, small, fast=False)
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "false")


@pytest.mark.parametrize("ansi", share(["true", "false"], 2))
def test_equal_values_interpreted(spark: SparkSession, relations: dict[str, str], ansi: str) -> None:
    interpreted = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.ansi.enabled": ansi,
    }
    for key, value in interpreted.items():
        spark.conf.set(key, value)
    try:
        for unit, source in CASES:
            call = f"local.system.{unit}(v)"
            expected = digest(spark, call, relations[f"few_{source}"], fast=False)
            assert expected[0] > ROWS // 50
            assert digest(spark, call, relations[f"few_{source}"], fast=True) == expected
    finally:
        for key in interpreted:
            spark.conf.unset(key)
        spark.conf.set("spark.sql.ansi.enabled", "false")


def test_not_null_columns_and_nested_ones(spark: SparkSession) -> None:
    rows = "SELECT timestamp_micros(id * 86400000000 * 31) AS t, struct(timestamp_micros(id) AS t) AS s FROM range(99)"
    for column in ("t", "s.t"):
        query = f"SELECT iceberg_months({column}) AS m, iceberg_years({column}) AS y FROM ({rows})"
        results = []
        for switch in ("true", "false"):
            spark.conf.set(SWITCH, switch)
            results.append(spark.sql(query).collect())
        assert results[0] == results[1]


@pytest.mark.tier("quick", of="rule fast")
def test_switch_of_a_session(spark: SparkSession) -> None:
    query = "SELECT iceberg_days(timestamp_micros(id)) FROM range(3)"
    other = spark.newSession()
    other.conf.set(SWITCH, "false")
    spark.conf.set(SWITCH, "true")
    assert "static_invoke" not in plan(spark, query)
    assert "static_invoke" in plan(other, query)
    other.conf.unset(SWITCH)
    assert "static_invoke" not in plan(other, query)
    other.conf.set("spark.sql.optimizer.excludedRules", "sparkicebergsql.Fast")
    assert "static_invoke" in plan(other, query)


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    spark.sql(
        "CREATE TABLE local.fast.t USING iceberg PARTITIONED BY (days(ts)) AS "
        "SELECT id, timestamp_micros(id * 3600000000) AS ts FROM range(240)"
    )
    return "local.fast.t"


@pytest.fixture
def on(spark: SparkSession) -> None:
    spark.conf.set(SWITCH, "true")


@pytest.mark.tier("quick", of="rule fast")
@pytest.mark.usefixtures("on")
def test_a_filter_is_still_pushed(spark: SparkSession, table: str) -> None:
    frame = spark.sql(f"SELECT id FROM {table} WHERE iceberg_days(ts) = DATE'1970-01-03'")
    assert "filters=day(ts) =" in frame._jdf.queryExecution().executedPlan().toString()
    assert sorted(row.id for row in frame.collect()) == list(range(48, 72))


@pytest.mark.usefixtures("on")
def test_what_the_scan_does_not_cover_is_not_interpreted(spark: SparkSession, table: str) -> None:
    """Iceberg's rule leaves an ApplyFunctionExpression, which Spark would evaluate by reflection-like calls."""
    hours = plan(spark, f"SELECT id FROM {table} WHERE iceberg_hours(ts) = 50")
    assert "timestamp" in hours  # the composition
    assert "hours(" not in hours
    assert "static_invoke" not in hours
    bucket = plan(spark, f"SELECT id FROM {table} WHERE iceberg_bucket(4, id) = 1")
    assert "static_invoke" in bucket
    spark.conf.set(SWITCH, "false")
    assert "static_invoke" not in plan(spark, f"SELECT id FROM {table} WHERE iceberg_bucket(4, id) = 1")


@pytest.mark.usefixtures("on")
def test_a_costly_source_is_computed_once(spark: SparkSession) -> None:
    source = "to_timestamp(CAST(id AS string))"
    query = f"SELECT iceberg_months({source}), iceberg_days({source}) FROM range(9)"
    text = plan(spark, query)
    assert text.count("static_invoke") == 2
    assert "MonthsFunction" in text
    assert text.count("as timestamp)") == 2


@pytest.mark.usefixtures("on")
def test_grouping_window_and_join(spark: SparkSession, table: str) -> None:
    query = f"""SELECT iceberg_months(a.ts) AS m, iceberg_days(a.ts) AS d, count(*) AS n,
        rank() OVER (ORDER BY iceberg_days(a.ts)) AS k FROM {table} a JOIN {table} b
        ON iceberg_hours(a.ts) = iceberg_hours(b.ts) GROUP BY ROLLUP (iceberg_months(a.ts), iceberg_days(a.ts))
        ORDER BY 1, 2"""
    fast = spark.sql(query).collect()
    assert "static_invoke" not in plan(spark, query)
    spark.conf.set(SWITCH, "false")
    assert spark.sql(query).collect() == fast
