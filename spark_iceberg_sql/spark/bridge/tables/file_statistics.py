"""What a table's manifests state about its data files: one manifest after the other, so that any number fits.

Iceberg's metadata table `files` returns the same, and makes ten objects of each file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.spark.bridge.jvm import compiler, interrupts
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import BoundColumn, ManifestFigures


def of_manifests(iceberg_table: Java, ids: Sequence[int] = ()) -> Iterator[ManifestFigures]:
    """The figures of each manifest of a table's current snapshot. ids: of the columns whose bounds are read."""
    manifests = _reader().of(iceberg_table, list(ids))
    while (text := manifests.next()) is not None:
        interrupts.check()
        yield from_json(ManifestFigures, text)


def file_sizes(iceberg_table: Java) -> list[int]:
    """The bytes of each data file of a table's current snapshot."""
    return [size for figures in of_manifests(iceberg_table) for size in figures.sizes]


def delete_file_count(iceberg_table: Java) -> int:
    """The number of delete files of a table's current snapshot."""
    return int(_reader().deleteFiles(iceberg_table))


def _reader() -> Java:
    return compiler.shared_instance(__package__, "FileStatistics", BoundColumn, ManifestFigures)
