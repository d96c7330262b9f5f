"""The Java classes of the rules, compiled: one that does not fit takes with it what uses it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway
from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source, exchange_source
from spark_iceberg_sql.spark.bridge.jvm.java_rows import (
    AnsweredRow,
    RuleRow,
    ShuffleRow,
    ShuffleSideRow,
    TransformRow,
    WrongBoundsRow,
)
from spark_iceberg_sql.spark.optimizer.rule_records import FACTS, PACKAGE, PROBES, RULES, OptimizerRule

_REGISTRY = "RuleRegistry"
# Per JVM, i.e. per gateway: why a class does not fit, by its name; and those for which that has been reported.
_FAULTS: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()
_reported: WeakSet[Any] = WeakSet()


def registry() -> Any | None:
    """A new RuleRegistry, without rules; None if it cannot be compiled: `faults` then has the reason for each."""
    classes = compiler.ClassSet()
    _FAULTS[gateway.gateway()] = classes.faults
    for name, text in registry_sources():
        classes.add(name, text)
    return _instance(classes.loader(), _REGISTRY, classes.faults)


def complete(table: Any) -> None:
    """Compile the rules, and set them in the registry."""
    faults = _FAULTS[gateway.gateway()]
    classes = compiler.ClassSet(table.getClass().getClassLoader(), faults)
    for name, text in rule_sources():
        classes.add(name, text)
    loader = classes.loader()
    for name, setter in ((PROBES, table.setProbes), (FACTS, table.setFacts)):  # nothing else needs these two
        user = _instance(loader, name, faults)
        if user is not None:
            setter(user)
    for rule in RULES:
        rule_instance = _instance(loader, rule.java, faults)
        table.set(rule.name, rule_instance, faults.get(rule.java))


def _instance(loader: Any, name: str, faults: dict[str, str]) -> Any | None:
    """An instance of a class; None where it does not fit."""
    if name not in faults:
        try:
            return compiler.instance(loader, f"{PACKAGE}.{name}")
        except ValueError as error:
            faults[name] = str(error)
    return None


def faults() -> dict[str, str]:
    """Why there are no rules in this JVM: for each, the same, that of their registry."""
    reason = _FAULTS.get(gateway.gateway(), {}).get(_REGISTRY, "")
    return dict.fromkeys((rule.name for rule in RULES), reason)


def new_faults() -> dict[str, str]:
    """The same, at the first call in a JVM; then none."""
    if gateway.gateway() in _reported:
        return {}
    _reported.add(gateway.gateway())
    return faults()


def sources() -> list[tuple[str, str]]:
    """The Java files of all rules, name and text, each after those that it needs."""
    return [*registry_sources(), *rule_sources()]


def registry_sources() -> list[tuple[str, str]]:
    """Of them, those of the registry."""
    return [*base_sources(), *compiler.sources(__package__ or "", _REGISTRY)]


def rule_sources() -> list[tuple[str, str]]:
    """Of them, the others."""
    of_registry = dict(registry_sources())
    files = compiler.sources(__package__ or "", PROBES, FACTS, *(rule.java for rule in RULES))
    return [(name, text) for name, text in files if name not in of_registry]


def base_sources() -> list[tuple[str, str]]:
    """The Java files that need none of the rules': those shared by all packages, and the records of transforms, rules,
    wrong bounds, answers and shuffles; name and text.
    """
    return [
        *compiler.shared_sources(),
        ("TransformRow", constants_source(TransformRow, _transform_rows())),
        ("RuleRow", constants_source(RuleRow, map(_rule_row, RULES))),
        ("WrongBoundsRow", exchange_source(WrongBoundsRow)),
        ("AnsweredRow", exchange_source(AnsweredRow)),
        ("ShuffleSideRow", exchange_source(ShuffleSideRow)),
        ("ShuffleRow", exchange_source(ShuffleRow)),
    ]


def _rule_row(rule: OptimizerRule) -> RuleRow:
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
