"""The client side of Spark Connect: what its server offers, and statements checked before they are sent.

This runs without Java, py4j and Spark itself: a client has only `pyspark-client`.
"""

from __future__ import annotations

import logging
import re
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_iceberg_sql.checker.plan import PlannedRows, PlanRow
from spark_iceberg_sql.checker.suppressions import without_suppressions
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report, Severity, Span
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.model.transforms import BY_FUNCTION
from spark_iceberg_sql.report import full
from spark_iceberg_sql.report.edited_reports import without_secrets
from spark_iceberg_sql.rules.registry import ALL
from spark_iceberg_sql.spark import client_recognizers
from spark_iceberg_sql.spark.bridge.jvm import connect_channel
from spark_iceberg_sql.spark.modes import validated_mode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_NO_FUNCTION = ("UNRESOLVABLE_TABLE_VALUED_FUNCTION", "UNRESOLVED_ROUTINE")
_QUERY = re.compile(r"\s*select\b", re.IGNORECASE)
_DDL_VERB = re.compile(r"\b(?:alter|call|create|replace|overwrite)\b", re.IGNORECASE)
_INVALID = re.compile(r"The value of parameter\(s\) .*? is invalid: ", re.DOTALL)
_SQLSTATE = re.compile(r"\.?\s*SQLSTATE: \w+.*", re.DOTALL)
_LOST = ("UNAVAILABLE", "Connection refused", "RETRIES_EXCEEDED")
# Of a server that has been started again, or that has ended the session after an hour without a call.
_NO_SESSION = ("INVALID_HANDLE.SESSION", "NO_ACTIVE_SESSION", "SESSION_CHANGED", "SESSION_CLOSED")
# For a server to accept a connection; without an answer, the client itself goes on trying.
_CONNECT_SECONDS = 5
START = (
    "help: start the server with `iceberg-sql connect-server`, or call spark_iceberg_sql.install(spark) in its process"
)
NO_CHECK = f"the server of this session does not check partition DDL\n{START}"
# Where pyspark writes each error of a statement, with the text of gRPC, before it raises the error.
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Check partition DDL on the server before a client's session sends it; returns the session.

    ddl: as for a classic session. Raises IcebergSqlError if the server does not have this package's functions, or is
    lost. If it has the functions but not the check, it warns with an IcebergSqlWarning.
    """
    validated_mode(ddl)
    with explaining_lost_server(spark):
        names = {row[0] for row in unchecked_sql(spark)("SHOW FUNCTIONS LIKE 'iceberg*'").collect()}
    uninstall(spark)
    if names.isdisjoint(BY_FUNCTION):
        raise IcebergSqlError(f"the server of this session has no iceberg_* functions\n{START}")
    if "iceberg_check" not in names:
        message = f"the server has the iceberg_* functions, but does not check partition DDL\n{START}"
        warnings.warn(message, IcebergSqlWarning, stacklevel=3)
    elif ddl != "off":
        spark.__dict__["sql"] = _checking_sql(spark, ddl)
    return spark


def uninstall(spark: SparkSession) -> None:
    """Restore a session's own `sql`; the server's check is unchanged."""
    spark.__dict__.pop("sql", None)


def check(spark: SparkSession, text: str, filename: str | None = None) -> Report:
    """The findings of the server's checker on a text, with the tables of its session.

    Raises IcebergSqlError if the server has no checker, or is lost.
    """
    report = findings(spark, text, filename)
    if report is None:
        raise IcebergSqlError(NO_CHECK)
    return report


def findings(spark: SparkSession, text: str, filename: str | None = None) -> Report | None:
    """As `check`; None if the server has no checker. Raises IcebergSqlError if the server is lost."""
    try:
        with explaining_lost_server(spark), without_error_logs():
            rows = unchecked_sql(spark)("SELECT * FROM iceberg_check(:text)", {"text": text}).collect()
    except PySparkException as error:
        if has_no_function(error):
            return None
        raise
    lines = Lines(text)
    return Report(text, tuple(_diagnostic(row, lines) for row in rows), filename, lines=lines)


def plan(spark: SparkSession, text: str) -> PlannedRows:
    """The server's plan of one statement.

    Raises IcebergSqlError for text that cannot be planned, or if the server has no plans or is lost.
    """
    try:
        with explaining_lost_server(spark), without_error_logs():
            rows = unchecked_sql(spark)("SELECT * FROM iceberg_plan(:text)", {"text": text}).collect()
    except PySparkException as error:
        if has_no_function(error):
            raise IcebergSqlError(f"the server of this session makes no plans\n{START}") from None
        raise IcebergSqlError(str(error).partition("\n")[0]) from None
    return PlannedRows(text, tuple(PlanRow(*row) for row in rows))


# iceberg_check() has no column for the specification that a rule enforces: the client looks it up by code.
_SPECS = {rule.code: rule.spec for rule in ALL}


def _diagnostic(row: Row, lines: Lines) -> Diagnostic:
    code, name, severity, message, advice, *position = row
    start, end = (lines.start(line) + column - 1 for line, column in (position[:2], position[2:]))
    span = Span(start, end, *position)
    return Diagnostic(code, name, Severity(severity), message, span, advice, spec=_SPECS.get(code))


def unchecked_sql(spark: SparkSession) -> Callable[..., DataFrame]:
    """The session's unchecked `sql`."""
    bound: Callable[..., DataFrame] = type(spark).sql.__get__(spark)
    return bound


def _checking_sql(spark: SparkSession, ddl: str) -> Callable[..., DataFrame]:
    plain_sql = unchecked_sql(spark)

    def sql(sqlQuery: Any, args: Any = None, **kwargs: Any) -> DataFrame:  # noqa: N803 - pyspark's
        if isinstance(sqlQuery, str) and not args and not kwargs and _may_be_ddl(sqlQuery):
            # As in a classic session, a comment suppresses no error.
            report = check(spark, without_suppressions(sqlQuery))
            _raise_or_warn(replace(report, text=sqlQuery, lines=Lines(sqlQuery)), ddl)
        started_ms = int(time.time() * 1000)
        try:
            with explaining_lost_server(spark):
                return plain_sql(sqlQuery, args, **kwargs)
        except PySparkException as error:
            failure = client_recognizers.ClientFailure(error, sqlQuery, spark, started_ms)
            if (to_show := client_recognizers.explained(failure)) is None or to_show is error:
                raise
            raise to_show from None

    return sql


@contextmanager
def explaining_lost_server(spark: SparkSession) -> Iterator[None]:
    """Raise IcebergSqlError, with the way to continue, if the session's server is gone or has ended the session.

    A connection is tried first: Spark's client tries for ten minutes to reach a server that has ended.
    """
    refuse_lost(spark)
    try:
        yield
    except PySparkException as error:
        if not is_lost(error):
            raise
        raise _lost(spark, has_ended_session=_matches(error, _NO_SESSION)) from None


def refuse_lost(spark: SparkSession) -> None:
    """Raise IcebergSqlError if nothing accepts connections at the address of a session's server."""
    if _refuses_connections(spark):
        raise _lost(spark)


@contextmanager
def without_error_logs() -> Iterator[None]:
    """Keep pyspark from logging errors to standard error that this package raises with a message of its own."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before pyspark 4.0, which logs nothing
        yield
        return
    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(_drop)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(_drop)


def _drop(record: logging.LogRecord) -> bool:
    return False


def is_lost(error: PySparkException) -> bool:
    """True if an error means that the session's server is gone, or does not have the session any more."""
    return _matches(error, _NO_SESSION) or (
        not client_recognizers.condition_of(error) and any(sign in str(error) for sign in _LOST)
    )


def _matches(error: PySparkException, conditions: tuple[str, ...]) -> bool:
    first_line = f"{client_recognizers.condition_of(error)} {str(error).partition(chr(10))[0]}"
    return any(condition in first_line for condition in conditions)


def _refuses_connections(spark: SparkSession) -> bool:
    """True if nothing listens at the server's address. A proxy or a slow network is left to Spark's client."""
    address = connect_channel.address(spark)
    if address is None:
        return False
    try:
        socket.create_connection(address, _CONNECT_SECONDS).close()
    except OSError as error:
        return isinstance(error, ConnectionRefusedError)
    return False


def _lost(spark: SparkSession, *, has_ended_session: bool = False) -> IcebergSqlError:
    address = connect_channel.address(spark)
    server = "the Spark Connect server" + (f" at {address[0]}:{address[1]}" if address else "")
    if has_ended_session:
        fact = f"{server} no longer has this session: it was started again, or has ended the session"
        start = ""
    else:
        fact, start = (f"{server} is gone: nothing accepts connections there", "start the server again, then ")
    return IcebergSqlError(fact, help=f"{start}make a new session: SparkSession.builder.remote(...).create()")


def has_no_function(error: PySparkException) -> bool:
    """True if the server does not have a function of this package."""
    return client_recognizers.condition_of(error).startswith(_NO_FUNCTION)


def refusal_message(error: PySparkException) -> str:
    """The server's refusal as this package's message, without Spark's condition, SQLSTATE and context."""
    text = str(error.getMessage() or error)
    if reason := _INVALID.search(text):
        return _SQLSTATE.sub("", text[reason.end() :])
    return text.partition("\n")[0]


def _may_be_ddl(text: str) -> bool:
    return _DDL_VERB.search(text) is not None and _QUERY.match(text) is None


def _raise_or_warn(report: Report, ddl: str) -> None:
    if not report.diagnostics:
        return
    if ddl == "error" and report.refuses:
        raise IcebergSqlError(full(report), without_secrets(report))
    warnings.warn(full(report), IcebergSqlWarning, stacklevel=4)
