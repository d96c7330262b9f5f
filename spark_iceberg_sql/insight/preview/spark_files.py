"""The data files of a source's table, with what its manifests state about them."""

from __future__ import annotations

import uuid
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import compress
from typing import Any

from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.preview.existing_files import ManifestStats
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.tables import file_statistics
from spark_iceberg_sql.spark.bridge.tables.file_statistics import ManifestFigures

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


def existing_files(source: Source, ids: Sequence[int]) -> Iterator[ManifestStats]:
    """The data files of a table that have rows, manifest by manifest. ids: of the columns with bounds."""
    for figures in file_statistics.of_manifests(source.iceberg_table, ids):
        yield _stats(figures, source, ids)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """What the manifests of a source's table state, read once.

    sizes: the bytes of each data file. manifests: of each the files that have rows. kept: for each filter the number
    and the bytes of the files that it keeps.
    """

    sizes: Sequence[int]
    manifests: Sequence[ManifestStats]
    kept: Sequence[tuple[int, int]]


NO_FILES = TableFiles((), (), ())


def table_files(source: Source, ids: Sequence[int], filters: Sequence[Java]) -> TableFiles:
    """The files of a source's table. ids: of the columns with bounds. filters: Iceberg's expressions."""
    sizes, stats, kept = array("q"), [], [(0, 0)] * len(filters)
    for figures in file_statistics.of_manifests(source.iceberg_table, ids, filters):
        sizes.extend(figures.sizes)
        stats.append(_stats(figures, source, ids))
        kept = [(files + f, size + b) for (files, size), (f, b) in zip(kept, figures.kept, strict=True)]
    return TableFiles(sizes, stats, kept)


def _stats(figures: ManifestFigures, source: Source, ids: Sequence[int]) -> ManifestStats:
    """Of the files that have rows."""
    types = [source.schema.types[field_id].name for field_id in ids]
    bounds = [
        (_values(low, name), _values(high, name)) for (low, high), name in zip(figures.bounds, types, strict=True)
    ]
    if 0 not in figures.rows:
        return ManifestStats(figures.rows, figures.sizes, dict(zip(ids, bounds, strict=True)))
    (rows, sizes), *bounds_left = (
        (_left(values, figures.rows), _left(others, figures.rows))
        for values, others in ((figures.rows, figures.sizes), *bounds)
    )
    return ManifestStats(rows, sizes, dict(zip(ids, bounds_left, strict=True)))


def _values(bounds: Sequence[Any], type_name: str) -> Sequence[Any]:
    """The bound of each file, as Iceberg stores it; None where a file lacks it."""
    value_of = _VALUES.get(type_name)
    return bounds if value_of is None else [None if text is None else value_of(text) for text in bounds]


def _left(values: Sequence[Any], rows: Sequence[int]) -> list[Any]:
    """Those of the files that have rows."""
    return list(compress(values, rows))


def delete_file_notes(source: Source) -> tuple[str, ...]:
    """That delete files are not applied, if there are any."""
    count = file_statistics.delete_file_count(source.iceberg_table)
    return (f"{count:,} delete files are not applied",) if count else ()
