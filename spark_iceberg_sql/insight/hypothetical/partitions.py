"""A hypothetical table: a spec, and data files that were never written.

Iceberg reads it like any other table, because its manifests state what the files would contain. Iceberg's own planner
then decides which files a query would read: the files are modelled, the pruning is not.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count, repeat
from types import MappingProxyType
from typing import NamedTuple

from spark_iceberg_sql.insight.hypothetical.values import Value, has_bounds, lower_bound, pack_value, upper_bound
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Primitive


class Bounds(NamedTuple):
    """A file's metadata about one column.

    low, high: the minimum and maximum, as `hypothetical_values.ordinal` returns them; None if every value is null or
    NaN. nulls, nans: how many values are null or NaN.
    """

    low: Value
    high: Value
    nulls: int = 0
    nans: int = 0


class HypotheticalFile(NamedTuple):
    """A data file that was never written.

    partition: the value of each partition field. rows, size: the rows and bytes it would have. bounds: by column field
    id.
    """

    partition: tuple[Value, ...]
    rows: int
    size: int
    bounds: Mapping[int, Bounds] = MappingProxyType({})


@dataclass(frozen=True)
class HypotheticalTable:
    """A table that was never written.

    schema: its columns, with field ids. spec: its only spec. files: its data files.
    """

    schema: Schema
    spec: Spec
    files: tuple[HypotheticalFile, ...]

    def without_bounds(self) -> HypotheticalTable:
        """The same files, of which only the partition values and the numbers of rows are known."""
        return HypotheticalTable(self.schema, self.spec, tuple(file._replace(bounds={}) for file in self.files))

    @property
    def partition_count(self) -> int:
        """The number of distinct partitions."""
        return len({file.partition for file in self.files})

    @property
    def row_count(self) -> int:
        """The total rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def file_sizes(self) -> list[int]:
        """The bytes of each file."""
        return [file.size for file in self.files]

    @property
    def total_size(self) -> int:
        """The total bytes of all files."""
        return sum(file.size for file in self.files)

    def to_bytes(self) -> bytes:
        """The files as bytes for HypotheticalFiles.java."""
        files = self.files
        bounds = {}
        for field_id in {field_id for file in files for field_id in file.bounds}:
            lows, highs, nulls, nans = zip(*(file.bounds.get(field_id, _NO_BOUNDS) for file in files), strict=True)
            keys = _keys([*lows, *highs])
            numbers = {key: number for number, key in enumerate(dict.fromkeys(key for key in keys if key is not None))}
            numbers[None] = -1
            values = dict(zip(map(numbers.__getitem__, keys), (*lows, *highs), strict=True))
            places = [numbers[key] for key in keys]
            bounds[field_id] = ColumnBounds(
                BoundValues([values[number] for number in range(len(numbers) - 1)]),
                places[: len(files)],
                places[len(files) :],
                [*nulls],
                [*nans],
            )
        return FileColumns(
            self.schema,
            self.spec,
            [f.rows for f in files],
            [f.size for f in files],
            [[f.partition[position] for f in files] for position in range(len(self.spec.fields))],
            bounds,
        ).to_bytes()


class BoundValues:
    """Values that are bounds of one column's files, in any number of layouts: their bytes are made once.

    values: distinct ones.
    """

    def __init__(self, values: Sequence[Value]) -> None:
        self._values = (*values, None)  # the last one, with the number -1, for no bound
        self._contents: dict[Primitive, tuple[Sequence[bytes | None], Sequence[bytes | None]]] = {}

    def __getitem__(self, number: int) -> Value:
        return self._values[number]

    def contents(self, data_type: Primitive) -> tuple[Sequence[bytes | None], Sequence[bytes | None]]:
        """Each value's bytes as a lower and as an upper bound."""
        if data_type not in self._contents:
            lows = [None if value is None else lower_bound(data_type, value) for value in self._values]
            highs = [None if value is None else upper_bound(data_type, value) for value in self._values]
            self._contents[data_type] = [*map(_with_length, lows)], [*map(_with_length, highs)]
        return self._contents[data_type]


class ColumnBounds(NamedTuple):
    """The parts of `Bounds` of one column, each of all files.

    values: of which lows and highs are the numbers; -1 for none. nulls: -1 for a file without metadata about it.
    """

    values: BoundValues
    lows: list[int]
    highs: list[int]
    nulls: list[int]
    nans: list[int]


@dataclass(frozen=True)
class FileColumns:
    """Data files that were never written, part by part: of a hundred thousand files, objects of each take long.

    schema: the table's columns, with field ids. spec: of all files. rows, sizes: the rows and bytes of each.
    partitions: by partition field, its values. bounds: by column field id.
    """

    schema: Schema
    spec: Spec
    rows: Sequence[int]
    sizes: Sequence[int]
    partitions: Sequence[Sequence[Value]]
    bounds: Mapping[int, ColumnBounds]

    def files(self) -> Iterator[HypotheticalFile]:
        """The same as objects."""
        partitions = zip(*self.partitions, strict=True) if self.partitions else repeat(())
        columns = [
            [*map(Bounds, map(values.__getitem__, lows), map(values.__getitem__, highs), nulls, nans)]
            for values, lows, highs, nulls, nans in self.bounds.values()
        ]
        for n, partition in zip(range(len(self.rows)), partitions, strict=False):
            bounds = {field_id: column[n] for field_id, column in zip(self.bounds, columns, strict=True)}
            yield HypotheticalFile(partition, self.rows[n], self.sizes[n], bounds)

    def to_bytes(self) -> bytes:
        """The files as bytes for HypotheticalFiles.java: distinct values once, then numbers per file.

        As JSON, the hundred thousand files of one search for advice took most of its time.
        """
        parts = [struct.pack(">i", len(self.rows)), _pack_numbers(self.rows), _pack_numbers(self.sizes)]
        for partition_field, values in zip(self.spec.fields, self.partitions, strict=True):
            parts.append(_pack_values(result_type(self.schema, partition_field), values))
        bounded_types = {
            field_id: data_type
            for field_id, data_type in self.schema.types.items()
            if field_id in self.bounds and isinstance(data_type, Primitive) and has_bounds(data_type)
        }
        parts.append(struct.pack(">i", len(bounded_types)))
        for field_id, data_type in bounded_types.items():
            distinct, lows, highs, nulls, nans = self.bounds[field_id]
            lower, upper = distinct.contents(data_type)
            parts += [
                struct.pack(">i?", field_id, data_type.name in _NAN_TYPES),
                _pack_numbers(nulls),
                _pack_numbers(nans),
                _pack_distinct(lows, lower.__getitem__),
                _pack_distinct(highs, upper.__getitem__),
            ]
        return b"".join(parts)


_NO_BOUNDS = Bounds(None, None, -1)
_NAN_TYPES = ("float", "double")


def result_type(schema: Schema, partition_field: PartitionField) -> Primitive:
    """The Iceberg type of a partition field's values."""
    source_type = schema.types[partition_field.source_id]
    assert isinstance(source_type, Primitive)
    result = partition_field.transform.transform.result
    return source_type if result is None else Primitive(result)


def _pack_numbers(values: Sequence[int]) -> bytes:
    words = array("q", values)
    if sys.byteorder == "little":
        words.byteswap()
    return words.tobytes()


def _with_length(content: bytes | None) -> bytes | None:
    return None if content is None else struct.pack(">i", len(content)) + content


def _keys(values: Sequence[Value]) -> Sequence[Value]:
    """Keys that are equal only for values with the same bytes."""
    if any(isinstance(value, (float, Decimal)) for value in dict.fromkeys(values)):
        # 0.0 equals -0.0 and Decimal("1.0") equals Decimal("1.00"), but their bytes differ.
        return [None if value is None else repr(value) for value in values]
    return values


def _pack_values(data_type: Primitive, values: Sequence[Value]) -> bytes:
    keys = _keys(values)
    distinct = dict(zip(keys, values, strict=True))

    def content(key: Value) -> bytes | None:
        return None if distinct[key] is None else _with_length(pack_value(data_type, distinct[key]))

    return _pack_distinct(keys, content)


def _pack_distinct(keys: Sequence[Value], content_of: Callable[[Value], bytes | None]) -> bytes:
    """The contents of the distinct keys, and each key's number among them; -1 for one without a content."""
    distinct = [*dict.fromkeys(keys)]
    contents = [*map(content_of, distinct)]
    missing = {key: -1 for key, content in zip(distinct, contents, strict=True) if content is None}
    if missing:
        distinct = [key for key in distinct if key not in missing]
    numbers = {**missing, **dict(zip(distinct, count(), strict=False))}
    existing = [content for content in contents if content is not None]
    return b"".join([struct.pack(">i", len(existing)), *existing, _pack_numbers([*map(numbers.__getitem__, keys)])])
