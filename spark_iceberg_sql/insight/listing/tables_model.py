"""The tables of a catalog or namespace as records, as text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.text_columns import text_columns
from spark_iceberg_sql.safe_output import join_visible, visible

_HEADER = ("table", "partitioned by", "rows", "files", "size", "last change (UTC)")
_RIGHT_ALIGNED = (False, False, True, True, True, False)
_MAX_TEXT_LENGTH = 60  # characters of a value in plain text


@dataclass(frozen=True, slots=True)
class ListedTable:
    """One table or view of a catalog.

    name: in SQL, with its catalog. kind: `iceberg`, `other`, `view` or `temporary view`. spec: the partition fields, as
    in PARTITIONED BY; empty for an unpartitioned table. rows, files, delete_files, bytes: of the current snapshot, as
    its writer counted them; the rows include those that delete files remove. last_change: when its metadata changed, in
    UTC. All of these are None if unknown, and for what is not an Iceberg table. note: why they are; None otherwise.
    """

    name: str
    kind: str
    spec: str | None = None
    rows: int | None = None
    files: int | None = None
    delete_files: int | None = None
    bytes: int | None = None
    last_change: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TableListing(Result):
    """The tables and views that a name or a pattern selects, by name.

    scope: the catalog and namespace, or the name or pattern. tables: what it selects. notes: on what is not listed.
    """

    scope: str
    tables: tuple[ListedTable, ...]
    notes: tuple[str, ...] = ()

    @property
    def _title(self) -> str:
        iceberg_tables = [table for table in self.tables if table.kind == "iceberg"]
        rest = len(self.tables) - len(iceberg_tables)
        title = plural(len(iceberg_tables), "Iceberg table")
        if iceberg_tables:
            files = sum(table.files or 0 for table in iceberg_tables)
            title += f" with {plural(files, 'data file')}, {size(sum(table.bytes or 0 for table in iceberg_tables))}"
        return title + (f", and {plural(rest, 'other name')}" if rest else "")

    def __str__(self) -> str:
        lines = [f"{self.scope}: {self._title}"]
        if self.tables:
            rows = [[markup.truncated(visible(cell), _MAX_TEXT_LENGTH) for cell in _cells(t)] for t in self.tables]
            lines += text_columns(_HEADER, rows, _RIGHT_ALIGNED)
        return join_visible([*lines, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        rows = [list(map(markup.html_text, _cells(table))) for table in self.tables]
        return markup.box(
            f"<p><b>{markup.html_text(self.scope)}</b>: {self._title}</p>",
            markup.table(_HEADER, rows, _RIGHT_ALIGNED) if rows else "",
            *(f"<div>{markup.html_text(note)}</div>" for note in self.notes),
        )


def _cells(table: ListedTable) -> tuple[str, ...]:
    return (
        table.name,
        table.note or table.spec or "unpartitioned",
        _count(table.rows),
        _count(table.files) + (f" + {table.delete_files:,} of deletes" if table.delete_files else ""),
        "" if table.bytes is None else size(table.bytes),
        "" if table.last_change is None else time_text(table.last_change),
    )


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def time_text(time: str) -> str:
    """A time of a record as a table shows it: to the second, without the `Z`, which its heading says."""
    return time[:19].replace("T", " ")
