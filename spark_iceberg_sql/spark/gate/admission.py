"""The gate's decision: a statement is checked against the live catalogs, and refused or admitted."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Report, Severity, apply_edits
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.report import edited_reports, full
from spark_iceberg_sql.spark.bridge.gate import user_warnings
from spark_iceberg_sql.spark.bridge.gate.requests import PendingStatement
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.gate import clickhouse
from spark_iceberg_sql.spark.gate.iceberg_form import IcebergForm, iceberg_form
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax import routing
from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize
from spark_iceberg_sql.syntax.script import statements


def admit(statement: PendingStatement) -> str:
    """Check a statement, and return the text that Spark parses: the same, or a translation from ClickHouse's syntax.

    Raises IcebergSqlError, with the report, to refuse it. Other findings become an IcebergSqlWarning.
    """
    spark = statement.spark
    if statement.is_plan:
        report = check(statement.text, SessionTables(spark, statement.rows), is_routed=True)
        _raise_or_warn(report, statement.mode, _PLAN_NOTE)
        return statement.text
    text = clickhouse.to_spark_sql(spark, statement.text)
    if not statement.may_be_ddl:
        return text
    substituted = sessions.substitute_settings(spark, text)
    script_statements = statements(substituted)
    form = iceberg_form(statement, script_statements[0]) if len(script_statements) == 1 else None
    if form is not None:
        _raise_or_warn(_check_form(statement, substituted, form), statement.mode)
        text = form.parsed(statement, substituted)
    else:
        _raise_or_warn(_check_statement(statement, _in_backticks(statement, substituted)), statement.mode)
    script_statements = statements(text)
    # Iceberg's parser decides by the text whether a statement is its own, and a comment or a `;` can mislead it: a
    # single statement is passed on in the form that it recognizes.
    return routing.routed_text(script_statements[0]) if len(script_statements) == 1 else text


def _check_form(statement: PendingStatement, text: str, form: IcebergForm) -> Report:
    """The report on a text with statements of Iceberg's grammar, with positions in it as the user wrote it."""
    catalog = SessionTables(statement.spark, statement.rows)
    report = check(apply_edits(text, form.checked), catalog, is_routed=True, before_execution=True)
    return edited_reports.rebased(report, edited_reports.inverse_edits(form.checked, text))


def _check_statement(statement: PendingStatement, text: str) -> Report:
    """The report on a text, checked with the values of its parameters, with positions in the text without them."""
    edits = statement.parameter_edits(text)
    catalog = SessionTables(statement.spark, partial(statement.rows, bound=bool(edits)))
    report = check(apply_edits(text, edits), catalog, is_routed=True, before_execution=True)
    if any(d.code == _UNREADABLE and d.severity is Severity.ERROR for d in report) and _is_of_others(statement, text):
        report = replace(report, diagnostics=tuple(d for d in report if d.code != _UNREADABLE))
    return edited_reports.rebased(report, edited_reports.inverse_edits(edits, text))


def _is_of_others(statement: PendingStatement, text: str) -> bool:
    """True if the session's parser reads a statement that ours do not, and it is not partition DDL of an Iceberg table.

    It is another format's, as Delta's `SHALLOW CLONE` is.
    """
    providers = statement.providers(text)
    return providers is not None and all(name and name.lower() not in _ICEBERGS for name in providers)


_UNREADABLE = "SIS001"
# What USING may name for an Iceberg table, in an Iceberg catalog; nothing is Iceberg's, too.
_ICEBERGS = ("iceberg", "parquet", "orc", "avro")
_PLAN_NOTE = "   = note: the statement was derived from a command without SQL text, such as a DataFrame writer's\n"


def _in_backticks(statement: PendingStatement, text: str) -> str:
    """The text with double-quoted names in backticks, at the same offsets, if the session treats them as names.

    Iceberg's parser never does.
    """
    if '"' not in text or not sessions.double_quotes_are_names(statement.spark):
        return text
    for token in tokenize(text):
        name = token.text[1:-1].replace('""', '"')
        if token.kind is TokenKind.DOUBLE and token.text.endswith('"') and "`" not in name:
            text = text[: token.start] + f"`{name}`".ljust(len(token.text)) + text[token.end :]
    return text


def _raise_or_warn(report: Report, mode: str, suffix: str = "") -> None:
    if not report.diagnostics:
        return
    report = edited_reports.without_secrets(report)
    errors = sorted(report, key=lambda diagnostic: diagnostic.severity is not Severity.ERROR)
    message = full(replace(report, diagnostics=tuple(errors))) + suffix
    if mode == "error" and report.refuses:
        raise IcebergSqlError(message, report)
    user_warnings.warn(message)
