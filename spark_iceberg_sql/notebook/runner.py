"""Runs the statements of a cell: all are checked and parsed first, then run one by one through the gate."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker import fixes
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.notebook import mistakes, results, rows, values
from spark_iceberg_sql.notebook.cell import Cell, has_secrets, painted
from spark_iceberg_sql.notebook.engines import Engine
from spark_iceberg_sql.notebook.options import Options
from spark_iceberg_sql.notebook.pages import Pages
from spark_iceberg_sql.notebook.parameters import Filled, VariableError, filled, unfilled
from spark_iceberg_sql.notebook.statements import short
from spark_iceberg_sql.notebook.work import Output, Work
from spark_iceberg_sql.outgoing import visible_lines
from spark_iceberg_sql.report import full
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.variables import parameters_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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


class Runner:
    """Runs a cell.

    engine: of the session. cell: its SQL and position. options: of its first line. variables: Python
    variables. worker: runs it in a thread. kept: how many rows of a result are fetched, to be shown on
    further pages.
    """

    def __init__(
        self,
        engine: Engine,
        cell: Cell,
        options: Options,
        variables: Mapping[str, Any],
        work: Work,
        kept: int = 0,
    ) -> None:
        self._engine = engine
        self._spark = engine.spark
        self._cell = cell
        self._options = options
        self._variables = variables
        self._work = work
        self._kept = kept
        self.text = cell.text
        self.corrected: str | None = None
        self.remedy: str | None = None
        self.pages: Pages | None = None

    def run(self) -> DataFrame | None:
        """Do what the options ask; return the last result that has rows, else the last result, or None.

        Raises CellError; with the option `traceback`, Spark's own exception.
        """
        try:
            text = filled(self._cell.text, self._variables)
        except VariableError as error:
            found = self._cell.finding(
                "VARIABLE", error.message, (error.start, error.end), error.help
            )
            raise self._failure([found], "nothing has run") from None
        with ExitStack() as views:
            for name, frame in text.frames.items():
                self._view(name, frame, views)
            return self._run(text)

    def _view(self, name: str, frame: Any, views: ExitStack) -> None:
        """A temporary view of a DataFrame, dropped when the cell ends."""
        at = self._cell.text.find(f"{{{name[2:]}}}")
        place = (at, at + len(name))
        if not hasattr(frame, "createTempView"):
            try:
                frame = self._spark.createDataFrame(frame)
            except Exception as error:
                if self._options.traceback:
                    raise
                message, help = values.refused_frame(name[2:], frame, error)
                found = self._cell.finding("VARIABLE", message, place, help)
                raise self._failure([found], "nothing has run") from None
        if self._spark.catalog.tableExists(name):
            found = self._cell.finding(
                "VARIABLE",
                f"`{name}`, the name of the DataFrame's temporary view, is already the name of a table",
                place,
                "give the variable another name",
            )
            raise self._failure([found], "nothing has run")
        frame.createTempView(name)
        views.callback(self._spark.catalog.dropTempView, name)

    def _run(self, text: Filled) -> DataFrame | None:
        def judged(words: str) -> Report:
            return self._engine.judged(words, text.values, binding=not self._options.check)

        if self._options.fix and not self._engine.fixes:
            raise IcebergSqlError(
                "--fix does not work through Spark Connect\nhelp: make the changes that --check proposes"
            )
        report = judged(text.text)
        todo = statements(text.text)
        shown = self._cell.report(report.diagnostics, len(todo))
        if self._options.fix:
            self._fix(fixes.apply_fixes(text.text, judged, unsafe=True), report)
            return None
        if report.refuses:
            left = "nothing has run" if self._options.runs else ""
            raise self._failure(list(report), left, len(todo))
        failed: list[Diagnostic] = []
        for statement, error in self._engine.refused(todo, text.values):
            if self._options.traceback:
                raise error
            failed += self._found(error, statement)
        if failed:
            raise self._failure(failed, "nothing has run" if self._options.runs else "", len(todo))
        if self._options.check or (len(report) and not self._options.quiet):
            Output(False).result(_report(shown))
        if not todo:
            Output(False).result(results.bundle([markup.dim_line(_EMPTY)], [_EMPTY]))
        if self._options.check:
            return None
        return self._each(todo, text, [d.message for d in report])

    def _each(self, todo: list[Statement], text: Filled, told: list[str]) -> DataFrame | None:
        answer: DataFrame | None = None
        for number, statement in enumerate(todo, 1):
            if self._work.cancelled:
                return None
            place = f"statement {number} of {len(todo)}: " if len(todo) > 1 else ""
            output = self._work.begin(f"{place}{short(statement)}")
            named = parameters_of(statement.text)
            try:
                used = self._engine.bound({n: v for n, v in text.values.items() if n in named})
                result = self._one(statement, used, output, told, last=number == len(todo))
            except Exception as error:
                output.result(None)
                if self._options.traceback:
                    raise
                found = self._found(error, statement)
                ran = _what_ran(number, len(todo))
                raise self._failure(found, ran, len(todo), statement.start) from error
            if result is not None and (answer is None or result.columns or not answer.columns):
                answer = result
        return answer

    def _found(self, error: Exception, statement: Statement) -> list[Diagnostic]:
        return mistakes.found(self._spark, error, self._cell, statement, self._variables)

    def _one(
        self,
        statement: Statement,
        used: dict[str, Any] | None,
        output: Output,
        told: list[str],
        *,
        last: bool,
    ) -> DataFrame | None:
        if self._options.plan:
            output.result(self._engine.planned(statement))
            return None
        if self._options.explain:
            output.result(self._engine.explained(statement.text, used))
            return None
        begun = time.time()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", IcebergSqlWarning)
            result = self._engine.sql(statement.text, used)
        _warn([w for w in said if not any(words in str(w.message) for words in told)])
        if self._options.quiet:
            output.result(None)
        elif result.columns:
            limit = self._options.limit
            # With --limit 0, no row is fetched for further pages either.
            found, shown = rows.first_rows(result, limit and max(limit, self._kept))
            seconds = time.time() - begun
            self.pages = Pages(found, limit)
            read = self._engine.read(shown)
            counted = self.pages.counted(hint=last)
            wrote = self._engine.wrote(statement, result, int(begun * 1000))
            output.result(results.of_rows(self.pages.shown, counted, seconds, read, wrote))
        else:
            wrote = self._engine.wrote(statement, result, int(begun * 1000))
            output.result(results.of_command(short(statement), time.time() - begun, wrote))
        return result

    def _fix(self, made: fixes.FixResult, report: Report) -> None:
        """Remember the corrected cell. Raises CellError if errors without a fix remain."""
        if made.applied_codes:
            self.corrected = self._cell.before + unfilled(made.text, self._cell.text)
        line = (
            f"{len(made.applied_codes)} of {len(report)} findings fixed"
            if len(report)
            else "nothing to fix"
        )
        Output(False).result(results.bundle([markup.dim_line(line)], [line]))
        if made.report.refuses and not made.applied_codes:
            raise self._failure(list(report), "", report.statements)

    def _failure(
        self, found: Sequence[Diagnostic], state: str, count: int = 1, begin: int = 0
    ) -> CellError:
        report = self._cell.report(found, count)
        parts = [full(report), self._remedy(found, begin), state]
        return CellError(_joined(parts), report, _joined([painted(report), *parts[1:]]))

    def _remedy(self, found: Sequence[Diagnostic], begin: int) -> str:
        """The corrected statement, if every error in it has a fix; remembers the corrected cell.

        offset: of the first statement that has not run.
        """
        edits = [edit for d in found if d.fix is not None for edit in d.fix.edits]
        errors = [d for d in found if str(d.severity) == "error"]
        if not errors or not all(d.fix for d in errors) or has_secrets(self._cell.text):
            return ""
        text = fixes.apply_edits(self._cell.text, _apart(edits))
        first, last = min(e.start for e in edits), max(d.span.end for d in found)
        last += len(text) - len(self._cell.text)
        changed = [s.text for s in statements(text) if s.end >= first and s.start < last]
        if not changed:
            return ""
        self.remedy = (self._cell.before + text[begin:]).rstrip("\n")
        return "\n".join(["", _REMEDY, *(f"{visible_lines(words)};" for words in changed), ""])


_EMPTY = "nothing to run: this cell has no statement"


def _joined(parts: Sequence[str]) -> str:
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _apart(edits: list[Edit]) -> list[Edit]:
    """The edits, without those that overlap an earlier one."""
    kept: list[Edit] = []
    for edit in sorted(set(edits), key=lambda e: (e.start, e.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _report(report: Report) -> results.Bundle:
    text = f"{full(report)}\n" if len(report) else ""
    return {"text/html": report._repr_html_(), "text/plain": text + str(report).split("\n")[-1]}


def _warn(said: list[warnings.WarningMessage]) -> None:
    for warning in said:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _what_ran(number: int, total: int) -> str:
    if total == 1:
        return ""
    before = "no statement has run"
    if number > 1:
        before = f"statements 1 to {number - 1} have run" if number > 2 else "statement 1 has run"
    left = total - number
    after = f"; {left} after it {'has' if left == 1 else 'have'} not run" if left else ""
    return f"statement {number} of {total} failed: {before}{after}"
