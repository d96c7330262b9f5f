"""A spec for new rows only: when it saves how much."""

from __future__ import annotations

from spark_iceberg_sql.insight.advise.growth import GROWTH_DAYS, evolution, growth


def test_growth_and_evolution() -> None:
    assert growth(10_000, 0.5) is None
    assert growth(-5, 10) is None
    assert growth(3_000, 45) is not None
    month = growth(3_000, 45)
    assert month is not None
    assert (month.bytes_per_day, month.days) == (100, GROWTH_DAYS)
    later = evolution(92, 1_000, 500, 50, month)
    assert (later.new_share, later.days_to_half, later.share_then) == (0.1, 10, 0.55)
    assert str(later) == (
        "without the rewrite, today's 92 files keep their spec and are read as today, until they are rewritten or "
        "deleted; of new rows, the queries read 10% of the bytes that they would read under today's spec. At 100 B a "
        "day, as in the last 30 days, half of the table has the new spec after 10 days, and the queries read 55%"
    )
    assert evolution(1, 10, 0, 0, None).new_share == 1
