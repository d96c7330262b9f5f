"""The partitions of a spec, from the bounds and counts of existing files; the files are not read.

A file's rows are assumed to be spread evenly between the bounds of each column, each column independent of the others.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product, repeat
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.transform_record import Transform

_MAX_VALUES = 10_000  # values of one partition field in one file
_MAX_RANGES = 100_000  # that are held at a time
_DAY = 86_400_000_000  # microseconds
_HOUR = 3_600_000_000


@dataclass(frozen=True, slots=True)
class ManifestStats:
    """Of the files of one manifest: of a million files, objects of each take long.

    bounds: by field id, the lower and the upper ones of a column, as Iceberg stores them; None where a file lacks one.
    """

    rows: Sequence[int]
    sizes: Sequence[int]
    bounds: Mapping[int, tuple[Sequence[Any], Sequence[Any]]]


class CountedFiles:
    """Manifests that are iterated over once, and the number, rows and least size of their files afterwards."""

    def __init__(self, manifests: Iterable[ManifestStats]) -> None:
        self._manifests = manifests
        self.count = self.rows = 0
        self.smallest = math.inf

    def __iter__(self) -> Iterator[ManifestStats]:
        for manifest in self._manifests:
            self.count += len(manifest.rows)
            self.rows += sum(manifest.rows)
            self.smallest = min([self.smallest, *manifest.sizes])
            yield manifest


@dataclass(slots=True)
class PartitionTotal:
    """What a partition has of the existing files. files: how many of them, as shares, like the rows and the bytes."""

    rows: float = 0.0
    size: float = 0.0
    files: float = 0.0

    def add(self, other: PartitionTotal, share: float) -> None:
        """Add a share of another one."""
        self.rows += other.rows * share
        self.size += other.size * share
        self.files += other.files * share


def partition_totals(
    spec: Spec, manifests: Iterable[ManifestStats], type_names: Mapping[int, str]
) -> dict[tuple[Any, ...], PartitionTotal]:
    """What each partition would have of the existing files.

    type_names: the Iceberg types of the source columns.

    Raises IcebergSqlError for a field whose values cannot be derived from bounds.
    """
    totals: dict[tuple[Any, ...], PartitionTotal] = defaultdict(PartitionTotal)
    # A hashed field has the same shares in every file: they come in at the end.
    hashed = [n for n, f in enumerate(spec.fields) if f.transform.transform.hashes]
    bounded = [f for f in spec.fields if not f.transform.transform.hashes]
    # Files with the same shares come in at once: most of a large table's are within one unit of time.
    by_ranges: dict[tuple[Any, ...], PartitionTotal] = defaultdict(PartitionTotal)

    def divide() -> None:
        for ranges, total in by_ranges.items():
            shares = [_shares(f, r, type_names[f.source_id]) for f, r in zip(bounded, ranges, strict=True)]
            for parts in product(*shares):
                totals[tuple(value for value, _ in parts)].add(total, math.prod(part for _, part in parts))
        by_ranges.clear()

    for manifest in manifests:
        of_fields = [_ranges(f, *manifest.bounds[f.source_id], type_names[f.source_id]) for f in bounded]
        files = zip(*of_fields, strict=True) if bounded else repeat(())
        for ranges, rows, size in zip(files, manifest.rows, manifest.sizes, strict=False):
            total = by_ranges[ranges]
            total.rows += rows
            total.size += size
            total.files += 1
            if len(by_ranges) > _MAX_RANGES:
                divide()
    divide()
    counts = [spec.fields[n].transform.parameter or 1 for n in hashed]
    return {
        _with_values(values, hashed, numbers): _part_of(total, 1 / math.prod(counts))
        for values, total in totals.items()
        for numbers in product(*map(range, counts))
    }


def _part_of(total: PartitionTotal, share: float) -> PartitionTotal:
    return PartitionTotal(total.rows * share, total.size * share, total.files * share)


def _with_values(values: Sequence[Any], indices: Sequence[int], inserted: Sequence[Any]) -> tuple[Any, ...]:
    """Values with others inserted, which are then at these indices, in ascending order."""
    result = list(values)
    for index, value in zip(indices, inserted, strict=True):
        result.insert(index, value)
    return tuple(result)


def round_to_total(counts: Sequence[float], total: int) -> list[int]:
    """Estimated row counts, rounded to whole numbers that add up to the known total; none is 0 if there are
    enough rows.
    """
    # The largest-remainder method (Hamilton's), with a minimum for each count.
    factor = total / (sum(counts) or 1.0)
    exact = [count * factor for count in counts]
    minimum = 1 if total >= len(counts) else 0
    rounded = [max(minimum, int(value)) for value in exact]
    remainder = total - sum(rounded)
    # What is left goes to the largest fractions; what is too much comes off the largest numbers.
    for index in sorted(range(len(rounded)), key=lambda index: rounded[index] - exact[index])[: max(0, remainder)]:
        rounded[index] += 1
    for index in sorted(range(len(rounded)), key=lambda index: -rounded[index]):
        if remainder >= 0:
            break
        reduction = min(-remainder, rounded[index] - minimum)
        rounded[index] -= reduction
        remainder += reduction
    return rounded


def _ranges(field: PartitionField, lows: Sequence[Any], highs: Sequence[Any], type_name: str) -> list[Any]:
    """Of each file the value that a field which is not hashed has in all its rows, or the bounds if it has several, or
    they do not determine it; None for a file without bounds.
    """
    transform, width = field.transform.transform, field.transform.parameter or 1
    firsts, lasts, is_whole = lows, highs, type_name in ("int", "long")
    if transform.granularity is not None:
        firsts, lasts = units_of(transform, type_name, lows), units_of(transform, type_name, highs)
    elif transform.truncates and is_whole:
        firsts, lasts = ([None if v is None else v - v % width for v in values] for values in (lows, highs))
    is_determined = is_whole or not transform.truncates
    return [
        first if first == last and is_determined else None if low is None or high is None else (low, high)
        for first, last, low, high in zip(firsts, lasts, lows, highs, strict=True)
    ]


def _shares(field: PartitionField, values: Any, type_name: str) -> Sequence[tuple[Any, float]]:
    """The values in a file of a field that is not hashed, each with its share of the rows. values: of `_ranges`."""
    transform = field.transform.transform
    if values is None:
        raise _undetermined(field, "some files have no bounds for its source column")
    if not isinstance(values, tuple):
        return [(values, 1.0)]
    low, high = values
    if transform.granularity is not None:
        if type_name == "date":
            low, high = low * _DAY, high * _DAY + _DAY - 1
        return _time_shares(field, low, high)
    if not isinstance(low, int) or isinstance(low, bool):
        raise _undetermined(field, f"the bounds of `{field.source}` do not determine the values between them")
    width = field.transform.parameter or 1
    return _unit_shares(field, low // width, high // width, lambda v: v * width, width, low, high)


def _time_shares(field: PartitionField, low: int, high: int) -> Sequence[tuple[int, float]]:
    months = field.transform.transform.months
    if months is None:
        unit = _unit_length(field.transform.transform)
        return _unit_shares(field, low // unit, high // unit, lambda v: v, unit, low, high)
    first, last = _month_of(low) // months, _month_of(high) // months
    shares = []
    for value in range(first, last + 1):
        start, end = _month_start(value * months), _month_start((value + 1) * months) - 1
        shares.append((value, (min(high, end) - max(low, start) + 1) / (high - low + 1)))
    return shares


def _unit_shares(
    field: PartitionField, first: int, last: int, value_of: Any, unit: int, low: int, high: int
) -> Sequence[tuple[int, float]]:
    if last - first >= _MAX_VALUES:
        raise _undetermined(field, f"one file may have {last - first + 1:,} values of it")
    total = high - low + 1
    return [
        (value_of(v), (min(high, (v + 1) * unit - 1) - max(low, v * unit) + 1) / total) for v in range(first, last + 1)
    ]


def units_of(transform: Transform, type_name: str, values: Iterable[Any]) -> list[Any]:
    """The units of a time transform in which values lie, since 1970; None for None.

    type_name: `date`, or a timestamp.
    """
    micros = _DAY if type_name == "date" else 1
    if (months := transform.months) is not None:
        return [None if v is None else _month_of(v * micros) // months for v in values]
    unit = _unit_length(transform)
    return [None if v is None else v * micros // unit for v in values]


def _unit_length(transform: Transform) -> int:
    """In microseconds, where it is constant."""
    return round((transform.granularity or 0) * _HOUR)


def _month_of(micros: int) -> int:
    """The months from January 1970 to a time."""
    # civil_from_days of H. Hinnant, chrono-Compatible Low-Level Date Algorithms: years begin in March, so
    # that the leap day is the last of its year. Python's datetime ends at the year 9999; Iceberg's values do not.
    return _month_of_day(micros // _DAY)


@lru_cache(maxsize=1 << 16)
def _month_of_day(days_since_1970: int) -> int:
    days = days_since_1970 + 719_468  # since 0000-03-01
    era, day = divmod(days, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day_of_year = day - (365 * year + year // 4 - year // 100)
    return (era * 400 + year - 1970) * 12 + (5 * day_of_year + 2) // 153 + 2


def _month_start(month: int) -> int:
    """The first microsecond of a month since January 1970."""
    # days_from_civil, the inverse of the function above.
    year, month_number = divmod(month - 2, 12)  # the year begins in March
    year += 1970
    era, year_of_era = divmod(year, 400)
    days = era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + (153 * month_number + 2) // 5
    return (days - 719_468) * _DAY


def _undetermined(field: PartitionField, reason: str) -> IcebergSqlError:
    return IcebergSqlError(
        f"the metadata does not show how many rows each value of {field.clause} has: {reason}",
        help="preview it with using => 'data', which reads the rows",
    )
