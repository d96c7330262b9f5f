"""Problems that slow down a table's queries, from the metadata of its current files, with the statement that
fixes each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.specs import rewrite_call
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.wrong_bounds import WrongBounds
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.safe_output import join_visible

COUNTED = "counted in the metadata of the current snapshot"
# rewrite_data_files skips files of at least this share of the target size (Iceberg's MIN_FILE_SIZE_DEFAULT_RATIO).
SMALL_SHARE = 0.75
_SKEW_FACTOR = 10  # times the median partition
_MAX_SPAN = 0.5  # share of its partition's range that a file spans on average
# The options of rewrite_data_files that fix a problem.
_REWRITE_ALL = {"rewrite-all": "true"}
OPTIONS: dict[str, dict[str, str]] = {
    "wrong bounds": _REWRITE_ALL,
    "small files": {"min-input-files": "2"},
    "old specs": _REWRITE_ALL,
    "delete files": {"delete-file-threshold": "1", "remove-dangling-deletes": "true"},
    "unsorted": _REWRITE_ALL,
}
_NEEDS_QUERIES = "needs queries: `advise` compares the specs for those that you give it"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem.

    problem: its name: wrong bounds, small files, old specs, delete files, unsorted; or fine partitions, skew, which are
    undecided. detail: as a sentence. files, bytes: the affected files. call: the statement that fixes it; None if there
    is none.
    rewritten_files, rewritten_bytes: what the call rewrites, by Iceberg's planning; None if it rewrites none, or if
    that is unknown. basis: what the figures are based on.
    """

    problem: str
    detail: str
    files: int
    bytes: int
    call: str | None = None
    basis: str = COUNTED
    rewritten_files: int | None = None
    rewritten_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Health(Result):
    """A table's state.

    table: its name. files, bytes: its data files. findings: the problems, if any; their calls bring the files into the
    spec and the order that the table declares, or join small ones. undecided: problems for some queries and a gain for
    others, so that without queries no statement is proposed.
    """

    table: str
    files: int
    bytes: int
    findings: tuple[Finding, ...]
    undecided: tuple[Finding, ...] = ()

    def rows(self) -> Iterator[tuple[str | int | None, ...]]:
        """One row per finding, then one per undecided one."""
        for finding in (*self.findings, *self.undecided):
            yield (
                finding.problem,
                finding.detail,
                finding.files,
                finding.bytes,
                finding.call,
                finding.rewritten_files,
                finding.rewritten_bytes,
                finding.basis,
            )

    def __str__(self) -> str:
        lines = [f"{self.table}: {self.files:,} data files, {size(self.bytes)}"]
        if not self.findings:
            lines.append(f"  no problems found ({COUNTED})")
        for finding in self.findings:
            lines.append(f"  {finding.problem}: {finding.detail}")
            if finding.call is not None:
                lines += f"    {finding.call};{rewrite_comment(finding)}".split("\n")
        for finding in self.undecided:
            lines += [f"  {finding.problem}: {finding.detail}", f"    -- {_NEEDS_QUERIES}"]
        if self.findings:
            lines.append(f"  ({'; '.join(sorted({finding.basis for finding in self.findings}))})")
        return join_visible(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{markup.html_text(finding.problem)}</td>"
            f"<td style='text-align:left'>{markup.html_text(finding.detail)}</td>"
            f"<td style='text-align:left'><code>{html(finding.call or '')}</code>"
            f"{markup.html_text(rewrite_comment(finding) if finding.call else '')}"
            f"{markup.html_text(_NEEDS_QUERIES if finding in self.undecided else '')}</td></tr>"
            for finding in (*self.findings, *self.undecided)
        )
        header = f"<p><b>{markup.html_text(self.table)}</b>: {self.files:,} data files, {size(self.bytes)}</p>"
        table = f"<table><tbody>{rows}</tbody></table>" if rows else "<p>no problems found</p>"
        return markup.box(header, table)


def rewrite_comment(finding: Finding) -> str:
    """The amount of data that a finding's call rewrites, as an SQL comment; empty if it has no call."""
    if finding.problem not in OPTIONS or finding.call is None:
        return ""
    if finding.rewritten_files is None or finding.rewritten_bytes is None:
        return "  -- how much it rewrites is unknown"
    return f"  -- rewrites {finding.rewritten_files:,} data files, {size(finding.rewritten_bytes)}"


@dataclass(frozen=True, slots=True)
class TableMetrics:
    """Counts over a table's current snapshot.

    name: its parts, catalog first. target_size: write.target-file-size-bytes. files, bytes: data files.
    partitions: those of the current spec with data files. largest, median: their bytes. small, small_bytes:
    files of the current spec below SMALL_SHARE of the target in partitions with several of them; small_after:
    about how many files they become. old_small, old_small_bytes: files below it under an earlier spec, which
    a rewrite puts together. alone: small files that are the only file of their partition, of the current
    spec. old_files, old_bytes: under an earlier spec. delete_files, delete_bytes: delete files.
    files_after_rewrite: how many files the current spec would have, from the bounds of today's; None if these
    do not determine it. fields: of the current spec. sort_column: the first column of the table's sort order; None if
    that is no column of numbers or times. sort_span: the share of its partition's range of that column that a file
    spans on average, in partitions of several files. largest_files: the data files of the largest partition.
    wrong_bounds: the columns whose bounds are wrong in some files.
    """

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
    largest_files: int = 0
    old_small: int = 0
    old_small_bytes: int = 0
    files_after_rewrite: int | None = None
    fields: tuple[PartitionField, ...] = ()
    sort_column: str | None = None
    sort_span: float = 0.0
    wrong_bounds: tuple[WrongBounds, ...] = ()


def health(metrics: TableMetrics) -> Health:
    """The findings about a table."""
    name = ".".join(metrics.name)
    return Health(name, metrics.files, metrics.bytes, tuple(_findings(metrics)), tuple(_undecided(metrics)))


def _undecided(metrics: TableMetrics) -> Iterator[Finding]:
    """What a coarser or a finer spec would change: some queries would read less, others more."""
    ratio_text = f"{metrics.largest / metrics.median:,.0f} times the median" if metrics.median else ""
    is_skewed = bool(metrics.median) and metrics.largest > _SKEW_FACTOR * metrics.median
    # A rewrite of files under an earlier spec changes how many files each partition has.
    if (
        not metrics.old_files
        and metrics.partitions > 1
        and metrics.alone > metrics.partitions / 2
        and metrics.median < metrics.target_size / 10
    ):
        yield Finding(
            "fine partitions",
            f"{metrics.alone:,} of {metrics.partitions:,} partitions have one file, and the median partition has "
            f"{size(metrics.median)}: fewer partitions would have larger files"
            + (f" (the largest has {size(metrics.largest)}, {ratio_text})" if is_skewed else ""),
            metrics.alone,
            metrics.bytes,
        )
    if is_skewed and metrics.largest > metrics.target_size:  # otherwise it may be one file, and splitting it makes more
        yield Finding(
            "skew",
            f"the largest partition has {size(metrics.largest)}, {ratio_text} of {size(metrics.median)}: another "
            "partition field would split it",
            metrics.largest_files,
            metrics.largest,
        )


def _findings(metrics: TableMetrics) -> Iterator[Finding]:
    yield from _wrong_bounds(metrics)
    yield from _small_files(metrics)
    if metrics.old_files:
        yield Finding(
            "old specs",
            f"{metrics.old_files:,} of {metrics.files:,} files belong to an earlier partition spec: the current "
            f"fields do not prune them. {_files_after_rewrite(metrics)}",
            metrics.old_files,
            metrics.old_bytes,
            _rewrite_call(metrics, "old specs"),
        )
    if metrics.delete_files:
        yield Finding(
            "delete files",
            f"{metrics.delete_files:,} delete files with {size(metrics.delete_bytes)} are read with the data "
            f"files that they belong to",
            metrics.delete_files,
            metrics.delete_bytes,
            _rewrite_call(metrics, "delete files"),
        )
    if not metrics.wrong_bounds:
        yield from _unsorted_files(metrics)


def _wrong_bounds(metrics: TableMetrics) -> Iterator[Finding]:
    for wrong_bounds in metrics.wrong_bounds:
        consequence = (
            "Iceberg alone loses rows by them; in an installed session, filters on the column read these files in full"
            if wrong_bounds.kind != "nanos"
            else "Iceberg reads wrong times from them"
        )
        yield Finding(
            "wrong bounds",
            f"{wrong_bounds}: "
            f"{consequence if wrong_bounds.is_certain else 'filters on the column read these files in full'}"
            + (f"; {wrong_bounds.instead}" if wrong_bounds.instead else ""),
            wrong_bounds.files,
            wrong_bounds.bytes,
            None if wrong_bounds.instead or not wrong_bounds.is_certain else _rewrite_call(metrics, "wrong bounds"),
        )


def _files_after_rewrite(metrics: TableMetrics) -> str:
    """A sentence on the number of files after a rewrite of all files."""
    if metrics.files_after_rewrite is None:
        return "The rewrite may leave more files than there are now: the metadata does not show how many"
    comparison = ", more than there are now" if metrics.files_after_rewrite > metrics.files else ""
    return (
        f"A rewrite of all files leaves about {metrics.files_after_rewrite:,} or more{comparison}, estimated "
        f"from their bounds, "
        "between which rows are assumed to be spread evenly; files of different specs are rewritten separately"
    )


def _small_files(metrics: TableMetrics) -> Iterator[Finding]:
    """The finding of small files. Those of an earlier spec are rewritten together, into the current spec's
    partitions.
    """
    size_limit = f"smaller than {SMALL_SHARE:.0%} of the target size of {size(metrics.target_size)}"
    old_count = metrics.old_small if metrics.old_small > 1 else 0
    if old_count and any(not field.transform.transform.is_void for field in metrics.fields):
        can_combine = metrics.small > metrics.small_after
        shared_text = (
            f"{metrics.small:,} share a partition with others and fit into about {metrics.small_after:,} files, "
        )
        yield Finding(
            "small files",
            f"{old_count + (metrics.small if can_combine else 0):,} of {metrics.files:,} files are "
            f"{size_limit}: {shared_text if can_combine else ''}"
            f"{old_count:,} belong to an earlier partition spec, and it is unknown how many files a rewrite "
            f"makes of those: "
            "one or more for each partition of the current spec, and the metadata does not show to which of these "
            "their rows belong",
            old_count + (metrics.small if can_combine else 0),
            metrics.old_small_bytes + (metrics.small_bytes if can_combine else 0),
        )
        return
    small_count = metrics.small + old_count
    count_after = metrics.small_after + (-(-metrics.old_small_bytes // metrics.target_size) if old_count else 0)
    if small_count > count_after:
        yield Finding(
            "small files",
            f"{small_count:,} of {metrics.files:,} files are {size_limit} and "
            + (
                f"are rewritten together with others: they fit into about {count_after:,} files, since those of "
                f"an earlier "
                "spec are grouped anew"
                if old_count
                else f"share a partition with others: they fit into about {count_after:,} files"
            ),
            small_count,
            metrics.small_bytes + (metrics.old_small_bytes if old_count else 0),
            _rewrite_call(metrics, "small files"),
        )


def _unsorted_files(metrics: TableMetrics) -> Iterator[Finding]:
    """The files that are not in the order that the table declares; by which column else, only queries can tell."""
    if metrics.sort_span > _MAX_SPAN:
        yield Finding(
            "unsorted",
            f"the files are not in the table's sort order: a file spans {metrics.sort_span:.0%} of its partition's "
            f"range of `{metrics.sort_column}`",
            metrics.files,
            metrics.bytes,
            _rewrite_call(metrics, "unsorted", ", strategy => 'sort'"),
        )


def rewrite_deletes_call(name: Sequence[str]) -> str:
    """The call that rewrites a table's position delete files, and leaves out those of data files that are gone."""
    return rewrite_call(name, _REWRITE_ALL, procedure="rewrite_position_delete_files")


def _rewrite_call(metrics: TableMetrics, problem: str, strategy: str = "") -> str:
    return rewrite_call(metrics.name, OPTIONS[problem], strategy)
