"""Problems that slow down a table's queries, from the metadata of its current files, with the statement that
fixes each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.insight.plain import Result, plain
from spark_iceberg_sql.insight.wrong_bounds import WrongBounds
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.transforms import TIMES
from spark_iceberg_sql.outgoing import join_visible
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.syntax.identifiers import quoted, string_literal

COUNTED = "counted in the metadata of the current snapshot"
# rewrite_data_files skips files of at least this share of the target size (Iceberg's MIN_FILE_SIZE_DEFAULT_RATIO).
SMALL = 0.75
_SKEWED = 10  # times the median partition
_SPANS = 0.5  # share of its partition's range that a file spans on average
# The options of rewrite_data_files that fix a problem.
OPTIONS: dict[str, dict[str, str]] = {
    "wrong bounds": {"rewrite-all": "true"},
    "small files": {"min-input-files": "2"},
    "old specs": {"rewrite-all": "true"},
    "delete files": {"delete-file-threshold": "1", "remove-dangling-deletes": "true"},
    "unsorted": {"rewrite-all": "true"},
}
_NEW_ONLY = ". The ALTER applies to new files only: after it, `old specs` has the CALL that rewrites the others"
_COARSER = {fine.name: coarse.spelling for coarse, fine in pairwise(TIMES)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem.

    problem: its name: wrong bounds, small files, fine partitions, skew, old specs, delete files, unsorted. detail: as
    a sentence. files, bytes: the affected files. call: the statement that fixes it; None if there is none.
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
    """A table's state. table: its name. files, bytes: its data files. findings: the problems, if any."""

    table: str
    files: int
    bytes: int
    findings: tuple[Finding, ...]

    def rows(self) -> Iterator[tuple[str | int | None, ...]]:
        """One row per finding."""
        for one in self.findings:
            yield (
                one.problem,
                one.detail,
                one.files,
                one.bytes,
                one.call,
                one.rewritten_files,
                one.rewritten_bytes,
                one.basis,
            )

    def to_dict(self) -> dict[str, Any]:
        """A dict for JSON: `table`, `files`, `bytes`, and `findings`, each with the attributes of Finding."""
        found: dict[str, Any] = plain(self)
        return found

    def __str__(self) -> str:
        lines = [f"{self.table}: {self.files:,} data files, {size(self.bytes)}"]
        if not self.findings:
            lines.append(f"  no problems found ({COUNTED})")
        for one in self.findings:
            lines.append(f"  {one.problem}: {one.detail}")
            if one.call is not None:
                lines += f"    {one.call};{cost(one)}".split("\n")
        if self.findings:
            lines.append(f"  ({'; '.join(sorted({one.basis for one in self.findings}))})")
        return join_visible(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{markup.html_text(one.problem)}</td>"
            f"<td style='text-align:left'>{markup.html_text(one.detail)}</td>"
            f"<td style='text-align:left'><code>{html(one.call or '')}</code>"
            f"{markup.html_text(cost(one))}</td></tr>"
            for one in self.findings
        )
        head = f"<p><b>{markup.html_text(self.table)}</b>: {self.files:,} data files, {size(self.bytes)}</p>"
        table = f"<table><tbody>{rows}</tbody></table>" if rows else "<p>no problems found</p>"
        return markup.box(head, table)


def cost(one: Finding) -> str:
    """The amount of data that a finding's call rewrites, as an SQL comment; empty if it has no call."""
    if one.problem == "fine partitions" and one.call is not None:
        return "  -- rewrites no file"
    if one.problem not in OPTIONS or one.call is None:
        return ""
    if one.rewritten_files is None or one.rewritten_bytes is None:
        return "  -- how much it rewrites is unknown"
    return f"  -- rewrites {one.rewritten_files:,} data files, {size(one.rewritten_bytes)}"


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over a table's current snapshot.

    name: its parts, catalog first. target_size: write.target-file-size-bytes. files, bytes: data files.
    partitions: those of the current spec with data files. largest, median: their bytes. small, small_bytes:
    files of the current spec below SMALL_SHARE of the target in partitions with several of them; small_after:
    about how many files they become. old_small, old_small_bytes: files below it under an earlier spec, which
    a rewrite puts together. alone: small files that are the only file of their partition, of the current
    spec. old_files, old_bytes: under an earlier spec. delete_files, delete_bytes: delete files.
    files_after_rewrite: how many files the current spec would have, from the bounds of today's; None if these
    do not determine it. fields: of the current spec. sort_order: the columns of the table's sort order; empty
    if it has none. spans: by column, the share of its partition's range that a file spans on average, in
    partitions of several files. largest_files: the data files of the largest partition. wrong_bounds: the
    columns whose bounds are wrong in some files.
    """

    name: tuple[str, ...]
    target: int
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
    deletes: int
    delete_bytes: int
    largest_files: int = 0
    old_small: int = 0
    old_small_bytes: int = 0
    files_then: int | None = None
    fields: tuple[PartitionField, ...] = ()
    sort_order: tuple[str, ...] = ()
    spans: tuple[tuple[str, float], ...] = ()
    wrong_bounds: tuple[WrongBounds, ...] = ()


def health(figures: Figures) -> Health:
    """The findings about a table."""
    return Health(".".join(figures.name), figures.files, figures.bytes, tuple(_findings(figures)))


def _findings(f: Figures) -> Iterator[Finding]:
    yield from _wrong_bounds(f)
    yield from _small(f)
    times = f"{f.largest / f.median:,.0f} times the median" if f.median else ""
    is_skewed = bool(f.median) and f.largest > _SKEWED * f.median
    # A rewrite of files under an earlier spec changes how many files each partition has.
    if (
        not f.old_files
        and f.partitions > 1
        and f.alone > f.partitions / 2
        and f.median < f.target / 10
    ):
        yield Finding(
            "fine partitions",
            f"{f.alone:,} of {f.partitions:,} partitions have one file, and the median partition has "
            f"{size(f.median)}: fewer partitions would have larger files"
            + (f" (the largest has {size(f.largest)}, {times})" if is_skewed else "")
            + (_NEW_ONLY if _coarser(f) else ""),
            f.alone,
            f.bytes,
            _coarser(f),
        )
    if (
        is_skewed and f.largest > f.target
    ):  # otherwise it may be one file, and splitting it makes more
        yield Finding(
            "skew",
            f"the largest partition has {size(f.largest)}, {times} of {size(f.median)}: add a partition "
            "field that splits it",
            f.largest_files,
            f.largest,
        )
    if f.old_files:
        yield Finding(
            "old specs",
            f"{f.old_files:,} of {f.files:,} files belong to an earlier partition spec: the current fields do not "
            f"prune them. {_files_then(f)}",
            f.old_files,
            f.old_bytes,
            _rewrite(f, "old specs"),
        )
    if f.deletes:
        yield Finding(
            "delete files",
            f"{f.deletes:,} delete files with {size(f.delete_bytes)} are read with the data files that they belong to",
            f.deletes,
            f.delete_bytes,
            _rewrite(f, "delete files"),
        )
    if not f.wrong_bounds:
        yield from _unsorted(f)


def _wrong_bounds(f: Figures) -> Iterator[Finding]:
    for wrong in f.wrong_bounds:
        lost = (
            "Iceberg alone loses rows by them; in an installed session, filters on the column read these files in full"
            if wrong.kind != "nanos"
            else "Iceberg reads wrong times from them"
        )
        yield Finding(
            "wrong bounds",
            f"{wrong}: {lost if wrong.is_certain else 'filters on the column read these files in full'}"
            + (f"; {wrong.instead}" if wrong.instead else ""),
            wrong.files,
            wrong.bytes,
            None if wrong.instead or not wrong.is_certain else _rewrite(f, "wrong bounds"),
        )


def _files_then(f: Figures) -> str:
    """A sentence on the number of files after a rewrite of all files."""
    if f.files_then is None:
        return "The rewrite may leave more files than there are now: the metadata does not show how many"
    more = ", more than there are now" if f.files_then > f.files else ""
    return (
        f"A rewrite of all files leaves about {f.files_then:,} or more{more}, estimated from their bounds, "
        "between which rows are assumed to be spread evenly; files of different specs are rewritten separately"
    )


def _small(f: Figures) -> Iterator[Finding]:
    """The finding of small files. Those of an earlier spec are rewritten together, into the current spec's
    partitions.
    """
    below = f"smaller than {SMALL:.0%} of the target size of {size(f.target)}"
    old = f.old_small if f.old_small > 1 else 0
    if old and any(not field.transform.transform.is_void for field in f.fields):
        fits = f.small > f.small_after
        share = f"{f.small:,} share a partition with others and fit into about {f.small_after:,} files, "
        yield Finding(
            "small files",
            f"{old + (f.small if fits else 0):,} of {f.files:,} files are {below}: {share if fits else ''}"
            f"{old:,} belong to an earlier partition spec, and it is unknown how many files a rewrite makes of those: "
            "one or more for each partition of the current spec, and the metadata does not show to which of these "
            "their rows belong",
            old + (f.small if fits else 0),
            f.old_small_bytes + (f.small_bytes if fits else 0),
        )
        return
    small = f.small + old
    after = f.small_after + (-(-f.old_small_bytes // f.target) if old else 0)
    if small > after:
        yield Finding(
            "small files",
            f"{small:,} of {f.files:,} files are {below} and "
            + (
                f"are rewritten together with others: they fit into about {after:,} files, since those of an earlier "
                "spec are grouped anew"
                if old
                else f"share a partition with others: they fit into about {after:,} files"
            ),
            small,
            f.small_bytes + (f.old_small_bytes if old else 0),
            _rewrite(f, "small files"),
        )


def _unsorted(f: Figures) -> Iterator[Finding]:
    wide = [(column, share) for column, share in f.spans if share > _SPANS]
    if f.sort_order:
        wide = [(column, share) for column, share in wide if column in f.sort_order]
    if not wide:
        return
    column, share = wide[0]
    names = ", ".join(f"`{name}`" for name, _ in wide)
    order = "" if f.sort_order else f"{quoted(column)} ASC NULLS FIRST"
    advice = (
        "the files are not in the table's sort order"
        if f.sort_order
        else "sort by the column that queries filter on"
    )
    yield Finding(
        "unsorted",
        f"the bounds of {names} hardly prune: a file spans {share:.0%} of its partition's range of `{column}`; "
        f"{advice}",
        f.files,
        f.bytes,
        _rewrite(f, "unsorted", order),
    )


def rewrite_of_deletes(name: Sequence[str]) -> str:
    """The call that rewrites a table's position delete files, and leaves out those of data files that are gone."""
    catalog, *rest = name
    return (
        f"CALL {quoted(catalog)}.system.rewrite_position_delete_files("
        f"table => {string_literal('.'.join(map(quoted, rest)))}, options => map('rewrite-all', 'true'))"
    )


def _rewrite(f: Figures, problem: str, sort_order: str | None = None) -> str:
    catalog, *rest = f.name
    settings = ", ".join(
        f"{string_literal(key)}, {string_literal(value)}" for key, value in OPTIONS[problem].items()
    )
    sort = ""
    if sort_order is not None:  # empty: the table's own
        sort = ", strategy => 'sort'"
        sort += f", sort_order => {string_literal(sort_order)}" if sort_order else ""
    return (
        f"CALL {quoted(catalog)}.system.rewrite_data_files("
        f"table => {string_literal('.'.join(map(quoted, rest)))}{sort}, options => map({settings}))"
    )


def _coarser(f: Figures) -> str | None:
    """The ALTER to the next coarser unit of a time field; it applies to new files only."""
    for one in f.fields:
        unit = _COARSER.get(one.transform.transform.name)
        if unit is not None:
            column = ".".join(map(quoted, one.source.split(".")))
            table = ".".join(map(quoted, f.name))
            return f"ALTER TABLE {table} REPLACE PARTITION FIELD {quoted(one.name)} WITH {unit}({column})"
    return None
