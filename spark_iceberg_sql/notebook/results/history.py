"""`%iceberg_sql history`: the statements that cells have run, and what each read and wrote."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.listing.tables_model import time_text
from spark_iceberg_sql.notebook.cells.cell import mask_strings
from spark_iceberg_sql.quantities import duration, size
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.report.text_columns import text_columns
from spark_iceberg_sql.safe_output import join_visible, visible

if TYPE_CHECKING:
    from spark_iceberg_sql.spark.bridge.plans.scan_files import TableRead

MAX_STATEMENTS = 1_000  # that are kept in memory
_HEADER = ("started (UTC)", "statement", "time", "rows", "files read", "bytes read", "wrote")
_RIGHT_ALIGNED = (False, False, True, True, True, True, False)
_MAX_LENGTH = 500  # characters of a statement in HTML
_MAX_TEXT_LENGTH = 46  # characters of a value in plain text


@dataclass(frozen=True, slots=True)
class PastStatement:
    """A statement that has run.

    statement: its text, without strings that may be secret. started_at: in UTC. seconds: until its rows were there.
    outcome: `done` or `failed`. rows: how many were fetched; None if none were. has_more: whether it has more rows.
    tables: those that it read. files, bytes: data files read, of all of them; None if that is not known. at_most:
    whether reading may have stopped before. wrote: what it committed, as text.
    """

    statement: str
    started_at: str
    seconds: float
    outcome: str
    rows: int | None = None
    has_more: bool = False
    tables: tuple[str, ...] = ()
    files: int | None = None
    bytes: int | None = None
    at_most: bool = False
    wrote: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class History(Result):
    """Past statements, the last one first. statements: at most as many as were asked for. total: how many there are."""

    statements: tuple[PastStatement, ...]
    total: int

    @property
    def _title(self) -> str:
        if not self.total:
            return "no statement has run in a cell with %%iceberg_sql"
        count = len(self.statements)
        listed = f"the last {count:,} of {self.total:,}" if count < self.total else f"all {count:,}"
        return f"{listed} {'statement' if self.total == 1 else 'statements'}, the last one first"

    def __str__(self) -> str:
        lines = [self._title]
        if self.statements:
            rows = [[markup.truncated(visible(cell), _MAX_TEXT_LENGTH) for cell in _cells(s)] for s in self.statements]
            lines += text_columns(_HEADER, rows, _RIGHT_ALIGNED)
        return join_visible(lines)

    def _repr_html_(self) -> str:
        rows = []
        for past in self.statements:
            started, _, *figures = map(markup.html_text, _cells(past))
            rows.append([started, f"<code>{html(markup.truncated(past.statement, _MAX_LENGTH))}</code>", *figures])
        table = markup.table(_HEADER, rows, _RIGHT_ALIGNED) if rows else ""
        return markup.box(f"<p>{markup.html_text(self._title)}</p>", table)


class Recorder:
    """Keeps what statements did, as they end."""

    def __init__(self) -> None:
        self._statements: deque[PastStatement] = deque(maxlen=MAX_STATEMENTS)

    def record(
        self,
        text: str,
        started: float,
        seconds: float,
        *,
        failed: bool = False,
        row_count: int | None = None,
        has_more: bool = False,
        reads: Sequence[TableRead] = (),
        wrote: str = "",
    ) -> None:
        """Add a statement. started: in seconds since 1970. reads: of its tables. The rest is as in PastStatement."""
        time = datetime.fromtimestamp(started, timezone.utc).isoformat(timespec="milliseconds")
        self._statements.append(
            PastStatement(
                statement=mask_strings(text),
                started_at=time.replace("+00:00", "Z"),
                seconds=round(seconds, 3),
                outcome="failed" if failed else "done",
                rows=row_count,
                has_more=has_more,
                tables=tuple(dict.fromkeys(read.table for read in reads)),
                files=sum(read.files for read in reads) if reads else None,
                bytes=sum(read.size for read in reads) if reads else None,
                at_most=any(read.at_most for read in reads),
                wrote=wrote,
            )
        )

    def last(self, count: int) -> History:
        """The last statements, at most so many."""
        newest: Iterable[PastStatement] = reversed(self._statements)
        return History(tuple(newest)[:count], len(self._statements))


def _cells(past: PastStatement) -> tuple[str, ...]:
    at_most = "≤ " if past.at_most else ""
    rows = "" if past.rows is None else f"{past.rows:,}{'+' if past.has_more else ''}"
    return (
        time_text(past.started_at),
        " ".join(past.statement.split()),
        duration(past.seconds),
        "failed" if past.outcome == "failed" else rows,
        "" if past.files is None else f"{at_most}{past.files:,}",
        "" if past.bytes is None else f"{at_most}{size(past.bytes)}",
        past.wrote,
    )
