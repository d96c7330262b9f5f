"""The files that a table would have under a spec, from a sample of its rows in write order.

A sample misses partitions, and its bounds are too narrow. A spec is rejected if its median file is too small with the
partitions in the sample alone, and bounds are widened by the mean gap between sampled rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from statistics import median
from typing import Any

from spark_iceberg_sql.insight.advise_fields import specs
from spark_iceberg_sql.insight.hypothetical import Bounds, Hypothetical, HypotheticalFile
from spark_iceberg_sql.insight.preview_layout import Sizes
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec

Key = tuple[int, str]  # PartitionField.key
# Rows of a partition in a sample; with fewer in most, how small partitions are is not known.
_FEW = 2


class Ranked:
    """A sampled column as ranks of its values. values: in row order; None for a null."""

    def __init__(self, values: Sequence[Any]) -> None:
        seen = {v for v in values if v is not None and v == v}
        self.sorted: list[Any] = sorted(seen)
        rank = {value: i for i, value in enumerate(self.sorted)}
        self.ranks = [rank.get(v, -1) for v in values]
        self.nulls = [v is None for v in values]
        self.has_nulls = any(self.nulls)
        self.has_nans = any(r < 0 for r in self.ranks) and not all(
            n for n, r in zip(self.nulls, self.ranks, strict=True) if r < 0
        )


@dataclass(frozen=True)
class Sample:
    """A sample of a table's rows.

    rows: of the whole table. raw: average uncompressed bytes per row. columns: by field id, in write order.
    keys: the values of each candidate field. sizes: the sizes of files. all_rows: whether it is the whole table.
    """

    rows: int
    raw: float
    columns: Mapping[int, Sequence[Any]]
    keys: Mapping[Key, Sequence[Any]]
    sizes: Sizes
    seen: int

    @property
    def weight(self) -> float:
        """The number of table rows per sampled row."""
        return max(1, self.rows) / max(1, self.seen)

    @property
    def is_whole(self) -> bool:
        """Whether the sample has every row of the table."""
        return self.seen >= self.rows

    @cached_property
    def ranked(self) -> Mapping[int, Ranked]:
        """The columns as ranks."""
        return {field_id: Ranked(values) for field_id, values in self.columns.items()}

    @cached_property
    def _codes(self) -> dict[Key, list[int]]:
        return {}

    def codes(self, key: Key) -> list[int]:
        """A candidate field's values, numbered from 0."""
        if key not in self._codes:
            numbers: dict[Any, int] = {}
            self._codes[key] = [numbers.setdefault(v, len(numbers)) for v in self.keys[key]]
        return self._codes[key]

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
    """The rows of a sample by file. order: row numbers, file by file. cuts: where each file ends."""

    order: Sequence[int]
    cuts: Sequence[int]
    sizes: Sequence[int]

    @property
    def middle(self) -> float:
        """The bytes of the median file."""
        return median(self.sizes) if self.sizes else 0.0


def sliced(sample: Sample, fields: Sequence[PartitionField]) -> Slices:
    """The files under a spec: each partition's rows, in order, cut where a writer starts the next file."""
    each = max(1, round(sample.sizes.rows_in_file(sample.raw) / sample.weight))
    count = sample.seen
    if fields:
        numbers = sample.partitions(fields)
        order = sorted(range(count), key=numbers.__getitem__)
        groups = [list(rows) for _, rows in groupby(order, key=numbers.__getitem__)]
    else:
        groups = [list(range(count))] if count else []
    flat: list[int] = []
    cuts: list[int] = []
    for rows in groups:
        flat += rows
        start = len(flat) - len(rows)
        cuts += range(start + each, len(flat), each)
        cuts.append(len(flat))
    starts = [0, *cuts[:-1]] if cuts else []
    raw = sample.raw * sample.weight
    made = [round(sample.sizes.of((end - at) * raw)) for at, end in zip(starts, cuts, strict=True)]
    return Slices(flat, cuts, made)


def middle(sample: Sample, fields: Sequence[PartitionField]) -> float:
    """The bytes of the median file under a spec, from nothing but the row count of each partition.

    0 if most partitions of a sample have one row: each may have far fewer rows than the sampled one stands for.
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
    order, weight = slices.order, sample.weight
    keys = [sample.keys[f.key] for f in spec.fields]
    fixed = {f.source_id for f in spec.fields if f.transform.transform.order_preserving}
    columns = [
        (
            field_id,
            column,
            [column.ranks[i] for i in order],
            [column.nulls[i] for i in order] if column.has_nulls else [],
            not sample.is_whole and field_id not in fixed,
        )
        for field_id, column in sample.ranked.items()
    ]
    files = []
    start = 0
    for end, size in zip(slices.cuts, slices.sizes, strict=True):
        first = order[start]
        total = max(1, round((end - start) * weight))
        bounds = {
            field_id: _bounds(
                column, ranks[start:end], round(sum(nulls[start:end]) * weight), total, widen
            )
            for field_id, column, ranks, nulls, widen in columns
        }
        files.append(HypotheticalFile(tuple([key[first] for key in keys]), total, size, bounds))
        start = end
    return Hypothetical(schema, spec, tuple(files))


def _bounds(column: Ranked, ranks: Sequence[int], nulls: int, total: int, widen: bool) -> Bounds:
    """One file's bounds. widen: whether unseen rows may be outside those of the sampled ones."""
    high = max(ranks)
    if high < 0:
        return Bounds(None, None, nulls or total, 0 if nulls else total)
    low = min(ranks)
    lost = low < 0
    if lost:
        low = min(r for r in ranks if r >= 0)
    if widen:
        top = len(column.sorted) - 1
        gap = -(-(high - low) // (len(ranks) - 1)) if len(ranks) > 1 else top
        low, high = max(0, low - gap), min(top, high + gap)
    nans = max(1, total - nulls) if column.has_nans and lost else 0
    return Bounds(column.sorted[low], column.sorted[high], min(nulls, total - 1), min(nans, total))


def layouts(
    sample: Sample, fields: Sequence[PartitionField], smallest: int
) -> dict[tuple[PartitionField, ...], Slices]:
    """All specs whose files are not too small. Fields that produce the same partitions are tried once."""
    seen: set[tuple[int, ...]] = set()
    useful = []
    for field in fields:
        codes = tuple(sample.codes(field.key))
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
