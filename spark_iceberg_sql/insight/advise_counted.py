"""The files under a spec whose partitions have all been counted.

Row counts and bounds of each partition are exact; a sample only decides where a large partition is cut into
files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spark_iceberg_sql.insight.hypothetical import Bounds, Hypothetical, HypotheticalFile
from spark_iceberg_sql.insight.preview_layout import Piece, Sizes


class Partition(NamedTuple):
    """All rows of one partition.

    values: of the partition fields. rows: their number. bounds: of the filtered columns, by field id.
    """

    values: tuple[Any, ...]
    rows: int
    bounds: Mapping[int, Bounds]


def counted(
    made: Hypothetical, partitions: Sequence[Partition], sizes: Sizes, raw: float
) -> Hypothetical:
    """A hypothetical table with the files of counted partitions.

    A partition of one file has its own bounds. The files of a larger one have the bounds of the sampled
    files, clipped to the bounds of the partition.

    hypothetical: the table estimated from a sample. partitions: all partitions. size_model: sizes of files.
    row_bytes: uncompressed bytes per row.
    """
    sampled: dict[tuple[Any, ...], list[HypotheticalFile]] = defaultdict(list)
    for file in made.files:
        sampled[file.partition].append(file)
    files = []
    for values, rows, bounds in partitions:
        cut = sizes.files(Piece(rows, max(1, round(rows * raw))))
        like = sampled.get(values, [])
        own: list[dict[int, Bounds]] = [dict(bounds) for _ in cut]
        if len(cut) > 1 and like:
            # Both lists are in write order: each file takes the bounds of the sampled file at the same share
            # of the partition.
            own = [_within(like[n * len(like) // len(cut)].bounds, bounds) for n in range(len(cut))]
            for i, every in bounds.items():
                _reach(own, i, every)
        files += [
            HypotheticalFile(values, one.rows, one.size, of_file)
            for one, of_file in zip(cut, own, strict=True)
        ]
    return Hypothetical(made.schema, made.spec, tuple(files))


def _within(bounds: Mapping[int, Bounds], every: Mapping[int, Bounds]) -> dict[int, Bounds]:
    """A sampled file's bounds, clipped to those of its partition."""
    return {i: _cut(own, every[i]) if i in every else own for i, own in bounds.items()}


def _cut(own: Bounds, every: Bounds) -> Bounds:
    if own.low is None or every.low is None:
        return own._replace(low=None, high=None) if every.low is None else own
    low, high = max(own.low, every.low), min(own.high, every.high)
    if low > high:  # the sampled file lies beyond the partition's values
        low, high = every.low, every.high
    return Bounds(low, high, min(own.nulls, every.nulls), min(own.nans, every.nans))


def _reach(files: Sequence[dict[int, Bounds]], i: int, every: Bounds) -> None:
    """Extend the bounds of some files so that together they reach the partition's minimum, maximum and nulls."""
    known = [file for file in files if file[i].low is not None] or files[:1]
    if every.low is not None:
        if known[0][i].low is None:
            known[0][i] = known[0][i]._replace(low=every.low, high=every.high)
        first = min(known, key=lambda file: file[i].low)
        first[i] = first[i]._replace(low=every.low)
        last = max(known, key=lambda file: file[i].high)
        last[i] = last[i]._replace(high=every.high)
    if every.nulls and not any(file[i].nulls for file in files):
        files[0][i] = files[0][i]._replace(nulls=1)
