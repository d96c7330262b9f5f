"""A short run of the adversary: random tables, predicates and statements, compared with rows without Iceberg."""

from __future__ import annotations

import pytest
from adversary import minimise, statements
from adversary.__main__ import summary
from adversary.harness import PLAIN, Harness, Made
from adversary.hunt import Hunt
from adversary.rows import RAW
from adversary.statements import Case
from adversary.tables import Step, Table
from adversary.truth.twin import UNFILTERED
from pyspark.sql import SparkSession

SECONDS, SEED = 20, 31
FILLED = 30  # a busy machine takes longer, but tries no fewer


@pytest.mark.tier("rest", sampled=False)
def test_a_short_run_of_the_adversary_finds_no_wrong_row_and_no_new_error(
    spark: SparkSession, pytestconfig: pytest.Config
) -> None:
    seconds = SECONDS if pytestconfig.getoption("--every") == 1 else SECONDS // 2
    result = Hunt(Harness(spark), SEED).run(seconds, FILLED)
    print(summary(result))
    assert (result.differences, result.errors) == (0, 0)
    # The run was meaningful: many answers had rows, and statements were tried.
    assert result.filled >= FILLED
    assert result.changes > 0


def of_times(harness: Harness, *times: int, imported: str = "") -> Made:
    """A table of these microseconds since 1970."""
    rows = tuple((r, m, *[None] * (len(RAW) - 2)) for r, m in enumerate(times))
    types = {"r": "int", "mark": "int", "ts": "timestamp"}
    steps = (Step(rows=tuple(range(len(rows))), imported=imported),)
    return harness.build(Table("times", "UTC", types, (), {"format-version": "2"}, rows, steps))


def case(predicate: str, zone: str = "UTC") -> Case:
    return Case("select", predicate, (("spark.sql.session.timeZone", zone), ("spark.sql.ansi.enabled", "true")))


def test_what_iceberg_alone_does_wrong_is_a_difference(spark: SparkSession) -> None:
    harness = Harness(spark)
    with harness.conf({**PLAIN, **UNFILTERED}):
        iceberg_table = of_times(harness, 1_000_000_000_000_001, 2_000_000_000_000_000, imported="TIMESTAMP_MILLIS")
        late = case("ts >= timestamp_micros(1500000000000000)")
        assert minimise.verdict(harness, iceberg_table, late) is None
        with harness.off():
            assert minimise.verdict(harness, iceberg_table, late) == ("", frozenset([1]), frozenset())
        harness.drop(iceberg_table)


def test_what_spark_answers_over_the_copy_is_none(spark: SparkSession) -> None:
    """At 1992-10-25 00:01, Goose Bay went back to 23:01: Spark's filter takes that hour for the 25th."""
    harness = Harness(spark)
    with harness.conf({**PLAIN, **UNFILTERED}):
        iceberg_table = of_times(harness, 719_983_800_000_000)
        other = case("to_date(ts) <> DATE'1992-10-25'", "America/Goose_Bay")
        assert statements.run(harness, iceberg_table, other) == frozenset()
        assert minimise.verdict(harness, iceberg_table, other) is None
        with harness.conf(dict(other.settings)):
            day = harness.sql(f"SELECT CAST(to_date(ts) AS string) FROM {iceberg_table.name}").collect()[0][0]
        assert day == "1992-10-24"
        harness.drop(iceberg_table)
