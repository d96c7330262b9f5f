"""A script on a live session: checked as a whole first, then again statement by statement as it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.errors import IcebergSqlError, ScriptFailedError
from spark_iceberg_sql.quantities import duration
from spark_iceberg_sql.report import credentials, edited_reports, full
from spark_iceberg_sql.spark.gate import explain_errors, intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.variables import parameters_of, substitute_variables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class StatementRun:
    """A statement that has run: its text, the result of `spark.sql`, and the seconds that it took."""

    statement: str
    result: DataFrame
    seconds: float


def run(
    spark: SparkSession,
    text: str,
    args: Mapping[str, Any] | None = None,
    *,
    variables: Mapping[str, str] | None = None,
    check_only: bool = False,
    filename: str | None = None,
    progress: Callable[[str], None] | None = None,
    on_result: Callable[[DataFrame], None] | None = None,
) -> tuple[StatementRun, ...]:
    """Run a script. All of it is checked first, so an error in the last statement prevents the first from running.

    spark: the session. text: statements separated by `;`. args: values of `:name` parameters.
    variables: values of `${name}`. check_only: stop after the check. filename: for messages.
    progress: called with a line before and after each statement. on_result: called with the result of each statement,
    before the next statement runs.
    Returns what ran, in order. Raises IcebergSqlError if the check finds an error (nothing has run), ScriptFailedError
    if a statement fails (those before it have run).
    """
    text = substitute_variables(text, variables or {})
    catalog = SessionTables(spark, intercept.unchecked_sql(spark, args))
    report = check(text, catalog, filename=filename, before_execution=True, severity_policy=_in_session)
    if report.refuses:
        raise IcebergSqlError(full(report), edited_reports.without_secrets(report))
    if progress is not None:
        _report_check(report, progress)
    return () if check_only else _run(spark, statements(text), dict(args or {}), progress, on_result)


def _in_session(code: str, severity: Severity) -> Severity | None:
    """The severity of a finding: none for a form of partition DDL that only the gate brings to Iceberg's parser."""
    return None if code == "SIS004" else severity


def _report_check(report: Report, progress: Callable[[str], None]) -> None:
    if len(report):
        progress(full(report).rstrip("\n"))
    if report.ok:
        progress(f"checked {report.statements} statements: no errors")


def _run(
    spark: SparkSession,
    todo: list[Statement],
    args: dict[str, Any],
    progress: Callable[[str], None] | None,
    on_result: Callable[[DataFrame], None] | None,
) -> tuple[StatementRun, ...]:
    done: list[StatementRun] = []
    for number, statement in enumerate(todo, 1):
        text = statement.text
        if progress is not None:
            progress(f"[{number}/{len(todo)}] {_short(text)}")
        started = time.monotonic()
        statement_args = {name: args[name] for name in parameters_of(text) if name in args}
        try:
            result = intercept.sql(spark, text, statement_args or None)
            if on_result is not None:
                on_result(result)
        except Exception as error:
            raise ScriptFailedError(
                _failure(number, len(todo), text, str(explain_errors.plain(error))),
                tuple(statement_run.statement for statement_run in done),
                tuple(remaining_statement.text for remaining_statement in todo[number:]),
            ) from error
        done.append(StatementRun(text, result, time.monotonic() - started))
        if progress is not None:
            progress(f"[{number}/{len(todo)}] done in {duration(done[-1].seconds)}")
    return tuple(done)


def _short(text: str) -> str:
    line = " ".join(credentials.masked(text).split())
    return line if len(line) <= 100 else line[:97] + "..."


def _failure(number: int, total: int, text: str, error_text: str) -> str:
    completed_part = "nothing has run" if number == 1 else f"statements 1 to {number - 1} have run"
    if number == 2:
        completed_part = "statement 1 has run"
    remaining_count = total - number
    remaining_part = "none remain" if remaining_count == 0 else f"{remaining_count} after it did not run"
    return f"statement {number} of {total} failed: {_short(text)}\n{completed_part}; {remaining_part}\n\n{error_text}"
