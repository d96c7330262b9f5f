"""A sample for `advise` from the bounds and counts of existing files; no row is read.

A file's rows are assumed to be spread evenly between the bounds of each column, each column independent of the others,
and hashed values evenly over their buckets, equal ones in one.
"""

from __future__ import annotations

import random
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import sub
from typing import Any

from spark_iceberg_sql.insight.advise.layouts.layout import FieldKey, Sample
from spark_iceberg_sql.insight.hypothetical.written_files import FileSizeModel, WriteSettings
from spark_iceberg_sql.insight.preview.existing_files import ManifestStats, units_of
from spark_iceberg_sql.model.spec import PartitionField

# Fixed, so that the same table gets the same advice.
_SEED = 20


@dataclass(frozen=True, slots=True)
class AssumedSample:
    """A sample of assumed rows.

    sample: the rows. files: how many there are. fields: those of the candidates whose values the bounds determine.
    left_out: why others are not.
    """

    sample: Sample
    files: int
    fields: tuple[PartitionField, ...]
    left_out: tuple[str, ...]


class _FileBounds:
    """The bounds of a column in all files, of whole numbers as machine words: a table may have millions of files.

    is_complete: whether each file has some; otherwise none are kept. is_whole: whether they are whole numbers. span:
    the greatest distance between the two of a file, if so. is_single: whether each file has only one value.
    """

    def __init__(self) -> None:
        self.is_complete = self.is_whole = self.is_single = True
        self._lows: MutableSequence[Any] = array("q")
        self._highs: MutableSequence[Any] = array("q")

    def extend(self, lows: Sequence[Any], highs: Sequence[Any]) -> None:
        """Add those of the files of a manifest."""
        if not self.is_complete or not lows:
            return
        are_complete = isinstance(lows, array) and isinstance(highs, array)
        if not are_complete and (None in lows or None in highs):
            self.is_complete = False
            self._lows, self._highs = [], []
            return
        if self.is_whole and (not isinstance(lows[0], int) or isinstance(lows[0], bool)):
            self.is_whole = False
            self._lows, self._highs = [*self._lows], [*self._highs]
        self.is_single = self.is_single and lows == highs
        self._lows.extend(lows)
        self._highs.extend(highs)

    @cached_property
    def span(self) -> int:
        """Asked for once all files are added; of times, of which nobody asks for it, it is not worked out."""
        return max(map(sub, self._highs, self._lows), default=0) if self.is_whole else 0

    def of(self, file: int) -> tuple[Any, Any]:
        """Those of one file, by its number."""
        return self._lows[file], self._highs[file]


def assume_rows(
    manifests: Iterable[ManifestStats],
    column_types: Mapping[int, str],
    fields: Sequence[PartitionField],
    count: int,
    settings: WriteSettings,
) -> AssumedSample:
    """About `count` rows with values between their file's bounds, in the order of the files.

    column_types: by field id, the Iceberg types of the columns. fields: the candidates.
    """
    rng = random.Random(_SEED)
    bounds = {field_id: _FileBounds() for field_id in column_types}
    file_rows, size = array("q"), 0
    for manifest in manifests:
        file_rows.extend(manifest.rows)
        size += sum(manifest.sizes)
        for field_id, column in bounds.items():
            column.extend(*manifest.bounds[field_id])
    total = sum(file_rows)
    bounds = {field_id: column for field_id, column in bounds.items() if column.is_complete}
    sampled_files: Iterable[tuple[int, int]]  # by number: how many rows of each
    if len(file_rows) > count:  # one row of each would be more than `count`: rows of some files only
        row_ends = array("q", accumulate(file_rows))
        # Of all rows, every so many: the file in which each lies.
        files = [bisect_left(row_ends, -(-row * total // count)) for row in range(1, count + 1)]
        sampled_files = Counter(files).items()
    else:
        sampled_files = enumerate(max(1, round(count * rows / max(1, total))) for rows in file_rows)
    columns: dict[int, list[Any]] = {field_id: [] for field_id in bounds}
    sampled_rows = 0
    for number, row_count in sampled_files:
        sampled_rows += row_count
        for field_id, column in bounds.items():
            columns[field_id] += _between(*column.of(number), row_count, rng)
    usable, left_out = [], []
    keys: dict[FieldKey, list[Any]] = {}
    for field in fields:
        reason = _undetermined_reason(field, bounds.get(field.source_id), max(count, len(file_rows)))
        if reason:
            left_out.append(f"not every field over `{field.source}` is tried: {reason}")
            continue
        usable.append(field)
        keys[field.key] = _field_values(field, columns[field.source_id], column_types[field.source_id], rng)
    sample = Sample(
        rows=total,
        row_bytes=max(1.0, size / max(1, total)),  # compressed, as in today's files
        columns=columns,
        field_values=keys,
        size_model=FileSizeModel((), settings),
        sampled_rows=sampled_rows,
    )
    return AssumedSample(sample, len(file_rows), tuple(usable), tuple(dict.fromkeys(left_out)))


def _between(low: Any, high: Any, count: int, rng: random.Random) -> list[Any]:
    """Values between two bounds, both of which are included, in random order."""
    if low == high:
        return [low] * count
    if isinstance(low, (int, float)) and not isinstance(low, bool):
        # Not at equal steps: these would be the same few values in every file with these bounds.
        draw: Callable[[Any, Any], Any] = rng.randint if isinstance(low, int) else rng.uniform
        values = [low, high, *(draw(low, high) for _ in range(count - 2))][:count]
    else:
        values = [high if i % 2 else low for i in range(count)]
    rng.shuffle(values)
    return values


def _undetermined_reason(field: PartitionField, bounds: _FileBounds | None, count: int) -> str:
    """The reason why the bounds do not determine a field's values; empty if they do."""
    if bounds is None:
        return f"some files have no bounds for `{field.source}`"
    transform = field.transform.transform
    if transform.hashes or transform.iso_width is not None:
        return ""
    if bounds.is_whole:
        if bounds.span // (field.transform.parameter or 1) >= count:
            return f"the bounds of `{field.source}` allow more values than {count:,} assumed rows show"
        return ""
    if bounds.is_single and not transform.truncates:
        return ""
    return f"the bounds of `{field.source}` do not determine the values between them"


def _field_values(field: PartitionField, column: Sequence[Any], type_name: str, rng: random.Random) -> list[Any]:
    transform, parameter = field.transform.transform, field.transform.parameter or 1
    if transform.hashes:
        # Equal values are in one bucket. Texts between bounds are not known: only the bounds stand for them.
        is_known = len(set(column)) == 1 or isinstance(next(iter(column), None), (int, float))
        return [zlib.crc32(repr(v).encode()) % parameter if is_known else rng.randrange(parameter) for v in column]
    if transform.granularity is not None:
        return units_of(transform, type_name, column)
    if transform.truncates:
        return [value // parameter * parameter for value in column]
    return list(column)
