"""The data files of a source's table, with what its manifests state about them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.preview.existing_files import FileStats
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
    types = [source.schema.types[field_id].name for field_id in ids]
    for figures in file_statistics.of_manifests(source.iceberg_table, ids):
        columns = [_ranges(column, name) for column, name in zip(figures.bounds, types, strict=True)]
        for rows, size, *ranges in zip(figures.rows, figures.sizes, *columns, strict=True):
            if rows:
                yield FileStats(rows, size, {i: r for i, r in zip(ids, ranges, strict=True) if r is not None})


def _ranges(column: BoundColumn, type_name: str) -> list[tuple[Any, Any] | None]:
    """The bounds of each file, as Iceberg stores them; None for a file that lacks one."""
    values: Sequence[Any] = column.numbers or ()
    if column.texts:
        value_of = _VALUES[type_name]
        values = [None if text is None else value_of(text) for text in column.texts]
    pairs = zip(values[::2], values[1::2], strict=True)
    return [None if low is None or high is None else (low, high) for low, high in pairs]


def delete_file_notes(source: Source) -> tuple[str, ...]:
    """That delete files are not applied, if there are any."""
    count = file_statistics.delete_file_count(source.iceberg_table)
    return (f"{count:,} delete files are not applied",) if count else ()
