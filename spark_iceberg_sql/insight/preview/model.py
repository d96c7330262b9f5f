"""A preview: the partitions and files that a write under a spec would produce, as a record, as text and as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from statistics import median
from typing import Any, ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.specs import column_text
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.bar_chart import Bar, bar_chart
from spark_iceberg_sql.safe_output import join_visible

SMALL_FILE_BYTES = 32_000_000  # bytes; a file is small if it is below this and below an eighth of the target
_MAX_ROWS = 5
_MAX_BARS = 20
_EPOCH = date(1970, 1, 1)
_BAR_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Basis:
    """The data that a result is based on, and the error of each figure.

    kind: `exact` (every row was read), `sample` or `metadata`. words: the same as a sentence, with numbers.
    partitions, files, bytes, rows: the error of each figure: `counted`, or an estimate.
    """

    kind: str
    words: str
    partitions: str
    files: str
    bytes: str
    rows: str = "counted"


@dataclass(frozen=True, slots=True)
class PartitionPreview:
    """One partition.

    partition: its fields and values, `ts_day=2024-05-17`; empty for an unpartitioned table. values: as Iceberg
    stores them. rows, files, bytes: of all its files.
    """

    partition: str
    values: tuple[Any, ...]
    rows: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class BucketGroups:
    """The groups into which one bucket field of several divides the rows of a join without a shuffle.

    field: as in DDL, `bucket(8, id)`. groups: those that have rows. skew: the bytes of the largest divided by those of
    the median one.
    """

    field: str
    groups: int
    skew: float


@dataclass(frozen=True, repr=False)
class Preview(Result):
    """The files that a write under a spec would produce.

    source: what would be written, as the user named it. spec: the text for PARTITIONED BY. per_partition: one per
    partition, largest first. file_sizes: bytes of each file, smallest first. basis: what the figures are based on.
    settings: the write settings that matter, as text. notes: remarks of the rules or the model. target:
    write.target-file-size-bytes. unseen: partitions that a sample is estimated to have missed; each counts as one file.
    per_commit: the files of each commit, in order, if the rows arrive in several; partitions and files are then those
    of all. arrival: in which order the rows are assumed to arrive. bucket_groups: of each bucket field, if it is not
    the only field.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("partitions", "files", "rows", "bytes", "skew", "small_files")
    source: str
    spec: str
    per_partition: tuple[PartitionPreview, ...]
    file_sizes: tuple[int, ...]
    basis: Basis
    settings: str
    target: int
    notes: tuple[str, ...] = ()
    unseen: int = 0
    per_commit: tuple[int, ...] = ()
    arrival: str = ""
    bucket_groups: tuple[BucketGroups, ...] = ()

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return len(self.per_partition) + self.unseen

    @cached_property
    def files(self) -> int:
        """The number of data files."""
        return sum(p.files for p in self.per_partition) + self.unseen

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return sum(p.rows for p in self.per_partition)

    @cached_property
    def bytes(self) -> int:
        """The bytes of all data files."""
        return sum(p.bytes for p in self.per_partition)

    def quantile(self, share: float) -> int:
        """The quantile of partition sizes, in bytes. share: 0.0 to 1.0."""
        sizes = sorted(p.bytes for p in self.per_partition)
        return sizes[min(len(sizes) - 1, int(share * len(sizes)))] if sizes else 0

    @property
    def largest(self) -> PartitionPreview | None:
        """The largest partition; None if there is none."""
        return self.per_partition[0] if self.per_partition else None

    @property
    def skew(self) -> float:
        """The bytes of the largest partition divided by those of the median one; 1.0 if there is none."""
        return _skew([p.bytes for p in self.per_partition])

    @property
    def small_limit(self) -> int:
        """The bytes below which a file counts as small."""
        return min(SMALL_FILE_BYTES, self.target // 8)

    @cached_property
    def small_files(self) -> int:
        """The number of files that are smaller than `small_limit`."""
        return sum(b < self.small_limit for b in self.file_sizes)

    def summary(self) -> tuple[tuple[str, str], ...]:
        """The figures as (name, text)."""
        return tuple(self._summary())

    def _summary(self) -> Iterator[tuple[str, str]]:
        yield "partitions", f"{self.partitions:,} ({self.basis.partitions})"
        yield "rows", f"{self.rows:,} ({self.basis.rows})"
        yield "files", f"{self.files:,} ({self.basis.files})"
        if self.per_commit:
            low, middle, high = min(self.per_commit), median(self.per_commit), max(self.per_commit)
            commits_text = f"{len(self.per_commit):,} commits of equal size, {self.arrival}"
            yield "files a commit", f"{low:,} to {high:,}, median {middle:,.0f} ({commits_text})"
        yield "bytes", f"{size(self.bytes)} ({self.basis.bytes})"
        if self.file_sizes:
            low, middle, high = self.file_sizes[0], median(self.file_sizes), self.file_sizes[-1]
            yield "file size", f"{size(low)} to {size(high)}, median {size(int(middle))}"
            yield "small files", f"{self.small_files:,} below {size(self.small_limit)}"
        if self.partitions > 1:
            quantiles = ", ".join(
                f"{name} {size(self.quantile(share))}" for name, share in (("10 %", 0.1), ("50 %", 0.5), ("90 %", 0.9))
            )
            yield "partition size", f"{quantiles}, largest {size(self.quantile(1.0))}"
            yield "skew", f"{self.skew:.1f} (largest partition / median)"
        for groups in self.bucket_groups:
            yield "bucket skew", f"{groups.skew:.1f} ({groups.field}: largest of {groups.groups:,} groups / median)"
        yield "written with", self.settings
        yield "based on", self.basis.words
        for note in self.notes:
            yield "note", note

    @property
    def headline(self) -> str:
        """What the spec makes of the rows, and whether that is worth it."""
        text = f"{plural(self.partitions, 'partition')} with {plural(self.files, 'file')}"
        if self.file_sizes:
            text += f" of {size(int(median(self.file_sizes)))} (median)"
        if self.spec and self.bytes > self.small_limit and 2 * self.small_files > self.files:
            text += f": {self.small_files:,} are below {size(self.small_limit)}, a coarser spec would have larger ones"
        return text

    @property
    def title(self) -> str:
        """The title: the source and its spec."""
        return f"{self.source}, " + (f"PARTITIONED BY ({self.spec})" if self.spec else "unpartitioned")

    def __str__(self) -> str:
        pairs = self.summary()
        width = max(len(name) for name, _ in pairs)
        lines = [self.title, *(f"  {name:<{width}}  {text}" for name, text in pairs)]
        if self.spec and self.per_partition:
            lines.append("  largest partitions:")
            partitions = self.per_partition[:_MAX_ROWS]
            name_width = max(len(p.partition) for p in partitions)
            max_bytes = partitions[0].bytes or 1
            for p in partitions:
                bar = "#" * max(1, round(_BAR_WIDTH * p.bytes / max_bytes))
                unit = "file" if p.files == 1 else "files"
                lines.append(f"    {p.partition:<{name_width}}  {size(p.bytes):>9}  {p.files:>4} {unit:<5}  {bar}")
        return join_visible(lines)

    def _repr_html_(self) -> str:
        """The figures as an HTML table, the partition sizes as bars."""
        cells = "".join(
            f"<tr><th style='text-align:left'>{markup.html_text(name)}</th>"
            f"<td style='text-align:left'>{markup.html_text(text)}</td></tr>"
            for name, text in self.summary()
        )
        shown = self.per_partition[:_MAX_BARS] if self.spec else ()
        bars = [
            Bar(p.partition, p.bytes, plural(p.files, "file"), int(p.bytes < self.small_limit * p.files)) for p in shown
        ]
        which = f"the {len(shown)} largest of {self.partitions:,}" if self.partitions > len(shown) else "largest first"
        limit = size(self.small_limit)
        chart = bar_chart(f"bytes by partition, {which}", bars, size, [f"files of {limit} or more", "smaller files"])
        caption = markup.dim_line(f"bytes by partition, {which}") if bars else ""
        return markup.box(
            f"<b>{markup.html_text(self.title)}</b><div>{markup.html_text(self.headline)}</div>{caption}{chart}"
            f"<table>{cells}</table>"
        )


def _skew(sizes: Sequence[int]) -> float:
    middle = median(sizes) if sizes else 0
    return max(sizes) / middle if middle else 1.0


def bucket_groups(spec: Spec, schema: Schema, partitions: Sequence[PartitionPreview]) -> tuple[BucketGroups, ...]:
    """Of each bucket field of a spec, if it is not the only field."""
    groups: list[BucketGroups] = []
    for index, field in enumerate(spec.fields if len(spec.fields) > 1 else ()):
        if field.transform.transform.hashes:
            sizes: Counter[Any] = Counter()
            for partition in partitions:
                sizes[partition.values[index]] += partition.bytes
            clause = field.transform.clause(column_text(field, schema))
            groups.append(BucketGroups(clause, len(sizes), _skew(tuple(sizes.values()))))
    return tuple(groups)


def partition_text(spec: Spec, values: Sequence[Any]) -> str:
    """A partition in the form of its folder name, but readable: `ts_day=2024-05-17/id_bucket=3`."""
    return "/".join(
        f"{f.name}={_value_text(f.transform.transform.iso_width, value)}"
        for f, value in zip(spec.fields, values, strict=True)
    )


def _value_text(width: int | None, value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if not isinstance(value, int) or isinstance(value, bool):
        return str(value)
    return _TIME_FORMATS[width](value) if width in _TIME_FORMATS else str(value)


# How much of an ISO date and time each transform keeps.
_TIME_FORMATS = {
    len("2024"): lambda v: str(1970 + v),
    len("2024-05"): lambda v: f"{1970 + v // 12}-{v % 12 + 1:02}",
    len("2024-05-17"): lambda v: str(_EPOCH + timedelta(days=v)),
    len("2024-05-17T10"): lambda v: f"{_EPOCH + timedelta(days=v // 24)}-{v % 24:02}",
}
