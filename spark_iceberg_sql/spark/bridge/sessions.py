"""Sessions of the JVM: which one a Python object stands for, and which one a thread works in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.spark.bridge import jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What a call raises once the JVM, or the Spark context in it, is gone.
NO_ANSWER = (Py4JError, OSError, AttributeError, TypeError)


def identity(spark: SparkSession) -> tuple[str, str]:
    """The JVM's name for a session, and one for its family: all the sessions that come from one."""
    session = jvm.java_session(spark)
    # newSession() and cloneSession() hand the very same extensions on.
    family = jvm.java_class("java.lang.System").identityHashCode(session.extensions())
    return str(session.sessionUUID()), str(family)


@contextmanager
def working_in(spark: SparkSession) -> Iterator[None]:
    """Make a session this thread's active one for a while.

    Spark reads the settings of the active session, and those of a catalog are among them: a thread
    of its own has none, or another session's, until the session's own methods have set it.
    """
    sessions = jvm.scala_object("org.apache.spark.sql.classic.SparkSession")
    before = sessions.getActiveSession()
    sessions.setActiveSession(jvm.java_session(spark))
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def substituted(spark: SparkSession, text: str) -> str:
    """The text with `${name}` replaced as Spark does it before it parses, from the session's settings."""
    if "${" not in text:
        return text
    try:
        with working_in(spark):
            made = jvm.java_class("org.apache.spark.sql.internal.VariableSubstitution")()
            return str(made.substitute(text))
    except (CapturedException, Py4JJavaError):  # one that names itself: Spark says so
        return text


def double_quotes_are_names(spark: SparkSession) -> bool:
    """Whether the session's settings make `"name"` an identifier, not a string."""
    return bool(jvm.java_session(spark).sessionState().conf().doubleQuotedIdentifiers())
