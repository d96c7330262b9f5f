"""A table's size in the summary of its current snapshot, as writers other than Iceberg's library leave it."""

from __future__ import annotations

from typing import Any

import pytest

from spark_iceberg_sql.model.metadata.snapshot_totals import SnapshotTotals, snapshot_totals


@pytest.mark.parametrize(
    ("summary", "totals"),
    [
        (None, (0, 0, 0, 0)),
        ({}, (None, None, None, None)),
        ({"total-records": "3", "total-delete-files": "0"}, (3, None, 0, None)),
        ({"total-records": 3, "total-delete-files": 0}, (3, None, 0, None)),
        ({"total-records": "many", "total-files-size": ""}, (None, None, None, None)),
    ],
    ids=["no snapshot", "no totals", "text", "numbers", "not a number"],
)
def test_a_total_is_unknown_where_its_writer_left_it_out(summary: Any, totals: tuple[int | None, ...]) -> None:
    assert snapshot_totals(summary) == SnapshotTotals(*totals)
