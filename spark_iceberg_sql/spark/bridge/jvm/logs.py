"""Which of py4j's and pyspark's log records are errors that the user sees anyway, and are not logged."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from py4j.protocol import Py4JJavaError

from spark_iceberg_sql.spark.bridge.jvm import shims


class CallbackError(Py4JJavaError):  # type: ignore[misc]
    """A Java exception on its way through a callback into the JVM."""


_QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
refused_messages: deque[str] = deque(maxlen=64)  # Spark's, of the last refusals
_native: set[str] = set()  # names, as in messages, of JVM functions that refuse calls themselves
# .runs: whether this thread is in a callback; .quiet: whether its errors are not logged.
_callback = threading.local()


def may_log(record: logging.LogRecord) -> bool:
    """True if a record may be logged.

    py4j logs a traceback for each exception that leaves a callback, and pyspark a line of JSON
    with the Java stack for each AnalysisException: both repeat an error that the user sees anyway.
    """
    if record.exc_info and isinstance(record.exc_info[1], CallbackError):
        return False
    silent = getattr(_callback, "runs", False) or getattr(_callback, "quiet", False)
    message = str(record.msg)
    return not (silent or message in refused_messages or any(name in message for name in _native))


@contextmanager
def _marked_thread(mark: str) -> Iterator[None]:
    before = getattr(_callback, mark, False)  # within another one, the mark stays after this one
    setattr(_callback, mark, True)
    try:
        yield
    finally:
        setattr(_callback, mark, before)


def without_error_logs() -> AbstractContextManager[None]:
    """Suppress the logging of errors on this thread, where a failure is an expected result."""
    install_filter()
    return _marked_thread("quiet")


def in_callback() -> AbstractContextManager[None]:
    """Mark this thread as one that works for a callback, whose errors pyspark does not log."""
    return _marked_thread("runs")


def suppress_logs_of(function: str) -> None:
    """Suppress the logging of a JVM function's refusals: the user sees the error anyway."""
    _native.add(f"`{function}`")
    install_filter()


def install_filter() -> None:
    """Let the loggers of py4j and pyspark ask `may_log`."""
    for name in ("py4j.clientserver", "py4j.java_gateway"):
        logging.getLogger(name).addFilter(may_log)
    for name in _QUERY_LOGGERS:
        shims.logger(name).addFilter(may_log)


def log_queries(is_enabled: bool) -> None:
    """Set whether pyspark also logs each query error, as a line of JSON with the Java stack."""
    for name in _QUERY_LOGGERS:
        shims.logger(name).disabled = not is_enabled
