"""Spark's function registries: register this package's functions, recognize them by their owner, remove them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm.gateway import (
    ANALYSIS,
    EXPRESSIONS,
    Java,
    from_option,
    java_class,
    java_session,
    scala_function,
    scala_object,
)
from spark_iceberg_sql.spark.bridge.jvm.logs import suppress_logs_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCALAR = "FunctionRegistry"


TABLE = "TableFunctionRegistry"


_OWNER = "spark_iceberg_sql"  # ExpressionInfo's class name, which marks this package's functions


def _registries(spark: SparkSession, kind: str) -> tuple[Java, Java]:
    state = java_session(spark).sessionState()
    session_registry = state.functionRegistry() if kind == SCALAR else state.tableFunctionRegistry()
    return session_registry, scala_object(f"{ANALYSIS}.{kind}").builtin()


def register_table_function(
    spark: SparkSession, name: str, build: Callable[[Java], Java], *, usage: str, arguments: Iterable[str], example: str
) -> None:
    """Register a table function in a session and in Spark's built-in registry.

    The built-in registry is read by newSession(), permanent views and the session after stop().
    Calling it again changes nothing.

    name: in SQL, case-insensitive. build: from the Scala Seq of resolved argument expressions to a
    LogicalPlan; it may raise Refusal. usage, arguments, example: for DESCRIBE FUNCTION [EXTENDED]
    (`_FUNC_` stands for the name); of `arguments`, each is a line.

    Raises IcebergSqlError if another function is registered under that name.
    """
    lines = "".join(f"      * {argument}\n" for argument in arguments)
    documentation = usage, f"\n    Arguments:\n{lines}  ", f"\n    Examples:\n      > {example};\n  "
    _register(spark, TABLE, name, lambda: scala_function(build), *documentation, "", "table_funcs")


def register_native(
    spark: SparkSession, name: str, make: Callable[[], Java], *, usage: str, arguments: str = "", examples: str = ""
) -> None:
    """Register a JVM scalar function in both registries; otherwise like `register_table_function`.

    make: returns its builder, a scala.Function1; not called if the function is already registered.
    usage, arguments, examples: in Spark's own layout.
    """
    _register(spark, SCALAR, name, make, usage, arguments, examples, "", "misc_funcs")
    suppress_logs_of(name)


def _register(spark: SparkSession, kind: str, name: str, make: Callable[[], Java], *documentation: str) -> None:
    identifier = java_class("org.apache.spark.sql.catalyst.FunctionIdentifier")(name)
    missing = []
    for registry in _registries(spark, kind):
        info = from_option(registry.lookupFunction(identifier))
        if info is None:
            missing.append(registry)
        elif info.getClassName() != _OWNER:
            raise IcebergSqlError(
                f"another function named `{name}` is registered in this session",
                help=f"DROP TEMPORARY FUNCTION {name}, then install again",
            )
    if not missing:
        return
    source = "python_udf" if kind == SCALAR else "python_udtf"
    info = java_class(f"{EXPRESSIONS}.ExpressionInfo")(_OWNER, None, name, *documentation, "0.1.0", "", source)
    function = make()
    for registry in missing:
        registry.registerFunction(identifier, info, function)


def unregister_function(spark: SparkSession, kind: str, name: str) -> None:
    """Remove one of this package's functions from a session and from the built-in registry."""
    identifier = java_class("org.apache.spark.sql.catalyst.FunctionIdentifier")(name)
    for registry in _registries(spark, kind):
        info = from_option(registry.lookupFunction(identifier))
        if info is not None and info.getClassName() == _OWNER:
            registry.dropFunction(identifier)
