"""Numbers of things and sizes as texts."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.quantities import plural, size


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (3_400_000, "3.4 MB"), (10**15, "1.0 PB"), (10**18, "1000.0 PB")],
)
def test_sizes(number: int, text: str) -> None:
    assert size(number) == text


def test_plurals() -> None:
    assert [plural(1, "file"), plural(2000, "file"), plural(0, "query", "queries")] == [
        "1 file",
        "2,000 files",
        "0 queries",
    ]
