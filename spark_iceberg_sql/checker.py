"""check(text, known) -> Report: split, read, judge what can be judged, follow the script, apply ignores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from spark_iceberg_sql import ddl, nodes
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report, Severity
from spark_iceberg_sql.ignores import Ignores, ignores_of
from spark_iceberg_sql.model.table import Known
from spark_iceberg_sql.nodes import Offsets
from spark_iceberg_sql.rules import ALL
from spark_iceberg_sql.rules.base import Finding, Rule
from spark_iceberg_sql.rules.case import Case, NotKnownError, SettledError
from spark_iceberg_sql.rules.replay import meant, replay
from spark_iceberg_sql.rules.sis000_internal_error import broken, internal_error
from spark_iceberg_sql.rules.sis002_not_checked import Skipped, not_checked, note
from spark_iceberg_sql.rules.sis003_unused_ignore import unused, unused_ignore
from spark_iceberg_sql.text import Statement, statements

_RULES = {kind: tuple(r for r in ALL if kind in r.on) for kind in {k for r in ALL for k in r.on}}

# What a diagnostic's severity shall be, by code and its own severity; None to leave it out.
Verdict = Callable[[str, Severity], Severity | None]


def check(
    text: str,
    known: Known | None = None,
    *,
    filename: str | None = None,
    verdict: Verdict | None = None,
    repaired: bool = False,
) -> Report:
    """Judge every statement of a text, each on what the statements before it leave behind.

    text: any text. known: the tables that are there before; it is not changed. filename: for the
    report. verdict: another severity for a finding, or None for none at all. repaired: whether the
    statements reach Spark by `ddl.routing.handed_on`, so that no comment misleads Iceberg's parser. A
    statement with an error is taken not to have run, but the table of a CREATE with one is known as it was
    meant. Never raises: a fault of ours is SIS000 in the report.
    """
    known = known.copy() if known is not None else Known()
    return _check(text, known, filename, verdict, repaired=repaired)


def follow(text: str, known: Known) -> Report:
    """As `check`, but what the statements leave behind stays in `known`."""
    return _check(text, known)


def _check(
    text: str,
    known: Known,
    filename: str | None = None,
    verdict: Verdict | None = None,
    *,
    repaired: bool = False,
) -> Report:
    lines = Lines(text)
    found = statements(text)
    ignores = ignores_of(text, lines, [(s.start, s.end) for s in found])
    if ignores.skip_file:
        return Report(text, (), filename, len(found), lines)
    run = _Run(lines, known, ignores, verdict, repaired)
    for statement in found:
        run.statement(statement)
    for ignore in ignores.every:
        for finding in unused(ignore.codes, ignore.unused, ignore.span):
            run.say(unused_ignore, finding)
    run.diagnostics.sort(key=lambda d: (d.span.start, d.code, d.span.end))
    return Report(text, tuple(run.diagnostics), filename, len(found), lines)


@dataclass(slots=True)
class _Run:
    """One check under way."""

    lines: Lines
    known: Known
    ignores: Ignores
    verdict: Verdict | None
    repaired: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)
    faults: set[tuple[object, ...]] = field(default_factory=set)
    noted: dict[tuple[object, ...], int] = field(default_factory=dict)

    def statement(self, statement: Statement) -> None:
        """Judge a statement, and carry it over into what is known."""
        try:
            node = ddl.read(statement)
        except Exception as fault:
            self.broke((statement.start, statement.end), "the reader", fault)
            return
        if isinstance(node, nodes.Other):
            return
        case = Case(self.lines.text, node, self.known, statement, self.repaired)
        self._carry_on(case, fine=self._judge(case))

    def _carry_on(self, case: Case, *, fine: bool) -> None:
        """Carry a statement over into what is known: as it runs, or as it was meant to."""
        try:
            (replay if fine else meant)(case)
        except Exception as fault:  # what cannot be followed is forgotten
            self.broke(case.node.span, "the replay", fault)
            table = getattr(case.node, "table", None)
            if isinstance(table, nodes.Ref):
                case.known.forget(table.parts)

    def _judge(self, case: Case) -> bool:
        """Report what the rules find; whether there is no error among it."""
        fine = True
        skipped: list[Skipped] = []
        for rule in _RULES.get(type(case.node), ()):
            fine = self._ask(rule, case, skipped) and fine
        if skipped:
            self._note(case, skipped)
        # The statements inside EXPLAIN do not run; those of a block are judged one by one.
        if isinstance(case.node, nodes.Compound):
            inner = self.known.copy()
            for node in case.node.inside:
                inside = Case(case.text, node, inner, case.statement, case.repaired)
                runs = self._judge(inside)
                self._carry_on(inside, fine=runs)
                fine = fine and runs
        return fine

    def _ask(self, rule: Rule, case: Case, skipped: list[Skipped]) -> bool:
        fine = True
        try:
            for finding in rule.judge(case):
                if case.hidden and not finding.early:
                    continue
                fine = self.say(rule, finding) and fine
        except NotKnownError as unknown:
            skipped.append(Skipped(rule, unknown.what, unknown.why))
        except SettledError:
            pass
        except Exception as fault:
            self.broke(case.node.span, rule.code, fault)
        return fine

    def _note(self, case: Case, skipped: list[Skipped]) -> None:
        """Say what a statement's rules lacked, or count the statement where that was said of its table."""
        finding = note(case, skipped)
        table = getattr(case.node, "table", None)
        name = self.known.full_name(table.parts) if isinstance(table, nodes.Ref) else case.node.span
        key = (name, finding.message.partition(": ")[2])
        codes = sorted({item.rule.code for item in skipped})
        before = len(self.diagnostics)
        self.say(not_checked, finding)
        if len(self.diagnostics) == before:
            return  # the settings, or a comment
        said = self.diagnostics.pop()
        at = self.noted.setdefault(key, before)
        if at < before:
            said = self.diagnostics[at]
            codes = sorted({*said.skipped, *codes})
            self.diagnostics[at] = replace(
                said, skipped=tuple(codes), statements=said.statements + 1
            )
        else:
            self.diagnostics.append(replace(said, skipped=tuple(codes)))

    def broke(self, span: Offsets, where: str, fault: Exception) -> None:
        """Report a fault of ours, which no setting and no comment silences; the statement may run."""
        mark = (span, type(fault), str(fault))
        if mark not in self.faults:  # what several rules ask for breaks them all in the same way
            self.faults.add(mark)
            self.say(internal_error, broken(span, where, fault))

    def say(self, rule: Rule, finding: Finding) -> bool:
        """Report a finding; whether the statement may be taken to run all the same."""
        own = finding.severity or rule.severity
        ours = rule is internal_error
        severity = own if ours or self.verdict is None else self.verdict(rule.code, own)
        if severity is None:
            return True
        diagnostic = Diagnostic(
            code=rule.code,
            name=rule.name,
            severity=severity,
            message=finding.message,
            span=self.lines.span(*finding.span),
            help=finding.help,
            fix=finding.fix,
            spec=rule.spec,
        )
        if not ours and rule is not unused_ignore and self.ignores.silence(diagnostic):
            return True
        self.diagnostics.append(diagnostic)
        return ours or own is not Severity.ERROR
