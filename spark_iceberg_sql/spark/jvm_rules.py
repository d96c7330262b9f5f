"""Optimizer rules through py4j: compile their Java text with Spark's own Janino, and reach what came of it.

Janino compiles in tens of milliseconds, on the driver alone: executors see Spark's and Iceberg's classes
and nothing of ours. A py4j proxy cannot do this, as Rule is a class.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

# Per JVM, that is per gateway: the JVM outlives SparkSession.stop().
_TABLES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def gateway(spark: SparkSession) -> Any:
    """The py4j gateway of a session's JVM."""
    return spark.sparkContext._gateway


def java_session(spark: SparkSession) -> Any:
    """The JVM's side of a session."""
    return spark._jsparkSession


def knows_table(spark: SparkSession) -> bool:
    """Whether `keep_table` has been called for this JVM."""
    return gateway(spark) in _TABLES


def table(spark: SparkSession) -> Any | None:
    """The JVM's RuleTable; None where it could not be made."""
    return _TABLES[gateway(spark)]


def keep_table(spark: SparkSession, made: Any | None) -> None:
    """Remember the RuleTable, or that there is none, for as long as the JVM lives."""
    _TABLES[gateway(spark)] = made


def unpushed(spark: SparkSession, call: Any) -> Any:
    """A call of Iceberg's function as an expression with the same values that is never pushed.

    call: the StaticInvoke of V2ExpressionUtils.resolveScalarFunction. The tag around it is what neither
    Spark's push-down nor Iceberg's rule ReplaceStaticInvoke looks through; it costs nothing at run time.
    """
    return gateway(spark).jvm.org.apache.spark.sql.catalyst.expressions.KnownNullable(call)


def context_loader(spark: SparkSession) -> Any:
    """The class loader that sees Spark and the jars that were added to it, Iceberg's runtime among them."""
    return gateway(spark).jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()


def compile_java(spark: SparkSession, text: str, file: str, parent: Any) -> Any:
    """Compile one Java file.

    parent: the class loader of what it builds on. Returns its class loader.
    Raises ValueError with the compiler's words.
    """
    compiler = gateway(spark).jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(parent)
    compiler.setTargetVersion(8)
    try:
        compiler.cook(file, gateway(spark).jvm.java.io.StringReader(text))
    except Py4JJavaError as error:
        raise ValueError(_words(error)) from None
    return compiler.getClassLoader()


def instance(spark: SparkSession, loader: Any, name: str) -> Any:
    """A new object of a compiled class with a constructor without arguments. Raises ValueError."""
    empty = gateway(spark).new_array
    jvm = gateway(spark).jvm
    try:
        made = loader.loadClass(name).getDeclaredConstructor(empty(jvm.java.lang.Class, 0))
        return made.newInstance(empty(jvm.java.lang.Object, 0))
    except Py4JJavaError as error:
        raise ValueError(_words(error)) from None


def _words(error: Py4JJavaError) -> str:
    return str(error.java_exception.toString()).splitlines()[0]
