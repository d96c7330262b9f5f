"""The reads of a statement's scans, and the contribution of each conjunct, as records, as rows and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.model.wrong_bounds import WrongBounds
from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.safe_output import join_visible

_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"
_BAR = (
    "display:inline-block;width:80px;height:0.7em;border:1px solid currentColor;margin-right:6px;"
    "background:linear-gradient(to right,currentColor {share:.0f}%,transparent {share:.0f}%)"
)


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One conjunct of a query's filters.

    text: as in the query. files: how many of the table's data files it keeps on its own; None if that is not
    known. pruned_by: the partition fields and column bounds that prune for it, such as `days(ts)` and `bounds of id`.
    added: the condition that the optimizer rule `added_by` adds for it. files_without_added: the files it would keep
    without the rule. why_not: why it does not prune, if it does not. rewrite: a predicate that returns the same rows
    and reads fewer files. rewrite_files: how many files the rewrite keeps. inferred: whether Spark derived it from
    another conjunct.
    """

    text: str
    files: int | None
    pruned_by: tuple[str, ...] = ()
    why_not: str | None = None
    rewrite: str | None = None
    rewrite_files: int | None = None
    added: str | None = None
    added_by: str | None = None
    files_without_added: int | None = None
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan of a table.

    table: its name, with a branch that is read. files, bytes: of the data files that the scan reads; None if that is
    not known, and then `note` has the reason. total_files, total_bytes: of the table, or of the snapshot that is read.
    manifests, total_manifests: data manifests read and in all. partition_files: the files left after partition pruning
    alone. delete_files: how many are read with the data files. conjuncts: in plan order. runtime_filters: columns by
    which the scan may prune more files at run time. old_specs: how many of the files read belong to an earlier
    partition spec. at_most: whether a LIMIT may end the scan before it has read all of `files`. wrong_bounds: the
    columns whose bounds are wrong in some files, so that filters on them read these in full. reason: why it reads fewer
    files than its filters need, such as `top 10 by ts`. refusal: the text with which a required filter would refuse it;
    None if it may read.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("pruned",)
    table: str
    files: int | None = None
    total_files: int | None = None
    bytes: int | None = None
    total_bytes: int | None = None
    manifests: int | None = None
    total_manifests: int | None = None
    partition_files: int | None = None
    delete_files: int = 0
    conjuncts: tuple[Conjunct, ...] = ()
    runtime_filters: tuple[str, ...] = ()
    old_specs: int = 0
    at_most: bool = False
    note: str | None = None
    wrong_bounds: tuple[WrongBounds, ...] = ()
    reason: str | None = None
    refusal: str | None = None

    @property
    def pruned(self) -> float | None:
        """The share of the table's data files that is not read, in percent; None if that is not known."""
        if self.files is None or self.total_files is None:
            return None
        return 100.0 * (1 - self.files / self.total_files) if self.total_files else 100.0


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result):
    """The reads of a statement, from metadata alone; the statement is not run.

    statement: its text, which JSON does not have. scans: of all tables, in plan order. notes: what is not shown, and
    why.
    """

    statement: str = field(repr=False)  # it may contain a password
    scans: tuple[Scan, ...]
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[str | int | None, ...]]:
        """One row per scan, without a conjunct, then one row per conjunct; the notes come last."""
        for number, scan in enumerate(self.scans, 1):
            yield (
                number,
                scan.table,
                None,
                scan.files,
                scan.total_files,
                scan.bytes,
                scan.total_bytes,
                scan.manifests,
                scan.total_manifests,
                None,
                "; ".join([*([scan.reason] if scan.reason else []), *scan_remarks(scan)]) or None,
                None,
                None,
            )
            for conjunct in scan.conjuncts:
                yield (
                    number,
                    scan.table,
                    conjunct.text,
                    conjunct.files,
                    scan.total_files,
                    None,
                    None,
                    None,
                    None,
                    "; ".join(conjunct.pruned_by) or None,
                    conjunct.why_not,
                    conjunct.rewrite,
                    conjunct.rewrite_files,
                )
        for note in self.notes:
            yield (*(None,) * 10, note, None, None)

    def __str__(self) -> str:
        return join_visible(self._lines())

    def _lines(self) -> Iterator[str]:
        for number, scan in enumerate(self.scans):
            if number:
                yield ""
            yield f"{scan.table}: {headline(scan)}"
            width = max((len(kept_files_text(conjunct)) for conjunct in scan.conjuncts), default=0)
            for conjunct in scan.conjuncts:
                yield f"  {kept_files_text(conjunct):>{width}}  {conjunct.text}"
                for line in conjunct_remarks(conjunct):
                    yield f"  {'':>{width}}    {line}"
            for remark in scan_remarks(scan):
                yield f"  {remark}"
        if self.notes and self.scans:
            yield ""
        yield from (f"note: {note}" for note in self.notes)

    def _repr_html_(self) -> str:
        """A bar per conjunct; no colours are set, so that it is readable on light and dark backgrounds."""
        return "".join(_html_parts(self))


def headline(scan: Scan) -> str:
    """The files and bytes that a scan reads, as text."""
    if scan.files is None or scan.total_files is None:
        return scan.note or "unknown"
    if not scan.total_files:
        return "the table has no data files"
    text = f"reads {'at most ' if scan.at_most else ''}{scan.files:,} of {scan.total_files:,} files"
    if scan.reason is not None:
        text += f" ({scan.reason})"
    if scan.bytes is not None and scan.total_bytes is not None:
        text += f", {size(scan.bytes)} of {size(scan.total_bytes)}"
    if scan.manifests is not None:
        text += f", {scan.manifests:,} of {scan.total_manifests:,} manifests"
    if scan.partition_files is not None and scan.files < scan.total_files:
        by_partition = scan.total_files - scan.partition_files
        pruned_by_bounds = scan.partition_files - scan.files
        text += f"; {by_partition:,} pruned by partition"
        if pruned_by_bounds >= 0:
            text += f", {pruned_by_bounds:,} by bounds"
    return text


def kept_files_text(conjunct: Conjunct) -> str:
    """The number of files that a conjunct keeps, as text."""
    return "?" if conjunct.files is None else f"{conjunct.files:,}"


def conjunct_remarks(conjunct: Conjunct) -> Iterator[str]:
    """The remarks on a conjunct, one sentence each."""
    if conjunct.inferred:
        yield "derived by Spark from another conjunct"
    if conjunct.pruned_by:
        yield "pruned by " + ", ".join(conjunct.pruned_by)
    if conjunct.added is not None:
        without = f" ({conjunct.files_without_added:,} files without it)" if conjunct.pruned_by else ""
        yield f"the rule `{conjunct.added_by}` adds {conjunct.added}{without}"
    if conjunct.why_not is not None:
        yield f"does not prune: {conjunct.why_not}"
    if conjunct.rewrite is not None:
        yield f"instead: {conjunct.rewrite}" + (
            f"  -- {conjunct.rewrite_files:,} file{'s'[: conjunct.rewrite_files != 1]}"
            if conjunct.rewrite_files is not None
            else ""
        )


def scan_remarks(scan: Scan) -> Iterator[str]:
    """The remarks on a scan below its headline, one sentence each."""
    if scan.note is not None and scan.files is not None:
        yield scan.note
    if scan.at_most:
        yield "LIMIT may end the scan before it has read all of them"
    if scan.delete_files:
        yield f"and {scan.delete_files:,} delete files"
    if scan.old_specs:
        yield f"{scan.old_specs:,} of the files read belong to an earlier partition spec"
    for wrong in scan.wrong_bounds:
        yield f"{wrong}: filters on it read {'it' if wrong.files == 1 else 'them'} in full"
    columns = ", ".join(f"`{name}`" for name in scan.runtime_filters if name != "_file")
    if columns:
        yield f"at run time, the other side of the join may prune more files, by {columns}"
    if "_file" in scan.runtime_filters:
        yield "at run time, only the files that contain matching rows are read"
    if scan.refusal is not None:
        fact, *helps = scan.refusal.split("\n")
        yield f"would be refused: {fact}"
        yield from helps


def _html_parts(explanation: Explanation) -> Iterator[str]:
    for scan in explanation.scans:
        yield f"<p><b>{markup.html_text(scan.table)}</b>: {markup.html_text(headline(scan))}</p>"
        if scan.conjuncts:
            yield "<table><tbody>"
            yield from _html_rows(scan)
            yield "</tbody></table>"
        for remark in scan_remarks(scan):
            yield f"<p>{markup.html_text(remark)}</p>"
    for note in explanation.notes:
        yield f"<p>note: {markup.html_text(note)}</p>"


def _html_rows(scan: Scan) -> Iterator[str]:
    for conjunct in scan.conjuncts:
        bar = ""
        if conjunct.files is not None and scan.total_files:
            bar = f'<span style="{_BAR.format(share=100 * conjunct.files / scan.total_files)}"></span>'
        remark_lines = "<br>".join(markup.html_text(line) for line in conjunct_remarks(conjunct))
        yield (
            f'<tr><td style="{_CELL};white-space:nowrap">{bar}{kept_files_text(conjunct)}</td>'
            f'<td style="{_CELL}"><code>{markup.html_text(conjunct.text)}</code></td>'
            f'<td style="{_CELL}">{remark_lines}</td></tr>'
        )
