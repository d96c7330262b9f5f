"""The functions iceberg_* in the JVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from spark_iceberg_sql.spark.bridge import compiler, jvm

# Per JVM, that is per gateway: the JVM outlives SparkSession.stop().
_FUNCTIONS: WeakKeyDictionary[Any, jvm.Java] = WeakKeyDictionary()


def functions(
    sources: Sequence[tuple[str, str]], ensuring: Callable[[], jvm.Java | None]
) -> Callable[[str], jvm.Java]:
    """From a name to its function, a scala.Function1 of the arguments of a call.

    sources: name and text of the Java files, each compiled on those before it; the last is the registry. ensuring:
    a function of the JVM's that is called with the session at each use. Raises ValueError with the
    compiler's message if this Spark does not take them.
    """
    own = jvm.gateway()
    if own not in _FUNCTIONS and (found := compiler.from_jar("functions", sources)) is not None:
        _FUNCTIONS[own] = found
    if own not in _FUNCTIONS:
        loader, last = compiler.context_loader(), ""
        for last, text in sources:
            loader = compiler.compile_java(text, f"{last}.java", loader)
        made = compiler.instance(loader, f"sparkicebergsql.{last}")
        made.withRules(ensuring())
        _FUNCTIONS[own] = made
    named: Callable[[str], jvm.Java] = _FUNCTIONS[own].named
    return named
