"""Advice: partition specs ranked by how much a workload reads under them, as records, as text and as HTML.

Today's spec keeps the first rank unless another one is better by more than the error of the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.advise.growth import Evolution, Growth, evolution
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.sql_text import html, laid_out
from spark_iceberg_sql.safe_output import join_visible

_MAX_ROWS = 5
_MAX_QUERIES = 10
_MAX_QUERY_LENGTH = 60
# A query whose range begins or ends anywhere in a file reads one file more or less: the standard deviation of that, per
# file read.
_RANGE_END_DEVIATION = math.sqrt(1 / 6)
# The bytes of files smaller than this are less certain: they were up to 17 % off.
_SMALL_FILE, _SMALL_FILE_ERROR = 100_000, 0.15
SHUFFLE_COST = 2  # a shuffle writes its bytes and reads them
METADATA_ERROR = 0.25  # of a cost: 3 of 100 choices estimated to gain less were worse than today's


@dataclass(frozen=True, slots=True)
class QueryReads:
    """The reads of one query.

    query: its text. weight: how often it runs. files, bytes: read under the proposed spec. files_now,
    bytes_now: read today.
    """

    query: str
    weight: float
    files: int
    bytes: int
    files_now: int
    bytes_now: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A spec and what it would do to the workload.

    spec: the text for PARTITIONED BY; empty for an unpartitioned table. files, bytes: what the workload reads, each
    query counted by its weight. cost: the bytes plus the cost of opening each file (read.split.open-file-cost).
    per_query: one per query. table_files, table_bytes: the files the table would have. middle_file: bytes of the
    median file. ddl: the ALTER statements from today's spec to this one; empty if there is no table to alter. rewrite:
    the CALL that rewrites the existing files. warnings: the rules' warnings about it. is_today: whether it is
    the table's current spec. error: by how much the cost may be off, as a fraction. sort_order: the columns by which
    the rows of each partition are sorted, or `zorder(a, b)`; empty for the order in which they are written today.
    shuffled: the bytes that the workload shuffles of the table and of those with which it is joined, about; twice as
    many are in the cost.
    """

    spec: str
    files: int
    bytes: int
    cost: int
    per_query: tuple[QueryReads, ...]
    table_files: int
    middle_file: int
    ddl: tuple[str, ...] = ()
    rewrite: str | None = None
    warnings: tuple[str, ...] = ()
    is_today: bool = False
    error: float = 0.0
    sort_order: str = ""
    table_bytes: int = 0
    shuffled: int = 0

    @property
    def title(self) -> str:
        """The spec, or `unpartitioned`, and the order."""
        name = (self.spec or "unpartitioned") + (f" ordered by {self.sort_order}" if self.sort_order else "")
        return f"{name} (today)" if self.is_today else name


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A spec that is not proposed.

    spec: the text for PARTITIONED BY; empty for an unpartitioned table. reason: why. cost: as of a proposal, estimated
    from the first sample; None if its files were not laid out.
    """

    spec: str
    reason: str
    cost: int | None = None


def proposal(
    spec: str,
    reads: Sequence[QueryReads],
    open_cost: int,
    sizes: Sequence[int],
    ddl: tuple[str, ...],
    rewrite: str | None,
    warnings: tuple[str, ...],
    *,
    is_today: bool = False,
    error: float = 0.0,
    has_estimated_cuts: bool = False,
    sort_order: str = "",
    shuffled: int = 0,
) -> Proposal:
    """A proposal with the totals of its queries.

    open_cost: in bytes per file. sizes: of the table's files. error: of costs, as a fraction.
    has_estimated_cuts: whether partitions have several files and where one ends is only estimated. shuffled: as of a
    Proposal.
    """
    files = sum(q.weight * q.files for q in reads)
    total_bytes = sum(q.weight * q.bytes for q in reads)
    cost = total_bytes + files * open_cost + SHUFFLE_COST * shuffled
    middle_file = next(iter(median_size(sizes)), 0)
    if error and cost and middle_file < _SMALL_FILE:
        error = max(error, _SMALL_FILE_ERROR * total_bytes / cost)
    if has_estimated_cuts and cost:
        # Each file that a query reads weighs as much as the query's files do on average.
        squared_costs = [q.weight**2 * (q.bytes + q.files * open_cost) ** 2 / q.files for q in reads if q.files]
        error = max(error, _RANGE_END_DEVIATION * math.sqrt(sum(squared_costs)) / cost)
    return Proposal(
        spec,
        round(files),
        round(total_bytes),
        round(cost),
        tuple(reads),
        len(sizes),
        middle_file,
        ddl,
        rewrite,
        warnings,
        is_today,
        min(1.0, error),
        sort_order,
        sum(sizes),
        shuffled,
    )


def median_size(sizes: Sequence[int]) -> tuple[int, ...]:
    """The bytes of the median file; empty if there is no file."""
    return (sorted(sizes)[len(sizes) // 2],) if sizes else ()


def with_today(today: Proposal, proposals: Sequence[Proposal]) -> tuple[list[Proposal], list[str]]:
    """Proposals, best first; today's spec stays first unless another one is better by more than its error.

    today: the current spec, measured in the table. Returns them in that order, and notes.
    """
    ranked = sorted([today, *proposals], key=lambda p: p.cost)
    best = ranked[0]
    if best is today or not today.table_files or best.cost <= (1 - best.error) * today.cost:
        return ranked, []
    note = (
        f"today's spec stays first: the best other spec, {best.title}, is estimated to cost "
        f"{best.cost / today.cost:.0%} as much, and the estimate may be {best.error:.0%} off"
    )
    return [today, *(p for p in ranked if p is not today)], [note]


class Advice(Result, list[Proposal]):
    """Proposals, best first; today's spec is ranked among them.

    source: the table or query they are for. basis: what the figures are based on. notes: what was not considered, and
    why. tried: the number of specs. ruled_out: the specs that are not among the proposals, each with the reason.
    growth: of the table; None if it is not known.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = (
        "source",
        "basis",
        "tried",
        "notes",
        "proposals",
        "ruled_out",
        "evolution",
    )
    source: str
    basis: str
    tried: int
    notes: tuple[str, ...]
    ruled_out: tuple[RuledOut, ...]
    growth: Growth | None

    def __init__(
        self,
        proposals: Iterable[Proposal],
        *,
        source: str,
        basis: str,
        tried: int,
        notes: tuple[str, ...] = (),
        ruled_out: tuple[RuledOut, ...] = (),
        growth: Growth | None = None,
    ) -> None:
        super().__init__(proposals)
        self.source = source
        self.basis = basis
        self.tried = tried
        self.notes = notes
        self.ruled_out = ruled_out
        self.growth = growth

    @property
    def proposals(self) -> list[Proposal]:
        """The proposals, best first."""
        return list(self)

    @property
    def best(self) -> Proposal:
        """The best proposal."""
        return self[0]

    @property
    def today(self) -> Proposal | None:
        """Today's spec; None if the source is not an Iceberg table in a catalog."""
        return next((p for p in self if p.is_today), None)

    @property
    def evolution(self) -> Evolution | None:
        """The best proposal for new rows only; None if it changes nothing for these."""
        today = self.today
        if not self or today is None or self.best.is_today or not self.best.ddl:
            return None
        return evolution(today.table_files, today.table_bytes, today.bytes, self.best.bytes, self.growth)

    @property
    def headline(self) -> str:
        """What to do, as a sentence with the figures."""
        best, today = self.best, self.today
        if best.is_today:
            if any(p.cost < best.cost for p in self):
                return "today's spec stays: none is clearly better"
            return f"by bytes and files read, today's spec costs the least of the {plural(self.tried, 'spec')} tried"
        change = f"partition by {best.title}" if best.spec else best.title
        if today is not None and not best.ddl:
            change = (
                f"write all files anew in the order {best.sort_order}" if best.sort_order else "write all files anew"
            )
        reads = f"{plural(best.files, 'file')} ({size(best.bytes)})"
        instead = "" if today is None else f" instead of {today.files:,} ({size(today.bytes)})"
        moved = ""
        if today is not None and best.shuffled != today.shuffled:
            moved = f", and shuffle {size(best.shuffled)} instead of {size(today.shuffled)}"
        return f"{change}: the queries read {reads}{instead}{moved}"

    def __str__(self) -> str:
        lines = [f"{self.source}: {self.headline}" if self else self.source]
        lines.append(f"  {plural(self.tried, 'spec')} tried; {self.basis}")
        rows = [
            (p.title, f"{p.files:,}", size(p.bytes), f"{p.table_files:,}", size(p.middle_file))
            for p in self[:_MAX_ROWS]
        ]
        header = ("spec", "files read", "bytes read", "files in all", "median file")
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            cells = [f"{row[0]:<{widths[0]}}"]
            cells += [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
            lines.append(f"  {'  '.join(cells)}".rstrip())
        if self:
            lines += self._best_lines()
        lines += [f"  note: {note}" for note in self.notes]
        return join_visible(lines)

    def _best_lines(self) -> list[str]:
        best = self.best
        if best.is_today:
            return []
        lines = [f"  {best.title}, by query:"]
        queries: Sequence[QueryReads] = best.per_query
        if len(queries) > _MAX_QUERIES:
            changed_most = sorted(queries, key=lambda q: -q.weight * abs(q.bytes_now - q.bytes))[:_MAX_QUERIES]
            queries = [query for query in queries if query in changed_most]
        for query in queries:
            current = f"{query.files_now:,} ({size(query.bytes_now)})"
            proposed = f"{query.files:,} ({size(query.bytes)})"
            lines.append(f"    {_abbreviate(query.query)}: {current} -> {proposed}")
        if len(queries) < len(best.per_query):
            others = plural(len(best.per_query) - len(queries), "other query", "other queries")
            lines.append(f"    and {others} with a smaller difference")
        for statement in (*best.ddl, best.rewrite):
            if statement is not None:  # a line end in it is in backticks
                lines += [f"  {line}" for line in f"{laid_out(statement)};".split("\n")]
        if (new_rows := self.evolution) is not None:
            lines.append(f"  {new_rows}")
        lines += [f"  warning: {warning}" for warning in best.warnings]
        return lines

    def _repr_html_(self) -> str:
        """The proposals as HTML, the bytes they read drawn as bars."""
        max_bytes = max((p.bytes for p in self[:_MAX_ROWS]), default=0) or 1
        rows = "".join(
            f"<tr><td style='text-align:left'>{markup.html_text(p.title)}</td><td>{p.files:,}</td>"
            f"<td>{size(p.bytes)}</td><td><svg width='200' height='10' role='img' "
            f"aria-label='{100 * p.bytes / max_bytes:.0f} %'>"
            f"<rect width='{200 * p.bytes / max_bytes:.1f}' height='10' fill='currentColor' fill-opacity='0.6'/>"
            f"</svg></td><td>{p.table_files:,}</td><td>{size(p.middle_file)}</td></tr>"
            for p in self[:_MAX_ROWS]
        )
        statements = [*self.best.ddl, *([self.best.rewrite] if self.best.rewrite else [])] if self else []
        ddl = "\n".join(f"{s};" for s in statements) if not self or not self.best.is_today else ""
        new_rows = self.evolution
        remarks = [*([str(new_rows)] if new_rows is not None else []), *self.notes]
        notes = "".join(f"<div>{markup.html_text(remark)}</div>" for remark in remarks)
        return markup.box(
            f"<p><b>{markup.html_text(self.source)}</b>: {markup.html_text(self.headline if self else '')}</p>",
            f"<pre>{html(ddl)}</pre>" if ddl else "",
            f"<table><tr><th>spec</th><th>files read</th><th>bytes read</th><th>of {size(max_bytes)}</th>"
            f"<th>files in all</th><th>median file</th></tr>{rows}</table>",
            f"{notes}<div>{plural(self.tried, 'spec')} tried; {markup.html_text(self.basis)}</div>",
        )


def _abbreviate(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_QUERY_LENGTH else f"{line[: _MAX_QUERY_LENGTH - 3]}..."
