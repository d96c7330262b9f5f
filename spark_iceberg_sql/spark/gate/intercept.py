"""The gate: partition DDL is checked before Spark sees it; everything else passes untouched.

    text -> may it be partition DDL? -> check against the live catalog -> the same tokens -> spark.sql

A statement with an error never reaches Spark. If the checker is unsure, it raises a warning and passes
the statement on to Spark.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.sql_formatter import SQLStringFormatter

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.report import full
from spark_iceberg_sql.spark.bridge import sessions
from spark_iceberg_sql.spark.gate import clickhouse, explain_errors
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.spark.optimizer import injection
from spark_iceberg_sql.syntax import routing
from spark_iceberg_sql.syntax.clickhouse import may_need_translation
from spark_iceberg_sql.syntax.lexer import Kind, tokenize
from spark_iceberg_sql.syntax.script import statements

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MODES = ("error", "warn", "off")

# A statement without one of these words cannot change a partitioning: it is not even tokenised.
_WORDS = ("create", "replace", "alter", "overwrite")
_CANDIDATE = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
# Another session's commit came first: nothing of ours was written, so the statement may go again.
_ATTEMPTS = 5


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Make `spark.sql` check partition DDL first; calling it again with another mode changes the mode.

    spark: the session. Sessions derived from it are gated too, however they were created: by
    `newSession()`, as a streaming query's clone, by `SparkSession(sc)`. Unless installed themselves,
    they use the strictest mode of any session in the family.
    ddl: `error` refuses a statement that would fail or damage the table, `warn` raises an
    IcebergSqlWarning instead and passes the statement on, `off` removes the gate.
    Raises IcebergSqlError for any other mode.
    """
    if ddl not in MODES:
        raise IcebergSqlError(f'ddl must be "error", "warn" or "off", not {ddl!r}')
    _remember(spark, ddl)
    # On the class: a session has many Python objects, and each of them is to be gated.
    SparkSession.sql = _gated_sql if _sessions else _PLAIN_SQL  # type: ignore[method-assign]
    return spark


def uninstall(spark: SparkSession) -> None:
    """Remove the gate from a session; after the last one, Spark's class has its own `sql` again."""
    install(spark, "off")


@dataclass(frozen=True, slots=True)
class _Session:
    """An installed session. family: shared by all sessions derived from one. application: that of its Spark context."""

    family: str
    mode: str
    application: str


_sessions: dict[str, _Session] = {}  # by the JVM's name for the session


def _remember(spark: SparkSession, ddl: str) -> None:
    name, family = sessions.identity(spark)
    application = spark.sparkContext.applicationId
    _sessions[name] = _Session(family, ddl, application)
    known = dict(_sessions)  # other threads may add to it
    over = all(session.mode == "off" for session in known.values())
    for other, session in known.items():
        if over or session.application != application:
            _sessions.pop(other, None)


def _mode(spark: SparkSession) -> str:
    """The mode of a session: its own if installed, otherwise the strictest in its family."""
    try:
        name, family = sessions.identity(spark)
    except sessions.NO_ANSWER:  # the session has ended, and Spark says so itself
        return "off"
    known = dict(_sessions)
    if name in known:
        return known[name].mode
    modes = {session.mode for session in known.values() if session.family == family}
    return next((mode for mode in MODES if mode in modes), "off")


_PLAIN_SQL = SparkSession.sql


@functools.wraps(_PLAIN_SQL)
def _gated_sql(self: SparkSession, sqlQuery: Any, args: Any = None, **kwargs: Any) -> DataFrame:  # noqa: N803
    own = _own(self)
    if not _is_ours(sqlQuery, kwargs) or (ddl := _mode(self)) == "off":
        return own(sqlQuery, args, **kwargs)
    return _checked(self, own, ddl, sqlQuery, args, kwargs)


def own_sql(spark: SparkSession, args: Any = None) -> Callable[..., DataFrame]:
    """The session's ungated `sql`; args: values of parameters, given with each call."""
    return functools.partial(_own(spark), args=args)


def _own(spark: SparkSession) -> Callable[..., DataFrame]:
    bound: Callable[..., DataFrame] = _PLAIN_SQL.__get__(spark)
    return bound


def sql(spark: SparkSession, text: str, args: Any = None, **kwargs: Any) -> DataFrame:
    """Check a statement, then pass it to Spark; no installation needed.

    A session that has never had the optimizer rules gets them: one of them refuses writes to copied tables.

    spark: the session. text: one SQL statement. args, keyword values: as of `spark.sql`.
    Returns what `spark.sql` returns. Raises IcebergSqlError, with the report, for a statement that
    would fail or damage its table, before any of it runs.
    """
    own = _own(spark)
    injection.ensure(spark)
    if not _is_ours(text, kwargs):
        return own(text, args, **kwargs)
    return _checked(spark, own, "error", text, args, kwargs)


def _checked(
    spark: SparkSession,
    own: Callable[..., DataFrame],
    ddl: str,
    text: str,
    args: Any,
    kwargs: dict[str, Any],
) -> DataFrame:
    text = clickhouse.in_spark_s_words(spark, text)
    for attempt in range(1, _ATTEMPTS + 1):
        with _formatted(spark, text, kwargs) as plain:
            plain = _in_backticks(spark, sessions.substituted(spark, plain))
            if not _may_be_ddl(plain):
                break
            report = check(plain, SessionTables(spark, own_sql(spark, args)), repaired=True)
        _speak(report, ddl)
        try:
            return own(_handed_on(text), args, **kwargs)
        except Exception as error:
            if attempt < _ATTEMPTS and explain_errors.lost_a_race(error):
                continue
            raise explain_errors.explained(spark, error) from None
    return own(text, args, **kwargs)


def _in_backticks(spark: SparkSession, text: str) -> str:
    """The text with names in double quotes in backticks, at the same offsets, if the session reads them as names.

    Iceberg's grammar never does.
    """
    if '"' not in text or routing.goes_to_iceberg(text):
        return text
    if not sessions.double_quotes_are_names(spark):
        return text
    for token in tokenize(text):
        name = token.text[1:-1].replace('""', '"')
        if token.kind is Kind.DOUBLE and token.text.endswith('"') and "`" not in name:
            text = text[: token.start] + f"`{name}`".ljust(len(token.text)) + text[token.end :]
    return text


def _is_ours(text: Any, kwargs: dict[str, Any]) -> bool:
    """Whether to check a statement: by its keywords, or because Spark's substitutions may add them."""
    if not isinstance(text, str):
        return False  # Spark says what it takes
    hidden = bool(kwargs) or "${" in text
    return hidden or may_need_translation(text) or _may_be_ddl(text)


def _may_be_ddl(text: str) -> bool:
    if text.isascii():  # plain searches are a hundred times faster, on texts that may be long
        low = text.lower()
        if not any(word in low for word in _WORDS):
            return False
    return _CANDIDATE.search(text) is not None


def _handed_on(text: str) -> str:
    found = statements(text)
    return routing.handed_on(found[0]) if len(found) == 1 else text


@contextmanager
def _formatted(spark: SparkSession, text: str, kwargs: dict[str, Any]) -> Iterator[str]:
    """The text as `spark.sql` will format it with its keyword values, while it means something."""
    if not kwargs:
        yield text
        return
    formatter = SQLStringFormatter(spark)
    try:
        yield formatter.format(text, **kwargs)
    finally:
        formatter.clear()


def _speak(report: Report, ddl: str) -> None:
    if not report.diagnostics:
        return
    words = full(report)
    if ddl == "error" and report.refuses:
        raise IcebergSqlError(words, report)
    warnings.warn(words, IcebergSqlWarning, stacklevel=4)
