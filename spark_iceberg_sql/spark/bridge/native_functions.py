"""The functions iceberg_* in the JVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from spark_iceberg_sql.spark.bridge import compiler, jvm

# Per JVM, i.e. per gateway: the JVM outlives SparkSession.stop().
_FUNCTIONS: WeakKeyDictionary[Any, jvm.Java] = WeakKeyDictionary()


def functions(
    sources: Sequence[tuple[str, str]], ensuring: Callable[[], jvm.Java | None]
) -> Callable[[str], jvm.Java]:
    """The lookup of the functions by name, each a scala.Function1 of a call's arguments.

    sources: name and text of the Java files; each may use the ones before it; the last is the registry.
    java_ensure: returns a JVM function that is called with the session on each use. Raises ValueError with
    the compiler's message if they do not compile for this Spark.
    """
    own = jvm.gateway()
    if own not in _FUNCTIONS and (found := compiler.from_jar("functions", sources)) is not None:
        _FUNCTIONS[own] = found
    if own not in _FUNCTIONS:
        loader, last = compiler.context_loader(), ""
        for last, text in sources:
            loader = compiler.compile_java(text, f"{last}.java", loader)
        made = compiler.instance(loader, f"sparkicebergsql.{last}")
        # A function may be called in a session that has never had the rules: its first use there adds them.
        made.withRules(ensuring())
        _FUNCTIONS[own] = made
    named: Callable[[str], jvm.Java] = _FUNCTIONS[own].byName
    return named
