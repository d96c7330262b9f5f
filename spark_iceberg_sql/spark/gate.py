"""The gate: partition DDL is checked before Spark sees it; everything else passes untouched.

    text -> may it be partition DDL? -> check against the live catalog -> the same tokens -> spark.sql

A statement with an error never reaches Spark. Where the checker is unsure it says so, in a warning,
and Spark has the last word.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql.sql_formatter import SQLStringFormatter

from spark_iceberg_sql.checker import check
from spark_iceberg_sql.ddl import routing
from spark_iceberg_sql.diagnostics import IcebergSqlError, Report
from spark_iceberg_sql.render import full
from spark_iceberg_sql.spark import refusals, spelled, written
from spark_iceberg_sql.spark.catalog import SessionKnown
from spark_iceberg_sql.text import statements

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MODES = ("error", "warn", "off")

# A statement without one of these words cannot change a partitioning: it is not even tokenised.
_WORDS = ("create", "replace", "alter", "overwrite")
_CANDIDATE = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
# Another session's commit came first: nothing of ours was written, so the statement may go again.
_ATTEMPTS = 5


class IcebergSqlWarning(UserWarning):
    """What the gate says of a statement that it lets pass."""


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Make `spark.sql` check partition DDL first; again with another mode changes the mode.

    spark: the session; sessions made from it by `newSession()` are gated too.
    ddl: `error` refuses a statement that would fail or break the table, `warn` turns the refusal
    into an IcebergSqlWarning and passes the statement on, `off` takes the gate away.
    Raises IcebergSqlError for any other mode.
    """
    if ddl not in MODES:
        raise IcebergSqlError(f'ddl is "error", "warn" or "off", not {ddl!r}')
    uninstall(spark)
    if ddl != "off":
        spark.__dict__["sql"] = _gated_sql(spark, ddl)
        spark.__dict__["newSession"] = _gated_new_session(spark, ddl)
    return spark


def uninstall(spark: SparkSession) -> None:
    """Give the session its own `sql` and `newSession` back."""
    for name in ("sql", "newSession"):
        spark.__dict__.pop(name, None)


def own_sql(spark: SparkSession, args: Any = None) -> Callable[..., DataFrame]:
    """The session's ungated `sql`; args: values of parameters, given with each call."""
    return functools.partial(_own(spark, "sql"), args=args)


def _own(spark: SparkSession, method: str) -> Callable[..., Any]:
    bound: Callable[..., Any] = getattr(type(spark), method).__get__(spark)
    return bound


def _gated_sql(spark: SparkSession, ddl: str) -> Callable[..., DataFrame]:
    own = _own(spark, "sql")

    @functools.wraps(own)
    def gated(sqlQuery: str, args: Any = None, **kwargs: Any) -> DataFrame:  # noqa: N803
        return _checked(spark, own, ddl, sqlQuery, args, kwargs)

    return gated


def _gated_new_session(spark: SparkSession, ddl: str) -> Callable[[], SparkSession]:
    own = _own(spark, "newSession")

    @functools.wraps(own)
    def gated() -> SparkSession:
        return install(own(), ddl)

    return gated


def sql(spark: SparkSession, text: str, args: Any = None, **kwargs: Any) -> DataFrame:
    """Check a statement, then hand it to Spark; no installation needed.

    spark: the session. text: one SQL statement. args, keyword values: as of `spark.sql`.
    Returns what `spark.sql` returns. Raises IcebergSqlError, with the report, for a statement that
    would fail or break its table; nothing of it has run then.
    """
    return _checked(spark, _own(spark, "sql"), "error", text, args, kwargs)


def _checked(
    spark: SparkSession,
    own: Callable[..., DataFrame],
    ddl: str,
    text: Any,
    args: Any,
    kwargs: dict[str, Any],
) -> DataFrame:
    if not isinstance(text, str):
        return own(text, args, **kwargs)  # Spark says what it takes
    text = spelled.in_spark_s_words(spark, text)
    written.refuse_copies(spark, text, args)
    if not _may_be_ddl(text):
        return own(text, args, **kwargs)
    for attempt in range(1, _ATTEMPTS + 1):
        with _formatted(spark, text, kwargs) as plain:
            known = SessionKnown(spark, own_sql(spark, args))
            report = check(plain, known, repaired=True)
        _speak(report, ddl)
        try:
            return own(_handed_on(text), args, **kwargs)
        except Exception as error:
            if attempt < _ATTEMPTS and refusals.lost_a_race(error):
                continue
            raise refusals.explained(spark, error) from None
    raise AssertionError("the loop returns or raises")


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
