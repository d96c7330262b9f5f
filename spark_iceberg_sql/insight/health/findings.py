"""The problems that a table's figures show, each with the statement that fixes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from spark_iceberg_sql.insight.health.model import (
    NEEDS_QUERIES,
    OPTIONS,
    SMALL_SHARE,
    Health,
    HealthFinding,
    TableMetrics,
)
from spark_iceberg_sql.insight.specs import REWRITE_ALL, delete_file_options, rewrite_call
from spark_iceberg_sql.model.rewrite_steps import STEP_BYTES
from spark_iceberg_sql.quantities import plural, size

_SKEW_FACTOR = 10  # times the median partition
# Whose statements write all data files anew, of delete files only if each has some; and whose are then left out.
_COVERING = ("wrong bounds", "unsorted", "old specs", "delete files")
_COVERED = ("old specs", "delete files", "small files")
_LEAST_GAIN = 0.5  # of small files: a rewrite that leaves most of them only mixes what they hold apart
_MAX_SPAN = 0.5  # share of its partition's range that a file spans on average


def health(metrics: TableMetrics) -> Health:
    """The findings about a table."""
    return Health(metrics.title, metrics.files, metrics.bytes, tuple(_findings(metrics)), tuple(_undecided(metrics)))


def rewritten_once(health: Health) -> Health:
    """The findings without statements that would write files anew which the statement of another one rewrites."""
    covering = next(
        (finding for problem in _COVERING for finding in health.findings if _covers(finding, problem, health)), None
    )
    if covering is None:
        return health

    def without_second_statement(finding: HealthFinding) -> HealthFinding:
        if finding is covering or finding.call is None or finding.problem not in _COVERED:
            return finding
        effect = "rewrites them"
        if finding.problem == "delete files":
            effect = "removes them" if finding.rewritten_files == 0 else "rewrites their data files"
        detail = f"{finding.detail}; the statement of `{covering.problem}` {effect}"
        return replace(finding.without_statement(), detail=detail)

    return replace(health, findings=tuple(map(without_second_statement, health.findings)))


def _covers(finding: HealthFinding, problem: str, health: Health) -> bool:
    """Whether a finding is of a problem, and its statement writes all data files anew."""
    is_complete = problem != "delete files" or finding.rewritten_files == health.files
    return finding.problem == problem and finding.call is not None and is_complete


def _undecided(metrics: TableMetrics) -> Iterator[HealthFinding]:
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
        yield HealthFinding(
            "fine partitions",
            f"{metrics.alone:,} of {metrics.partitions:,} partitions have one file, and the median partition has "
            f"{size(metrics.median)}: fewer partitions would have larger files"
            + (f" (the largest has {size(metrics.largest)}, {ratio_text})" if is_skewed else ""),
            metrics.alone,
            metrics.bytes,
            reason=NEEDS_QUERIES,
        )
    if is_skewed and metrics.largest > metrics.target_size:  # otherwise it may be one file, and splitting it makes more
        yield HealthFinding(
            "skew",
            f"the largest partition has {size(metrics.largest)}, {ratio_text} of {size(metrics.median)}: another "
            "partition field would split it",
            metrics.largest_files,
            metrics.largest,
            reason=NEEDS_QUERIES,
        )


def _findings(metrics: TableMetrics) -> Iterator[HealthFinding]:
    yield from _wrong_bounds(metrics)
    yield from _small_files(metrics)
    if metrics.old_files:
        yield HealthFinding(
            "old specs",
            f"{metrics.old_files:,} of {metrics.files:,} files belong to an earlier partition spec: the current "
            f"fields do not prune them. {_files_after_rewrite(metrics)}{_in_steps(metrics)}",
            metrics.old_files,
            metrics.old_bytes,
            _rewrite_call(metrics, "old specs"),
        )
    if metrics.delete_files:
        yield _delete_files(metrics)
    if not metrics.wrong_bounds:
        yield from _unsorted_files(metrics)


def _delete_files(metrics: TableMetrics) -> HealthFinding:
    deletes = f"{plural(metrics.delete_files, 'delete file')} with {size(metrics.delete_bytes)}"
    if metrics.dangling_deletes < metrics.delete_files:
        belong = "is read with the data files that it belongs to"
        if metrics.delete_files > 1:
            belong = "are read with the data files that they belong to"
        call = _rewrite_call(metrics, "delete files")
        return HealthFinding("delete files", f"{deletes} {belong}", metrics.delete_files, metrics.delete_bytes, call)
    belong = "belongs" if metrics.delete_files == 1 else "belong"
    return HealthFinding(
        "delete files",
        f"{deletes} {belong} to no data file any more",
        metrics.delete_files,
        metrics.delete_bytes,
        rewrite_deletes_call(metrics.name) if metrics.name else None,
        rewritten_files=0,
        rewritten_bytes=0,
    )


def _wrong_bounds(metrics: TableMetrics) -> Iterator[HealthFinding]:
    for wrong_bounds in metrics.wrong_bounds:
        consequence = (
            "Iceberg alone loses rows by them; in an installed session, filters on the column read these files in full"
            if wrong_bounds.kind != "nanos"
            else "Iceberg reads wrong times from them"
        )
        yield HealthFinding(
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
    # Iceberg rewrites the files of each spec by themselves, and leaves those of a partition of both apart.
    lowest, highest = metrics.files_after_rewrite, metrics.files_after_rewrite + metrics.partitions
    count = f"{lowest:,}" if lowest == highest else f"{lowest:,} to {highest:,}"
    comparison = ""
    if highest > metrics.files:
        comparison = ", more than there are now" if lowest > metrics.files else ", perhaps more than there are now"
    return (
        f"A rewrite of all files leaves about {count} or more{comparison}, estimated from their bounds, between which "
        "rows are assumed to be spread evenly; files of different specs are rewritten separately"
    )


def _in_steps(metrics: TableMetrics) -> str:
    """How a large rewrite is done in several commits; nothing if one is enough."""
    if metrics.old_bytes <= STEP_BYTES or _rewrite_call(metrics, "old specs") is None:
        return ""
    return f". `iceberg-sql repartition {metrics.title}` rewrites those files alone, in steps that can be stopped"


def _small_files(metrics: TableMetrics) -> Iterator[HealthFinding]:
    """The finding of small files. Those of an earlier spec are rewritten together, into the current spec's
    partitions.
    """
    size_limit = f"smaller than {SMALL_SHARE:.0%} of the target size of {size(metrics.target_size)}"
    old_count = metrics.old_small if metrics.old_small > 1 else 0
    if old_count and any(not field.transform.transform.is_void for field in metrics.fields):
        can_combine = metrics.small > metrics.small_after
        files_after = plural(metrics.small_after, "file")
        shared_text = f"{metrics.small:,} share a partition with others and fit into about {files_after}, "
        yield HealthFinding(
            "small files",
            f"{old_count + (metrics.small if can_combine else 0):,} of {metrics.files:,} files are "
            f"{size_limit}: {shared_text if can_combine else ''}"
            f"{old_count:,} belong to an earlier partition spec: the statement of `old specs` rewrites them",
            old_count + (metrics.small if can_combine else 0),
            metrics.old_small_bytes + (metrics.small_bytes if can_combine else 0),
        )
        return
    small_count = metrics.small + old_count
    count_after = metrics.small_after + (-(-metrics.old_small_bytes // metrics.target_size) if old_count else 0)
    if small_count - count_after >= max(1, _LEAST_GAIN * small_count):
        yield HealthFinding(
            "small files",
            f"{small_count:,} of {metrics.files:,} files are {size_limit} and "
            + (
                f"are rewritten together with others: they fit into about {plural(count_after, 'file')}, since those "
                "of an earlier spec are grouped anew"
                if old_count
                else f"share a partition with others: they fit into about {plural(count_after, 'file')}"
            ),
            small_count,
            metrics.small_bytes + (metrics.old_small_bytes if old_count else 0),
            _rewrite_call(metrics, "small files"),
        )


def _unsorted_files(metrics: TableMetrics) -> Iterator[HealthFinding]:
    """The files that are not in the order that the table declares; by which column else, only queries can tell."""
    if metrics.sort_span > _MAX_SPAN:
        yield HealthFinding(
            "unsorted",
            f"the files are not in the table's sort order: a file spans {metrics.sort_span:.0%} of its partition's "
            f"range of `{metrics.sort_column}`",
            metrics.files,
            metrics.bytes,
            _rewrite_call(metrics, "unsorted", ", strategy => 'sort'"),
        )


def rewrite_deletes_call(name: Sequence[str]) -> str:
    """The call that rewrites a table's position delete files, and leaves out those of data files that are gone."""
    return rewrite_call(name, REWRITE_ALL, procedure="rewrite_position_delete_files")


def _rewrite_call(metrics: TableMetrics, problem: str, strategy: str = "") -> str | None:
    """None for a table at a path: a procedure needs a name."""
    if not metrics.name:
        return None
    options = OPTIONS[problem]
    if metrics.delete_files and problem != "small files":
        options = {**options, **delete_file_options(has_equality_deletes=metrics.equality_deletes > 0)}
    return rewrite_call(metrics.name, options, strategy)
