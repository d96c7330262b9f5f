"""Previews that do not read every row: from a sample of the rows, and from the metadata of the existing files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.hypothetical_values import ordinal
from spark_iceberg_sql.insight.preview import Basis, PartitionPreview, Preview, partition_text
from spark_iceberg_sql.insight.preview_layout import (
    ROWS_BETWEEN_LOOKS,
    DataFile,
    Piece,
    Sizes,
    Trial,
    WriteSettings,
)
from spark_iceberg_sql.insight.preview_metadata import Known, spread, whole
from spark_iceberg_sql.insight.specs import CandidateSpec
from spark_iceberg_sql.outgoing import with_help
from spark_iceberg_sql.spark.bridge import memory_writers
from spark_iceberg_sql.spark.insight import hypothetical_rows as rows
from spark_iceberg_sql.spark.insight.hypothetical_source import Source
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm import Java

SAMPLE = 100_000
_SEED = 20
_TRIED = (1, 100, 1_000, 5_000, 20_000)  # rows of the files written in memory


def first_rows(
    spark: SparkSession, source: Source, table: Java, raw: float, settings: WriteSettings
) -> list[Trial]:
    """Files of several sizes from the source's first rows, written in memory.

    row_bytes: uncompressed bytes per row.
    """
    data = memory_writers.internal_rows(source.frame.limit(_TRIED[-1]))
    made: list[Trial] = []
    for count in _TRIED:
        part = data.subList(0, min(count, int(data.size())))
        written = memory_writers.write_in_memory(
            spark, table, part, source.frame, settings.target, ROWS_BETWEEN_LOOKS
        )
        files = tuple(DataFile(n, round(n * raw), size) for n, size, _ in written)
        reached = tuple(n * raw for _, _, n in written if n)
        size = int(part.size())
        made.append(Trial(Piece(size, round(size * raw)), files, True, reached))
        if size < count:
            break
    return made


def from_sample(
    spark: SparkSession,
    source: Source,
    wanted: CandidateSpec,
    table: Java,
    settings: WriteSettings,
    words: str,
) -> Preview:
    """A preview from about 100,000 rows. settings_summary: the settings, for the user."""
    total = int(source.frame.count())
    share = min(1.0, SAMPLE / max(1, total))
    frame = source.frame.sample(share, seed=_SEED) if share < 1 else source.frame
    found = rows.groups(frame, wanted.spec, source.schema)
    seen = sum(group.piece.rows for group in found)
    raw = sum(group.piece.raw for group in found) / max(1, seen)
    sizes = Sizes(first_rows(spark, source, table, max(1.0, raw), settings), settings)
    parts = []
    every: list[int] = []
    numbers = whole([group.piece.rows for group in found], total)
    for group, number in zip(found, numbers, strict=True):
        piece = Piece(number, round(group.piece.raw * total / max(1, seen)))
        files = [file.size for file in sizes.files(piece)]
        every += files
        values = rows.shown(group.values, wanted.spec, source.schema)
        parts.append(_part(wanted, values, piece.rows, files))
    unseen = _unseen([group.piece.rows for group in found], share) if share < 1 else 0
    basis = Basis(
        "sample",
        f"a sample of {seen:,} of {total:,} rows",
        f"{len(parts):,} in the sample, an estimated {unseen:,} more" if share < 1 else "counted",
        "one for each partition that the sample missed" if unseen else "of the sampled rows",
        "compression assumed as in the first 20,000 rows: up to 40 % off",
        "counted; of each partition, estimated" if share < 1 else "counted",
    )
    return _preview(source, wanted, parts, every, basis, words, settings, unseen=unseen)


def _unseen(counts: Sequence[int], share: float) -> int:
    """The estimated number of partitions that a sample missed, from those with one and two sampled rows.

    share: of the rows, sampled without replacement.
    Source: Chao and Lin, Nonparametric lower bounds for species richness and shared species richness under
    sampling without replacement, Biometrics 68 (2012), with n / (n - 1) taken as 1.
    """
    often = Counter(counts)
    once, twice = often[1], often[2]
    return round(once**2 / (2 * twice + share / (1 - share) * once)) if once else 0


def known_files(spark: SparkSession, source: Source, ids: Sequence[int]) -> tuple[list[Known], int]:
    """The data files of a table, with the bounds of columns by field id, and the number of delete files."""
    assert source.table is not None
    metrics = fn.col("readable_metrics")
    picked = []
    for i in ids:
        column, kind = source.schema.by_id(i), source.schema.types[i]
        assert column is not None
        of_column = metrics.getField(column.name)
        picked += [
            rows.stored(of_column.getField(end), kind.name).alias(f"{end}{i}")
            for end in ("lower_bound", "upper_bound")
        ]
    files = spark.table(dotted((*source.table, "files"))).select(
        "content", "record_count", "file_size_in_bytes", *picked
    )
    collected = files.collect()
    kinds = [(i, source.schema.types[i]) for i in ids]
    known = []
    for content, count, size, *ends in map(tuple, collected):  # a row's fields by name are slow
        if content or not count:
            continue
        lows, highs = ends[::2], ends[1::2]
        bounds = {
            i: (from_spark(kind, low), from_spark(kind, high))
            for (i, kind), low, high in zip(kinds, lows, highs, strict=True)
            if low is not None and high is not None
        }
        known.append(Known(count, size, bounds))
    return known, sum(bool(row["content"]) for row in collected)


def no_metadata(source: Source) -> str:
    """The message that refuses a source which is not a table in a catalog."""
    return with_help(
        f"{source.words} has no file metadata: only an Iceberg table in a catalog has it",
        "read rows instead, with using => 'data'",
    )


def from_spark(kind: Any, value: Any) -> Any:
    """A value returned by `hypothetical_rows.portable_value`, as Iceberg stores it."""
    if kind.name == "timestamp" and isinstance(value, str):
        value = datetime.fromisoformat(value)
    return ordinal(kind, value)


def from_metadata(
    spark: SparkSession,
    source: Source,
    wanted: CandidateSpec,
    table: Java,
    settings: WriteSettings,
    words: str,
) -> Preview:
    """A preview from the counts and bounds of a table's files; no file is opened.

    Raises IcebergSqlError for a source that is not a table, or a field whose values cannot be derived from bounds.
    """
    if source.table is None:
        raise IcebergSqlError(no_metadata(source))
    ids = sorted({field.source_id for field in wanted.spec.fields})
    kinds = {i: source.schema.types[i].name for i in ids}
    known, deletes = known_files(spark, source, ids)
    footer = footer_of(spark, source, known, table, settings)
    found = spread(wanted.spec, known, kinds, footer)
    total = sum(file.rows for file in known)
    parts = []
    every: list[int] = []
    numbers = whole([count for count, _ in found.values()], total)
    for (values, (_, size)), count in zip(found.items(), numbers, strict=True):
        number = max(1, -(-round(size) // settings.target))
        each = [round(size / number + footer)] * number
        every += each
        parts.append(_part(wanted, values, count, each))
    basis = Basis(
        "metadata",
        f"the counts and bounds of {len(known):,} files; no row was read",
        "estimated: rows are assumed to be spread evenly between their file's bounds",
        "estimated from the bytes",
        "bytes per row as in today's files, usually within 40 % if the partitions are right",
        f"counted in the metadata{', before deletes' if deletes else ''}; of each partition, estimated",
    )
    notes = (f"{deletes:,} delete files are not applied",) if deletes else ()
    return _preview(source, wanted, parts, every, basis, words, settings, notes)


def footer_of(
    spark: SparkSession,
    source: Source,
    files: Sequence[Known],
    table: Java,
    settings: WriteSettings,
) -> int:
    """The bytes of a file that do not depend on its rows: those of a file of one made-up row, written in memory.

    No more than the smallest of the files that exist.
    """
    row = memory_writers.one_row(spark, source.frame)
    written = memory_writers.write_in_memory(
        spark, table, row, source.frame, settings.target, ROWS_BETWEEN_LOOKS
    )
    return min([size for _, size, _ in written] + [file.size for file in files])


def _part(
    wanted: CandidateSpec, values: tuple[Any, ...], count: int, files: Sequence[int]
) -> PartitionPreview:
    text = partition_text(wanted.spec, values)
    return PartitionPreview(text, values, count, len(files), sum(files))


def _preview(
    source: Source,
    wanted: CandidateSpec,
    parts: list[PartitionPreview],
    files: list[int],
    basis: Basis,
    words: str,
    settings: WriteSettings,
    notes: tuple[str, ...] = (),
    unseen: int = 0,
) -> Preview:
    parts.sort(key=lambda p: (-p.bytes, p.partition))
    return Preview(
        source.words,
        wanted.text,
        tuple(parts),
        tuple(sorted(files)),
        basis,
        words,
        settings.target,
        (*wanted.warnings, *notes),
        unseen,
    )
