"""What a session works with: its JVM, its Iceberg, its catalogs and what is installed in it. Nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.insight.diagnosis import spark_process
from spark_iceberg_sql.insight.diagnosis.model import (
    DiagnosedCatalog,
    DiagnosedFault,
    DiagnosedJar,
    DiagnosedRule,
    Diagnosis,
    address,
)
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import (
    configuration,
    gateway,
    iceberg_jars,
    iceberg_version,
    java_errors,
    logs,
    sessions,
)
from spark_iceberg_sql.spark.optimizer import planning_facts
from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES, PROBED_VERSIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INSTALL = "nothing is installed in this session: sis.install(spark)"
_BUILTIN = "org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog"


def diagnosis(spark: SparkSession) -> Diagnosis:
    """The diagnosis of a session of this process."""
    facts = spark_process.without_spark()
    spark_version, scala = iceberg_jars.spark_version(), iceberg_jars.scala_version()
    there = gateway.class_exists(iceberg_version.BUILD)
    problems = list(_problems(spark_version, there))
    if not iceberg_jars.is_usable(gateway.java_session(spark)):
        return replace(
            facts,
            java=_java(),
            spark=f"{spark_version} with Scala {scala}, whose session cannot be used",
            iceberg=_iceberg(spark_version) if there else None,
            jars=tuple(_jars()),
            problems=(*problems, "Spark cannot read a statement, as Iceberg's extensions cannot be loaded"),
        )
    rules = _rules(spark)
    ddl = requests.mode(spark)
    parts = ["functions, table functions and optimizer rules"] if rules else []
    parts += [f"check of partition DDL (`{ddl}`)"] if ddl != "off" else []
    if not parts:
        problems.append(_INSTALL)
    master = spark.conf.get("spark.master", None) or "no master"
    return replace(
        facts,
        java=_java(),
        spark=f"{spark_version} with Scala {scala}, {address(master)}, {spark.conf.get('spark.sql.session.timeZone')}",
        iceberg=_iceberg(spark_version) if there else None,
        jars=tuple(_jars()),
        catalogs=tuple(catalogs(_catalog_settings(spark))),
        installed=", ".join(parts) or "nothing",
        rules=tuple(rules),
        faults=tuple(faults(rules, _probed(spark))) if there else (),
        kept=_kept() if rules else None,
        problems=tuple(problems),
    )


def _java_property(name: str) -> str:
    return str(gateway.java_class("java.lang.System").getProperty(name))


def _java() -> str:
    memory = gateway.java_class("java.lang.Runtime").getRuntime().maxMemory()
    return f"{_java_property('java.version')} ({_java_property('java.vendor')}), {memory / 2**30:.1f} GB of heap"


def _iceberg(spark_version: str) -> str:
    version = iceberg_version.version()
    fits = versions.untested(spark_version, version) is None and iceberg_jars.misfit() is None
    tested = "tested with this Spark" if fits else "not tested with this Spark"
    return f"{version or 'of an unknown version'}, {tested}"


def _problems(spark_version: str, there: bool) -> Iterator[str]:
    if not there:
        yield "Iceberg's runtime is not on this session's class path"
        return
    for fault in (iceberg_jars.misfit(), iceberg_jars.several()):
        if fault is not None:
            yield fault
    untested = versions.untested(spark_version, iceberg_version.version())
    if untested is not None:
        yield f"{untested}: `install` tests each part and names what fails"


def _jars() -> Iterator[DiagnosedJar]:
    for number, jar in enumerate(iceberg_jars.jars()):
        made_for = f"Spark {jar.spark}, Scala {jar.scala}" if jar.spark else None
        yield DiagnosedJar(address(jar.location), jar.version, made_for, is_used=number == 0)


def _catalog_settings(spark: SparkSession) -> dict[str, str]:
    with sessions.working_in(spark):
        return configuration.settings("spark.sql.catalog.")


def catalogs(settings: Mapping[str, str]) -> Iterator[DiagnosedCatalog]:
    """The catalogs of a session's settings.

    settings: those that begin with `spark.sql.catalog.`, without that. Of each catalog only its type, its classes and
    its addresses are told, these without logins and what follows the path.
    """
    for name, class_name in sorted(settings.items()):
        if "." in name:
            continue
        own = {key[len(name) + 1 :].lower(): v for key, v in settings.items() if key.startswith(f"{name}.")}
        yield DiagnosedCatalog(name, _kind(class_name, own), ", ".join(_stores(own)) or "its own store")
    if "spark_catalog" not in settings:
        yield DiagnosedCatalog("spark_catalog", "Spark's own", "not Iceberg's")


def _kind(class_name: str, settings: Mapping[str, str]) -> str:
    kind = settings.get("type") or _simple(settings.get("catalog-impl", ""))
    class_text = _simple(class_name)
    return f"{kind} ({class_text})" if kind else class_text


def _stores(settings: Mapping[str, str]) -> Iterator[str]:
    for key in ("uri", "warehouse"):
        if settings.get(key):
            yield address(settings[key])
    if settings.get("io-impl"):
        yield f"by {_simple(settings['io-impl'])}"


def _simple(class_name: str) -> str:
    return class_name.rpartition(".")[2]


def _kept() -> str | None:
    size, limit = planning_facts.bytes_kept()
    if not limit:
        return None
    tables, bytes_of_checks = planning_facts.manifest_checks_kept()
    return (
        f"kept between queries: {size / 1e6:.1f} MB of at most {limit / 1e6:.0f} MB; "
        f"between sessions: which manifests of {plural(tables, 'table')} were checked, {bytes_of_checks / 1e6:.1f} MB"
    )


def _rules(spark: SparkSession) -> list[DiagnosedRule]:
    return [DiagnosedRule(row.name, bool(row.enabled), row.fault) for row in _rule_rows(spark, "name, enabled, fault")]


def _probed(spark: SparkSession) -> dict[str, str]:
    """By the reference of an issue that the session has probed: `present`, `absent`, or why that is not known."""
    texts = (row.iceberg_issues for row in _rule_rows(spark, "iceberg_issues"))
    results = (part.partition(": ") for text in texts for part in (text or "").split(", "))
    return {reference: result for reference, colon, result in results if colon}


def _rule_rows(spark: SparkSession, columns: str) -> list[Any]:
    """The rows of iceberg_rules(); none where it is not installed."""
    try:
        with logs.without_error_logs():
            return spark.sql(f"SELECT {columns} FROM iceberg_rules()").collect()
    except java_errors.JVM_ERRORS:
        return []


def faults(rules: Iterable[DiagnosedRule], probed: Mapping[str, str]) -> Iterator[DiagnosedFault]:
    """Iceberg's known faults, but for those of files. probed: as `_probed`."""
    enabled = {rule.name for rule in rules if rule.is_enabled}
    version = iceberg_version.version()
    for issue in ISSUES:
        if not issue.present_in:
            continue
        without = "absent" if version in PROBED_VERSIONS else "not tried"
        state = probed.get(issue.reference) or ("present" if version in issue.present_in else without)
        yield DiagnosedFault(issue.reference, state, issue.rule, issue.remedy, issue.rule in enabled)
