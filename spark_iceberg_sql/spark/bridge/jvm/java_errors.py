"""Java exceptions: their causes and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.spark.bridge.jvm import gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

JVM_ERRORS = (Py4JJavaError, CapturedException)
# Includes calls of methods that an object does not have: a metadata table has no operations.
BRIDGE_ERRORS = (*JVM_ERRORS, Py4JError)
# Of the optimizer rules: no filter on a partition field, a manifest that is not whole.
_REFUSALS = ("sparkicebergsql.MissingFilter", "sparkicebergsql.TruncatedFile")
_MEANINGS = {"EOFException": "the file ends too early"}
_MISSING_CLASS = ("ClassNotFoundException", "NoClassDefFoundError")
_LINKAGE_ERROR = "java.lang.LinkageError"
_DEPTH = 20  # a chain of causes may be cyclic


def thrown_by(error: Exception) -> Java:
    """The Java exception behind one of JVM_ERRORS."""
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)


def causes(thrown: Java | None) -> Iterator[Java]:
    """A Java exception, then its causes, outermost first; nothing for None."""
    for _ in range(_DEPTH):
        if thrown is None:
            return
        yield thrown
        thrown = thrown.getCause()


def first_line(thrown: Java) -> str:
    """The first line of a Java exception's message; what its class means if it has none."""
    class_name = str(thrown.getClass().getSimpleName())
    text = str(thrown.getMessage() or "").strip() or class_name
    if class_name in _MISSING_CLASS and re.fullmatch(r"[\w./$]+", text):
        return f"the class {text.replace('/', '.')} is missing"
    return _MEANINGS.get(text, text.splitlines()[0])


def message(error: Exception) -> str:
    """A Java exception's message: its first line, and the first line of its first cause if that differs.

    For a failed job, the message of the task's error.
    """
    messages: list[str] = []
    for thrown in causes(thrown_by(error)):
        if str(thrown.getMessage()).startswith("Job aborted") and thrown.getCause() is not None:
            continue
        line = first_line(thrown)
        if line and not any(line in earlier for earlier in messages):
            messages.append(line)
        if len(messages) == 2:
            break
    return ": ".join(messages) or type(error).__name__


def internal_error(error: Exception) -> str | None:
    """What Spark reports as an internal error, by its innermost cause; None for any other error."""
    chain = list(causes(thrown_by(error)))
    if len(chain) < 2 or "[INTERNAL_ERROR]" not in str(chain[0].getMessage()):
        return None
    frames = chain[-1].getStackTrace()
    place = f" in {frames[0].getClassName()}.{frames[0].getMethodName()}" if len(frames) else ""
    class_name = chain[-1].getClass().getSimpleName()
    return f"Spark failed with an internal error: {class_name}{place}: {first_line(chain[-1])}"


def linkage_error(error: Exception) -> str | None:
    """Which class or method a jar of the session does not find in this Spark; None for any other error."""
    for thrown in causes(thrown_by(error)):
        if is_instance_of(gateway.gateway(), thrown, _LINKAGE_ERROR):
            class_name = str(thrown.getClass().getSimpleName())
            missing = first_line(thrown) if class_name in _MISSING_CLASS else f"{class_name}: {first_line(thrown)}"
            return f"a jar of this session is for another version of Spark or of its libraries: {missing}"
    return None


def refused_value(error: Exception) -> str | None:
    """Why a table function has refused the value of an argument, without Spark's frame; None for any other error."""
    thrown = thrown_by(error)
    if not is_analysis_error(error) or shims.condition(thrown) != "INVALID_PARAMETER_VALUE.PATTERN":
        return None
    return str(thrown.getMessageParameters().get("value"))


def refused_scan(error: Exception) -> str | None:
    """The text of the refusal of a scan by an optimizer rule; None for any other error."""
    for thrown in causes(thrown_by(error)):
        if str(thrown.getClass().getName()) in _REFUSALS:
            return str(thrown.getMessage())
    return None


def is_analysis_error(error: Exception) -> bool:
    """True if Spark itself refused the statement, with one of its own error conditions."""
    thrown = thrown_by(error)
    return thrown is not None and bool(
        is_instance_of(gateway.gateway(), thrown, "org.apache.spark.sql.AnalysisException")
    )
