"""Previews that do not read every row: from a sample of the rows, and from the metadata of the existing files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.hypothetical import spark_rows as rows
from spark_iceberg_sql.insight.hypothetical.size_curve import DataFile
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.hypothetical.values import ordinal
from spark_iceberg_sql.insight.hypothetical.written_files import (
    ROWS_PER_SIZE_CHECK,
    FileSizeModel,
    TaskOutput,
    TrialWrite,
    WriteSettings,
)
from spark_iceberg_sql.insight.preview.existing_files import CountedFiles, partition_totals, round_to_total
from spark_iceberg_sql.insight.preview.model import Basis, PartitionPreview, Preview, bucket_groups, partition_text
from spark_iceberg_sql.insight.preview.spark_files import delete_file_notes, existing_files
from spark_iceberg_sql.insight.preview.spark_settings import settings_text
from spark_iceberg_sql.insight.specs import CandidateSpec
from spark_iceberg_sql.safe_output import with_help
from spark_iceberg_sql.spark.bridge.tables import memory_writers

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

SAMPLE_ROWS = 100_000
_SEED = 20
_SEVERAL_FILES = "; where a partition fills several, up to twice as many"
_STORED_AS_RETURNED = ("boolean", "int", "long", "float", "double", "date", "timestamptz", "string")
_TRIAL_ROWS = (1, 100, 1_000, 5_000, 20_000)  # rows of the files written in memory
_MEASURED_ROWS = 200  # of each of these files, whose bytes are read one by one


def write_first_rows(
    spark: SparkSession, source: Source, table: Java, raw_bytes: Column, settings: WriteSettings
) -> list[TrialWrite]:
    """Files of several sizes from the source's first rows, written in memory.

    raw_bytes: uncompressed bytes of a row, as a column; those of the first rows may differ from all others'.
    """
    # The writer takes the columns by their position, so that one more behind them is not written.
    measured = source.frame.limit(_TRIAL_ROWS[-1]).select(
        "*", raw_bytes.alias(rows.unused_name("raw", source.frame.columns))
    )
    data, position = memory_writers.internal_rows(measured), len(source.frame.columns)
    trials: list[TrialWrite] = []
    for count in _TRIAL_ROWS:
        part = data.subList(0, min(count, int(data.size())))
        size = int(part.size())
        measured_rows = range(0, size, max(1, size // _MEASURED_ROWS))
        row_bytes = max(
            1.0, sum(part.get(row).getDouble(position) for row in measured_rows) / max(1, len(measured_rows))
        )
        output = TaskOutput(size, round(size * row_bytes))
        trials.append(write_trial(spark, source, table, part, output, row_bytes, settings))
        if size < count:
            break
    return trials


def write_trial(
    spark: SparkSession,
    source: Source,
    table: Java,
    data: Java,
    output: TaskOutput,
    row_bytes: float,
    settings: WriteSettings,
) -> TrialWrite:
    """A task's output, or its first rows, written in memory. data: its rows. row_bytes: uncompressed bytes per row."""
    written_files = memory_writers.write_in_memory(
        spark, table, data, source.frame, settings.target_size, ROWS_PER_SIZE_CHECK
    )
    files = tuple(DataFile(file.rows, round(file.rows * row_bytes), file.bytes) for file in written_files)
    rollover_bytes = tuple(file.rows_at_target * row_bytes for file in written_files if file.rows_at_target)
    return TrialWrite(output, files, sum(file.rows for file in files) == output.rows, rollover_bytes)


def from_sample(
    spark: SparkSession, source: Source, candidate: CandidateSpec, table: Java, settings: WriteSettings
) -> Preview:
    """A preview from about 100,000 rows."""
    total = int(source.frame.count())
    share = min(1.0, SAMPLE_ROWS / max(1, total))
    frame = source.frame.sample(share, seed=_SEED) if share < 1 else source.frame
    groups = rows.groups(frame, candidate.spec, source.schema)
    sampled_rows = sum(group.output.rows for group in groups)
    raw_bytes = rows.raw_bytes(source.schema, candidate.spec)
    size_model = FileSizeModel(write_first_rows(spark, source, table, raw_bytes, settings), settings)
    previews = []
    file_sizes: list[int] = []
    counts = [group.output.rows for group in groups]
    for group, number in zip(groups, round_to_total(counts, total), strict=True):
        output = TaskOutput(number, round(group.output.raw_bytes * total / max(1, sampled_rows)))
        files = [file.size for file in size_model.files(output)]
        file_sizes += files
        values = rows.typed_values(group.values, candidate.spec, source.schema)
        previews.append(_partition_preview(candidate, values, output.rows, files))
    unseen = _unseen_partitions(counts, share) if share < 1 else 0
    basis = Basis(
        "sample",
        f"a sample of {sampled_rows:,} of {total:,} rows",
        f"{len(previews):,} in the sample, an estimated {unseen:,} more" if share < 1 else "counted",
        "one for each partition that the sample missed" if unseen else "of the sampled rows",
        "compression assumed as in the first 20,000 rows: up to 40 % off",
        "counted; of each partition, estimated" if share < 1 else "counted",
    )
    return _preview(source, candidate, previews, file_sizes, basis, settings, unseen=unseen)


def _unseen_partitions(counts: Sequence[int], share: float) -> int:
    """The estimated number of partitions that a sample missed, from those with one and two sampled rows.

    share: of the rows, sampled without replacement.
    Source: Chao and Lin, Nonparametric lower bounds for species richness and shared species richness under
    sampling without replacement, Biometrics 68 (2012), with n / (n - 1) taken as 1.
    """
    frequencies = Counter(counts)
    singletons, doubletons = frequencies[1], frequencies[2]
    return round(singletons**2 / (2 * doubletons + share / (1 - share) * singletons)) if singletons else 0


def no_metadata_message(source: Source) -> str:
    """The message that refuses a source which is not a table in a catalog."""
    return with_help(
        f"{source.title} has no file metadata: only an Iceberg table in a catalog has it",
        "read rows instead, with using => 'data'",
    )


def from_spark(data_type: Any, value: Any) -> Any:
    """A value returned by `hypothetical_rows.portable_value`, as Iceberg stores it."""
    if data_type.name == "timestamp" and isinstance(value, str):
        value = datetime.fromisoformat(value)
    return ordinal(data_type, value)


def column_from_spark(data_type: Any, values: Sequence[Any]) -> Sequence[Any]:
    """Values returned by `hypothetical_rows.portable_value`, as Iceberg stores them."""
    return values if data_type.name in _STORED_AS_RETURNED else [from_spark(data_type, value) for value in values]


def from_metadata(
    spark: SparkSession, source: Source, candidate: CandidateSpec, table: Java, settings: WriteSettings
) -> Preview:
    """A preview from the counts and bounds of a table's files; no file is opened.

    Raises IcebergSqlError for a source that is not a table, or a field whose values cannot be derived from bounds.
    """
    if source.table is None:
        raise IcebergSqlError(no_metadata_message(source))
    ids = sorted({field.source_id for field in candidate.spec.fields if not field.transform.transform.hashes})
    type_names = {field_id: source.schema.types[field_id].name for field_id in ids}
    files = CountedFiles(existing_files(source, ids))
    totals = partition_totals(candidate.spec, files, type_names)
    footer = min(footer_of(spark, source, table, settings), files.smallest)
    previews = []
    file_sizes: list[int] = []
    numbers = round_to_total([total.rows for total in totals.values()], files.rows)
    for (values, total), count in zip(totals.items(), numbers, strict=True):
        size = total.size - footer * total.files
        number = max(1, -(-round(size) // settings.target_size))
        partition_files = [round(size / number + footer)] * number
        file_sizes += partition_files
        previews.append(_partition_preview(candidate, values, count, partition_files))
    notes = delete_file_notes(source)
    basis = Basis(
        "metadata",
        f"the counts and bounds of {files.count:,} files; no row was read",
        "estimated: rows are assumed to be spread evenly between their file's bounds",
        "estimated from the bytes" + _SEVERAL_FILES * (len(file_sizes) > len(previews)),
        "bytes per row as in today's files, usually within 40 % if the partitions are right",
        f"counted in the metadata{', before deletes' if notes else ''}; of each partition, estimated",
    )
    return _preview(source, candidate, previews, file_sizes, basis, settings, notes)


def footer_of(spark: SparkSession, source: Source, table: Java, settings: WriteSettings) -> int:
    """The bytes of a file that do not depend on its rows: those of a file of one made-up row, written in memory."""
    row = memory_writers.artificial_row(spark, source.frame)
    written_files = memory_writers.write_in_memory(
        spark, table, row, source.frame, settings.target_size, ROWS_PER_SIZE_CHECK
    )
    return min(file.bytes for file in written_files)


def _partition_preview(
    candidate: CandidateSpec, values: tuple[Any, ...], count: int, files: Sequence[int]
) -> PartitionPreview:
    return PartitionPreview(partition_text(candidate.spec, values), values, count, len(files), sum(files))


def _preview(
    source: Source,
    candidate: CandidateSpec,
    previews: list[PartitionPreview],
    files: list[int],
    basis: Basis,
    settings: WriteSettings,
    notes: tuple[str, ...] = (),
    unseen: int = 0,
) -> Preview:
    previews.sort(key=lambda p: (-p.bytes, p.partition))
    return Preview(
        source.title,
        candidate.text,
        tuple(previews),
        tuple(sorted(files)),
        basis,
        settings_text(settings),
        settings.target_size,
        (*candidate.warnings, *candidate.steps, *notes),
        unseen,
        bucket_groups=bucket_groups(candidate.spec, source.schema, previews),
    )
