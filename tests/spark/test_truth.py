"""The adversary's comparison with rows outside Iceberg finds faults, and two writers leave the rows of some order."""

from __future__ import annotations

from typing import Any

import pytest
from adversary.harness import Harness
from adversary.truth.chase import Chase
from adversary.truth.schedules import Schedules
from pyspark.sql import SparkSession


class Forgetful(Chase):
    """Its queries return all rows but the last."""

    def __init__(self, harness: Harness, seed: int) -> None:
        super().__init__(harness, seed, ("int", "string"), say=False)
        right = self.ask
        self.ask = lambda text: right(text)[:-1]
        self.reducer.ask = self.ask
        self.reducer.left = 0


@pytest.mark.tier("rest", sampled=False)
def test_a_row_that_a_query_loses_is_a_difference(spark: SparkSession) -> None:
    chase = Forgetful(Harness(spark), 4)
    chase.reduced = 10**9  # no time for making it smaller
    tally = chase.run(0, 40)
    assert tally.filled > 0
    assert tally.differences > tally.filled / 2


@pytest.mark.tier("rest", sampled=False)
def test_a_row_that_a_statement_loses_is_a_difference(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    chase = Chase(Harness(spark), 2, ("int", "string"), say=False)
    chase.reduced = 10**9
    run = chase.ask

    def deletes_more(text: str) -> Any:
        return run(text.replace(" WHERE ", " WHERE r > 0 OR ", 1) if text.startswith("DELETE") else text)

    chase.ask = deletes_more
    tally = chase.run(0, 150)
    assert tally.kinds["DELETE"] > 0
    assert tally.wrong["DELETE"] > 0


@pytest.mark.tier("rest", sampled=False)
def test_two_writers(spark: SparkSession) -> None:
    tried = Schedules(Harness(spark), 1, say=True).run(6)
    assert tried.succeeded > 0
    assert not tried.classes
