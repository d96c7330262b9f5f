"""Turns findings into diagnostics: settings and suppressions may hide them, equal notes are merged."""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.checker.judging import EVERY_CODE, Judgement
from spark_iceberg_sql.checker.suppressions import Ignores
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Severity
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.outgoing import visible
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Event, Finding, Rule
from spark_iceberg_sql.rules.registry import reporter
from spark_iceberg_sql.rules.sis000_internal_error import broken
from spark_iceberg_sql.rules.words import once_quoted
from spark_iceberg_sql.syntax.parser.dialect import Words, has_words
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets

# A diagnostic's effective severity, from its code and its own severity; None to omit it.
Verdict = Callable[[str, Severity], Severity | None]


@record()
class Reporting:
    """Collects the diagnostics of a check, under its settings and suppressions."""

    lines: Lines
    known: Tables
    ignores: Ignores
    verdict: Verdict | None
    statements: list[Statement]
    # Whether the origin of the text indicates Spark; None if it indicates another engine.
    spoken: bool | None
    binding: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # The single note if the text may be another engine's: whether it replaces an error, and of which statement.
    doubted: tuple[bool, Judgement] | None = None
    doubts: int = 0  # statements that it covers
    faults: set[tuple[object, ...]] = field(default_factory=set)
    noted: dict[tuple[object, ...], int] = field(default_factory=dict)
    words: dict[Words, bool] = field(default_factory=dict)
    undecided: set[str] = field(default_factory=set)  # codes of rules, for the current statement

    def has(self, words: Words) -> bool:
        """True if the text has syntax of a dialect; computed at most once, and only if a finding depends on it."""
        if words not in self.words:
            self.words[words] = has_words(self.lines.text, self.statements, words)
        return self.words[words]

    def tell(self, judgement: Judgement) -> bool:
        """Report the findings of one statement; returns true if there is no error among them."""
        for where, fault in judgement.faults:
            self.broke(judgement.span, where, fault)
        before = len(self.diagnostics)
        fine = True
        for rule, finding in judgement.findings:
            fine = self.say(rule, finding) and fine
        told = len(self.diagnostics) > before
        self.undecided |= judgement.undecided
        if (judgement.note is not None or told) and not self._speaks(judgement):
            # The text may be another engine's: emit_dialect_note adds one note in place of all these
            # diagnostics.
            del self.diagnostics[before:]
            self.doubts += 1
            self.undecided |= EVERY_CODE
            if self.doubted is None or (told and not self.doubted[0]):
                self.doubted = told, judgement
        elif judgement.note is not None:
            self._note(judgement)
        return fine

    def say_doubt(self) -> None:
        """Add the single note of a text that may be another engine's."""
        if self.doubted is None:
            return
        fault, judgement = self.doubted
        before = len(self.diagnostics)
        if not fault:
            self._note(judgement)
        elif judgement.elsewhere is not None:
            self.say(reporter(Event.NOT_CHECKED), judgement.elsewhere)
        if len(self.diagnostics) > before:
            self.diagnostics[-1] = replace(self.diagnostics[-1], statements=self.doubts)

    def _speaks(self, judgement: Judgement) -> bool:
        """True if the statement is Spark's or Iceberg's, as far as is known."""
        if self.spoken or judgement.own:
            return True
        if self.has(Words.SPARKS):
            return True
        if self.spoken is None or self.has(Words.OTHERS):
            return False
        return judgement.shared or self.has(Words.SHARED)

    def _note(self, judgement: Judgement) -> None:
        """Add the note about what a statement's rules lacked; if its table has one already, count the
        statement there.
        """
        finding = judgement.note
        if finding is None:
            return
        table = judgement.table
        full = self.known.full_name(table) if table is not None else None
        lacks = finding.message.partition(": ")[2]
        name = tuple(part.lower() for part in full) if full is not None else judgement.span
        # If the table itself is unknown, one note covers all of its statements, whatever their rules lack.
        key = (name, "" if full is not None and lacks.startswith("table `") else lacks)
        codes = judgement.skipped
        before = len(self.diagnostics)
        self.say(reporter(Event.NOT_CHECKED), finding)
        if len(self.diagnostics) == before:
            return  # suppressed by the settings or a comment
        said = self.diagnostics.pop()
        at = self.noted.setdefault(key, before)
        if at < before:
            said = self.diagnostics[at]
            codes = tuple(sorted({*said.skipped, *codes}))
            self.diagnostics[at] = replace(said, skipped=codes, statements=said.statements + 1)
        else:
            self.diagnostics.append(replace(said, skipped=codes))

    def broke(self, span: Offsets, where: str, fault: Exception) -> None:
        """Report an internal error, which no setting and no comment suppresses; the statement may run."""
        mark = (span, type(fault), str(fault))
        if mark not in self.faults:  # a broken fact breaks all rules that use it in the same way
            self.faults.add(mark)
            self.say(reporter(Event.INTERNAL_ERROR), broken(span, where, fault))

    def say(self, rule: Rule, finding: Finding) -> bool:
        """Report a finding as a diagnostic; returns true if the statement can be assumed to run anyway."""
        own = finding.severity or rule.severity
        ours = rule.event is Event.INTERNAL_ERROR
        severity = own if ours or self.verdict is None else self.verdict(rule.code, own)
        if severity is None:
            return True
        diagnostic = Diagnostic(
            code=rule.code,
            name=rule.name,
            severity=severity,
            message=once_quoted(finding.message),
            span=self.lines.span(*finding.span),
            help=visible(once_quoted(finding.help, to_write=True))
            if finding.help
            else finding.help,
            fix=finding.fix,
            spec=rule.spec,
        )
        meant = rule.suppressible and self.ignores.silence(diagnostic)
        if meant and not (self.binding and severity is Severity.ERROR):
            return True
        self.diagnostics.append(diagnostic)
        return ours or own is not Severity.ERROR
