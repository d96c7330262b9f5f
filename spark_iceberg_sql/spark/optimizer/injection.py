"""Optimizer rules for a live session, without a jar: compiled, injected, tested, switched.

`SELECT * FROM iceberg_rules()` lists them. Spark has no call that removes an injected rule, so each has a switch in
the session's configuration.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from pyspark.sql import SparkSession

from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.spark.bridge.gate import user_warnings
from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler, gateway
from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source, exchange_source
from spark_iceberg_sql.spark.bridge.jvm.java_rows import AnsweredRow, RuleRow, TransformRow, WrongBoundsRow
from spark_iceberg_sql.spark.optimizer.rule_records import PACKAGE, PROBES, RULES, SHARED, Rule


def install(spark: SparkSession) -> None:
    """Add the rules to a session and the sessions that its newSession() creates; calling it again is harmless.

    A rule that cannot be compiled, or that fails its self-test on small plans, stays disabled, with one
    RuntimeWarning. The tests take a fifth of a session's start, so they are not repeated where all have passed: with
    the same sources, versions of Spark, Iceberg and Java, and extensions.
    """
    registry = _rule_registry()
    if registry is not None:
        registry.setReporter(gateway.scala_function(user_warnings.warn))
        if registry.areTested():
            registry.install(gateway.java_session(spark))
        else:
            _install_first(spark, registry)
        _warn(registry)


def _install_first(spark: SparkSession, registry: Any) -> None:
    """Install the rules in the first session of the JVM."""
    passed = _self_tests(spark)
    is_known = class_cache.find(passed) is not None
    if is_known:
        registry.skipTests()
    registry.install(gateway.java_session(spark))
    if not is_known and all(registry.fault(rule.name) is None for rule in RULES):
        class_cache.keep(passed, {})


def _self_tests(spark: SparkSession) -> str:
    """The text under which it is kept that the self-tests have passed, beside the classes of the same versions."""
    extensions = spark.conf.get("spark.sql.extensions", None)
    return f"self-tests {compiler.digest(sources())} {extensions}"


def uninstall(spark: SparkSession) -> None:
    """Disable the rules in a session and the sessions that share its extensions."""
    if compiler.has_registry() and (registry := _rule_registry()) is not None:
        registry.uninstall(gateway.java_session(spark))


def faults(spark: SparkSession) -> dict[str, str]:
    """Add the rules to a session as `install` does; returns why each rule that stays disabled is, without a warning."""
    with warnings.catch_warnings(record=True) as compilation:
        warnings.simplefilter("always")
        table = _rule_registry()
    if table is None:
        reason = str(compilation[-1].message) if compilation else "the rules cannot be compiled"
        return {rule.name: reason.rpartition(": ")[2] for rule in RULES}
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


def ensure(spark: SparkSession) -> None:
    """Add the rules to a session that has never had them; one call to the JVM.

    Functions in Spark's built-in registry exist in every session of the process, and prune in each.
    A session whose rules were removed by `uninstall` stays without them.
    """
    if (registry := _rule_registry()) is not None:
        registry.ensure(gateway.java_session(spark))
        _warn(registry)


def java_ensure() -> Any | None:
    """`ensure` as a function in the JVM, called with a session; None if no rule can be compiled."""
    registry = _rule_registry()
    return None if registry is None else registry.ensuring()


def _rule_registry() -> Any | None:
    if not compiler.has_registry():
        compiler.store_registry(compiler.from_jar("rules", sources()) or _compile())
    return compiler.rule_registry()


def _compile() -> Any | None:
    loader = compiler.context_loader()
    try:
        for name, text in record_sources():
            loader = compiler.compile_java(text, f"{name}.java", loader)
        for name in SHARED:
            loader = compiler.compiled(__package__, name, loader)
        registry = compiler.instance(loader, f"{PACKAGE}.RuleRegistry")
    except ValueError as error:
        for rule in RULES:
            warnings.warn(_disabled_message(rule, str(error)), RuntimeWarning, stacklevel=4)
        return None
    with suppress(ValueError):  # without the probes, nothing but their results is missing
        probes = compiler.compiled(__package__, PROBES, loader)
        registry.setProbes(compiler.instance(probes, f"{PACKAGE}.{PROBES}"))
    loaders: dict[tuple[str, ...], Any] = {(): loader}
    for rule in RULES:
        rule_instance, fault = None, None
        try:
            names = (*rule.parts, rule.java)
            for end in range(1, len(names) + 1):  # rules may begin with the same parts, which are compiled once
                if names[:end] not in loaders:
                    parent = loaders[names[: end - 1]]
                    loaders[names[:end]] = compiler.compiled(__package__, names[end - 1], parent)
            rule_loader = loaders[names]
            rule_instance = compiler.instance(rule_loader, rule.excluded)
        except ValueError as error:
            fault = str(error)
        registry.add(rule.name, rule_instance, fault)
    return registry


def sources() -> list[tuple[str, str]]:
    """The Java files of all rules, name and text, each after those that it needs."""
    parts = (name for rule in RULES for name in (*rule.parts, rule.java))
    names = dict.fromkeys((*SHARED, PROBES, *parts))  # several rules may need the same
    files = [(name, compiler.source(__package__ or "", name)) for name in names]
    return [*record_sources(), *files]


def record_sources() -> list[tuple[str, str]]:
    """The Java files of the records of transforms, rules, wrong bounds and answers, name and text."""
    return [
        ("TransformRow", constants_source(TransformRow, _transform_rows())),
        ("RuleRow", constants_source(RuleRow, map(_rule_row, RULES))),
        ("WrongBoundsRow", exchange_source(WrongBoundsRow)),
        ("AnsweredRow", exchange_source(AnsweredRow)),
    ]


def _rule_row(rule: Rule) -> RuleRow:
    return RuleRow(
        name=rule.name,
        java_class=rule.excluded,
        phase=rule.phase.value,
        injection=rule.phase.name,
        switch_key=rule.switch,
        description=rule.summary,
        issues=rule.issues,
    )


def _transform_rows() -> Iterator[TransformRow]:
    for transform in TRANSFORMS:
        if transform.iceberg_class is None or transform.spark_function is None:
            continue
        is_time = transform.granularity is not None
        yield TransformRow(
            name=transform.name,
            function=transform.spark_function,
            iceberg_class=transform.iceberg_class,
            unit=transform.spark_function.upper() if is_time else None,
            has_parameter=transform.parameter is not None,
            preserves_order=transform.order_preserving,
            hashes=transform.hashes,
            truncates=transform.truncates,
            checks_precision=transform.checks_precision,
            wraps=tuple(str(Primitive(name)) for name in transform.wraps),
        )


def _warn(registry: Any) -> None:
    rules = {rule.name: rule for rule in RULES}
    for name in registry.newFaults():
        warnings.warn(_disabled_message(rules[name], registry.fault(name)), RuntimeWarning, stacklevel=3)


def _disabled_message(rule: Rule, fault: str) -> str:
    return f"the optimizer rule `{rule.name}` is disabled, so {rule.if_disabled}: {fault}"
