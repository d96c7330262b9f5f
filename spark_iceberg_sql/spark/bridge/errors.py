"""The messages of Java exceptions, for the errors of the table functions."""

from __future__ import annotations

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.spark.bridge import jvm
from spark_iceberg_sql.spark.bridge.jvm import Java

JVM_ERRORS = (Py4JJavaError, CapturedException)
# Includes calls of methods that an object does not have: a metadata table has no operations.
BRIDGE_ERRORS = (*JVM_ERRORS, Py4JError)


def thrown_by(error: Exception) -> Java:
    """The Java exception behind one of JVM_ERRORS."""
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)


def message(error: Exception) -> str:
    """A Java exception's message: its first line, and the first line of its first cause if that differs."""
    thrown = thrown_by(error)
    said: list[str] = []
    while thrown is not None and len(said) < 2:
        text = str(thrown.getMessage() or thrown.getClass().getSimpleName()).strip()
        line = text.splitlines()[0] if text else ""
        if line and not any(line in earlier for earlier in said):
            said.append(line)
        thrown = thrown.getCause()
    return ": ".join(said) or type(error).__name__


def is_analysis_error(error: Exception) -> bool:
    """Whether Spark itself refused the statement, with one of its own error conditions."""
    thrown = thrown_by(error)
    return thrown is not None and bool(
        is_instance_of(jvm.gateway(), thrown, "org.apache.spark.sql.AnalysisException")
    )
