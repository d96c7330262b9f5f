"""What a table's manifests state about its data files: one manifest after the other, so that any number fits.

Iceberg's metadata table `files` returns the same, and makes ten objects of each file.
"""

from __future__ import annotations

import json
import struct
from array import array
from base64 import b64decode
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.spark.bridge.jvm import compiler, interrupts
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

# Of a file: numbers as machine words, unless a file has none.
Numbers = Sequence[int]
Bounds = Numbers | Sequence[int | None] | Sequence[str | None]
_WORD = 8  # bytes


class ManifestFigures(NamedTuple):
    """What a manifest states about its data files.

    rows, sizes: of each file. bounds: of each column the lower and the upper ones, None for a file without one: whole
    numbers, of dates and times as well; of all other types texts, of bytes in hexadecimal digits. kept: of each filter
    the number and the bytes of the files that it keeps.
    """

    rows: Numbers
    sizes: Numbers
    bounds: tuple[tuple[Bounds, Bounds], ...]
    kept: tuple[tuple[int, int], ...]


def of_manifests(
    iceberg_table: Java, ids: Sequence[int] = (), filters: Sequence[Java] = ()
) -> Iterator[ManifestFigures]:
    """The figures of each manifest of a table's current snapshot.

    ids: of the columns whose bounds are read. filters: Iceberg's expressions, of which the files kept are counted.
    """
    manifests = _reader().of(iceberg_table, list(ids), list(filters))
    while (text := manifests.next()) is not None:
        interrupts.check()
        yield _figures(b64decode(text), len(ids), len(filters))


def _figures(packed: bytes, columns: int, filters: int) -> ManifestFigures:
    """The figures in the bytes of FileStatistics.java."""
    (count,) = struct.unpack_from(">i", packed)
    place = struct.calcsize(">i")

    def taken(size: int) -> bytes:
        nonlocal place
        place += size
        return packed[place - size : place]

    def numbers() -> array[int]:
        return array("q", taken(_WORD * count))

    def bounds() -> Bounds:
        kind = taken(1)
        if kind == b"t":
            (length,) = struct.unpack(">i", taken(struct.calcsize(">i")))
            texts: list[str | None] = json.loads(taken(length))
            return texts
        if kind == b"n":
            return numbers()
        missing = taken(count)
        return [None if is_missing else number for is_missing, number in zip(missing, numbers(), strict=True)]

    rows, sizes = numbers(), numbers()
    of_columns = tuple((bounds(), bounds()) for _ in range(columns))
    kept = tuple(struct.iter_unpack(">qq", taken(struct.calcsize(">qq") * filters)))
    return ManifestFigures(rows, sizes, of_columns, kept)


class PartitionSizes(NamedTuple):
    """Of each partition: the id of its spec, its data files, their bytes, and the files and the bytes of small ones."""

    specs: Numbers
    files: Numbers
    bytes: Numbers
    small: Numbers
    small_bytes: Numbers


def partition_sizes(iceberg_table: Java, small_size: int) -> PartitionSizes:
    """Of all partitions of a table's current snapshot. small_size: files of fewer bytes are small."""
    sizes = compiler.shared_instance(__package__, "PartitionSizes").of(iceberg_table, small_size)
    while sizes.next():
        interrupts.check()
    numbers = array("q", b64decode(sizes.packed()))
    count = len(PartitionSizes._fields)
    return PartitionSizes(*(numbers[part::count] for part in range(count)))


def file_sizes(iceberg_table: Java) -> list[int]:
    """The bytes of each data file of a table's current snapshot."""
    return [size for figures in of_manifests(iceberg_table) for size in figures.sizes]


def delete_file_count(iceberg_table: Java) -> int:
    """The number of delete files of a table's current snapshot."""
    return int(_reader().deleteFiles(iceberg_table))


def _reader() -> Java:
    return compiler.shared_instance(__package__, "FileStatistics")
