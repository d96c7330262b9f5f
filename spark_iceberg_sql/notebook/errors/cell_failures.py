"""The error of a cell: its findings with the cell's lines, the corrected statements, and what has run."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report, apply_edits
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.notebook.cells.cell import Cell, has_secrets, render_colored
from spark_iceberg_sql.report import full
from spark_iceberg_sql.safe_output import visible_lines
from spark_iceberg_sql.syntax.script import statements

_REMEDY = "write instead (%iceberg_sql --fix puts it into a new cell):"


class CellError(IcebergSqlError):
    """A cell whose statements were refused or failed; a notebook shows only its message.

    message: the text. report: the findings. colored: the text with terminal colours.
    """

    def __init__(self, message: str, report: Report, colored: str) -> None:
        super().__init__(message, report)
        self.colored = colored

    def _render_traceback_(self) -> list[str]:
        return self.colored.split("\n")


class CellFailures:
    """Makes the errors of a cell. cell: its SQL and position. remedy: the corrected cell, after an error with one."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self.remedy: str | None = None

    def error(self, diagnostics: Sequence[Diagnostic], state: str, count: int = 1, offset: int = 0) -> CellError:
        """The error.

        diagnostics: what is wrong. state: what has run, as text. count: the number of statements. offset: of the first
        one that has not run.
        """
        report = self._cell.report(diagnostics, count)
        parts = [full(report), self._remedy(diagnostics, offset), state]
        return CellError(_join_parts(parts), report, _join_parts([render_colored(report), *parts[1:]]))

    def _remedy(self, diagnostics: Sequence[Diagnostic], offset: int) -> str:
        """The corrected statement, if every error in it has a fix; remembers the corrected cell.

        offset: of the first statement that has not run.
        """
        edits = [edit for d in diagnostics if d.fix is not None for edit in d.fix.edits]
        errors = [d for d in diagnostics if str(d.severity) == "error"]
        if not errors or not all(d.fix for d in errors) or has_secrets(self._cell.text):
            return ""
        text = apply_edits(self._cell.text, _without_overlaps(edits))
        first, last = min(e.start for e in edits), max(d.span.end for d in diagnostics)
        last += len(text) - len(self._cell.text)
        changed = [s.text for s in statements(text) if s.end >= first and s.start < last]
        if not changed:
            return ""
        self.remedy = (self._cell.prefix + text[offset:]).rstrip("\n")
        return "\n".join(["", _REMEDY, *(f"{visible_lines(changed_text)};" for changed_text in changed), ""])


def _join_parts(parts: Sequence[str]) -> str:
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _without_overlaps(edits: list[Edit]) -> list[Edit]:
    """The edits, without those that overlap an earlier one."""
    separate_edits: list[Edit] = []
    for edit in sorted(set(edits), key=lambda e: (e.start, e.end)):
        if not separate_edits or edit.start >= separate_edits[-1].end:
            separate_edits.append(edit)
    return separate_edits
