"""The files that a table would have under a spec, from a sample of its rows in write order.

A sample misses partitions, and its bounds are too narrow. A spec is rejected if its median file is too small
with the partitions in the sample alone; `rank_bounds.py` widens the bounds.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter, sub
from statistics import mean
from types import MappingProxyType
from typing import Any

from spark_iceberg_sql.insight.advise.layouts.rank_bounds import RankedColumn, RankRange
from spark_iceberg_sql.insight.advise.layouts.z_order import z_order_keys
from spark_iceberg_sql.insight.hypothetical.partitions import FileColumns, HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.size_curve import DataFile
from spark_iceberg_sql.insight.hypothetical.written_files import (
    REWRITTEN_FILE,
    FileSizeModel,
    TaskOutput,
    sorting_tasks,
)
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.table import SortField

FieldKey = tuple[int, str]  # PartitionField.key
_FILE_SIZE_ERROR = 0.05  # the error of predicted file sizes
# Of the average, the rows of a sort's tasks: Spark draws the limits between them from a sample.
_TASK_SHARES = (0.8, 0.9, 1.0, 1.1, 1.2)
_SAMPLING_ERROR = 10.0  # the error of a sample, times the square root of its rows


@dataclass(frozen=True)
class Sample:
    """A sample of a table's rows.

    rows: of the whole table. row_bytes: average uncompressed bytes per row. columns: by field id, in write
    order. field_values: the values of each candidate field, by its key. size_model: the sizes of files.
    sampled_rows: the number of rows in the sample. table_bounds: the minimum and maximum of columns in the
    whole table, if known. is_sorted: whether a sort writes the rows, which divides a partition evenly into its files.
    stored_row_bytes: bytes per row in today's data files, by which a rewrite decides on the number of its tasks; 0 if
    there are none. stored_fields: the keys of today's partition fields, if there is a table: a rewrite into another
    spec shuffles the rows.
    """

    rows: int
    row_bytes: float
    columns: Mapping[int, Sequence[Any]]
    field_values: Mapping[FieldKey, Sequence[Any]]
    size_model: FileSizeModel
    sampled_rows: int
    table_bounds: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    is_sorted: bool = False
    stored_row_bytes: float = 0.0
    stored_fields: frozenset[FieldKey] | None = None
    _codes: dict[FieldKey, list[int]] = field(default_factory=dict, init=False, repr=False)
    _rank_ranges: dict[FieldKey, list[RankRange]] = field(default_factory=dict, init=False, repr=False)

    @property
    def weight(self) -> float:
        """The number of table rows per sampled row."""
        return max(1, self.rows) / max(1, self.sampled_rows)

    @property
    def is_complete(self) -> bool:
        """True if the sample has every row of the table."""
        return self.sampled_rows >= self.rows

    @property
    def error(self) -> float:
        """The relative error of a proposal's cost, if its rows compress as today's do."""
        return (
            _FILE_SIZE_ERROR
            if self.is_complete
            else min(1.0, max(_FILE_SIZE_ERROR, _SAMPLING_ERROR / math.sqrt(self.sampled_rows)))
        )

    @cached_property
    def ranked_columns(self) -> Mapping[int, RankedColumn]:
        """The columns as ranks."""
        return {i: RankedColumn(values, self.table_bounds.get(i, ())) for i, values in self.columns.items()}

    def sorted_by(self, order: Sequence[SortField]) -> Sample:
        """The same rows, written in the order of columns. order: fields without a transform."""
        rows = list(range(self.sampled_rows))
        for sort_field in reversed(order):  # each sort keeps the order of equal rows
            ranks = self.ranked_columns[sort_field.source_id].ranks
            is_ascending = sort_field.direction == "ASC"
            null_rank = -1 if (sort_field.nulls == "NULLS FIRST") == is_ascending else len(ranks)
            keys = [null_rank if rank < 0 else rank for rank in ranks]
            rows.sort(key=keys.__getitem__, reverse=not is_ascending)
        return self._in_order(rows)

    def z_ordered(self, field_ids: Sequence[int]) -> Sample | None:
        """The same rows in a z-order of columns; None if their types have none here. field_ids: of the columns."""
        keys = z_order_keys([self.columns[field_id] for field_id in field_ids])
        return None if keys is None else self._in_order(sorted(range(self.sampled_rows), key=keys.__getitem__))

    def _in_order(self, rows: Sequence[int]) -> Sample:
        """The rows of these numbers, written by a sort."""
        model = copy(self.size_model)
        model.settings = replace(model.settings, keeps_order=True)
        ordered = _taking(rows)
        sample = replace(
            self,
            columns={key: ordered(values) for key, values in self.columns.items()},
            field_values={key: ordered(values) for key, values in self.field_values.items()},
            size_model=model,
            is_sorted=True,
        )
        # Nothing is ranked again: a search tries dozens of orders of the same rows.
        vars(sample)["ranked_columns"] = {key: column.in_order(ordered) for key, column in self.ranked_columns.items()}
        return sample

    def in_larger_files(self) -> Sample:
        """The same rows, in files as large as a rewrite may make them."""
        if self._is_rewritten:
            return self
        return replace(self, size_model=self.size_model.with_larger_files(REWRITTEN_FILE))

    def places_in(self, fields: Sequence[PartitionField]) -> Sequence[int]:
        """The place of each row after the shuffle of a rewrite into a spec; empty if the order is kept or sorted."""
        is_kept = self.is_sorted or not fields or self.stored_fields in (None, frozenset(f.key for f in fields))
        return () if is_kept else self._shuffled_places

    @cached_property
    def _shuffled_places(self) -> Sequence[int]:
        """The reading tasks start by their sizes, and what they have written is fetched in any order.

        Source: TableScanUtil.planTaskGroups; ShuffleBlockFetcherIterator.initialize.
        """
        count = self.sampled_rows
        tasks = min(count, sorting_tasks(self.rows * self.stored_row_bytes, self.size_model.settings.target_size))
        task_places = random.Random(0).sample(range(tasks), tasks)
        return [task_places[row * tasks // count] * count + row for row in range(count)] if tasks > 1 else ()

    def codes(self, key: FieldKey) -> list[int]:
        """A candidate field's value in each row, as a number from 0 in order of first occurrence."""
        if key not in self._codes:
            values = self.field_values[key]
            numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
            self._codes[key] = [*map(numbers.__getitem__, values)]
        return self._codes[key]

    def rank_ranges(self, partition_field: PartitionField) -> list[RankRange]:
        """The range of the source column in each partition of a field, by the code of the field's value."""
        if partition_field.key not in self._rank_ranges:
            column, codes = self.ranked_columns[partition_field.source_id], self.codes(partition_field.key)
            last_rank = len(column.sorted_values) - 1
            ranges = [(last_rank + 1, -1)] * (max(codes, default=-1) + 1)
            for code, rank in zip(codes, column.ranks, strict=True):
                low, high = ranges[code]
                if rank >= 0 and not low <= rank <= high:
                    ranges[code] = (min(low, rank), max(high, rank))
            margin = 0 if partition_field.transform.transform.is_identity else 1
            self._rank_ranges[partition_field.key] = [
                RankRange(low, high, max(0, low - margin), min(last_rank, high + margin)) for low, high in ranges
            ]
        return self._rank_ranges[partition_field.key]

    @property
    def _is_rewritten(self) -> bool:
        """True if a rewrite of today's files sorts the rows."""
        return self.is_sorted and self.stored_row_bytes > 0

    @cached_property
    def _full_file_rows(self) -> int:
        """The rows of a file that a writer has filled."""
        model = self.size_model
        if self._is_rewritten:
            model = model.with_larger_files(REWRITTEN_FILE)
        return model.rows_per_file(self.row_bytes)

    def _sorted_file_count(self, rows: float) -> int:
        """The files into which a sort divides the rows of a partition."""
        tasks = 1
        if self._is_rewritten:
            tasks = sorting_tasks(rows * self.stored_row_bytes, self.size_model.settings.target_size)
        if tasks == 1:
            return math.ceil(rows / self._full_file_rows)
        files_of_tasks = [math.ceil(share * rows / tasks / self._full_file_rows) for share in _TASK_SHARES]
        return round(tasks * mean(files_of_tasks))

    def rows_per_file(self, rows: float) -> float:
        """The rows of each file of a partition, except perhaps its last. rows: of the partition in the table."""
        return rows / self._sorted_file_count(rows) if self.is_sorted else self._full_file_rows

    def files(self, rows: int) -> list[DataFile]:
        """The files of a partition. rows: that it has in the table."""
        if not self.is_sorted:
            return self.size_model.files(TaskOutput(rows, max(1, round(rows * self.row_bytes))))
        count = min(rows, self._sorted_file_count(rows))
        row_counts = [rows * (n + 1) // count - rows * n // count for n in range(count)]
        raw_sizes = [n * self.row_bytes for n in row_counts]
        return [
            DataFile(n, round(raw_bytes), round(self.size_model.predict(raw_bytes)))
            for n, raw_bytes in zip(row_counts, raw_sizes, strict=True)
        ]

    def partition_numbers(self, fields: Sequence[PartitionField]) -> list[int]:
        """Each row's partition under a spec, as a number; empty for an unpartitioned table."""
        numbers: list[int] = []
        for partition_field in fields:
            codes = self.codes(partition_field.key)
            code_count = max(codes, default=0) + 1
            numbers = [a * code_count + b for a, b in zip(numbers, codes, strict=True)] if numbers else codes
        return numbers


@dataclass(frozen=True, slots=True)
class FileSlices:
    """The rows of a sample by file.

    row_numbers: of the sample, file by file. file_ends: where in them each file ends. sizes: the files'
    bytes.
    """

    row_numbers: Sequence[int]
    file_ends: Sequence[int]
    sizes: Sequence[int]


def slice_files(
    sample: Sample, fields: Sequence[PartitionField], counts: Mapping[tuple[Any, ...], int] = MappingProxyType({})
) -> FileSlices:
    """The files under a spec: each partition's rows, in order, cut where a writer starts the next file.

    counts: the rows of the partitions, where they are known, by partition values.
    """
    groups, sample_weight = _rows_by_partition(sample, fields), sample.weight
    row_numbers: list[int] = []
    file_ends: list[int] = []
    for rows in groups:
        counted_rows = counts.get(tuple(sample.field_values[f.key][rows[0]] for f in fields)) if counts else None
        # For a counted partition the step is fractional: the number of files is then exactly
        # counted rows / rows of a full file, rounded up.
        weight = counted_rows / len(rows) if counted_rows else sample_weight
        rows_per_file = max(1.0, sample.rows_per_file(len(rows) * weight) / weight)
        if not counted_rows and not sample.is_sorted:
            rows_per_file = round(rows_per_file)
        start = len(row_numbers)
        row_numbers += rows
        file_ends += (start + int(n * rows_per_file) for n in range(1, math.ceil(len(rows) / rows_per_file - 1e-9)))
        file_ends.append(len(row_numbers))
    starts = [0, *file_ends[:-1]] if file_ends else []
    sampled_row_bytes = sample.row_bytes * sample_weight
    row_counts = list(map(sub, file_ends, starts))
    size_of = {count: round(sample.size_model.predict(count * sampled_row_bytes)) for count in set(row_counts)}
    # Of hundreds of specs: as an array, a tenth of the memory.
    return FileSlices(array("I", row_numbers), file_ends, [size_of[count] for count in row_counts])


def _rows_by_partition(sample: Sample, fields: Sequence[PartitionField]) -> list[list[int]]:
    """The numbers of the rows of each partition, in the order in which they are written."""
    count = sample.sampled_rows
    if not fields:
        return [list(range(count))] if count else []
    numbers = sample.partition_numbers(fields)
    order = sorted(range(count), key=numbers.__getitem__)
    groups = [list(rows) for _, rows in groupby(order, key=numbers.__getitem__)]
    if places := sample.places_in(fields):
        for group in groups:
            group.sort(key=places.__getitem__)
    if not sample.size_model.settings.keeps_order:
        # Spark's sort by partition mixes the rows of each; a fixed seed makes the result repeatable.
        rng = random.Random(0)
        for group in groups:
            rng.shuffle(group)
    return groups


def _taking(rows: Sequence[int]) -> Callable[[Sequence[Any]], list[Any]]:
    """What takes the elements with these numbers: a getter of all is much faster than an expression for each."""
    if len(rows) < 2:
        return lambda values: [values[row] for row in rows]
    elements = itemgetter(*rows)
    return lambda values: [*elements(values)]


def file_columns(sample: Sample, schema: Schema, spec: Spec, slices: FileSlices) -> FileColumns:
    """These files, with the bounds of the sample's columns."""
    order, ends = slices.row_numbers, slices.file_ends
    starts = [0, *ends[:-1]] if ends else []
    first_rows = [order[start] for start in starts]
    ranges = {
        f.source_id: [of_codes[codes[row]] for row in first_rows]
        for f in spec.fields
        if f.transform.transform.order_preserving and f.source_id in sample.columns
        for codes, of_codes in ((sample.codes(f.key), sample.rank_ranges(f)),)
    }
    weight, ordered = sample.weight, _taking(order)
    counts = [*map(sub, ends, starts)]
    rows_of = {count: max(1, round(count * weight)) for count in set(counts)}
    bounds = {}
    for field_id, column in sample.ranked_columns.items():
        bounds[field_id] = column.of_files(
            ordered(column.ranks),
            ordered(column.nulls) if column.has_nulls else (),
            ends,
            1.0 if sample.is_complete else weight,
            ranges.get(field_id, ()),
        )
    return FileColumns(
        schema,
        spec,
        [*map(rows_of.__getitem__, counts)],
        slices.sizes,
        [[*map(sample.field_values[f.key].__getitem__, first_rows)] for f in spec.fields],
        bounds,
    )


def hypothetical_table(sample: Sample, schema: Schema, spec: Spec, slices: FileSlices) -> HypotheticalTable:
    """The table that consists of these files."""
    return HypotheticalTable(schema, spec, tuple(file_columns(sample, schema, spec, slices).files()))
