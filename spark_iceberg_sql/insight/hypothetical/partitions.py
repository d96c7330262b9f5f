"""A hypothetical table: a spec, and data files that were never written.

Iceberg reads it like any other table, because its manifests state what the files would contain. Iceberg's own planner
then decides which files a query would read: the files are modelled, the pruning is not.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
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
        """The files as bytes for HypotheticalFiles.java: distinct values once, then numbers per file.

        As JSON, the hundred thousand files of one search for advice took most of its time.
        """
        files = self.files
        parts = [
            struct.pack(">i", len(files)),
            _pack_numbers([f.rows for f in files]),
            _pack_numbers([max(1, f.size) for f in files]),
        ]
        for position, partition_field in enumerate(self.spec.fields):
            data_type = result_type(self.schema, partition_field)
            parts.append(_pack_distinct(partial(pack_value, data_type), [f.partition[position] for f in files]))
        bounded_ids = {field_key for file in files for field_key in file.bounds}
        bounded_types = {
            field_key: data_type
            for field_key, data_type in self.schema.types.items()
            if field_key in bounded_ids and isinstance(data_type, Primitive) and has_bounds(data_type)
        }
        parts.append(struct.pack(">i", len(bounded_types)))
        for field_id, data_type in bounded_types.items():
            column = [file.bounds.get(field_id) for file in files]
            lows, highs = ([getattr(bounds, end, None) for bounds in column] for end in ("low", "high"))
            parts += [
                struct.pack(">i?", field_id, data_type.name in _NAN_TYPES),
                _pack_numbers([-1 if bounds is None else bounds.nulls for bounds in column]),
                _pack_numbers([0 if bounds is None else bounds.nans for bounds in column]),
                _pack_distinct(partial(lower_bound, data_type), lows),
                _pack_distinct(partial(upper_bound, data_type), highs),
            ]
        return b"".join(parts)


_NAN_TYPES = ("float", "double")


def result_type(schema: Schema, partition_field: PartitionField) -> Primitive:
    """The Iceberg type of a partition field's values."""
    source_type = schema.types[partition_field.source_id]
    assert isinstance(source_type, Primitive)
    result = partition_field.transform.transform.result
    return source_type if result is None else Primitive(result)


def _pack_numbers(values: Sequence[int]) -> bytes:
    return struct.pack(f">{len(values)}q", *values)


def _pack_distinct(pack: Callable[[Value], bytes | None], values: Sequence[Value]) -> bytes:
    """The distinct values as bytes, and each value's index among them; -1 for None."""
    positions: dict[Value, int] = {None: -1}
    contents: list[bytes] = []
    indexes = []
    for value in values:
        # 0.0 equals -0.0 and Decimal("1.0") equals Decimal("1.00"), but their bytes differ.
        key = repr(value) if isinstance(value, (float, Decimal)) else value
        position = positions.get(key)
        if position is None:
            content = pack(value)
            position = -1 if content is None else len(contents)
            positions[key] = position
            if content is not None:
                contents.append(content)
        indexes.append(position)
    prefixed = [struct.pack(">i", len(content)) + content for content in contents]
    return b"".join([struct.pack(">i", len(contents)), *prefixed, _pack_numbers(indexes)])
