"""Work of a callback that waits for files, while other statements go on.

Spark calls the builder of a table function with the monitor of the session's SessionCatalog, which every statement
needs. The work therefore runs on its own thread, and the callback waits on that monitor, as Object.wait does:
it is free meanwhile. The catalog is not in the middle of a change there; it only looks a function up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from typing import TypeVar

from pyspark import InheritableThread

from spark_iceberg_sql.spark.bridge.jvm import gateway, logs
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS

_HELD_SECONDS = 0.1  # seconds that the monitor is kept: most calls need less
_PAUSE_MS = 20  # milliseconds

Result = TypeVar("Result")


def without_lock(work: Callable[[], Result], timeout: float) -> Result:
    """Do work on another thread, for the same session and statement, and return its result.

    timeout: seconds. Raises what the work raises, and TimeoutError; the work then goes on unattended, since a
    read of a file system cannot be interrupted.
    """
    session = gateway.active_session()
    origin = gateway.java_class("org.apache.spark.sql.catalyst.trees.CurrentOrigin")
    statement = origin.get()
    future: Future[Result] = Future()

    def run() -> None:
        try:
            with gateway.active(session), logs.in_callback():
                origin.set(statement)
                future.set_result(work())
        except BaseException as error:  # raised again where it is awaited
            future.set_exception(error)

    thread = InheritableThread(target=run)
    thread.daemon = True
    thread.start()
    return _await(future, session.sessionState().catalog(), time.monotonic() + timeout)


def _await(future: Future[Result], monitor: Java, deadline: float) -> Result:
    pause = _HELD_SECONDS
    while True:
        try:
            return future.result(pause)
        except NotYetError:
            if future.done():  # the work's own error
                raise
        if time.monotonic() > deadline:
            raise TimeoutError
        pause = 0.0
        try:
            monitor.wait(_PAUSE_MS)
        except JVM_ERRORS:  # this Spark does not hold it
            pause = _PAUSE_MS / 1000
