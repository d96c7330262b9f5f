"""The files that a table would have under a spec, from a sample of its rows in write order.

A sample misses partitions, and its bounds are too narrow. A spec is rejected if its median file is too small
with the partitions in the sample alone; `advise_bounds` widens the bounds.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from statistics import median
from types import MappingProxyType
from typing import Any

from spark_iceberg_sql.insight.advise_bounds import Limits, Ranked
from spark_iceberg_sql.insight.advise_fields import specs
from spark_iceberg_sql.insight.hypothetical import Hypothetical, HypotheticalFile
from spark_iceberg_sql.insight.preview_layout import Sizes
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec

Key = tuple[int, str]  # PartitionField.key
# Rows of a partition in a sample; with fewer in most, how small partitions are is not known.
_FEW = 2
_SIZES = 0.05  # the error of predicted file sizes
_SPREAD = 10.0  # the error of a sample, times the square root of its rows


@dataclass(frozen=True)
class Sample:
    """A sample of a table's rows.

    rows: of the whole table. row_bytes: average uncompressed bytes per row. columns: by field id, in write
    order. field_values: the values of each candidate field, by its key. size_model: the sizes of files.
    sampled_rows: the number of rows in the sample. table_bounds: the minimum and maximum of columns in the
    whole table, if known.
    """

    rows: int
    raw: float
    columns: Mapping[int, Sequence[Any]]
    keys: Mapping[Key, Sequence[Any]]
    sizes: Sizes
    seen: int
    ends: Mapping[int, Sequence[Any]] = dataclasses.field(default_factory=dict)

    @property
    def weight(self) -> float:
        """The number of table rows per sampled row."""
        return max(1, self.rows) / max(1, self.seen)

    @property
    def is_whole(self) -> bool:
        """True if the sample has every row of the table."""
        return self.seen >= self.rows

    @property
    def error(self) -> float:
        """The relative error of a proposal's cost, if its rows compress as today's do."""
        return _SIZES if self.is_whole else min(1.0, max(_SIZES, _SPREAD / math.sqrt(self.seen)))

    @cached_property
    def ranked(self) -> Mapping[int, Ranked]:
        """The columns as ranks."""
        return {i: Ranked(values, self.ends.get(i, ())) for i, values in self.columns.items()}

    @cached_property
    def _codes(self) -> dict[Key, list[int]]:
        return {}

    def codes(self, key: Key) -> list[int]:
        """A candidate field's value in each row, as a number from 0 in order of first occurrence."""
        if key not in self._codes:
            numbers: dict[Any, int] = {}
            self._codes[key] = [numbers.setdefault(v, len(numbers)) for v in self.keys[key]]
        return self._codes[key]

    @cached_property
    def _limits(self) -> dict[Key, list[Limits]]:
        return {}

    def limits(self, of: PartitionField) -> list[Limits]:
        """The range of the source column in each partition of a field, by the code of the field's value."""
        if of.key not in self._limits:
            column, codes = self.ranked[of.source_id], self.codes(of.key)
            top = len(column.sorted) - 1
            found = [(top + 1, -1)] * (max(codes, default=-1) + 1)
            for code, rank in zip(codes, column.ranks, strict=True):
                low, high = found[code]
                if rank >= 0 and not low <= rank <= high:
                    found[code] = (min(low, rank), max(high, rank))
            beyond = 0 if of.transform.transform.is_identity else 1
            self._limits[of.key] = [
                Limits(low, high, max(0, low - beyond), min(top, high + beyond))
                for low, high in found
            ]
        return self._limits[of.key]

    def partitions(self, fields: Sequence[PartitionField]) -> list[int]:
        """Each row's partition under a spec, as a number; empty for an unpartitioned table."""
        found: list[int] = []
        for field in fields:
            codes = self.codes(field.key)
            many = max(codes, default=0) + 1
            found = [a * many + b for a, b in zip(found, codes, strict=True)] if found else codes
        return found


@dataclass(frozen=True, slots=True)
class Slices:
    """The rows of a sample by file.

    row_numbers: of the sample, file by file. file_ends: where in them each file ends. sizes: the files'
    bytes.
    """

    order: Sequence[int]
    cuts: Sequence[int]
    sizes: Sequence[int]

    @property
    def middle(self) -> float:
        """The bytes of the median file."""
        return median(self.sizes) if self.sizes else 0.0


def sliced(
    sample: Sample,
    fields: Sequence[PartitionField],
    counts: Mapping[tuple[Any, ...], int] = MappingProxyType({}),
) -> Slices:
    """The files under a spec: each partition's rows, in order, cut where a writer starts the next file.

    counts: the rows of the partitions, where they are known, by partition values.
    """
    full = sample.sizes.rows_in_file(sample.raw)
    groups = _groups(sample, fields)
    flat: list[int] = []
    cuts: list[int] = []
    for rows in groups:
        known = counts.get(tuple(sample.keys[f.key][rows[0]] for f in fields))
        # For a counted partition the step is fractional: the number of files is then exactly
        # counted rows / rows of a full file, rounded up.
        weight = known / len(rows) if known else sample.weight
        each = max(1.0, full / weight) if known else max(1, round(full / weight))
        start = len(flat)
        flat += rows
        cuts += (start + int(n * each) for n in range(1, math.ceil(len(rows) / each)))
        cuts.append(len(flat))
    starts = [0, *cuts[:-1]] if cuts else []
    raw = sample.raw * sample.weight
    made = [round(sample.sizes.of((end - at) * raw)) for at, end in zip(starts, cuts, strict=True)]
    return Slices(flat, cuts, made)


def _groups(sample: Sample, fields: Sequence[PartitionField]) -> list[list[int]]:
    """The numbers of the rows of each partition, in the order in which they are written."""
    count = sample.seen
    if not fields:
        return [list(range(count))] if count else []
    numbers = sample.partitions(fields)
    order = sorted(range(count), key=numbers.__getitem__)
    groups = [list(rows) for _, rows in groupby(order, key=numbers.__getitem__)]
    if not sample.sizes.settings.keeps_order:
        # Spark's sort by partition mixes the rows of each; a fixed seed makes the result repeatable.
        some = random.Random(0)
        for group in groups:
            some.shuffle(group)
    return groups


def middle(sample: Sample, fields: Sequence[PartitionField]) -> float:
    """The bytes of the median file under a spec, from the row counts of the partitions alone.

    0 if most partitions of a sample have one row: each may have far fewer rows than the sampled one stands
    for.
    """
    each = max(1, round(sample.sizes.rows_in_file(sample.raw) / sample.weight))
    raw = sample.raw * sample.weight
    files: list[int] = []
    counts = Counter(sample.partitions(fields)).values()
    if counts and not sample.is_whole and median(counts) < _FEW:
        return 0.0
    for rows in counts:
        full, rest = divmod(rows, each)
        files += [each] * full + ([rest] if rest else [])
    return sample.sizes.of(median(files) * raw) if files else 0.0


def hypothetical(sample: Sample, schema: Schema, spec: Spec, slices: Slices) -> Hypothetical:
    """The table that consists of these files, with the bounds of the sample's columns."""
    fields = spec.fields
    weight = 1.0 if sample.is_whole else sample.weight
    order = slices.order
    columns = [
        (
            field_id,
            column,
            [column.ranks[i] for i in order],
            [column.nulls[i] for i in order] if column.has_nulls else [],
        )
        for field_id, column in sample.ranked.items()
    ]
    limits = [
        (f.source_id, sample.codes(f.key), sample.limits(f))
        for f in fields
        if f.transform.transform.order_preserving and f.source_id in sample.columns
    ]
    files = []
    start = 0
    for number, (end, size) in enumerate(zip(slices.cuts, slices.sizes, strict=True)):
        row = order[start]
        values = tuple(sample.keys[f.key][row] for f in fields)
        within = {field_id: ends[codes[row]] for field_id, codes, ends in limits}
        bounds = {
            field_id: column.bounds(
                ranks[start:end], sum(nulls[start:end]), weight, within.get(field_id), number
            )
            for field_id, column, ranks, nulls in columns
        }
        files.append(
            HypotheticalFile(values, max(1, round((end - start) * sample.weight)), size, bounds)
        )
        start = end
    return Hypothetical(schema, spec, tuple(files))


def layouts(
    sample: Sample, fields: Sequence[PartitionField], smallest: int
) -> dict[tuple[PartitionField, ...], Slices]:
    """The files of each candidate spec whose median file is not too small.

    Of fields that produce the same partitions, only the first is tried.
    """
    seen: set[tuple[int, ...]] = set()
    useful = []
    for field in fields:
        codes = tuple(sample.codes(field.key))
        # Codes are numbered by first occurrence: equal codes are equal partitions, and zeros alone are one
        # partition.
        if codes in seen or not any(codes):
            continue
        seen.add(codes)
        if middle(sample, [field]) >= smallest:
            useful.append(field)
    return {
        spec: sliced(sample, spec)
        for spec in specs(useful)
        if len(spec) < 2 or middle(sample, spec) >= smallest
    }
