"""The installation as records and as one screen of text, which can be pasted into a report: no credential is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.safe_output import join_visible

_INDENT = 10
_LONGEST = 300  # characters of a problem: a self-test's may be a plan
# Of an address: the user before the host, unless the host's name has an account before it (abfss://container@account),
# and all that follows the path, where keys and signatures are.
_LOGIN = re.compile(r"(?i)(?<=//)(?:[^/@\s]*:[^/@\s]*|(?<=http://)[^/@\s]*|(?<=https://)[^/@\s]*)@")
_REST = re.compile(r"[?;#].*", re.DOTALL)


def address(text: str) -> str:
    """An address without what may be a credential: logins, queries, parameters."""
    return _REST.sub("", _LOGIN.sub("***@", text))


def without_logins(text: str) -> str:
    """A sentence without the logins in its addresses."""
    return _LOGIN.sub("***@", text)


@dataclass(frozen=True, slots=True)
class DiagnosedJar:
    """A jar with Iceberg. location: its path. version: of its build. made_for: `Spark 3.5, Scala 2.12`, by its name;
    None if that does not say. is_used: whether Spark takes its classes first.
    """

    location: str
    version: str
    made_for: str | None
    is_used: bool


@dataclass(frozen=True, slots=True)
class DiagnosedCatalog:
    """A catalog. name: in SQL. kind: its type, or its class. store: where its tables are, and by which class."""

    name: str
    kind: str
    store: str


@dataclass(frozen=True, slots=True)
class DiagnosedRule:
    """An optimizer rule. fault: why it is off; None if a setting says so, or if it is on."""

    name: str
    is_enabled: bool
    fault: str | None


@dataclass(frozen=True, slots=True)
class DiagnosedFault:
    """A known fault of Iceberg. reference: where it is reported. state: `present`, `absent`, or that nobody has tried.
    rule, remedy: what this package does, or without a rule, what to do. is_corrected: whether that rule is on.
    """

    reference: str
    state: str
    rule: str
    remedy: str
    is_corrected: bool


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Result):
    """What this package works with.

    package, python, java, spark, iceberg: with their versions; None if there is none. packages: others that some
    features need, with their versions. jars: with Iceberg, in the order in which they are searched. catalogs: of the
    session's settings. installed: what `install` has added to the session, None without a session. rules, faults: of
    the session. problems: what does not work, each with what to do. kept: what the rules keep of tables' metadata
    between queries, None without rules.
    """

    package: str
    python: str
    java: str | None
    spark: str | None
    iceberg: str | None
    packages: tuple[str, ...]
    jars: tuple[DiagnosedJar, ...] = ()
    catalogs: tuple[DiagnosedCatalog, ...] = ()
    installed: str | None = None
    rules: tuple[DiagnosedRule, ...] = ()
    faults: tuple[DiagnosedFault, ...] = ()
    problems: tuple[str, ...] = field(default=())
    kept: str | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong: no problem, and no rule off but by a setting."""
        return not self.problems and not any(rule.fault for rule in self.rules)

    def __str__(self) -> str:
        return without_logins(join_visible(self._lines()))

    def _repr_html_(self) -> str:
        return markup.box(f"<pre>{markup.html_text(str(self))}</pre>")

    def _lines(self) -> Iterator[str]:
        yield f"spark-iceberg-sql {self.package}, {self.python}"
        yield from _section("packages", [", ".join(self.packages) or "none of those that some features need"])
        yield from _section("Java", [self.java or "none"])
        yield from _section("Spark", [self.spark or "none"])
        yield from _section("Iceberg", [self.iceberg or "none", *map(_jar_text, self.jars)])
        if self.catalogs:
            yield from _section("catalogs", [f"{c.name}: {c.kind}, {c.store}" for c in self.catalogs])
        if self.installed is not None:
            yield from _section("installed", [self.installed])
        if self.rules:
            yield from _section("rules", self._rule_lines())
        if self.faults:
            yield from self._fault_lines()
        yield from _section("problems", [_short(text) for text in self.problems] or ["none"])

    def _rule_lines(self) -> Iterator[str]:
        on = [rule.name for rule in self.rules if rule.is_enabled]
        yield f"{len(on)} of {len(self.rules)} on: {', '.join(on)}" if on else f"all {len(self.rules)} are off"
        by_reason: dict[str, list[str]] = {}
        for rule in self.rules:
            if not rule.is_enabled:
                by_reason.setdefault(rule.fault or "by its setting, or it has nothing to do", []).append(rule.name)
        for reason, names in by_reason.items():
            yield f"off: {', '.join(names)}: {_short(reason)}"
        if self.kept is not None:
            yield self.kept

    def _fault_lines(self) -> Iterator[str]:
        present = [fault for fault in self.faults if fault.state != "absent"]
        absent = [fault.reference for fault in self.faults if fault.state == "absent"]
        others = f"; it does not have {', '.join(absent)}" if absent else ""
        title = f"{plural(len(present), 'known fault')} of this Iceberg that cost rows, with what is done{others}"
        yield from _section("faults", [title])
        if not any(fault.is_corrected for fault in present):
            yield f"{'':<{_INDENT}}none is corrected: no rule for them is on"
            return
        width = max((len(fault.reference) for fault in present), default=0)
        for fault in present:
            state = "" if fault.state == "present" else f" ({fault.state})"
            if not fault.rule:
                remedy = f"NOT CORRECTED by any rule: {fault.remedy}"
            elif fault.is_corrected:
                remedy = f"{fault.rule}: {fault.remedy}"
            else:
                remedy = f"{fault.rule}: NOT CORRECTED: it is off"
            yield f"  {fault.reference:<{width}}  {remedy}{state}"


def _section(title: str, lines: object) -> Iterator[str]:
    for number, line in enumerate(lines):  # type: ignore[arg-type, var-annotated]
        yield f"{title if number == 0 else '':<{_INDENT}}{line}"


def _jar_text(jar: DiagnosedJar) -> str:
    made_for = f", for {jar.made_for}" if jar.made_for else ""
    return f"{jar.location} ({jar.version or 'unknown version'}{made_for}{'' if jar.is_used else ', NOT USED'})"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
