"""A preview: the partitions and files that a write under a spec would produce, as a record, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from statistics import median
from typing import Any, ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.safe_output import join_visible

SMALL_FILE_BYTES = 32_000_000  # bytes; a file is small if it is below this and below an eighth of the target
_MAX_ROWS = 5
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


@dataclass(frozen=True, repr=False)
class Preview(Result):
    """The files that a write under a spec would produce.

    source: what would be written, as the user named it. spec: the text for PARTITIONED BY. per_partition: one per
    partition, largest first. file_sizes: bytes of each file, smallest first. basis: what the figures are based on.
    settings: the write settings that matter, as text. notes: remarks of the rules or the model. target:
    write.target-file-size-bytes. unseen: partitions that a sample is estimated to have missed; each counts as one file.
    per_commit: the files of each commit, in order, if the rows arrive in several; partitions and files are then those
    of all. arrival: in which order the rows are assumed to arrive.
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
        middle = median(p.bytes for p in self.per_partition) if self.per_partition else 0
        return self.per_partition[0].bytes / middle if middle else 1.0

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
        yield "written with", self.settings
        yield "based on", self.basis.words
        for note in self.notes:
            yield "note", note

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
        bars = [(p.partition, p.bytes) for p in self.per_partition[:40]] if self.spec else []
        return f"<div><b>{markup.html_text(self.title)}</b><table>{cells}</table>{_bar_chart(bars)}</div>"


def _bar_chart(bars: Sequence[tuple[str, int]]) -> str:
    """Bars as SVG in the text colour, for light and dark themes."""
    if not bars:
        return ""
    max_bytes = max(value for _, value in bars) or 1
    bar_width = 600 / len(bars)
    rects = "".join(
        f"<rect x='{i * bar_width:.1f}' y='{80 - 78 * value / max_bytes:.1f}' width='{max(1.0, bar_width - 1):.1f}' "
        f"height='{78 * value / max_bytes:.1f}' fill='currentColor' fill-opacity='0.6'>"
        f"<title>{markup.html_text(name)}: {size(value)}</title></rect>"
        for i, (name, value) in enumerate(bars)
    )
    return (
        f"<svg viewBox='0 0 600 80' width='600' height='80' role='img'>"
        f"<title>bytes of the largest partitions</title>{rects}</svg>"
    )


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
