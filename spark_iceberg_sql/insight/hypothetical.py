"""A hypothetical table: a spec, and data files that were never written.

Iceberg reads it like any other table, because its manifests state what the files would contain. Iceberg's own planner
then decides which files a query would read: the files are modelled, the pruning is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spark_iceberg_sql.insight.hypothetical_values import (
    Value,
    has_bounds,
    json_value,
    lower_bound,
    upper_bound,
)
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Primitive


@dataclass(frozen=True, slots=True)
class Bounds:
    """A file's metadata about one column.

    low, high: the minimum and maximum, as `hypothetical_values.ordinal` returns them; None if every
    value is null or NaN. nulls, nans: how many values are null or NaN.
    """

    low: Value
    high: Value
    nulls: int = 0
    nans: int = 0


@dataclass(frozen=True, slots=True)
class HypotheticalFile:
    """A data file that was never written.

    partition: the value of each partition field. rows, size: the rows and bytes it would have. bounds: by
    column field id.
    """

    partition: tuple[Value, ...]
    rows: int
    size: int
    bounds: Mapping[int, Bounds] = field(default_factory=dict)


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

    def as_json(self) -> str:
        """The files in the form of a REST catalog's planTableScan response."""
        results = [_result(self.schema, f) for f in self.spec.fields]
        kinds = {
            field_id: kind
            for field_id, kind in self.schema.types.items()
            if isinstance(kind, Primitive) and has_bounds(kind)
        }
        tasks = [
            {"data-file": _file(self.spec, results, kinds, number, file)}
            for number, file in enumerate(self.files)
        ]
        return json.dumps({"status": "completed", "file-scan-tasks": tasks})


def _result(schema: Schema, partition_field: PartitionField) -> str:
    """The Iceberg type of a partition field's values."""
    transform = partition_field.transform.transform
    if transform.result is not None:
        return transform.result
    kind = schema.types[partition_field.source_id]
    return kind.name


def _file(
    spec: Spec,
    results: Sequence[str],
    kinds: Mapping[int, Primitive],
    number: int,
    file: HypotheticalFile,
) -> dict[str, Any]:
    known = [(field_id, file.bounds[field_id]) for field_id in kinds if field_id in file.bounds]
    return {
        "spec-id": spec.spec_id,
        "content": "data",
        "file-path": f"never-written/{number}.parquet",
        "file-format": "parquet",
        "partition": {
            str(f.field_id): json_value(result, value)
            for f, result, value in zip(spec.fields, results, file.partition, strict=True)
        },
        "file-size-in-bytes": max(1, file.size),
        "record-count": max(1, file.rows),
        "value-counts": _map((field_id, file.rows) for field_id, _ in known),
        "null-value-counts": _map((field_id, b.nulls) for field_id, b in known),
        "nan-value-counts": _map(
            (field_id, b.nans) for field_id, b in known if kinds[field_id].name in _WITH_NAN
        ),
        "lower-bounds": _map(_hex(kinds, known, upper=False)),
        "upper-bounds": _map(_hex(kinds, known, upper=True)),
    }


_WITH_NAN = ("float", "double")


def _hex(
    kinds: Mapping[int, Primitive], known: Sequence[tuple[int, Bounds]], *, upper: bool
) -> Iterator[tuple[int, str]]:
    for field_id, bounds in known:
        value = bounds.high if upper else bounds.low
        if value is None:
            continue
        packed = (upper_bound if upper else lower_bound)(kinds[field_id], value)
        if packed is not None:
            yield field_id, packed.hex().upper()


def _map(pairs: Iterator[tuple[int, Any]] | Any) -> dict[str, list[Any]]:
    pairs = list(pairs)
    return {"keys": [key for key, _ in pairs], "values": [value for _, value in pairs]}
