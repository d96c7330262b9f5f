"""Runs the statements of a cell: all are checked and parsed first, then run one by one through the gate."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker import fixes
from spark_iceberg_sql.diagnostics import Diagnostic, Report
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.notebook.cells import parameter_values
from spark_iceberg_sql.notebook.cells.cell import Cell
from spark_iceberg_sql.notebook.cells.engines import Engine
from spark_iceberg_sql.notebook.cells.magic_options import Options
from spark_iceberg_sql.notebook.cells.parameters import BoundSql, VariableError, bind, restore_braces
from spark_iceberg_sql.notebook.cells.reading_limit import ReadingLimit
from spark_iceberg_sql.notebook.cells.statement_worker import Output, StatementWorker
from spark_iceberg_sql.notebook.cells.statements import statement_title
from spark_iceberg_sql.notebook.display import result_bundles, result_rows
from spark_iceberg_sql.notebook.display.pages import Pages
from spark_iceberg_sql.notebook.errors import error_findings
from spark_iceberg_sql.notebook.errors.cell_failures import CellError, CellFailures
from spark_iceberg_sql.notebook.results import last_result
from spark_iceberg_sql.notebook.results.history import Recorder
from spark_iceberg_sql.notebook.results.saved_results import SavedResults
from spark_iceberg_sql.report import full
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.variables import parameters_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Runner:
    """Runs a cell.

    engine: of the session. cell: its SQL and position. options: of its first line. variables: Python variables. worker:
    runs it in a thread. recorder: keeps what its statements did. saved: the views of results.
    """

    def __init__(
        self,
        engine: Engine,
        cell: Cell,
        options: Options,
        variables: Mapping[str, Any],
        worker: StatementWorker,
        recorder: Recorder,
        saved: SavedResults,
    ) -> None:
        self._engine = engine
        self._spark = engine.spark
        self._cell = cell
        self._options = options
        self._variables = variables
        self._worker = worker
        self._recorder = recorder
        self._saved = saved
        self._reading_limit = ReadingLimit("" if options.yes else options.confirm_above)
        self.text = cell.text
        self.corrected: str | None = None
        self._failures = CellFailures(cell)
        self.pages: Pages | None = None
        self.converted: Any = None

    @property
    def remedy(self) -> str | None:
        """The corrected cell, without the statements that have run, if it failed and each error has one fix."""
        return self._failures.remedy

    def run(self) -> DataFrame | None:
        """Do what the options ask; return the last result that has rows, else the last result, or None.

        Raises CellError; with the option `traceback`, Spark's own exception.
        """
        try:
            text = bind(self._cell.text, self._variables)
        except VariableError as error:
            diagnostic = self._cell.diagnostic("VARIABLE", error.message, (error.start, error.end), error.help)
            raise self._failures.error([diagnostic], "nothing has run") from None
        with ExitStack() as views:
            for name, frame in text.frames.items():
                self._view(name, frame, views)
            return self._run(text)

    def _view(self, name: str, frame: Any, views: ExitStack) -> None:
        """A temporary view of a DataFrame, dropped when the cell ends."""
        offset = self._cell.text.find(f"{{{name[2:]}}}")
        span = (offset, offset + len(name))
        if not hasattr(frame, "createTempView"):
            try:
                frame = self._spark.createDataFrame(frame)
            except Exception as error:
                if self._options.traceback:
                    raise
                message, help = parameter_values.refused_frame(name[2:], frame, error)
                diagnostic = self._cell.diagnostic("VARIABLE", message, span, help)
                raise self._failures.error([diagnostic], "nothing has run") from None
        if self._spark.catalog.tableExists(name):
            diagnostic = self._cell.diagnostic(
                "VARIABLE",
                f"`{name}`, the name of the DataFrame's temporary view, is already the name of a table",
                span,
                "give the variable another name",
            )
            raise self._failures.error([diagnostic], "nothing has run")
        frame.createTempView(name)
        views.callback(self._spark.catalog.dropTempView, name)

    def _run(self, text: BoundSql) -> DataFrame | None:
        def judged(sql: str) -> Report:
            return self._engine.check(sql, text.values, binding=not self._options.check)

        if self._options.fix and not self._engine.can_fix:
            raise IcebergSqlError(
                "--fix does not work through Spark Connect\nhelp: make the changes that --check proposes"
            )
        report = judged(text.text)
        script = statements(text.text)
        cell_report = self._cell.report(report.diagnostics, len(script))
        if self._options.fix:
            self._fix(fixes.apply_fixes(text.text, judged, unsafe=True), report)
            return None
        state = "nothing has run" if self._options.runs else ""
        if report.refuses:
            raise self._failures.error(list(report), state, len(script))
        failed: list[Diagnostic] = []
        for statement, error in self._engine.refused_statements(script, text.values):
            if self._options.traceback:
                raise error
            failed += self._error_diagnostics(error, statement)
        if failed:
            raise self._failures.error(failed, state, len(script))
        if self._options.check or (len(report) and not self._options.quiet):
            Output(False).result(_report(cell_report))
        if not script:
            Output(False).result(result_bundles.bundle([markup.dim_line(_EMPTY)], [_EMPTY]))
        if self._options.check:
            return None
        last_result.refuse_impossible(self._spark, self._options, self._saved)
        result = self._run_statements(script, text, [d.message for d in report])
        if self._options.runs:
            self.converted = last_result.deliver(result, self._options, self._worker, self._saved)
        return result

    def _run_statements(
        self, script: list[Statement], text: BoundSql, reported_messages: list[str]
    ) -> DataFrame | None:
        last_result: DataFrame | None = None
        for number, statement in enumerate(script, 1):
            if self._worker.cancelled:
                return None
            position = f"statement {number} of {len(script)}: " if len(script) > 1 else ""
            output = self._worker.begin(f"{position}{statement_title(statement)}")
            parameter_names = parameters_of(statement.text)
            started = time.time()
            try:
                parameters = self._engine.bind({n: v for n, v in text.values.items() if n in parameter_names})
                if self._options.runs and self._reading_limit.applies:
                    self._refuse_reading_more(statement, parameters, number, len(script))
                result = self._run_statement(
                    statement, parameters, output, reported_messages, last=number == len(script)
                )
            except CellError:
                output.result(None)
                raise
            except Exception as error:
                output.result(None)
                if self._options.runs:
                    self._recorder.record(statement.text, started, time.time() - started, failed=True)
                if self._options.traceback:
                    raise
                raise self._failures.error(
                    self._error_diagnostics(error, statement),
                    _progress_text(number, len(script)),
                    len(script),
                    statement.start,
                ) from error
            if result is not None and (last_result is None or result.columns or not last_result.columns):
                last_result = result
        return last_result

    def _refuse_reading_more(
        self, statement: Statement, parameters: dict[str, Any] | None, number: int, count: int
    ) -> None:
        """Raise CellError if the cell would read more than it may with a statement, or if that is unknown."""
        row_limit = self._options.row_limit
        if self._options.quiet and row_limit is not None and statement.first == "SELECT":
            return  # no row of it is fetched
        message = self._reading_limit.refusal(lambda: self._engine.planned_reads(statement, parameters, row_limit))
        if message is None:
            return
        magic = "%%iceberg_sql" if self._cell.prefix.startswith("%%") else "%iceberg_sql"
        help = f"run it anyway with {magic} --yes; {magic} --explain shows what it would read, and why not less"
        diagnostic = self._cell.diagnostic("CONFIRM_ABOVE", message, (statement.start, statement.tail), help)
        state = "nothing has run" if number == 1 else f"{_done_text(number)}; statement {number} of {count} has not"
        raise self._failures.error([diagnostic], state, count, statement.start)

    def _error_diagnostics(self, error: Exception, statement: Statement) -> list[Diagnostic]:
        return error_findings.error_diagnostics(self._spark, error, self._cell, statement, self._variables)

    def _run_statement(
        self,
        statement: Statement,
        parameters: dict[str, Any] | None,
        output: Output,
        reported_messages: list[str],
        *,
        last: bool,
    ) -> DataFrame | None:
        if self._options.plan:
            output.result(self._engine.plan(statement))
            return None
        if self._options.explain:
            output.result(self._engine.explain(statement.text, parameters))
            return None
        started = time.time()
        with warnings.catch_warnings(record=True) as caught_warnings:
            warnings.simplefilter("always", IcebergSqlWarning)
            result = self._engine.sql(statement.text, parameters)
        _warn([w for w in caught_warnings if not any(reported in str(w.message) for reported in reported_messages)])
        commit, reads, rows = None, [], None
        if result.columns and not self._options.quiet:
            rows, text_frame = result_rows.first_rows(result, self._options.first_rows)
            seconds = time.time() - started
            self.pages = Pages(rows, self._options.limit)
            reads = self._engine.table_reads(text_frame)
            count_text = self.pages.position_text(with_hint=last)
            commit = self._engine.commit_summary(statement, result, int(started * 1000))
            table_html = self.pages.html_in_place() if self._options.in_place else None
            output.result(
                result_bundles.of_rows(self.pages.visible_rows, count_text, seconds, reads, commit, table_html)
            )
        else:
            seconds = time.time() - started
            commit = self._engine.commit_summary(statement, result, int(started * 1000))
            is_quiet = self._options.quiet
            output.result(None if is_quiet else result_bundles.of_command(statement_title(statement), seconds, commit))
        self._recorder.record(
            statement.text,
            started,
            seconds,
            row_count=None if rows is None else len(rows.rows),
            has_more=rows is not None and rows.has_more,
            reads=reads,
            wrote="" if commit is None else result_bundles.commit_line(commit),
        )
        return result

    def _fix(self, fix_result: fixes.FixResult, report: Report) -> None:
        """Remember the corrected cell. Raises CellError if errors without a fix remain."""
        if fix_result.applied_codes:
            self.corrected = self._cell.prefix + restore_braces(fix_result.text, self._cell.text)
        line = f"{len(fix_result.applied_codes)} of {len(report)} findings fixed" if len(report) else "nothing to fix"
        Output(False).result(result_bundles.bundle([markup.dim_line(line)], [line]))
        if fix_result.report.refuses and not fix_result.applied_codes:
            raise self._failures.error(list(report), "", report.statements)


_EMPTY = "nothing to run: this cell has no statement"


def _report(report: Report) -> result_bundles.Bundle:
    text = f"{full(report)}\n" if len(report) else ""
    return {"text/html": report._repr_html_(), "text/plain": text + str(report).split("\n")[-1]}


def _warn(caught_warnings: list[warnings.WarningMessage]) -> None:
    for warning in caught_warnings:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _progress_text(number: int, total: int) -> str:
    if total == 1:
        return ""
    left_count = total - number
    left_text = f"; {left_count} after it {'has' if left_count == 1 else 'have'} not run" if left_count else ""
    return f"statement {number} of {total} failed: {_done_text(number)}{left_text}"


def _done_text(number: int) -> str:
    """Which statements before one have run."""
    if number == 1:
        return "no statement has run"
    return f"statements 1 to {number - 1} have run" if number > 2 else "statement 1 has run"
