"""The bounds of a column in a file of which a sample has only some of the rows.

The minimum and maximum of the sampled values are too narrow. How much too narrow depends on whether the
values of the column are spread over all files, as if by chance, or whether each file has a range of its own,
such as a time of arrival.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import accumulate, repeat
from math import ceil
from operator import sub
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
        # Part by part, not file by file: a search has hundreds of thousands of files.
        starts = [0, *file_ends[:-1]] if file_ends else []
        counts = [*map(sub, file_ends, starts)]
        firsts, lasts = [ranks[start] for start in starts], [ranks[end - 1] for end in file_ends]
        bounds = ColumnBounds(self.bound_values, [*map(min, firsts, lasts)], [*map(max, firsts, lasts)], [], [])
        for number, count in enumerate(counts):
            if count > 2:
                rows = ranks[starts[number] : file_ends[number]]
                bounds.lows[number], bounds.highs[number] = min(rows), max(rows)
        null_counts, nan_counts = bounds.nulls, bounds.nans
        nan_counts += [0] * len(counts)
        null_counts += nan_counts
        if weight > 1 and self.has_nulls:
            null_counts[:] = [
                min(self._possible_nulls(count), max(1, round(count * weight)) - 1) if low >= 0 else 0
                for count, low in zip(counts, bounds.lows, strict=True)
            ]
        whole_table = self._whole_table
        for number in [n for n, low in enumerate(bounds.lows) if low < 0] if -1 in bounds.lows else ():
            start, end = starts[number], file_ends[number]
            partition_range = partition_ranges[number] if partition_ranges else whole_table
            file_nulls = sum(nulls[start:end])
            counts[number], *parts = self._with_nulls(ranks[start:end], file_nulls, weight, partition_range)
            bounds.lows[number], bounds.highs[number], null_counts[number], nan_counts[number] = parts
        if weight > 1:
            self._widen(bounds.lows, bounds.highs, counts, weight, partition_ranges or repeat(whole_table))
        return bounds

    @property
    def _whole_table(self) -> RankRange:
        last_rank = len(self.sorted_values) - 1
        return RankRange(0, last_rank, 0, last_rank)

    def _with_nulls(
        self, ranks: Sequence[int], nulls: int, weight: float, partition_range: RankRange
    ) -> tuple[int, int, int, int, int]:
        """The bounds of a file with a null or NaN.

        Returns the number of values whose bounds are to be widened, the lower and the upper bound, the nulls and the
        NaNs.
        """
        total = max(1, round(len(ranks) * weight))
        value_ranks = [r for r in ranks if r >= 0]
        nans = len(ranks) - nulls - len(value_ranks)
        possible_nulls = self._possible_nulls(len(ranks)) if weight > 1 and not nulls else 0
        nulls = round(nulls * weight) or possible_nulls
        if value_ranks:
            low, high = min(value_ranks), max(value_ranks)
        elif (
            weight > 1
            and not nans
            and partition_range.sampled_low <= partition_range.sampled_high
            and self._may_have_values(len(ranks))
        ):
            low, high = partition_range.low, partition_range.high
        else:
            nans = total - min(nulls, total) if nans else 0
            return 0, -1, -1, total - nans, nans
        nans = max(1, total - nulls) if self.has_nans and nans else 0
        return len(value_ranks), low, high, min(nulls, total - 1), min(nans, total)

    def _possible_nulls(self, rows: int) -> int:
        """1 if a file may well have nulls although none of its sampled rows is null, else 0."""
        return 1 if 0 < self._null_share * rows <= _MAX_MISSED_ROWS else 0

    def _may_have_values(self, rows: int) -> bool:
        """True if a file may well have values although all of its sampled rows are null."""
        return self._rows_below[-1] / max(1, len(self.ranks)) * rows <= _MAX_MISSED_ROWS

    @cached_property
    def _rank_at(self) -> Sequence[int]:
        """By a number of sampled rows: the first rank with at least so many below it."""
        rank_at: list[int] = []
        for rank, rows in enumerate(self._rows_below):
            rank_at += [rank] * (rows + 1 - len(rank_at))
        return [*rank_at, len(self._rows_below)]

    def _widen(
        self,
        lows: list[int],
        highs: list[int],
        counts: Sequence[int],
        weight: float,
        partition_ranges: Iterable[RankRange],
    ) -> None:
        """Widen the bounds of files by the rows that the sample may have missed.

        counts: each file's sampled rows with a value; 0 for bounds that stay as they are. All positions are numbers of
        sampled rows of the table, in value order.
        """
        rows_below, rank_at = self._rows_below, self._rank_at
        lower_quantiles, upper_quantiles = (_exponential_quantiles(step, len(counts)) for step in _R2_STEPS[::-1])
        of_partition = None
        files = zip(lows, highs, counts, partition_ranges, strict=False)
        for number, (low, high, count, partition_range) in enumerate(files):
            if not count:
                continue
            if partition_range is not of_partition:  # files of a partition follow each other
                of_partition = partition_range
                sampled_low, sampled_high, lowest, highest = partition_range
                partition_start, partition_end = rows_below[sampled_low], rows_below[sampled_high + 1]
                # A partition extends past its outermost sampled row by one sampling interval.
                widest_start = partition_start - 1 if lowest < sampled_low else partition_start
                widest_end = partition_end + 1 if highest > sampled_high else partition_end
            if count == 1:
                lows[number], highs[number] = lowest, highest
                continue
            # Invariant: partition_start <= sampled_start <= sampled_end <= partition_end.
            sampled_start, sampled_end = rows_below[low], rows_below[high + 1]
            # How many sampled rows of the table there are per sampled row of the file, in its range.
            stride = (sampled_end - sampled_start) / count
            spread = _MAX_MISSED_ROWS * stride
            edge_gap = stride if high > low else 0.0  # with a single value, the gap to the next is unknown
            # Beyond a file's outermost row there are, on average, as many as between two of its rows.
            if partition_end - sampled_end <= spread:  # spread over the files
                file_end = widest_end - upper_quantiles[number] * stride / weight
            else:
                file_end = sampled_end + edge_gap
                if file_end > widest_end:
                    file_end = widest_end
            if sampled_start - partition_start <= spread:
                file_start = widest_start + lower_quantiles[number] * stride / weight
            else:
                file_start = sampled_start - edge_gap
                if file_start < widest_start:
                    file_start = widest_start
            # Back from positions to ranks: a bound may only move outwards from the sampled one.
            if file_start < sampled_start:
                if file_start < partition_start:
                    lows[number] = lowest
                else:
                    low = rank_at[ceil(file_start + 0.5)] - 1
                    lows[number] = max(sampled_low, low)
            if file_end > sampled_end:
                if file_end > partition_end:
                    highs[number] = highest
                else:
                    high = rank_at[ceil(file_end - 0.5)] - 1
                    highs[number] = min(sampled_high, high)


def _exponential_quantiles(step: float, files: int) -> Sequence[float]:
    """Quantiles of the exponential distribution with mean 1, of at least so many files.

    Each is from a quasi-random number for the file: those of consecutive files fill the unit interval evenly, so the
    mean over the files is close to 1.
    """
    return _quantiles_of(step, files.bit_length())


@lru_cache(maxsize=8)  # of all layouts of a search
def _quantiles_of(step: float, bits: int) -> Sequence[float]:
    return array("d", (-math.log(1 - (number + 0.5) * step % 1) for number in range(1 << bits)))
