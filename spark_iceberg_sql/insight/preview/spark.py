"""preview(spark, source, spec): the partitions and files that a write would produce, before it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.hypothetical import spark_rows as rows
from spark_iceberg_sql.insight.hypothetical.spark_source import Source, naming_argument, refuse_property, resolve_source
from spark_iceberg_sql.insight.hypothetical.written_files import FileSizeModel, TrialWrite
from spark_iceberg_sql.insight.preview import spark_commits, spark_splits
from spark_iceberg_sql.insight.preview.model import Basis, PartitionPreview, Preview, bucket_groups, partition_text
from spark_iceberg_sql.insight.preview.spark_estimates import from_metadata, from_sample
from spark_iceberg_sql.insight.preview.spark_settings import settings_of, settings_text
from spark_iceberg_sql.insight.preview.spark_splits import OutputFiles, PartitionOutputs
from spark_iceberg_sql.insight.preview.spark_trials import SourceChangedError, TrialRows, write_trials
from spark_iceberg_sql.insight.specs import CandidateSpec, candidate_spec
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables
from spark_iceberg_sql.spark.bridge.tables.null_counts import columns_without_nulls
from spark_iceberg_sql.spark.gate import read_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

USING = ("data", "sample", "metadata")
_NOTED_WRITERS = 200
_LEAST_ERROR = 0.03  # of all bytes, unless every partition was written in memory
_EXTRAPOLATED = 2  # a file of more than so many times the rows of all trials is extrapolated
_LEAST_EXTRAPOLATED_ERROR = 0.06


def preview(
    spark: SparkSession,
    source: Any,
    spec: str,
    *,
    using: str = "data",
    properties: Mapping[str, str] | None = None,
    commits: int = 1,
) -> Preview:
    """The partitions and data files that writing a source under a spec would produce; nothing is written.

    source: a table's or view's name, a query, a path, or a DataFrame of Spark, pandas or polars. spec: the text for
    PARTITIONED BY, `days(ts), bucket(16, id)`; empty for an unpartitioned table. using: `data` reads every row once,
    and a few partitions again; `sample` reads about 100,000 rows; `metadata` reads no row, only the counts and bounds
    of an Iceberg table's files. The result's basis states the error of each figure. properties: table properties for
    the write that override the source table's. commits: in how many appends the rows arrive, as from a stream: each
    has the same number of rows, in the order of the spec's first field over a date or a timestamp.

    Raises IcebergSqlError for a source that cannot be read, or a spec that would be refused.
    """
    if using not in USING:
        raise IcebergSqlError(f"using must be one of {', '.join(USING)}, not `{using}`", argument="using")
    spark_commits.check_commits(commits, using)
    resolved_source = resolve_source(spark, source, properties)
    is_case_sensitive = spark.conf.get("spark.sql.caseSensitive") == "true"
    with naming_argument("spec"):
        parsed_spec = candidate_spec(
            spec, resolved_source.schema, case_sensitive=is_case_sensitive, table=resolved_source.sql_name
        )
    try:
        with (
            sessions.working_in(spark),
            spark_progress.show_progress(spark, f"preview of {resolved_source.title}"),
            hypothetical_tables.table(resolved_source.as_table(parsed_spec.spec)) as table,
        ):
            if using == "data":
                return _PreviewRun(spark, resolved_source, parsed_spec, table, commits).result()
            settings = settings_of(spark, table)
            if using == "sample":
                return from_sample(spark, resolved_source, parsed_spec, table, settings)
            with naming_argument("using"):
                return from_metadata(spark, resolved_source, parsed_spec, table, settings)
    except JVM_ERRORS as error:
        refuse_property(message(error), resolved_source.properties)
        raise read_errors.read_failure(
            error, f"{resolved_source.title} cannot be previewed", resolved_source.frame
        ) from None


class _PreviewRun:
    """One preview that reads every row.

    spark: the session. source: the rows. spec_candidate: the spec. table: an empty Iceberg table that has it.
    commits: how many.
    """

    def __init__(
        self, spark: SparkSession, source: Source, spec_candidate: CandidateSpec, table: Java, commits: int
    ) -> None:
        self._spark = spark
        self._source = source
        self._candidate = spec_candidate
        self._table = table
        self._settings = settings_of(spark, table)
        self._by_task = self._settings.distribution_mode == "none"
        self._is_split_by_task = self._settings.distribution_mode == "hash" and bool(self._settings.advisory_size)
        self._commits = commits
        self._frame = source.frame
        self._commit_column = ""  # the name of the column
        if commits > 1:
            self._commit_column = rows.unused_name("commit", source.frame.columns)
            self._frame = spark_commits.with_commit_numbers(
                source.frame, spec_candidate.spec, source.schema, commits, self._commit_column
            )
        self._notes = [*spec_candidate.warnings, *spec_candidate.steps]
        self._is_sorted = bool((source.metadata or {}).get("default-sort-order-id"))
        if self._is_sorted:
            self._notes.append(
                "the table's sort order is not applied to the rows written in memory: the real files may be larger or "
                "smaller"
            )
        if self._settings.distribution_mode == "range":
            self._notes.append("a partition split between two tasks may have one more file")

    def result(self) -> Preview:
        """Count, write a few partitions in memory, and add up."""
        task_groups = self._groups()
        groups = task_groups if self._by_task else rows.sum_over_tasks(task_groups)
        trials, beginnings = self._write_trials(groups)
        size_model = FileSizeModel([*trials.values(), *beginnings], self._settings)
        outputs: PartitionOutputs = defaultdict(list)
        for i, group in enumerate(groups):
            trial = trials.get(i)
            files = trial.files if trial and trial.is_complete else tuple(size_model.files(group.output))
            outputs[group.commit, group.values].append((group.output, files))
        if self._is_split_by_task:
            measure_row_bytes = partial(spark_splits.shuffled_bytes, self._spark, self._source.frame)
            spark_splits.split_partitions(outputs, task_groups, size_model, self._settings, measure_row_bytes)
        return self._preview(outputs, trials, len(groups), size_model)

    def _groups(self) -> list[rows.Group]:
        """One aggregation; a write that shuffles is counted by task as well, as adaptive execution splits by these."""
        table = self._source.iceberg_table
        return rows.groups(
            self._frame,
            self._candidate.spec,
            self._source.schema,
            by_task=self._by_task or self._is_split_by_task,
            shuffle_partitions=self._settings.shuffle_partitions if self._is_split_by_task else 0,
            commit_column=self._commit_column,
            null_free=columns_without_nulls(table) if table is not None else frozenset(),
        )

    def _write_trials(self, groups: Sequence[rows.Group]) -> tuple[dict[int, TrialWrite], list[TrialWrite]]:
        trial_rows = TrialRows(self._source, self._frame, self._candidate.spec, self._by_task, self._commit_column)
        try:
            return write_trials(self._spark, trial_rows, groups, self._table, self._settings)
        except SourceChangedError:
            self._notes.append("the source returned different rows when it was read again")
            return {}, []

    def _preview(
        self, outputs: PartitionOutputs, trials: Mapping[int, TrialWrite], group_count: int, size_model: FileSizeModel
    ) -> Preview:
        spec = self._candidate.spec
        partition_previews = []
        file_sizes: list[int] = []
        by_values: dict[tuple[Any, ...], list[OutputFiles]] = defaultdict(list)
        per_commit = [0] * self._commits
        for (commit, values), written in outputs.items():
            by_values[values] += written
            per_commit[commit] += sum(len(files) for _, files in written)
        for key, parts in by_values.items():
            values = rows.typed_values(key, spec, self._source.schema)
            files = [file.size for _, output_files in parts for file in output_files]
            file_sizes += files
            partition_previews.append(
                PartitionPreview(
                    partition_text(spec, values),
                    values,
                    sum(output.rows for output, _ in parts),
                    len(files),
                    sum(files),
                )
            )
        partition_previews.sort(key=lambda p: (-p.bytes, p.partition))
        largest = max((output.raw_bytes for written in outputs.values() for output, _ in written), default=0)
        complete_count = sum(trial.is_complete for trial in trials.values())
        total = sum(p.rows for p in partition_previews)
        largest_file = max(
            (f.raw_bytes for written in outputs.values() for _, files in written for f in files), default=0
        )
        is_extrapolated = largest_file > _EXTRAPOLATED * size_model.largest_trial
        least_error = _LEAST_EXTRAPOLATED_ERROR if is_extrapolated else _LEAST_ERROR
        bytes_error = max(least_error, size_model.relative_error())
        share = (
            "every partition was written in memory"
            if complete_count == group_count
            else f"{len(trials)} of {group_count:,} written in memory, +-{bytes_error:.0%}, "
            f"of a partition +-{size_model.partition_error(largest):.0%} in 19 of 20"
        )
        if self._is_sorted:
            share += ", without the table's sort order"
        is_predicted = _fills_several(outputs) and complete_count < group_count
        files_text = f"of the counted rows{'; +-10 % where a partition fills several' if is_predicted else ''}"
        basis = Basis("exact", f"every row: {total:,}", "counted", files_text, share)
        return Preview(
            self._source.title,
            self._candidate.text,
            tuple(partition_previews),
            tuple(sorted(file_sizes)),
            basis,
            settings_text(self._settings),
            self._settings.target_size,
            (*self._notes, *self._random_commit_note(outputs), *self._memory_note(len(partition_previews))),
            per_commit=tuple(per_commit) if self._commits > 1 else (),
            arrival=spark_commits.arrival_text(spec, self._source.schema),
            bucket_groups=bucket_groups(spec, self._source.schema, partition_previews),
        )

    def _random_commit_note(self, outputs: PartitionOutputs) -> Iterator[str]:
        """A note if the random commit of a row decides how many files a commit has."""
        field = spark_commits.arrival_field(self._candidate.spec, self._source.schema)
        column = self._source.schema.by_id(field.source_id) if field else None
        if self._commits > 1 and _fills_several(outputs) and not (column and column.field.required):
            subject = f"rows without {field.source}" if field else "the rows"
            yield (
                f"{subject} are assigned to commits at random: with another choice, a commit may have one file more or "
                "fewer for each partition that fills several"
            )

    def _memory_note(self, partitions: int) -> Iterator[str]:
        """A note if one task may keep many writers open."""
        if self._settings.fanout and partitions >= _NOTED_WRITERS:
            yield (
                f"one task may keep up to {partitions:,} writers open, each with its own buffers; "
                "'write.spark.fanout.enabled' = 'false' sorts the rows instead"
            )


def _fills_several(outputs: PartitionOutputs) -> bool:
    """Whether a partition fills several files."""
    return any(len(files) > 1 for written in outputs.values() for _, files in written)
