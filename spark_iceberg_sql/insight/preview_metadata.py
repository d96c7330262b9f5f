"""The partitions of a spec, from the bounds and counts of existing files; the files are not read.

A file's rows are assumed to be spread evenly between the bounds of each column, each column independent of the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.spec import PartitionField, Spec

_MOST = 10_000  # values of one partition field in one file
_DAY = 86_400_000_000  # microseconds
# The length of each transform's unit: microseconds, or months.
_UNITS = {len("2024-05-17"): _DAY, len("2024-05-17T10"): 3_600_000_000}
_MONTHS = {len("2024"): 12, len("2024-05"): 1}


@dataclass(frozen=True, slots=True)
class Known:
    """One file's metadata. bounds: by field id, each source column's lower and upper bound, as Iceberg stores them."""

    rows: int
    size: int
    bounds: Mapping[int, tuple[Any, Any]]


def spread(
    spec: Spec, files: Iterable[Known], kinds: Mapping[int, str], footer: float = 0.0
) -> dict[tuple[Any, ...], list[float]]:
    """The rows, and the bytes without footers, of each partition.

    type_names: the Iceberg types of the source columns. footer: bytes of each file that do not depend on its
    rows.

    Raises IcebergSqlError for a field whose values cannot be derived from bounds.
    """
    found: dict[tuple[Any, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for file in files:
        shares = [_shares(f, file.bounds.get(f.source_id), kinds[f.source_id]) for f in spec.fields]
        for parts in product(*shares):
            share = 1.0
            for _, part in parts:
                share *= part
            total = found[tuple(value for value, _ in parts)]
            total[0] += file.rows * share
            total[1] += max(0.0, file.size - footer) * share
    return found


def whole(counts: Sequence[float], total: int) -> list[int]:
    """Estimated row counts, rounded to whole numbers that add up to the known total; none is 0 if there are
    enough rows.
    """
    # The largest-remainder method (Hamilton's), with a minimum for each count.
    factor = total / (sum(counts) or 1.0)
    exact = [count * factor for count in counts]
    least = 1 if total >= len(counts) else 0
    found = [max(least, int(one)) for one in exact]
    left = total - sum(found)
    # What is left goes to the largest fractions; what is too much comes off the largest numbers.
    for i in sorted(range(len(found)), key=lambda i: found[i] - exact[i])[: max(0, left)]:
        found[i] += 1
    for i in sorted(range(len(found)), key=lambda i: -found[i]):
        if left >= 0:
            break
        off = min(-left, found[i] - least)
        found[i] -= off
        left += off
    return found


def _shares(
    field: PartitionField, bounds: tuple[Any, Any] | None, kind: str
) -> Sequence[tuple[Any, float]]:
    """A field's values in a file, each with its share of the rows."""
    transform = field.transform.transform
    if transform.hashes:
        count = field.transform.parameter or 1
        return [(value, 1 / count) for value in range(count)]
    if bounds is None:
        raise _unknown(field, "some files have no bounds for its source column")
    low, high = bounds
    if transform.iso_width is not None:
        if kind == "date":
            low, high = low * _DAY, high * _DAY + _DAY - 1
        return _over_time(field, low, high)
    if low == high and not transform.truncates:
        return [(low, 1.0)]
    if not isinstance(low, int) or isinstance(low, bool):
        raise _unknown(
            field, f"the bounds of `{field.source}` do not determine the values between them"
        )
    width = field.transform.parameter or 1
    return _over(field, low // width, high // width, lambda v: v * width, width, low, high)


def _over_time(field: PartitionField, low: int, high: int) -> Sequence[tuple[int, float]]:
    width = field.transform.transform.iso_width
    if width in _UNITS:
        unit = _UNITS[width]
        return _over(field, low // unit, high // unit, lambda v: v, unit, low, high)
    months = _MONTHS[width or 0]
    first, last = _month(low) // months, _month(high) // months
    out = []
    for value in range(first, last + 1):
        start, end = _start(value * months), _start((value + 1) * months) - 1
        out.append((value, (min(high, end) - max(low, start) + 1) / (high - low + 1)))
    return out


def _over(
    field: PartitionField, first: int, last: int, shown: Any, unit: int, low: int, high: int
) -> Sequence[tuple[int, float]]:
    if last - first >= _MOST:
        raise _unknown(field, f"one file may have {last - first + 1:,} values of it")
    total = high - low + 1
    return [
        (shown(v), (min(high, (v + 1) * unit - 1) - max(low, v * unit) + 1) / total)
        for v in range(first, last + 1)
    ]


def unit_of(width: int, kind: str, value: int) -> int:
    """The year, month, day or hour of a value, since 1970. width: the transform's. type_name: `date`, or a
    timestamp.
    """
    micros = value * _DAY if kind == "date" else value
    return micros // _UNITS[width] if width in _UNITS else _month(micros) // _MONTHS[width]


def _month(micros: int) -> int:
    """The months from January 1970 to a time."""
    # civil_from_days of H. Hinnant, chrono-Compatible Low-Level Date Algorithms: years begin in March, so
    # that the leap
    # day is the last of its year. Python's datetime ends at the year 9999; Iceberg's values do not.
    days = micros // _DAY + 719_468  # since 0000-03-01
    era, day = divmod(days, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    rest = day - (365 * year + year // 4 - year // 100)
    return (era * 400 + year - 1970) * 12 + (5 * rest + 2) // 153 + 2


def _start(month: int) -> int:
    """The first microsecond of a month since January 1970."""
    # days_from_civil, the inverse of the function above.
    year, number = divmod(month - 2, 12)  # the year begins in March
    year += 1970
    era, rest = divmod(year, 400)
    days = era * 146_097 + rest * 365 + rest // 4 - rest // 100 + (153 * number + 2) // 5
    return (days - 719_468) * _DAY


def _unknown(field: PartitionField, why: str) -> IcebergSqlError:
    return IcebergSqlError(
        f"the metadata does not show how many rows each value of {field.clause} has: {why}",
        help="preview it with using => 'data', which reads the rows",
    )
