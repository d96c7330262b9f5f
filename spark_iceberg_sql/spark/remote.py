"""The client side of Spark Connect: what its server offers, and statements checked before they are sent.

This runs without Java, py4j and Spark itself: a client has only `pyspark-client`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_iceberg_sql.checker.plan import PlannedRows, PlanRow
from spark_iceberg_sql.checker.suppressions import without_ignores
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report, Severity, Span
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.model.transforms import BY_FUNCTION
from spark_iceberg_sql.report import full
from spark_iceberg_sql.report.shown import without_secrets
from spark_iceberg_sql.rules import ALL
from spark_iceberg_sql.spark.modes import known_mode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_REFUSED = "PARTITION_DDL_REFUSED"
_NO_FUNCTION = ("UNRESOLVABLE_TABLE_VALUED_FUNCTION", "UNRESOLVED_ROUTINE")
_QUERY = re.compile(r"\s*select\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:alter|create|replace|overwrite)\b", re.IGNORECASE)
_START = (
    "help: start the server with `iceberg-sql connect-server`, "
    "or call spark_iceberg_sql.install(spark) in its process"
)


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Check partition DDL on the server before a client's session sends it; returns the session.

    ddl: as for a classic session. Raises IcebergSqlError if the server does not have this package's functions. If
    it has the functions but not the check, it warns with an IcebergSqlWarning.
    """
    known_mode(ddl)
    uninstall(spark)
    names = {row[0] for row in spark.sql("SHOW FUNCTIONS LIKE 'iceberg*'").collect()}
    if names.isdisjoint(BY_FUNCTION):
        raise IcebergSqlError(f"the server of this session has no iceberg_* functions\n{_START}")
    if "iceberg_check" not in names:
        words = (
            f"the server has the iceberg_* functions, but does not check partition DDL\n{_START}"
        )
        warnings.warn(words, IcebergSqlWarning, stacklevel=3)
    elif ddl != "off":
        spark.__dict__["sql"] = _checked(spark, ddl)
    return spark


def uninstall(spark: SparkSession) -> None:
    """Restore a session's own `sql`; the server's check is unchanged."""
    spark.__dict__.pop("sql", None)


def check(spark: SparkSession, text: str, filename: str | None = None) -> Report:
    """The findings of the server's checker on a text, with the tables of its session.

    Raises IcebergSqlError if the server has no checker.
    """
    try:
        rows = own_sql(spark)("SELECT * FROM iceberg_check(:text)", {"text": text}).collect()
    except PySparkException as error:
        if _condition(error).startswith(_NO_FUNCTION):
            raise IcebergSqlError(
                f"the server of this session does not check partition DDL\n{_START}"
            ) from None
        raise
    lines = Lines(text)
    found = tuple(_diagnostic(row, lines) for row in rows)
    return Report(text, found, filename, lines=lines)


def plan(spark: SparkSession, text: str) -> PlannedRows:
    """What the server says that one statement would do.

    Raises IcebergSqlError for text that cannot be planned, or if the server has no plans.
    """
    try:
        rows = own_sql(spark)("SELECT * FROM iceberg_plan(:text)", {"text": text}).collect()
    except PySparkException as error:
        if _condition(error).startswith(_NO_FUNCTION):
            raise IcebergSqlError(f"the server of this session makes no plans\n{_START}") from None
        raise IcebergSqlError(str(error).partition("\n")[0]) from None
    return PlannedRows(text, tuple(PlanRow(*row) for row in rows))


_SPECS = {rule.code: rule.spec for rule in ALL}


def _diagnostic(row: Row, lines: Lines) -> Diagnostic:
    code, name, severity, message, advice, *place = row
    start, end = (lines.start(line) + column - 1 for line, column in (place[:2], place[2:]))
    span = Span(start, end, *place)
    return Diagnostic(code, name, Severity(severity), message, span, advice, spec=_SPECS.get(code))


def own_sql(spark: SparkSession) -> Callable[..., DataFrame]:
    """The session's unchecked `sql`."""
    bound: Callable[..., DataFrame] = type(spark).sql.__get__(spark)
    return bound


def _checked(spark: SparkSession, ddl: str) -> Callable[..., DataFrame]:
    plain = own_sql(spark)

    def sql(sqlQuery: Any, args: Any = None, **kwargs: Any) -> DataFrame:  # noqa: N803 - pyspark's
        if isinstance(sqlQuery, str) and not args and not kwargs and _may_be_ddl(sqlQuery):
            # As in a classic session, a comment suppresses no error.
            report = check(spark, without_ignores(sqlQuery))
            _speak(replace(report, text=sqlQuery, lines=Lines(sqlQuery)), ddl)
        try:
            return plain(sqlQuery, args, **kwargs)
        except PySparkException as error:
            if _condition(error) != _REFUSED:
                raise
            raise IcebergSqlError(str(error.getMessage()).removeprefix(f"[{_REFUSED}] ")) from None

    return sql


def _condition(error: PySparkException) -> str:
    named = getattr(error, "getCondition", None) or error.getErrorClass  # before pyspark 4.0
    return named() or ""


def _may_be_ddl(text: str) -> bool:
    return _VERB.search(text) is not None and _QUERY.match(text) is None


def _speak(report: Report, ddl: str) -> None:
    if not report.diagnostics:
        return
    if ddl == "error" and report.refuses:
        raise IcebergSqlError(full(report), without_secrets(report))
    warnings.warn(full(report), IcebergSqlWarning, stacklevel=4)
