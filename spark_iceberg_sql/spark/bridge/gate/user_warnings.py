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
from spark_iceberg_sql.safe_output import visible_lines

# Modules whose frames lie between a user's call and a warning about it.
_INTERNAL_MODULES = (
    "spark_iceberg_sql.api",
    "spark_iceberg_sql.insight",
    "spark_iceberg_sql.sessions",
    "spark_iceberg_sql.spark",
    "pyspark",
    "py4j",
    "contextlib",
    "threading",
)


def warn(message: str, category: type[Warning] = IcebergSqlWarning) -> None:
    """Issue a warning at the user's call; without a line of the user's if it came from another client."""
    message, frame = visible_lines(message), _user_frame()
    if frame is None:
        warnings.warn(message, category, stacklevel=1)
        return
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        # As warnings.warn does, so that the user's filters apply once per line of the user's module.
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _user_frame() -> FrameType | None:
    """The user's frame: on this thread, or on the one thread that waits for the JVM, or on the main
    thread.
    """
    if (frame := _outside_frame(inspect.currentframe())) is not None:
        return frame
    waiting = {
        thread: user_frame
        for thread, frame in sys._current_frames().items()
        if (user_frame := _outside_frame(_py4j_frame(frame))) is not None
    }
    if len(waiting) == 1:
        return next(iter(waiting.values()))
    return waiting.get(threading.main_thread().ident or 0)


def _py4j_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and not _module(frame).startswith("py4j"):
        frame = frame.f_back
    return frame


def _outside_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and _module(frame).startswith(_INTERNAL_MODULES):
        frame = frame.f_back
    return frame


def _module(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    return name if isinstance(name, str) else ""
