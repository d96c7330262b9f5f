"""A sample for `advise` from the bounds and counts of existing files; no row is read.

A file's rows are assumed to be spread evenly between the bounds of each column, each column independent of the others,
and hashed values evenly over their buckets, equal ones in one.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from spark_iceberg_sql.insight.advise.layout import FieldKey, Sample
from spark_iceberg_sql.insight.hypothetical.written_files import FileSizeModel, WriteSettings
from spark_iceberg_sql.insight.preview.existing_files import FileStats, unit_of
from spark_iceberg_sql.model.spec import PartitionField

# Fixed, so that the same table gets the same advice.
_SEED = 20


@dataclass(frozen=True, slots=True)
class AssumedSample:
    """A sample of assumed rows.

    sample: the rows. fields: those of the candidates whose values the bounds determine. left_out: why others are not.
    """

    sample: Sample
    fields: tuple[PartitionField, ...]
    left_out: tuple[str, ...]


def assume_rows(
    files: Sequence[FileStats],
    column_types: Mapping[int, str],
    fields: Sequence[PartitionField],
    count: int,
    settings: WriteSettings,
) -> AssumedSample:
    """About `count` rows with values between their file's bounds, in the order of the files.

    column_types: by field id, the Iceberg types of the columns. fields: the candidates.
    """
    rng = random.Random(_SEED)
    total, size = sum(f.rows for f in files), sum(f.size for f in files)
    bounded_types = {
        field_id: type_name for field_id, type_name in column_types.items() if all(field_id in f.bounds for f in files)
    }
    rows_per_file = [max(1, round(count * f.rows / max(1, total))) for f in files]
    if len(files) > count:  # one row of each would be more than `count`: rows of some files only
        row_ends = [row_count * count // max(1, total) for row_count in accumulate(f.rows for f in files)]
        rows_per_file = [end - start for start, end in pairwise([0, *row_ends])]
    columns: dict[int, list[Any]] = {field_id: [] for field_id in bounded_types}
    for file, row_count in zip(files, rows_per_file, strict=True):
        for field_id in bounded_types:
            columns[field_id] += _between(*file.bounds[field_id], row_count, rng)
    usable, left_out = [], []
    keys: dict[FieldKey, list[Any]] = {}
    for field in fields:
        reason = _undetermined_reason(field, bounded_types, files, max(count, len(files)))
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
        sampled_rows=sum(rows_per_file),
    )
    return AssumedSample(sample, tuple(usable), tuple(dict.fromkeys(left_out)))


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


def _undetermined_reason(
    field: PartitionField, bounded_types: Mapping[int, str], files: Sequence[FileStats], count: int
) -> str:
    """The reason why the bounds do not determine a field's values; empty if they do."""
    if field.source_id not in bounded_types:
        return f"some files have no bounds for `{field.source}`"
    if field.transform.transform.hashes or field.transform.transform.iso_width is not None:
        return ""
    bounds = [file.bounds[field.source_id] for file in files]
    if all(isinstance(low, int) and not isinstance(low, bool) for low, _ in bounds):
        width = field.transform.parameter or 1
        if max(((high - low) // width for low, high in bounds), default=0) >= count:
            return f"the bounds of `{field.source}` allow more values than {count:,} assumed rows show"
        return ""
    if all(low == high for low, high in bounds) and not field.transform.transform.truncates:
        return ""
    return f"the bounds of `{field.source}` do not determine the values between them"


def _field_values(field: PartitionField, column: Sequence[Any], type_name: str, rng: random.Random) -> list[Any]:
    transform, parameter = field.transform.transform, field.transform.parameter or 1
    if transform.hashes:
        # Equal values are in one bucket. Texts between bounds are not known: only the bounds stand for them.
        is_known = len(set(column)) == 1 or isinstance(next(iter(column), None), (int, float))
        return [zlib.crc32(repr(v).encode()) % parameter if is_known else rng.randrange(parameter) for v in column]
    if transform.iso_width is not None:
        return [unit_of(transform.iso_width, type_name, value) for value in column]
    if transform.truncates:
        return [value // parameter * parameter for value in column]
    return list(column)
