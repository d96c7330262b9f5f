"""The move of a Hive-partitioned table to Iceberg, as records, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.from_hive.hive_script import Step
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.sql_text import html, in_a_line, laid_out, query_lines
from spark_iceberg_sql.safe_output import join_visible, visible


@dataclass(frozen=True, slots=True)
class HiveQuery:
    """A query, or another statement of the script, which stays.

    text: as given. rewritten: for the hidden spec; None if it stays as it is. notes: which conditions stay, and why.
    files, bytes: what it reads of the Hive table now; files_then, bytes_then: of the Iceberg table once all files are
    in the hidden spec. These are None if there is no table to measure.
    """

    text: str
    rewritten: str | None
    notes: tuple[str, ...] = ()
    files: int | None = None
    bytes: int | None = None
    files_then: int | None = None
    bytes_then: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FromHive(Result):
    """How a Hive-partitioned table becomes an Iceberg table with hidden partitioning.

    table: its name. spec: the text for PARTITIONED BY; the Hive table's own columns where nothing better is certain.
    basis: how it is known that the spec is equivalent; None if the spec has only the Hive table's columns. unsure: what
    is unknown, with the query or argument that decides it. queries: one per query, then one per other statement. same,
    saves: sentences.
    script: the steps of the migration. other_ways: steps of `snapshot` and `migrate`.
    """

    table: str
    spec: str
    basis: str | None
    unsure: tuple[str, ...]
    queries: tuple[HiveQuery, ...]
    same: tuple[str, ...]
    saves: tuple[str, ...]
    script: tuple[Step, ...]
    other_ways: tuple[Step, ...] = ()

    @property
    def sql(self) -> str:
        """The script as text, each step after a comment."""
        return "\n".join(script_lines(self.script))

    def rows(self) -> Iterator[tuple[str, str, str | None]]:
        """One row per fact: its part, the text, and for a query its rewritten text."""
        yield "spec", self.spec, self.basis
        yield from (("unsure", item, None) for item in self.unsure)
        yield from (("query", item.text, item.rewritten) for item in self.queries)
        yield from (("same", item, None) for item in self.same)
        yield from (("saves", item, None) for item in self.saves)
        for step in self.script:
            yield from (("script", item, step.why) for item in step.statements)
        for step in self.other_ways:
            yield from (("other way", item, step.why) for item in step.statements)

    def __str__(self) -> str:
        return join_visible(self._lines())

    def _repr_html_(self) -> str:
        """The spec, the queries before and after, and the script."""
        reasons = [*([self.basis] if self.basis else []), *(f"unsure: {item}" for item in self.unsure)]
        rows = [
            [
                html(item.text),
                html(item.rewritten or ""),
                markup.html_text("; ".join([*_reads_text(item), *item.notes])),
            ]
            for item in self.queries
        ]
        lists = [("stays the same", self.same), ("saves", self.saves)]
        return markup.box(
            f"<p><b>{markup.html_text(self.table)}</b>: <code>PARTITIONED BY ({html(self.spec)})</code></p>",
            "".join(map(markup.dim_line, map(markup.html_text, reasons))),
            markup.table(["query", "becomes", "reads"], rows) if rows else "",
            *(f"<p>{title}: {markup.html_text('; '.join(items))}</p>" for title, items in lists if items),
            f"<pre class='all'>{html(self.sql)}</pre>",
        )

    def _lines(self) -> Iterator[str]:
        yield f"{self.table}: PARTITIONED BY ({self.spec})"
        if self.basis is not None:
            yield f"  {self.basis}"
        yield from (f"  unsure: {item}" for item in self.unsure)
        for number, item in enumerate(self.queries, 1):
            yield f"query {number}: {in_a_line(item.text)}"
            yield from _becomes(item.rewritten) if item.rewritten else ("  stays as it is",)
            yield from (f"  {reads}" for reads in _reads_text(item))
            yield from (f"  {note}" for note in item.notes)
        yield "stays the same:"
        yield from (f"  {item}" for item in self.same)
        if self.saves:
            yield "saves:"
            yield from (f"  {item}" for item in self.saves)
        yield "script:"
        yield from (f"  {line}" for line in _lines_of(self.script))
        if self.other_ways:
            yield "other ways:"
            yield from (f"  {line}" for line in _lines_of(self.other_ways))


def script_lines(steps: Iterable[Step]) -> Iterator[str]:
    """The statements of steps, each after a comment."""
    for step in steps:
        yield f"-- {visible(step.why)}"
        yield from (f"{laid_out(statement)};" for statement in step.statements)


def _lines_of(steps: Iterable[Step]) -> list[str]:
    """The lines of the steps; a line end inside a statement is in backticks."""
    return "\n".join(script_lines(steps)).split("\n")


def _becomes(query: str) -> Iterator[str]:
    first, *more = query_lines(query)
    yield f"  becomes: {first}"
    yield from (f"{' ' * len('  becomes: ')}{line}" for line in more)


def _reads_text(item: HiveQuery) -> Iterator[str]:
    """What a query reads now and then; nothing if there is no table to measure."""
    if item.files is None or item.bytes is None:
        return
    new_reads = "unknown"
    if item.files_then is not None and item.bytes_then is not None:
        new_reads = _file_count_text(item.files_then, item.bytes_then)
    is_more = (item.files_then or 0) > item.files
    more = ": more than now" if is_more else ""
    yield f"reads {_file_count_text(item.files, item.bytes)} now, {new_reads} then{more}"


def _file_count_text(count: int, total: int) -> str:
    return f"{plural(count, 'file')} ({size(total)})"
