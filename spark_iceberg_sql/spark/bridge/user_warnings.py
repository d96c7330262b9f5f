"""Warnings about a user's statement, at the user's own line.

A statement is checked and optimised far below the call that contains it, in callbacks from the JVM. py4j runs these
on its own thread, while the thread of the call waits for the JVM's answer.
"""

from __future__ import annotations

import inspect
import sys
import threading
import warnings
from types import FrameType

from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.outgoing import visible_lines

# Modules whose frames lie between a user's call and a warning about it.
_BETWEEN = ("spark_iceberg_sql.api", "spark_iceberg_sql.spark", "pyspark", "py4j", "threading")


def warn(message: str) -> None:
    """Issue an IcebergSqlWarning at the user's call; without a line of the user's if it came from another client."""
    message, call = visible_lines(message), _call()
    if call is None:
        warnings.warn(message, IcebergSqlWarning, stacklevel=1)
        return
    warnings.warn_explicit(
        message,
        IcebergSqlWarning,
        call.f_code.co_filename,
        call.f_lineno,
        call.f_globals.get("__name__", "<unknown>"),
        # As warnings.warn does, so that the user's filters apply once per line of the user's module.
        call.f_globals.setdefault("__warningregistry__", {}),
    )


def _call() -> FrameType | None:
    """The user's frame: on this thread, or on the one thread that waits for the JVM, or on the main
    thread.
    """
    if (frame := _outside(inspect.currentframe())) is not None:
        return frame
    waiting = {
        thread: call
        for thread, frame in sys._current_frames().items()
        if (call := _outside(_in_py4j(frame))) is not None
    }
    if len(waiting) == 1:
        return next(iter(waiting.values()))
    return waiting.get(threading.main_thread().ident or 0)


def _in_py4j(frame: FrameType | None) -> FrameType | None:
    while frame is not None and not _module(frame).startswith("py4j"):
        frame = frame.f_back
    return frame


def _outside(frame: FrameType | None) -> FrameType | None:
    while frame is not None and _module(frame).startswith(_BETWEEN):
        frame = frame.f_back
    return frame


def _module(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    return name if isinstance(name, str) else ""
