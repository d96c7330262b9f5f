"""The functions iceberg_* in the JVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway

# Per JVM, i.e. per gateway: the JVM outlives SparkSession.stop().
_FUNCTIONS: WeakKeyDictionary[Any, gateway.Java] = WeakKeyDictionary()


def registry(sources: Sequence[tuple[str, str]], java_ensure: Callable[[], gateway.Java | None]) -> gateway.Java:
    """The JVM's registry of the functions, TransformFunctions.java.

    sources: name and text of the Java files; each may use the ones before it; the last is the registry.
    java_ensure: returns a JVM function that is called with the session on each use. Raises ValueError with
    the compiler's message if they do not compile for this Spark.
    """
    py4j_gateway = gateway.gateway()
    if py4j_gateway not in _FUNCTIONS and (jar_registry := compiler.from_jar("functions", sources)) is not None:
        _FUNCTIONS[py4j_gateway] = jar_registry
    if py4j_gateway not in _FUNCTIONS:
        loader, last = compiler.context_loader(), ""
        for last, text in sources:
            loader = compiler.compile_java(text, f"{last}.java", loader)
        java_functions = compiler.instance(loader, f"sparkicebergsql.{last}")
        # A function may be called in a session that has never had the rules: its first use there adds them.
        java_functions.withRules(java_ensure())
        _FUNCTIONS[py4j_gateway] = java_functions
    return _FUNCTIONS[py4j_gateway]
