"""Numbers of things, sizes and durations as texts."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.quantities import duration, plural, size


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (3_400_000, "3.4 MB"), (10**15, "1.0 PB"), (10**18, "1000.0 PB")],
)
def test_sizes(number: int, text: str) -> None:
    assert size(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (7530, "2 h 5 min"),
        (100 * 3600, "100 h 0 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_plurals() -> None:
    assert [plural(1, "file"), plural(2000, "file"), plural(0, "query", "queries")] == [
        "1 file",
        "2,000 files",
        "0 queries",
    ]
