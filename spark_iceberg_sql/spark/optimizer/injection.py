"""Optimizer rules for a live session, without a jar: compiled, injected, tested, switched.

`SELECT * FROM iceberg_rules()` lists them. Spark has no call that removes an injected rule, so each has a switch in
the session's configuration.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.gate import user_warnings
from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler, gateway
from spark_iceberg_sql.spark.optimizer import rule_classes, rule_listing
from spark_iceberg_sql.spark.optimizer.rule_records import RULES

# Per JVM, i.e. per gateway, while the self-tests run: under which text it is kept that they have passed.
_testing: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


@compiler.together()
def install(spark: SparkSession) -> None:
    """Add the rules to a session and the sessions that its newSession() creates; calling it again is harmless.

    Rules that cannot be compiled, or that fail their self-tests on small plans, stay disabled, with one RuntimeWarning
    for all of them. The tests take most of the time of a first session, so they are not repeated where all have passed:
    with the same sources, versions of Spark, Iceberg and Java, and extensions.
    """
    start(spark)
    registry = _rule_registry()
    if registry is not None:
        _await_tests(registry)
    _warn(registry)


@compiler.together()
def start(spark: SparkSession) -> None:
    """Begin `install`, which waits for the self-tests: they run while something else is done."""
    registry = _rule_registry()
    if registry is None:
        rule_listing.register(spark, rule_classes.faults())
        return
    registry.setReporter(gateway.scala_function(user_warnings.warn))
    _start(spark, registry)


def _start(spark: SparkSession, registry: Any) -> None:
    if not registry.areTested() and gateway.gateway() not in _testing:
        passed = _self_tests(spark)
        if class_cache.find(passed) is not None:
            registry.skipTests()
        else:
            _testing[gateway.gateway()] = passed
    registry.start(gateway.java_session(spark))


def _await_tests(registry: Any) -> None:
    registry.awaitTests()
    passed = _testing.pop(gateway.gateway(), None)
    if passed is not None and all(registry.fault(rule.name) is None for rule in RULES):
        class_cache.keep(passed)


def _self_tests(spark: SparkSession) -> str:
    """The text under which it is kept that the self-tests have passed, beside the classes of the same versions."""
    extensions = spark.conf.get("spark.sql.extensions", None)
    return f"self-tests {compiler.digest(rule_classes.sources())} {extensions}"


def uninstall(spark: SparkSession) -> None:
    """Disable the rules in a session and the sessions that share its extensions."""
    if compiler.has_registry() and (registry := _rule_registry()) is not None:
        registry.uninstall(gateway.java_session(spark))


@compiler.together()
def faults(spark: SparkSession) -> dict[str, str]:
    """Add the rules to a session as `install` does; returns why each rule that stays disabled is, without a warning."""
    table = _rule_registry()
    if table is None:
        rule_listing.register(spark, rule_classes.faults())
        return rule_classes.new_faults() or rule_classes.faults()
    table.setReporter(gateway.scala_function(user_warnings.warn))
    table.install(gateway.java_session(spark))
    table.newFaults()  # the caller reports them
    disabled = ((rule.name, table.fault(rule.name)) for rule in RULES)
    return {name: str(fault) for name, fault in disabled if fault is not None}


def disable(names: Iterable[str], fault: str) -> None:
    """Disable rules in all sessions of this JVM. fault: the reason, for iceberg_rules()."""
    if compiler.has_registry() and (table := _rule_registry()) is not None:
        for name in names:
            table.disable(name, fault)


@compiler.together()
def ensure(spark: SparkSession) -> None:
    """Add the rules to a session that has never had them.

    Functions in Spark's built-in registry exist in every session of the process, and prune in each.
    A session whose rules were removed by `uninstall` stays without them.
    """
    registry = _rule_registry()
    if registry is not None and registry.has(gateway.java_session(spark)):
        return
    if registry is not None:
        _start(spark, registry)
        _await_tests(registry)
    _warn(registry)


@compiler.together()
def java_ensure() -> Any | None:
    """`ensure` as a function in the JVM, called with a session; None if no rule can be compiled."""
    registry = _rule_registry()
    return None if registry is None else registry.ensuring()


def _rule_registry() -> Any | None:
    if not compiler.has_registry():
        compiler.store_registry(compiler.from_jar("rules", rule_classes.sources()) or rule_classes.registry())
    return compiler.rule_registry()


def _warn(registry: Any | None) -> None:
    """One warning for all rules that have been disabled since the last one."""
    if registry is None:
        faults = rule_classes.new_faults()
    else:
        faults = {str(name): str(registry.fault(name)) for name in registry.newFaults()}
    if faults:
        warnings.warn(rule_listing.disabled_message(faults), RuntimeWarning, stacklevel=3)
