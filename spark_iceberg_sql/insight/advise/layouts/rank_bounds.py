"""The bounds of a column in a file of which a sample has only some of the rows.

The minimum and maximum of the sampled values are too narrow. How much too narrow depends on whether the
values of the column are spread over all files, as if by chance, or whether each file has a range of its own,
such as a time of arrival.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from itertools import accumulate
from typing import Any, NamedTuple

from spark_iceberg_sql.insight.hypothetical.partitions import BoundValues, ColumnBounds

# The statisticians' rule of three: a sample has none of the rows of which it is expected to have three in 5 % of
# cases (e**-3, Poisson). If no more than three are expected, their absence proves nothing.
_MAX_MISSED_ROWS = 3.0
# 1/g and 1/g**2 of the plastic number g (g**3 = g + 1): the steps of Roberts' R2 low-discrepancy sequence, which
# fills the unit square evenly. The first is for upper bounds, the second for lower ones.
# Source: M. Roberts, The Unreasonable Effectiveness of Quasirandom Sequences (2018), extremelearning.com.au.
_R2_STEPS = (0.7548776662466927, 0.5698402909980532)


class RankRange(NamedTuple):
    """A partition's range of values of one column, as ranks in the sorted distinct values.

    sampled_low, sampled_high: the minimum and maximum in the sample. low, high: how far the values that the
    sample missed may reach: to the values of the neighbouring partitions, or to the bounds of the table.
    """

    sampled_low: int
    sampled_high: int
    low: int
    high: int


class RankedColumn:
    """A sampled column as ranks of its distinct values.

    values: in row order; None for a null. table_bounds: the minimum and maximum of the table, if known.
    """

    def __init__(self, values: Sequence[Any], table_bounds: Sequence[Any] = ()) -> None:
        distinct = {v for v in values if v is not None and v == v}
        unsampled = {v for v in table_bounds if v is not None and v == v} - distinct
        distinct |= unsampled
        self.sorted_values: list[Any] = sorted(distinct)
        rank = {value: i for i, value in enumerate(self.sorted_values)}
        self.bound_values = BoundValues(self.sorted_values)
        self.ranks = [rank.get(v, -1) for v in values]
        self.nulls = [v is None for v in values]
        self.has_nulls = any(self.nulls)
        self._null_share = sum(self.nulls) / max(1, len(self.nulls))
        self.has_nans = any(r < 0 for r in self.ranks) and not all(
            n for n, r in zip(self.nulls, self.ranks, strict=True) if r < 0
        )
        rows_of = Counter(self.ranks)
        counts = (rows_of[r] + (value in unsampled) for r, value in enumerate(self.sorted_values))
        self._rows_below = [0, *accumulate(counts)]  # the number of sampled rows below each rank

    def in_order(self, ordered: Callable[[Sequence[Any]], list[Any]]) -> RankedColumn:
        """The same values in another order of the rows, which `ordered` gives to the values of all rows."""
        column = copy(self)
        column.ranks, column.nulls = ordered(self.ranks), ordered(self.nulls)
        return column

    def of_files(
        self,
        ranks: Sequence[int],
        nulls: Sequence[bool],
        file_ends: Sequence[int],
        weight: float,
        partition_ranges: Sequence[RankRange] = (),
    ) -> ColumnBounds:
        """The estimated bounds of each file, as ranks; -1 for none.

        ranks: of the sampled rows, file by file; -1 for a null or NaN. nulls: which of these are null; empty if the
        column has none. file_ends: where in them each file ends. weight: rows of the table per sampled row; 1.0 if
        every row is sampled. partition_ranges: the range of each file's partition; empty for the whole table.
        """
        last_rank = len(self.sorted_values) - 1
        partition_range = RankRange(0, last_rank, 0, last_rank)
        bounds = ColumnBounds(self.bound_values, [], [], [], [])
        _, lows, highs, null_counts, nan_counts = bounds
        start = 0
        for number, end in enumerate(file_ends):  # of hundreds of thousands of files: the usual ones first
            count, first, start = end - start, start, end
            if partition_ranges:
                partition_range = partition_ranges[number]
            if count <= 2:
                low, high = ranks[first], ranks[end - 1]
                if high < low:
                    low, high = high, low
            else:
                rows = ranks[first:end]
                low, high = min(rows), max(rows)
            null_count = nan_count = 0
            if low < 0:
                file_nulls = sum(nulls[first:end])
                low, high, null_count, nan_count = self._with_nulls(
                    ranks[first:end], file_nulls, weight, partition_range, number
                )
            elif weight > 1:
                low, high = self._widen(low, high, count, weight, partition_range, number)
                if self.has_nulls:
                    null_count = min(self._possible_nulls(count), max(1, round(count * weight)) - 1)
            lows.append(low)
            highs.append(high)
            null_counts.append(null_count)
            nan_counts.append(nan_count)
        return bounds

    def _with_nulls(
        self, ranks: Sequence[int], nulls: int, weight: float, partition_range: RankRange, file_number: int
    ) -> tuple[int, int, int, int]:
        """The bounds of a file with a null or NaN: the lower and the upper one, the nulls and the NaNs."""
        total = max(1, round(len(ranks) * weight))
        value_ranks = [r for r in ranks if r >= 0]
        nans = len(ranks) - nulls - len(value_ranks)
        possible_nulls = self._possible_nulls(len(ranks)) if weight > 1 and not nulls else 0
        nulls = round(nulls * weight) or possible_nulls
        if value_ranks:
            low, high = min(value_ranks), max(value_ranks)
            if weight > 1:
                low, high = self._widen(low, high, len(value_ranks), weight, partition_range, file_number)
        elif (
            weight > 1
            and not nans
            and partition_range.sampled_low <= partition_range.sampled_high
            and self._may_have_values(len(ranks))
        ):
            low, high = partition_range.low, partition_range.high
        else:
            nans = total - min(nulls, total) if nans else 0
            return -1, -1, total - nans, nans
        nans = max(1, total - nulls) if self.has_nans and nans else 0
        return low, high, min(nulls, total - 1), min(nans, total)

    def _possible_nulls(self, rows: int) -> int:
        """1 if a file may well have nulls although none of its sampled rows is null, else 0."""
        return 1 if 0 < self._null_share * rows <= _MAX_MISSED_ROWS else 0

    def _may_have_values(self, rows: int) -> bool:
        """True if a file may well have values although all of its sampled rows are null."""
        return self._rows_below[-1] / max(1, len(self.ranks)) * rows <= _MAX_MISSED_ROWS

    def _widen(
        self, low: int, high: int, count: int, weight: float, partition_range: RankRange, file_number: int
    ) -> tuple[int, int]:
        """Bounds widened by the rows that the sample may have missed.

        count: the file's sampled rows with a value. All positions are numbers of sampled rows of the table,
        in value order.
        """
        sampled_low, sampled_high, lowest, highest = partition_range
        if count == 1:
            return lowest, highest
        rows_below = self._rows_below
        # Invariant: partition_start <= file_start <= file_end <= partition_end, before the rows outside are
        # added.
        sampled_start, sampled_end = rows_below[low], rows_below[high + 1]
        file_start, file_end = float(sampled_start), float(sampled_end)
        # How many sampled rows of the table there are per sampled row of the file, in its range.
        stride = (file_end - file_start) / count
        spread = _MAX_MISSED_ROWS * stride
        edge_gap = stride if high > low else 0.0  # with a single value, the gap to the next is unknown
        partition_start, partition_end = rows_below[sampled_low], rows_below[sampled_high + 1]
        # A partition extends past its outermost sampled row by one sampling interval.
        widest_start = partition_start - 1 if lowest < sampled_low else partition_start
        widest_end = partition_end + 1 if highest > sampled_high else partition_end
        # Beyond a file's outermost row there are, on average, as many as between two of its rows.
        if partition_end - file_end <= spread:  # spread over the files
            file_end = widest_end - _exponential_quantile(file_number, _R2_STEPS[0]) * stride / weight
        else:
            file_end += edge_gap
            if file_end > widest_end:
                file_end = widest_end
        if file_start - partition_start <= spread:
            file_start = widest_start + _exponential_quantile(file_number, _R2_STEPS[1]) * stride / weight
        else:
            file_start -= edge_gap
            if file_start < widest_start:
                file_start = widest_start
        # Back from positions to ranks: a bound may only move outwards from the sampled one.
        if file_start < sampled_start:
            low = bisect_left(rows_below, file_start + 0.5) - 1
            low = lowest if file_start < partition_start else max(sampled_low, low)
        if file_end > sampled_end:
            high = bisect_left(rows_below, file_end - 0.5) - 1
            high = highest if file_end > partition_end else min(sampled_high, high)
        return low, high


def _exponential_quantile(file_number: int, step: float) -> float:
    """A quantile of the exponential distribution with mean 1, from a quasi-random number for the file.

    The numbers of consecutive files fill the unit interval evenly, so the mean over the files is close to 1.
    """
    return -math.log(1 - (file_number + 0.5) * step % 1)
