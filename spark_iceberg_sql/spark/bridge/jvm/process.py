"""The process of the JVM that pyspark has started: whether it has ended, and how pyspark forgets one that has."""

from __future__ import annotations

import functools
import logging
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import JavaError

# org.apache.spark.util.SparkExitCode: OOM, and an exception while another is handled, as the next OutOfMemoryError is.
_OUT_OF_MEMORY = (52, 51)
# In the message of an error that may be the last one of a JVM.
_FATAL_MESSAGES = ("SparkContext was shut down", "OutOfMemoryError", "Java heap space")
_PATIENCE = 15  # seconds from such an error to the exit of the process, which may survive it
_EXIT = 30  # seconds from its last connection to its exit, with little memory on a busy machine
_RESTART = "help: spark = sis.session() starts a new one; config={'spark.driver.memory': '8g'} gives it more memory"


def has_ended() -> bool:
    """True if this process's JVM has ended, killed or out of memory; False if there is none."""
    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def ended_error(work: str | None = None) -> JavaError:
    """The error for a JVM that has ended. work: what it was doing, such as `the write`."""
    process = getattr(SparkContext._gateway, "proc", None)
    is_out_of_memory = process is not None and process.poll() in _OUT_OF_MEMORY
    cause = "ran out of memory" if is_out_of_memory else "was stopped from outside, or ran out of memory"
    if work is None:
        return JavaError(f"Spark has ended: it {cause}\n{_RESTART}")
    return JavaError(
        f"{work} has failed: Spark has ended, since it {cause}\n{_RESTART}\n"
        "help: with the table property 'write.spark.fanout.enabled' = 'false', a write sorts its rows by partition "
        "instead of keeping a file open for each partition"
    )


def has_ended_by(error: Exception) -> bool:
    """True if a call has failed because the JVM has ended, or is about to.

    error: raised by the call. The JVM's process may still be running for a moment; its exit is waited for.
    """
    if not isinstance(error, (ConnectionError, Py4JError, CapturedException)):
        return has_ended()
    try:
        message = str(error)  # asks the JVM for the message
    except Exception:
        return _ends_within(_EXIT)
    # py4j's own error: the connection is lost, or Java has no such method.
    is_lost = type(error) in (Py4JError, Py4JNetworkError) and "does not exist" not in message
    if is_lost or isinstance(error, ConnectionError):
        return _ends_within(_EXIT)
    if any(phrase in message for phrase in _FATAL_MESSAGES) and _ends_within(_PATIENCE):
        return True
    return _ends_within(_EXIT if _is_context_stopped() else 0)


def _is_context_stopped() -> bool:
    """True if Java has stopped the context that pyspark holds, as it does on its way out, or no longer answers.

    Whatever then calls a session fails, with errors of any text.
    """
    context = SparkContext._active_spark_context
    try:
        return context is not None and bool(context._jsc.sc().isStopped())
    except Exception:
        return True


def _ends_within(seconds: float) -> bool:
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None and seconds:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    return has_ended()


def report_end(gateway: Any, is_enabled: bool) -> None:
    """Make every call to a JVM that has ended raise JavaError, whichever of pyspark's functions makes it.

    gateway: py4j's. is_enabled: False for pyspark's own error, a refused connection with its traceback.
    """
    client = gateway._gateway_client
    if not is_enabled:
        vars(client).pop("send_command", None)
        logging.root.removeFilter(_may_log)
    elif "send_command" not in vars(client):
        client.send_command = _reporting(client)
        logging.root.addFilter(_may_log)


def _may_log(record: logging.LogRecord) -> bool:
    """False for py4j's record, with two tracebacks, about a command to a JVM that has ended, or is just ending."""
    return record.msg != "Exception while sending command." or not _ends_within(_PATIENCE)


def _reporting(client: Any) -> Callable[..., Any]:
    @functools.wraps(client.send_command)
    def reporting(*args: Any, **kwargs: Any) -> Any:
        try:
            # Looked up at each call: others may replace it.
            return type(client).send_command(client, *args, **kwargs)
        except ConnectionRefusedError:
            if not _ends_within(_EXIT):
                raise
            raise ended_error() from None

    return reporting


def forget_ended() -> None:
    """Forget a JVM that has ended: pyspark would go on using the closed connection."""
    gateway = SparkContext._gateway
    if gateway is None or not has_ended():
        return
    with suppress(Exception):  # it closes sockets that may be closed
        gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None
    for name in ("_activeSession", "_default_session"):
        if hasattr(SparkSession, name):
            setattr(SparkSession, name, None)
