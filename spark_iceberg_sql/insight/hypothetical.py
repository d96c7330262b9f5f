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

from spark_iceberg_sql.insight.hypothetical_values import (
    Value,
    has_bounds,
    lower_bound,
    packed,
    upper_bound,
)
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Primitive


class Bounds(NamedTuple):
    """A file's metadata about one column.

    low, high: the minimum and maximum, as `hypothetical_values.ordinal` returns them; None if every
    value is null or NaN. nulls, nans: how many values are null or NaN.
    """

    low: Value
    high: Value
    nulls: int = 0
    nans: int = 0


class HypotheticalFile(NamedTuple):
    """A data file that was never written.

    partition: the value of each partition field. rows, size: the rows and bytes it would have. bounds: by
    column field id.
    """

    partition: tuple[Value, ...]
    rows: int
    size: int
    bounds: Mapping[int, Bounds] = MappingProxyType({})


@dataclass(frozen=True)
class Hypothetical:
    """A table that was never written.

    schema: its columns, with field ids. spec: its only spec. files: its data files.
    """

    schema: Schema
    spec: Spec
    files: tuple[HypotheticalFile, ...]

    @property
    def partitions(self) -> int:
        """The number of distinct partitions."""
        return len({file.partition for file in self.files})

    @property
    def rows(self) -> int:
        """The total rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def size(self) -> int:
        """The total bytes of all files."""
        return sum(file.size for file in self.files)

    def packed(self) -> bytes:
        """The files as bytes for HypotheticalFiles.java: distinct values once, then numbers per file.

        As JSON, the hundred thousand files of one search for advice took most of its time.
        """
        files = self.files
        parts = [struct.pack(">i", len(files)), _numbers([f.rows for f in files])]
        parts.append(_numbers([max(1, f.size) for f in files]))
        for position, partition_field in enumerate(self.spec.fields):
            kind = _result(self.schema, partition_field)
            parts.append(_distinct(partial(packed, kind), [f.partition[position] for f in files]))
        known = {i for file in files for i in file.bounds}
        kinds = {i: kind for i, kind in self.schema.types.items() if i in known}
        bounded = {
            i: kind for i, kind in kinds.items() if isinstance(kind, Primitive) and has_bounds(kind)
        }
        parts.append(struct.pack(">i", len(bounded)))
        for field_id, kind in bounded.items():
            column = [file.bounds.get(field_id) for file in files]
            parts.append(struct.pack(">i?", field_id, kind.name in _WITH_NAN))
            parts.append(_numbers([-1 if b is None else b.nulls for b in column]))
            parts.append(_numbers([0 if b is None else b.nans for b in column]))
            lows, highs = ([getattr(b, end, None) for b in column] for end in ("low", "high"))
            parts.append(_distinct(partial(lower_bound, kind), lows))
            parts.append(_distinct(partial(upper_bound, kind), highs))
        return b"".join(parts)


_WITH_NAN = ("float", "double")


def _result(schema: Schema, partition_field: PartitionField) -> Primitive:
    """The Iceberg type of a partition field's values."""
    kind = schema.types[partition_field.source_id]
    assert isinstance(kind, Primitive)
    result = partition_field.transform.transform.result
    return kind if result is None else Primitive(result)


def _numbers(values: Sequence[int]) -> bytes:
    return struct.pack(f">{len(values)}q", *values)


def _distinct(pack: Callable[[Value], bytes | None], values: Sequence[Value]) -> bytes:
    """The distinct values as bytes, and each value's index among them; -1 for None."""
    positions: dict[Value, int] = {None: -1}
    every: list[bytes] = []
    found = []
    for value in values:
        # 0.0 equals -0.0 and Decimal("1.0") equals Decimal("1.00"), but their bytes differ.
        key = repr(value) if isinstance(value, (float, Decimal)) else value
        position = positions.get(key)
        if position is None:
            content = pack(value)
            position = -1 if content is None else len(every)
            positions[key] = position
            if content is not None:
                every.append(content)
        found.append(position)
    sized = [struct.pack(">i", len(content)) + content for content in every]
    return b"".join([struct.pack(">i", len(every)), *sized, _numbers(found)])
