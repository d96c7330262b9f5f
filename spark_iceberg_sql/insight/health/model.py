"""Problems that slow down a table's queries, from the metadata of its current files, with the statement that
fixes each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.specs import REWRITE_ALL
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.wrong_bounds import WrongBounds
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.bar_chart import Bar, bar_chart
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.safe_output import join_visible

COUNTED = "counted in the metadata of the current snapshot"
# rewrite_data_files skips files of at least this share of the target size (Iceberg's MIN_FILE_SIZE_DEFAULT_RATIO).
SMALL_SHARE = 0.75
# The options of rewrite_data_files that fix a problem.
OPTIONS: dict[str, dict[str, str]] = {
    "wrong bounds": REWRITE_ALL,
    "small files": {"min-input-files": "2"},
    "old specs": REWRITE_ALL,
    "delete files": {"delete-file-threshold": "1"},
    "unsorted": REWRITE_ALL,
}
NEEDS_QUERIES = "some queries would read less, others more: with `queries`, that is computed"


@dataclass(frozen=True, slots=True)
class WorkloadReads:
    """The data files and bytes that queries read, each counted by its weight: today, and after a statement.

    files_now, bytes_now: today. files, bytes: after it.
    """

    files_now: int
    bytes_now: int
    files: int
    bytes: int

    def __str__(self) -> str:
        if (self.files, self.bytes) == (self.files_now, self.bytes_now):
            return f"{plural(self.files, 'file')} ({size(self.bytes)}) as today"
        return (
            f"{plural(self.files, 'file')} ({size(self.bytes)}) instead of {self.files_now:,} ({size(self.bytes_now)})"
        )


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One problem.

    problem: its name: wrong bounds, small files, old specs, delete files, unsorted; with queries also spec, layout; or
    fine partitions, skew.
    detail: as a sentence. files, bytes: the affected files. call: the statement that fixes it; None if there is none.
    rewritten_files, rewritten_bytes: what the call rewrites, by Iceberg's planning; None if it rewrites none, or if
    that is unknown. basis: what the figures are based on. reason: why no statement is proposed; None if one is.
    reads: what the queries read today and after the call; None without queries.
    """

    problem: str
    detail: str
    files: int
    bytes: int
    call: str | None = None
    basis: str = COUNTED
    rewritten_files: int | None = None
    rewritten_bytes: int | None = None
    reason: str | None = None
    reads: WorkloadReads | None = None

    def without_statement(self) -> HealthFinding:
        """The problem alone."""
        return replace(self, call=None, rewritten_files=None, rewritten_bytes=None)


@dataclass(frozen=True, slots=True, repr=False)
class Health(Result):
    """A table's state.

    table: its name, with the branch that the session reads. files, bytes: its data files. findings: the problems, if
    any; their calls bring the files into the spec and the order that the table declares, or join small ones. ruled_out:
    what is not proposed, with the reason: without queries, what would be a gain for some and a loss for others; with
    them, what would let them read more. queries: how many queries decided; None without them. notes: on queries that
    were skipped.
    """

    table: str
    files: int
    bytes: int
    findings: tuple[HealthFinding, ...]
    ruled_out: tuple[HealthFinding, ...] = ()
    queries: int | None = None
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[str | int | None, ...]]:
        """One row per finding, then one for each that is ruled out."""
        for finding in (*self.findings, *self.ruled_out):
            reads = finding.reads
            yield (
                finding.problem,
                finding.detail,
                finding.files,
                finding.bytes,
                finding.call,
                finding.rewritten_files,
                finding.rewritten_bytes,
                finding.basis,
                finding.reason,
                *((None,) * 4 if reads is None else (reads.files_now, reads.bytes_now, reads.files, reads.bytes)),
            )

    @property
    def _title(self) -> str:
        judged = "" if self.queries is None else f"; judged for {plural(self.queries, 'query', 'queries')}"
        return f"{plural(self.files, 'data file')}, {size(self.bytes)}{judged}"

    def __str__(self) -> str:
        lines = [f"{self.table}: {self._title}"]
        if not self.findings:
            lines.append(f"  {self.headline} ({COUNTED})")
        for finding in self.findings:
            lines.append(f"  {finding.problem}: {finding.detail}")
            if finding.call is not None:
                lines += f"    {finding.call};{rewrite_comment(finding)}".split("\n")
            if finding.reads is not None and finding.problem in OPTIONS:  # of others, the detail has them
                lines.append(f"    -- the queries then read {finding.reads}")
        for finding in self.ruled_out:
            lines += [f"  {finding.problem}: {finding.detail}", f"    -- not proposed: {finding.reason}"]
        lines += [f"  note: {note}" for note in self.notes]
        if self.findings:
            lines.append(f"  ({'; '.join(sorted({finding.basis for finding in self.findings}))})")
        return join_visible(lines)

    def _repr_html_(self) -> str:
        rows = "".join(map(_html_row, (*self.findings, *self.ruled_out)))
        header = f"<p><b>{markup.html_text(self.table)}</b>: {self._title}</p><p>{markup.html_text(self.headline)}</p>"
        table = f"<table><tbody>{rows}</tbody></table>" if rows else ""
        return markup.box(
            header, self._reads_chart(), table, *(f"<div>{markup.html_text(note)}</div>" for note in self.notes)
        )

    @property
    def headline(self) -> str:
        """What to do."""
        problems = [finding.problem for finding in self.findings if finding.call is not None]
        if problems:
            return f"{plural(len(problems), 'statement')} to run: {', '.join(dict.fromkeys(problems))}"
        return "no statement to run" if self.findings or self.ruled_out else "no problems found"

    def _reads_chart(self) -> str:
        """What the queries read today and after each statement."""
        reads = {finding.problem: finding.reads for finding in self.findings if finding.reads is not None}
        if not reads:
            return ""
        today = next(iter(reads.values()))
        bars = [
            Bar("today", today.bytes_now, plural(today.files_now, "file")),
            *(Bar(f"after {problem}", r.bytes, plural(r.files, "file")) for problem, r in reads.items()),
        ]
        title = "bytes that the queries read"
        return markup.dim_line(title) + bar_chart(title, bars, size)


def _html_row(finding: HealthFinding) -> str:
    remark = rewrite_comment(finding) if finding.call else ""
    if finding.reads is not None and finding.problem in OPTIONS:
        remark += f"  -- the queries then read {finding.reads}"
    if finding.reason is not None:
        remark += f"not proposed: {finding.reason}"
    return (
        f"<tr><td style='text-align:left'>{markup.html_text(finding.problem)}</td>"
        f"<td style='text-align:left'>{markup.html_text(finding.detail)}</td>"
        f"<td style='text-align:left'><code>{html(finding.call or '')}</code>{markup.html_text(remark)}</td></tr>"
    )


def rewrite_comment(finding: HealthFinding) -> str:
    """The amount of data that a finding's call rewrites, as an SQL comment; empty if it has no call."""
    if finding.problem not in OPTIONS or finding.call is None:
        return ""
    if finding.rewritten_files is None or finding.rewritten_bytes is None:
        return "  -- how much it rewrites is unknown"
    return f"  -- rewrites {plural(finding.rewritten_files, 'data file')}, {size(finding.rewritten_bytes)}"


@dataclass(frozen=True, slots=True)
class TableMetrics:
    """Counts over a table's current snapshot.

    title: its name or path. name: its parts, catalog first; empty for a path. target_size:
    write.target-file-size-bytes. files, bytes: data files.
    partitions: those of the current spec with data files. largest, median: their bytes. small, small_bytes:
    files of the current spec below SMALL_SHARE of the target in partitions with several of them; small_after:
    about how many files they become. old_small, old_small_bytes: files below it under an earlier spec, which
    a rewrite puts together. alone: small files that are the only file of their partition, of the current
    spec. old_files, old_bytes: under an earlier spec. delete_files, delete_bytes: delete files. equality_deletes: of
    these, the equality deletes; dangling_deletes: of these, those that are sure to belong to no data file any more.
    files_after_rewrite: how many files the current spec would have, from the bounds of today's; None if these
    do not determine it. fields: of the current spec. sort_column: the first column of the table's sort order; None if
    that is no column of numbers or times. sort_span: the share of its partition's range of that column that a file
    spans on average, in partitions of several files. largest_files: the data files of the largest partition.
    wrong_bounds: the columns whose bounds are wrong in some files.
    """

    title: str
    name: tuple[str, ...]
    target_size: int
    files: int
    bytes: int
    partitions: int
    largest: int
    median: int
    small: int
    small_bytes: int
    small_after: int
    alone: int
    old_files: int
    old_bytes: int
    delete_files: int
    delete_bytes: int
    equality_deletes: int = 0
    dangling_deletes: int = 0
    largest_files: int = 0
    old_small: int = 0
    old_small_bytes: int = 0
    files_after_rewrite: int | None = None
    fields: tuple[PartitionField, ...] = ()
    sort_column: str | None = None
    sort_span: float = 0.0
    wrong_bounds: tuple[WrongBounds, ...] = ()
