"""The files under a spec whose partitions have all been counted.

Row counts and bounds of each partition are exact; a sample only decides where a large partition is cut into
files.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spark_iceberg_sql.insight.advise.layouts.layout import Sample
from spark_iceberg_sql.insight.hypothetical.partitions import Bounds, HypotheticalFile, HypotheticalTable


class CountedPartition(NamedTuple):
    """All rows of one partition.

    values: of the partition fields. rows: their number. bounds: of the filtered columns, by field id.
    """

    values: tuple[Any, ...]
    rows: int
    bounds: Mapping[int, Bounds]


def rolled_up(partitions: Sequence[CountedPartition], positions: Sequence[int]) -> list[CountedPartition]:
    """The partitions by some of the fields by which others were counted. positions: of their values in the others'."""
    groups: dict[tuple[Any, ...], list[CountedPartition]] = defaultdict(list)
    for partition in partitions:
        groups[tuple(_key(partition.values[position]) for position in positions)].append(partition)
    return [
        CountedPartition(
            values,
            sum(part.rows for part in parts),
            {field_id: _united([part.bounds[field_id] for part in parts]) for field_id in parts[0].bounds},
        )
        for values, parts in groups.items()
    ]


def _key(value: Any) -> Any:
    """A value, or the one NaN: no two others are equal."""
    return value if value == value else math.nan


def _united(bounds: Sequence[Bounds]) -> Bounds:
    lows = [part.low for part in bounds if part.low is not None]
    highs = [part.high for part in bounds if part.high is not None]
    nulls, nans = sum(part.nulls for part in bounds), sum(part.nans for part in bounds)
    return Bounds(min(lows, default=None), max(highs, default=None), nulls, nans)


def with_counted_partitions(
    hypothetical: HypotheticalTable, partitions: Sequence[CountedPartition], sample: Sample
) -> HypotheticalTable:
    """A hypothetical table with the files of counted partitions.

    A partition of one file has its own bounds. The files of a larger one have the bounds of the sampled
    files, clipped to the bounds of the partition.

    hypothetical: the table estimated from a sample. partitions: all partitions. sample: that sample.
    """
    files_by_partition: dict[tuple[Any, ...], list[HypotheticalFile]] = defaultdict(list)
    for file in hypothetical.files:
        files_by_partition[file.partition].append(file)
    files = []
    for values, rows, bounds in partitions:
        outputs = sample.files(rows)
        sampled_files = files_by_partition.get(values, [])
        file_bounds: list[dict[int, Bounds]] = [dict(bounds) for _ in outputs]
        if len(outputs) > 1 and sampled_files:
            # Both lists are in write order: each file takes the bounds of the sampled file at the same share
            # of the partition.
            file_bounds = [
                _clip_file(sampled_files[n * len(sampled_files) // len(outputs)].bounds, bounds)
                for n in range(len(outputs))
            ]
            for field_id, partition_bounds in bounds.items():
                _extend_to_partition(file_bounds, field_id, partition_bounds)
        files += [
            HypotheticalFile(values, output.rows, output.size, output_bounds)
            for output, output_bounds in zip(outputs, file_bounds, strict=True)
        ]
    return HypotheticalTable(hypothetical.schema, hypothetical.spec, tuple(files))


def _clip_file(bounds: Mapping[int, Bounds], partition_bounds: Mapping[int, Bounds]) -> dict[int, Bounds]:
    """A sampled file's bounds, clipped to those of its partition."""
    return {
        field_id: _clip(file_bounds, partition_bounds[field_id]) if field_id in partition_bounds else file_bounds
        for field_id, file_bounds in bounds.items()
    }


def _clip(file_bounds: Bounds, partition_bounds: Bounds) -> Bounds:
    if file_bounds.low is None or partition_bounds.low is None:
        return file_bounds._replace(low=None, high=None) if partition_bounds.low is None else file_bounds
    low, high = (max(file_bounds.low, partition_bounds.low), min(file_bounds.high, partition_bounds.high))
    if low > high:  # the sampled file lies beyond the partition's values
        low, high = partition_bounds.low, partition_bounds.high
    return Bounds(
        low, high, min(file_bounds.nulls, partition_bounds.nulls), min(file_bounds.nans, partition_bounds.nans)
    )


def _extend_to_partition(files: Sequence[dict[int, Bounds]], field_id: int, partition_bounds: Bounds) -> None:
    """Extend the bounds of some files so that together they reach the partition's minimum, maximum and nulls."""
    bounded_files = [file for file in files if file[field_id].low is not None] or files[:1]
    if partition_bounds.low is not None:
        if bounded_files[0][field_id].low is None:
            bounded_files[0][field_id] = bounded_files[0][field_id]._replace(
                low=partition_bounds.low, high=partition_bounds.high
            )
        lowest = min(bounded_files, key=lambda file: file[field_id].low)
        lowest[field_id] = lowest[field_id]._replace(low=partition_bounds.low)
        highest = max(bounded_files, key=lambda file: file[field_id].high)
        highest[field_id] = highest[field_id]._replace(high=partition_bounds.high)
    if partition_bounds.nulls and not any(file[field_id].nulls for file in files):
        files[0][field_id] = files[0][field_id]._replace(nulls=1)
