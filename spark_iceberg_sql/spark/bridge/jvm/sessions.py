"""Sessions in the JVM: the one that belongs to a Python object, and the one that is active on a thread."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.spark.bridge.jvm import gateway

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def identity(spark: SparkSession) -> tuple[str, str]:
    """The JVM's identifier of a session, and of its family: all sessions derived from one."""
    session = gateway.java_session(spark)
    # newSession() and cloneSession() share the same extensions object.
    family = gateway.java_class("java.lang.System").identityHashCode(session.extensions())
    return str(session.sessionUUID()), str(family)


def working_in(spark: SparkSession) -> AbstractContextManager[None]:
    """Make a session active on this thread, temporarily.

    Spark reads settings, including those of catalogs, from the active session. Another thread has none, or
    a different one, until a method of the session sets it.
    """
    return gateway.active(gateway.java_session(spark))


def clone(session: gateway.Java) -> gateway.Java:
    """A copy of a JVM session: its settings and views, and the catalog and namespace that USE chose."""
    copy = session.cloneSession()  # which starts in the default catalog
    source_manager = session.sessionState().catalogManager()
    manager = copy.sessionState().catalogManager()
    manager.setCurrentCatalog(source_manager.currentCatalog().name())
    manager.setCurrentNamespace(source_manager.currentNamespace())
    return copy


def substitute_settings(spark: SparkSession, text: str) -> str:
    """The text with `${name}` replaced from the session's settings, as Spark does before parsing."""
    if "${" not in text:
        return text
    try:
        with working_in(spark):
            substitution = gateway.java_class("org.apache.spark.sql.internal.VariableSubstitution")()
            return str(substitution.substitute(text))
    except (CapturedException, Py4JJavaError):  # a cyclic reference: Spark reports it
        return text


def double_quotes_are_names(spark: SparkSession) -> bool:
    """True if the session's settings make `"name"` an identifier, not a string."""
    return bool(gateway.java_session(spark).sessionState().conf().doubleQuotedIdentifiers())
