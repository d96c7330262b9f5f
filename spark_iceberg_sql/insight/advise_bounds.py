"""The bounds of a column in a file of which a sample has only some of the rows.

The minimum and maximum of the sampled values are too narrow. How much too narrow depends on whether the
values of the column are spread over all files, as if by chance, or whether each file has a range of its own,
such as a time of arrival.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from spark_iceberg_sql.insight.hypothetical import Bounds

# The statisticians' rule of three: a sample has none of the rows of which it is expected to have three in 5 % of
# cases (e**-3, Poisson). If no more than three are expected, their absence proves nothing.
_CHANCE = 3.0
# 1/g and 1/g**2 of the plastic number g (g**3 = g + 1): the steps of Roberts' R2 low-discrepancy sequence, which
# fills the unit square evenly. The first is for upper bounds, the second for lower ones.
# Source: M. Roberts, The Unreasonable Effectiveness of Quasirandom Sequences (2018), extremelearning.com.au.
_STEPS = (0.7548776662466927, 0.5698402909980532)


class Limits(NamedTuple):
    """A partition's range of values of one column, as ranks in the sorted distinct values.

    sampled_low, sampled_high: the minimum and maximum in the sample. low, high: how far the values that the
    sample missed may reach: to the values of the neighbouring partitions, or to the bounds of the table.
    """

    first: int
    last: int
    low: int
    high: int


class Ranked:
    """A sampled column as ranks of its distinct values.

    values: in row order; None for a null. table_bounds: the minimum and maximum of the table, if known.
    """

    def __init__(self, values: Sequence[Any], ends: Sequence[Any] = ()) -> None:
        seen = {v for v in values if v is not None and v == v}
        beyond = {v for v in ends if v is not None and v == v} - seen
        seen |= beyond
        self.sorted: list[Any] = sorted(seen)
        rank = {value: i for i, value in enumerate(self.sorted)}
        self.ranks = [rank.get(v, -1) for v in values]
        self.nulls = [v is None for v in values]
        self.has_nulls = any(self.nulls)
        self.has_nans = any(r < 0 for r in self.ranks) and not all(
            n for n, r in zip(self.nulls, self.ranks, strict=True) if r < 0
        )
        counts = [1 if value in beyond else 0 for value in self.sorted]
        for r in self.ranks:
            if r >= 0:
                counts[r] += 1
        self._below = [0, *accumulate(counts)]  # the number of sampled rows below each rank

    def bounds(
        self,
        ranks: Sequence[int],
        nulls: int,
        weight: float,
        within: Limits | None = None,
        number: int = 0,
    ) -> Bounds:
        """The estimated bounds of one file.

        ranks: of its sampled rows; -1 for a null or NaN. nulls: how many of these are null. weight: rows of
        the table per sampled row; 1.0 if every row is sampled. partition_range: the range of its partition;
        None for the whole table. file_number: the position of the file among the files of the table, for the
        quasi-random steps.
        """
        total = max(1, round(len(ranks) * weight))
        known = [r for r in ranks if r >= 0] if min(ranks) < 0 else ranks
        nans = len(ranks) - nulls - len(known)
        missing = self._unseen_nulls(len(ranks)) if weight > 1 and not nulls else 0
        nulls = round(nulls * weight) or missing
        top = len(self.sorted) - 1
        within = within or Limits(0, top, 0, top)
        if known:
            low, high = min(known), max(known)
            if weight > 1:
                low, high = self._widened(low, high, len(known), weight, within, number)
        elif (
            weight > 1
            and not nans
            and within.first <= within.last
            and self._by_chance_null(len(ranks))
        ):
            low, high = within.low, within.high
        else:
            nans = total - min(nulls, total) if nans else 0
            return Bounds(None, None, total - nans, nans)
        nans = max(1, total - nulls) if self.has_nans and nans else 0
        return Bounds(self.sorted[low], self.sorted[high], min(nulls, total - 1), min(nans, total))

    def _unseen_nulls(self, rows: int) -> int:
        """1 if a file may well have nulls although none of its sampled rows is null, else 0."""
        share = sum(self.nulls) / max(1, len(self.nulls)) if self.has_nulls else 0.0
        return 1 if 0 < share * rows <= _CHANCE else 0

    def _by_chance_null(self, rows: int) -> bool:
        """True if a file may well have values although all of its sampled rows are null."""
        return self._below[-1] / max(1, len(self.ranks)) * rows <= _CHANCE

    def _widened(
        self, low: int, high: int, count: int, weight: float, within: Limits, number: int
    ) -> tuple[int, int]:
        """Bounds widened by the rows that the sample may have missed.

        count: the file's sampled rows with a value. All positions are numbers of sampled rows of the table,
        in value order.
        """
        if count == 1:
            return within.low, within.high
        # Invariant: partition_start <= file_start <= file_end <= partition_end, before the rows outside are
        # added.
        below, above = float(self._below[low]), float(self._below[high + 1])
        # How many sampled rows of the table there are per sampled row of the file, in its range.
        every = (above - below) / count
        gap = every if high > low else 0.0  # with a single value, the gap to the next is unknown
        least, most = self._below[within.first], self._below[within.last + 1]
        # A partition extends past its outermost sampled row by one sampling interval.
        start = least - 1 if within.low < within.first else least
        end = most + 1 if within.high > within.last else most
        # Beyond a file's outermost row there are, on average, as many as between two of its rows.
        if most - above <= _CHANCE * every:  # spread over the files
            above = max(above, end - _drawn(number, _STEPS[0]) * every / weight)
        else:
            above = min(end, above + gap)
        if below - least <= _CHANCE * every:
            below = min(below, start + _drawn(number, _STEPS[1]) * every / weight)
        else:
            below = max(start, below - gap)
        # Back from positions to ranks: a bound may only move outwards from the sampled one.
        low = min(low, bisect_left(self._below, below + 0.5) - 1)
        high = max(high, bisect_left(self._below, above - 0.5) - 1)
        return (
            within.low if below < least else max(within.first, low),
            within.high if above > most else min(within.last, high),
        )


def _drawn(number: int, step: float) -> float:
    """A quantile of the exponential distribution with mean 1, from a quasi-random number for the file.

    The numbers of consecutive files fill the unit interval evenly, so the mean over the files is close to 1.
    """
    return -math.log(1 - (number + 0.5) * step % 1)
