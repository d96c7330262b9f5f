"""preview(spark, source, spec): the partitions and files that a write would produce, before it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.preview import Basis, PartitionPreview, Preview, partition_text
from spark_iceberg_sql.insight.preview_layout import (
    ROWS_BETWEEN_LOOKS,
    DataFile,
    Piece,
    Sizes,
    Trial,
    picked,
)
from spark_iceberg_sql.insight.specs import CandidateSpec, candidate
from spark_iceberg_sql.spark.bridge import hypothetical, memory_writers, sessions
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.spark.insight import hypothetical_rows as rows
from spark_iceberg_sql.spark.insight import preview_commits, preview_splits, progress
from spark_iceberg_sql.spark.insight.hypothetical_source import (
    Source,
    refuse_property,
    refusing,
    source_of,
)
from spark_iceberg_sql.spark.insight.preview_estimates import from_metadata, from_sample
from spark_iceberg_sql.spark.insight.preview_settings import settings_of, settings_text
from spark_iceberg_sql.spark.insight.preview_splits import Pieces, Written

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm import Java

USING = ("data", "sample", "metadata")
_TRIALS = 12
_TRIAL_BYTES = 8_000_000  # uncompressed, of one partition: held by the driver
_MANY_WRITERS = 200


def preview(
    spark: SparkSession,
    source: str | DataFrame,
    spec: str,
    *,
    using: str = "data",
    properties: Mapping[str, str] | None = None,
    commits: int = 1,
) -> Preview:
    """The partitions and data files that writing a source under a spec would produce; nothing is written.

    source: a table's or view's name, a query, a path, or a DataFrame. spec: the text for PARTITIONED BY,
    `days(ts), bucket(16, id)`; empty for an unpartitioned table. using: `data` reads every row once, and a few
    partitions again; `sample` reads about 100,000 rows; `metadata` reads no row, only the counts and bounds of an
    Iceberg table's files. The result's basis states the error of each figure. properties: table properties for the
    write that override the source table's. commits: in how many appends the rows arrive, as from a stream: each has
    the same number of rows, in the order of the spec's first field over a date or a timestamp.

    Raises IcebergSqlError for a source that cannot be read, or a spec that would be refused.
    """
    if using not in USING:
        raise IcebergSqlError(
            f"using must be one of {', '.join(USING)}, not `{using}`", argument="using"
        )
    preview_commits.checked(commits, using)
    found = source_of(spark, source, properties)
    sensitive = spark.conf.get("spark.sql.caseSensitive") == "true"
    with refusing("spec"):
        wanted = candidate(spec, found.schema, case_sensitive=sensitive)
    try:
        with (
            sessions.working_in(spark),
            progress.shown(spark, f"preview of {found.words}"),
            hypothetical.table(found.as_table(wanted.spec)) as table,
        ):
            if using == "data":
                return _Run(spark, found, wanted, table, commits).result()
            settings = settings_of(spark, table)
            words = settings_text(settings)
            if using == "sample":
                return from_sample(spark, found, wanted, table, settings, words)
            with refusing("using"):
                return from_metadata(spark, found, wanted, table, settings, words)
    except JVM_ERRORS as error:
        refuse_property(message(error), found.properties)
        raise read_errors.failed(error, f"{found.words} cannot be previewed") from None


class _Run:
    """One preview that reads every row.

    spark: the session. source: the rows. spec_candidate: the spec. table: an empty Iceberg table that has it.
    commits: how many.
    """

    def __init__(
        self, spark: SparkSession, source: Source, wanted: CandidateSpec, table: Java, commits: int
    ) -> None:
        self._spark = spark
        self._source = source
        self._wanted = wanted
        self._table = table
        self._settings = settings_of(spark, table)
        self._by_task = self._settings.mode == "none"
        self._is_split_by_task = self._settings.mode == "hash" and bool(self._settings.advisory)
        self._commits = commits
        self._frame = source.frame
        self._commit = ""  # the name of the column
        if commits > 1:
            self._commit = _unused("commit", source.frame.columns)
            self._frame = preview_commits.numbered(
                source.frame, wanted.spec, source.schema, commits, self._commit
            )
        self._notes = list(wanted.warnings)
        self._is_sorted = bool((source.metadata or {}).get("default-sort-order-id"))
        if self._is_sorted:
            self._notes.append(
                "the table's sort order is not applied to the rows written in memory: the real files may be larger or "
                "smaller"
            )
        if self._settings.mode == "range":
            self._notes.append("a partition split between two tasks may have one more file")

    def result(self) -> Preview:
        """Count, write a few partitions in memory, and add up."""
        counted = self._groups()
        found = counted if self._by_task else rows.added_up(counted)
        trials = self._trials(found)
        sizes = Sizes(list(trials.values()), self._settings)
        pieces: Pieces = defaultdict(list)
        for i, group in enumerate(found):
            trial = trials.get(i)
            files = trial.files if trial and trial.whole else tuple(sizes.files(group.piece))
            pieces[group.commit, group.values].append((group.piece, files))
        if self._is_split_by_task:
            preview_splits.split(pieces, counted, sizes, self._settings, self._shuffled)
        return self._preview(pieces, trials, len(found), sizes)

    def _groups(self) -> list[rows.Group]:
        """One aggregation; a write that shuffles is counted by task as well, as adaptive execution splits by these."""
        return rows.groups(
            self._frame,
            self._wanted.spec,
            self._source.schema,
            by_task=self._by_task or self._is_split_by_task,
            reducers=self._settings.reducers if self._is_split_by_task else 0,
            commit=self._commit,
        )

    def _shuffled(self) -> float:
        return preview_splits.shuffled_bytes(self._spark, self._source.frame)

    def _trials(self, found: Sequence[rows.Group]) -> dict[int, Trial]:
        """Some of the groups written in memory: the start of each large one, and all small ones in one more
        pass.
        """
        pieces = [group.piece for group in found]
        chosen = picked(pieces, _TRIALS)
        limits = {i: max(ROWS_BETWEEN_LOOKS, _rows_in(pieces[i], _TRIAL_BYTES)) for i in chosen}
        small = [i for i in chosen if pieces[i].rows <= limits[i]]
        frame = self._frame
        trials = {}
        for i in set(chosen) - set(small):
            first = frame.where(self._is(found[i])).limit(limits[i]).drop(self._commit)
            trials[i] = self._trial(pieces[i], memory_writers.internal_rows(first))
        if small:
            trials |= self._small_trials(found, small)
        return trials

    def _small_trials(self, found: Sequence[rows.Group], chosen: Sequence[int]) -> dict[int, Trial]:
        number = fn.lit(None).cast("int")
        for i in chosen:
            number = fn.when(self._is(found[i]), fn.lit(i)).otherwise(number)
        frame = self._frame
        mark = _unused("trial", frame.columns)
        marked = frame.withColumn(mark, number).where(fn.col(mark).isNotNull())
        # In the order in which a task would receive them: the sort is stable.
        in_order = marked.coalesce(1).sortWithinPartitions(mark).drop(mark, self._commit)
        data = memory_writers.internal_rows(in_order)
        if int(data.size()) != sum(found[i].piece.rows for i in chosen):
            self._notes.append("the source returned different rows when it was read again")
            return {}
        trials, at = {}, 0
        for i in chosen:
            end = at + found[i].piece.rows
            trials[i] = self._trial(found[i].piece, data.subList(at, end))
            at = end
        return trials

    def _is(self, group: rows.Group) -> Column:
        spec = self._wanted.spec
        return rows.is_group(
            spec, self._source.schema, group, by_task=self._by_task, commit=self._commit
        )

    def _trial(self, piece: Piece, data: Java) -> Trial:
        written = memory_writers.write_in_memory(
            self._spark,
            self._table,
            data,
            self._source.frame,
            self._settings.target,
            ROWS_BETWEEN_LOOKS,
        )
        each = piece.raw / piece.rows
        files = tuple(DataFile(n, round(n * each), size) for n, size, _ in written)
        reached = tuple(n * each for _, _, n in written if n)
        return Trial(piece, files, sum(file.rows for file in files) == piece.rows, reached)

    def _preview(
        self,
        pieces: Pieces,
        trials: Mapping[int, Trial],
        groups: int,
        sizes: Sizes,
    ) -> Preview:
        spec = self._wanted.spec
        made = []
        every: list[int] = []
        by_values: dict[tuple[Any, ...], list[Written]] = defaultdict(list)
        per_commit = [0] * self._commits
        for (commit, values), written in pieces.items():
            by_values[values] += written
            per_commit[commit] += sum(len(files) for _, files in written)
        for key, parts in by_values.items():
            values = rows.shown(key, spec, self._source.schema)
            files = [file.size for _, of_piece in parts for file in of_piece]
            every += files
            made.append(
                PartitionPreview(
                    partition_text(spec, values),
                    values,
                    sum(piece.rows for piece, _ in parts),
                    len(files),
                    sum(files),
                )
            )
        made.sort(key=lambda p: (-p.bytes, p.partition))
        whole = sum(trial.whole for trial in trials.values())
        total = sum(p.rows for p in made)
        share = (
            "every partition was written in memory"
            if whole == groups
            else f"{len(trials)} of {groups:,} written in memory, +-{max(0.01, sizes.error()):.0%}"
        )
        if self._is_sorted:
            share += ", without the table's sort order"
        basis = Basis("exact", f"every row: {total:,}", "counted", "of the counted rows", share)
        return Preview(
            self._source.words,
            self._wanted.text,
            tuple(made),
            tuple(sorted(every)),
            basis,
            settings_text(self._settings),
            self._settings.target,
            (*self._notes, *self._drawn(pieces), *self._memory(len(made))),
            per_commit=tuple(per_commit) if self._commits > 1 else (),
            arrival=preview_commits.order_text(spec, self._source.schema),
        )

    def _drawn(self, pieces: Pieces) -> Iterator[str]:
        """A note if the random commit of a row decides how many files a commit has."""
        rolls = any(len(files) > 1 for written in pieces.values() for _, files in written)
        field = preview_commits.ordered_by(self._wanted.spec, self._source.schema)
        column = self._source.schema.by_id(field.source_id) if field else None
        if self._commits > 1 and rolls and not (column and column.field.required):
            which = f"rows without {field.source}" if field else "the rows"
            yield (
                f"{which} are assigned to commits at random: with another choice, a commit may have one file more or "
                "fewer for each partition that fills several"
            )

    def _memory(self, partitions: int) -> Iterator[str]:
        """A note if one task may keep many writers open."""
        if self._settings.fanout and partitions >= _MANY_WRITERS:
            yield (
                f"one task may keep up to {partitions:,} writers open, each with its own buffers; "
                "'write.spark.fanout.enabled' = 'false' sorts the rows instead"
            )


def _rows_in(piece: Piece, size: int) -> int:
    """The number of an output's rows that make up that many uncompressed bytes."""
    return int(size * piece.rows / max(1, piece.raw))


def _unused(name: str, taken: Sequence[str]) -> str:
    """An unused column name."""
    low = {column.lower() for column in taken}
    while name in low:
        name += "_"
    return name
