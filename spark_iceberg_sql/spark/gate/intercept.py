"""The gate: partition DDL is checked before Spark runs it; everything else passes unchanged.

It wraps each session's parser in the JVM, so it sees statements from every client: Python, Scala, Spark Connect,
Thrift, EXECUTE IMMEDIATE. A command without SQL text, such as a DataFrame writer's, is checked when Spark optimizes it.
`java/Gate.java` decides which statements are passed to Python; `admission.py` checks them.

    text or plan -> may it be partition DDL? -> check against the live catalog -> the same tokens -> Spark

A statement with an error never reaches Spark. If the checker is unsure, it raises a warning and lets Spark run the
statement.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.metadata_functions import NAMES
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import compiler, process
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, gateway, java_session
from spark_iceberg_sql.spark.gate import conflicts, read_errors, write_errors
from spark_iceberg_sql.spark.gate.admission import admit
from spark_iceberg_sql.spark.gate.recognizers import Failure, Place, explained
from spark_iceberg_sql.spark.modes import validated_mode
from spark_iceberg_sql.spark.optimizer import injection
from spark_iceberg_sql.syntax import failed_commits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Another session committed first: a statement of one commit wrote nothing, so it can be retried.
_ATTEMPTS = 5


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Check partition DDL before Spark runs it; call it again to change the mode.

    spark: the session. Sessions derived from it are checked too, however they were created: by
    `newSession()`, as a streaming query's clone, for a client of Spark Connect. Unless installed themselves,
    they use the strictest mode of any session in the family.
    ddl: `error` refuses a statement that would fail or damage the table, `warn` raises an IcebergSqlWarning instead and
    runs the statement, `off` removes the gate; errors are explained in each mode.
    Raises IcebergSqlError for any other mode, and if the gate cannot be built for this version of Spark.
    """
    if validated_mode(ddl) != "off" or requests.existing_gate() is not None:
        _jvm_gate().install(java_session(spark), ddl)
    _explain_errors(explains=True)
    return spark


def ensure(spark: SparkSession) -> None:
    """Put the gate into a session and those derived from it without a mode, so that clients of Hive's protocol can
    connect. Raises IcebergSqlError if it cannot be built for this version of Spark.
    """
    _jvm_gate().ensure(java_session(spark))


def uninstall(spark: SparkSession) -> None:
    """Remove the gate from a session; after the last checked one, also restore `SparkSession.sql` and the actions."""
    if requests.existing_gate() is not None:
        _jvm_gate().install(java_session(spark), "off")
    _explain_errors(explains=requests.is_enforced())


def _explain_errors(*, explains: bool) -> None:
    """Explain the errors of `SparkSession.sql`, of DataFrames and of their writers, or leave all of them to pyspark."""
    SparkSession.sql = _explained_sql if explains else _PLAIN_SQL  # type: ignore[method-assign]
    if explains:
        read_errors.install(explained_action)
        write_errors.install(explained_write)
    else:
        read_errors.uninstall()
        write_errors.uninstall()
    process.report_end(gateway(), explains)


def _sources() -> list[tuple[str, str]]:
    scala_types = compiler.source(injection.__package__ or "", "ScalaTypes")
    return [("ScalaTypes", scala_types), *compiler.sources(__package__ or "", "Gate")]


def _jvm_gate() -> Java:
    try:
        return requests.ensure_gate(_sources(), NAMES, admit)
    except ValueError as error:
        raise IcebergSqlError(
            f"the check of partition DDL cannot be built for this version of Spark: {error}\n"
            'help: install without it: install(spark, ddl="off")'
        ) from None


# Taken once, at import: install() replaces SparkSession.sql, and uninstall() must restore this one.
_PLAIN_SQL = SparkSession.sql


@functools.wraps(_PLAIN_SQL)
def _explained_sql(self: SparkSession, sqlQuery: Any, args: Any = None, **kwargs: Any) -> DataFrame:  # noqa: N803
    """`spark.sql` with a retry of DDL if another session committed first, and with explanations of Spark's errors.

    It checks nothing: the gate is in the JVM.
    """
    return _run(self, sqlQuery, args, kwargs)


def _run(spark: SparkSession, text: Any, args: Any, kwargs: dict[str, Any]) -> DataFrame:
    for attempt in range(1, _ATTEMPTS + 1):
        started_ms = int(time.time() * 1000)
        try:
            return _bound_sql(spark)(text, args, **kwargs)
        except Exception as error:
            if attempt < _ATTEMPTS and failed_commits.is_retryable(text) and conflicts.is_lost_race(error):
                continue
            failure = Failure(spark, error, text, started_ms=started_ms)
            shown = explained(failure, Place.STATEMENT)
            if shown is None or shown is error:
                raise
        raise shown from None
    raise AssertionError("the last attempt returns or raises")


def explained_action(frame: DataFrame, error: Exception, started_ms: int, _: object) -> Exception | None:
    """The error to show for one of a DataFrame's action; None to show that one. started_ms: when it began."""
    return explained(Failure(frame.sparkSession, error, frame=frame, started_ms=started_ms), Place.ACTION)


def explained_write(spark: SparkSession, error: Exception, started_ms: int, table: object) -> Exception | None:
    """The same for a writer; table: the name that it was given."""
    return explained(Failure(spark, error, table=table, started_ms=started_ms), Place.WRITER)


def unchecked_sql(spark: SparkSession, args: Any = None) -> Callable[..., DataFrame]:
    """The session's unchecked `sql`. args: parameter values, passed with each call."""

    def unchecked(text: str) -> DataFrame:
        with requests.mode_override("off", text):
            return _bound_sql(spark)(text, args)

    return unchecked


def _bound_sql(spark: SparkSession) -> Callable[..., DataFrame]:
    bound: Callable[..., DataFrame] = _PLAIN_SQL.__get__(spark)
    return bound


def sql(spark: SparkSession, text: str, args: Any = None, **kwargs: Any) -> DataFrame:
    """Check a statement, then pass it to Spark; no installation needed.

    A session that has never had the optimizer rules gets them: one of them refuses writes to copied tables.

    spark: the session. text: one SQL statement. args, keyword values: as for `spark.sql`.
    Returns what `spark.sql` returns. Raises IcebergSqlError, with the report, for a statement that would fail or damage
    its table, before any of it runs.
    """
    injection.ensure(spark)
    _jvm_gate().ensure(java_session(spark))
    with requests.mode_override("error"):
        return _run(spark, text, args, kwargs)
