"""Half a minute of the adversary: random tables, predicates and statements against truth without Iceberg."""

from __future__ import annotations

from adversary.__main__ import summary
from adversary.hunt import Hunt
from adversary.lab import Lab
from pyspark.sql import SparkSession

SECONDS, SEED = 30, 20
FILLED = 40  # a busy machine takes longer, and tries no less


def test_half_a_minute_of_the_adversary_finds_no_wrong_row_and_no_new_error(
    spark: SparkSession,
) -> None:
    result = Hunt(Lab(spark), SEED).run(SECONDS, FILLED)
    print(summary(result))
    assert (result.differences, result.errors) == (0, 0)
    # It was about something: many answers had rows, and statements were tried.
    assert result.filled >= FILLED
    assert result.changes > 0
