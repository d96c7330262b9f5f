"""What another spec saves if only new rows are written with it, and how long the files of the old one are read.

Without a rewrite, today's files keep their spec. New rows are assumed to be like today's, for the queries as well: of
as many new bytes as the table has now, the queries read what they would read of today's under the new spec.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.quantities import size

GROWTH_DAYS = 30  # of the past, by which the growth is measured
_MIN_DAYS = 1.0  # of a shorter time, the average of a day says nothing


@dataclass(frozen=True, slots=True)
class Growth:
    """The new data of a table.

    bytes_per_day: of data files that were added, less those removed, on average. days: the time that was measured, up
    to 30.
    """

    bytes_per_day: int
    days: float


@dataclass(frozen=True, slots=True)
class Evolution:
    """A spec for new rows only.

    old_files: files that keep today's spec. new_share: of the bytes that queries read of new rows under today's spec,
    those that they read under the new one. growth: the table's; None if it is not known. days_to_half: days after which
    half of the table has the new spec; None with it. share_then: as `new_share`, of the whole table at that time.
    """

    old_files: int
    new_share: float
    growth: Growth | None
    days_to_half: float | None
    share_then: float

    def __str__(self) -> str:
        old_files = "today's file keeps its" if self.old_files == 1 else f"today's {self.old_files:,} files keep their"
        sentence = (
            f"without the rewrite, {old_files} spec and are read as today, until they are rewritten or deleted; of new "
            f"rows, the queries read {self.new_share:.0%} of the bytes that they would read under today's spec"
        )
        if self.growth is None or self.days_to_half is None:
            return sentence
        growth = self.growth
        return (
            f"{sentence}. At {size(growth.bytes_per_day)} a day, as in the last {growth.days:.0f} days, half of the "
            f"table has the new spec after {self.days_to_half:,.0f} days, and the queries read {self.share_then:.0%}"
        )


def growth(added_bytes: int, days: float) -> Growth | None:
    """The growth of a table; None if the time is shorter than a day, or if nothing was added.

    added_bytes: less those removed, in that time.
    """
    days = min(days, GROWTH_DAYS)
    if days < _MIN_DAYS or added_bytes <= 0:
        return None
    return Growth(round(added_bytes / days), days)


def evolution(
    old_files: int, table_bytes: int, reads_now: int, reads_then: int, table_growth: Growth | None
) -> Evolution:
    """A spec for new rows only.

    old_files, table_bytes: of the table today. reads_now, reads_then: the bytes that the queries read of it today, and
    if all of it had the new spec.
    """
    share = reads_then / reads_now if reads_now else 1.0
    days = table_bytes / table_growth.bytes_per_day if table_growth is not None else None
    return Evolution(old_files, share, table_growth, days, (1 + share) / 2)
