"""A short run of the adversary: random tables, predicates and statements, compared with rows without Iceberg."""

from __future__ import annotations

import pytest
from adversary.__main__ import summary
from adversary.harness import Harness
from adversary.hunt import Hunt
from pyspark.sql import SparkSession

SECONDS, SEED = 20, 31
FILLED = 30  # a busy machine takes longer, but tries no fewer


@pytest.mark.always
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
