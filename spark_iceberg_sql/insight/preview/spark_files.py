"""The data files of a source's table, with what its manifests state about them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import compress
from typing import Any

from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.preview.existing_files import FileStats, ManifestStats
from spark_iceberg_sql.spark.bridge.jvm.java_rows import BoundColumn
from spark_iceberg_sql.spark.bridge.tables import file_statistics

# Of the types whose bounds come as text.
_VALUES: Mapping[str, Callable[[str], Any]] = {
    "boolean": lambda text: text == "true",
    "float": float,
    "double": float,
    "decimal": Decimal,
    "string": str,
    "uuid": lambda text: uuid.UUID(text).bytes,
    "binary": bytes.fromhex,
    "fixed": bytes.fromhex,
}


def existing_files(source: Source, ids: Sequence[int]) -> Iterator[FileStats]:
    """The data files of a table that have rows, with the bounds of columns by field id, one after the other."""
    for files in manifests(source, ids):
        columns = [zip(*files.bounds[field_id], strict=True) for field_id in ids]
        for rows, size, *ranges in zip(files.rows, files.sizes, *columns, strict=True):
            yield FileStats(rows, size, {i: r for i, r in zip(ids, ranges, strict=True) if None not in r})


def manifests(source: Source, ids: Sequence[int]) -> Iterator[ManifestStats]:
    """The same by manifest: a table of a million files has a hundred of these."""
    types = [source.schema.types[field_id].name for field_id in ids]
    for figures in file_statistics.of_manifests(source.iceberg_table, ids):
        columns = [_values(column, name) for column, name in zip(figures.bounds, types, strict=True)]
        bounds = {i: (column[::2], column[1::2]) for i, column in zip(ids, columns, strict=True)}
        if 0 not in figures.rows:
            yield ManifestStats(figures.rows, figures.sizes, bounds)
            continue
        (rows, sizes), *bounds_left = (
            [list(compress(values, figures.rows)) for values in pair]
            for pair in ((figures.rows, figures.sizes), *bounds.values())
        )
        yield ManifestStats(rows, sizes, {i: (low, high) for i, (low, high) in zip(ids, bounds_left, strict=True)})


def _values(column: BoundColumn, type_name: str) -> Sequence[Any]:
    """The lower and the upper bound of each file, as Iceberg stores them; None where a file lacks one."""
    if not column.texts:
        return column.numbers or ()
    value_of = _VALUES[type_name]
    return [None if text is None else value_of(text) for text in column.texts]


def delete_file_notes(source: Source) -> tuple[str, ...]:
    """That delete files are not applied, if there are any."""
    count = file_statistics.delete_file_count(source.iceberg_table)
    return (f"{count:,} delete files are not applied",) if count else ()
