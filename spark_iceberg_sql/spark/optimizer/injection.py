"""Optimizer rules for a live session, without a jar: compiled, injected, tested, switched.

`SELECT * FROM iceberg_rules()` lists them. Spark has no call that removes an injected rule, so each has a switch in
the session's configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any
from weakref import WeakSet

from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.gate import user_warnings
from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler, gateway
from spark_iceberg_sql.spark.optimizer import rule_classes, rule_listing
from spark_iceberg_sql.spark.optimizer.rule_records import RULES

# The JVMs, i.e. their gateways, whose rules are being compiled, or are.
_COMPLETE: WeakSet[Any] = WeakSet()


def install(spark: SparkSession) -> None:
    """Add the rules to a session and the sessions that its newSession() creates; calling it again is harmless.

    Rules that cannot be compiled, or that fail their self-tests on small plans, stay disabled, with one RuntimeWarning
    for all of them. The tests are not repeated where all have passed: with the same sources, versions of Spark, Iceberg
    and Java, and extensions.

    Nothing waits for compilation and tests but the first query, so what else is installed comes before `complete`.
    """
    start(spark)
    complete()


@compiler.together()
def start(spark: SparkSession) -> None:
    """`install` without `complete`, which must follow: until then, each query waits."""
    registry = _rule_registry()
    if registry is None:
        rule_listing.register(spark, rule_classes.faults())
        _warn(rule_classes.new_faults())
        return
    registry.setReporter(gateway.scala_function(user_warnings.warn))
    if (folder := class_cache.private_folder("manifests")) is not None:
        registry.setChecksFolder(str(folder))
    if not registry.areTested():
        passed = _self_tests(spark)
        is_kept = class_cache.find(passed) is not None
        if is_kept:
            registry.skipTests()
        registry.setWhenTested(gateway.scala_function(partial(_report_tests, registry, None if is_kept else passed)))
    registry.start(gateway.java_session(spark))


def complete() -> None:
    """Compile and test the rules of `start` on other threads."""
    registry = compiler.rule_registry() if compiler.has_registry() else None
    if registry is not None and gateway.gateway() not in _COMPLETE:
        _COMPLETE.add(gateway.gateway())
        Thread(target=_complete, args=(registry,), daemon=True, name="spark_iceberg_sql rules").start()


def _complete(registry: Any) -> None:
    fault = None
    try:
        if not registry.isComplete():  # that of the jar is
            with compiler.together():
                rule_classes.complete(registry)
    except Exception as error:
        fault = f"it was not compiled: {error}"
    with suppress(Exception):  # the JVM has ended
        registry.complete(fault)
        registry.beginTests()


def _report_tests(registry: Any, passed: str | None, _: object) -> None:
    """Warn of the rules that are off, or keep that the self-tests have passed. passed: a text for it; None if kept."""
    _warn(_new_faults(registry))
    if passed is not None and all(registry.fault(rule.name) is None for rule in RULES):
        with compiler.together():
            class_cache.keep(passed)


def _self_tests(spark: SparkSession) -> str:
    """The text under which it is kept that the self-tests have passed, beside the classes of the same versions."""
    extensions = spark.conf.get("spark.sql.extensions", None)
    return f"self-tests {compiler.digest(rule_classes.sources())} {extensions}"


def uninstall(spark: SparkSession) -> None:
    """Disable the rules in a session and the sessions that share its extensions."""
    if compiler.has_registry() and (registry := _rule_registry()) is not None:
        registry.uninstall(gateway.java_session(spark))


def faults(spark: SparkSession) -> dict[str, str]:
    """`install`, and wait for the tests; returns why each rule that stays disabled is, without a warning."""
    with compiler.together():
        table = _rule_registry()
    if table is None:
        rule_listing.register(spark, rule_classes.faults())
        return rule_classes.new_faults() or rule_classes.faults()
    table.setReporter(gateway.scala_function(user_warnings.warn))
    table.start(gateway.java_session(spark))
    complete()
    table.awaitTests()
    table.newFaults()  # the caller reports them
    disabled = ((rule.name, table.fault(rule.name)) for rule in RULES)
    return {name: str(fault) for name, fault in disabled if fault is not None}


def disable(names: Iterable[str], fault: str) -> None:
    """Disable rules in all sessions of this JVM. fault: the reason, for iceberg_rules()."""
    if compiler.has_registry() and (table := _rule_registry()) is not None:
        for name in names:
            table.disable(name, fault)


def ensure(spark: SparkSession) -> None:
    """Add the rules to a session that has never had them.

    Functions in Spark's built-in registry exist in every session of the process, and prune in each.
    A session whose rules were removed by `uninstall` stays without them.
    """
    with compiler.together():
        registry = _rule_registry()
    if registry is None or not registry.has(gateway.java_session(spark)):
        install(spark)


@compiler.together()
def java_ensure() -> Any | None:
    """`ensure` as a function in the JVM, called with a session; None if no rule can be compiled."""
    registry = _rule_registry()
    return None if registry is None else registry.ensuring()


def _rule_registry() -> Any | None:
    if not compiler.has_registry():
        compiler.store_registry(compiler.from_jar("rules", rule_classes.sources()) or rule_classes.registry())
    return compiler.rule_registry()


def _warn(faults: Mapping[str, str]) -> None:
    """One warning for all rules that have been disabled since the last one."""
    if faults:
        user_warnings.warn(rule_listing.disabled_message(faults), RuntimeWarning)


def _new_faults(registry: Any) -> dict[str, str]:
    return {str(name): str(registry.fault(name)) for name in registry.newFaults()}
