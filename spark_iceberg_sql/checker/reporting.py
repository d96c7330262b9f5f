"""Turns findings into diagnostics: settings and suppressions may hide them, equal notes are merged."""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.checker.rule_runner import EVERY_CODE, StatementResult
from spark_iceberg_sql.checker.suppressions import Suppressions
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Severity
from spark_iceberg_sql.model.engines import Dialect
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Event, Finding, Rule
from spark_iceberg_sql.rules.message_format import without_nested_backticks
from spark_iceberg_sql.rules.registry import reporter
from spark_iceberg_sql.rules.sis000_internal_error import internal_error_finding
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.syntax.parser.dialect import indicates_dialect, is_others_ddl
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets

# A diagnostic's effective severity, from its code and its own severity; None to omit it.
SeverityPolicy = Callable[[str, Severity], Severity | None]


@record()
class DiagnosticCollector:
    """Collects the diagnostics of a check, under its settings and suppressions."""

    lines: Lines
    catalog: Tables
    suppressions: Suppressions
    severity_policy: SeverityPolicy | None
    statements: list[Statement]
    # Whether the origin of the text indicates Spark; None if it indicates another engine.
    is_spark: bool | None
    before_execution: bool = False
    is_document: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # The single note if the text may be another engine's: whether it replaces an error, and of which statement.
    dialect_doubt: tuple[bool, StatementResult] | None = None
    doubt_count: int = 0  # statements that it covers
    crash_keys: set[tuple[object, ...]] = field(default_factory=set)
    note_indexes: dict[tuple[object, ...], int] = field(default_factory=dict)
    dialect_evidence: dict[Dialect, bool] = field(default_factory=dict)
    undecided_codes: set[str] = field(default_factory=set)  # codes of rules, for the current statement

    def indicates(self, evidence: Dialect) -> bool:
        """True if the text, or one before it in its series, has syntax of a dialect; computed once, and only if a
        finding depends on it.
        """
        if evidence in (self.catalog.dialects or ()):
            return True
        if evidence not in self.dialect_evidence:
            self.dialect_evidence[evidence] = indicates_dialect(self.lines.text, self.statements, evidence)
        return self.dialect_evidence[evidence]

    def report_statement(self, result: StatementResult) -> bool:
        """Report the findings of one statement; returns true if there is no error among them."""
        for component, error in result.errors:
            self.emit_internal_error(result.span, component, error)
        count_before = len(self.diagnostics)
        is_accepted = False not in [self.emit(rule, finding) for rule, finding in result.findings]
        has_reported = len(self.diagnostics) > count_before
        self.undecided_codes |= result.undecided_codes
        if (result.note is not None or has_reported) and not self._is_spark_statement(result):
            # The text may be another engine's: emit_dialect_note adds one note in place of all these diagnostics.
            has_error = any(d.severity is Severity.ERROR for d in self.diagnostics[count_before:])
            del self.diagnostics[count_before:]
            if result.is_of_spark_alone and (not has_error or self._is_of_another_engine()):
                return True
            self.doubt_count += 1
            self.undecided_codes |= EVERY_CODE
            if self.dialect_doubt is None or (has_reported and not self.dialect_doubt[0]):
                self.dialect_doubt = has_reported, result
        elif result.note is not None:
            self._emit_note(result)
        return is_accepted

    def emit_dialect_note(self) -> None:
        """Add the single note of a text that may be another engine's."""
        if self.dialect_doubt is None:
            return
        has_findings, result = self.dialect_doubt
        count_before = len(self.diagnostics)
        if not has_findings and self.catalog.engine is None:
            self._emit_note(result)
        elif result.dialect_note is not None:
            self.emit(reporter(Event.NOT_CHECKED), result.dialect_note)
        if len(self.diagnostics) > count_before:
            self.diagnostics[-1] = replace(self.diagnostics[-1], statements=self.doubt_count)

    def _is_spark_statement(self, result: StatementResult) -> bool:
        """True if the statement is Spark's or Iceberg's, as far as is known."""
        if self.catalog.engine is not None:
            return self.catalog.engine.is_spark
        if self.is_spark or result.has_exclusive_syntax:
            return True
        if self.is_document and self._is_another_engines(result):
            return False
        if self.indicates(Dialect.SPARK):
            return True
        if self.is_spark is None or self.indicates(Dialect.OTHER_ENGINES):
            return False
        return not result.is_of_spark_alone and (result.has_spark_syntax or self.indicates(Dialect.SHARED))

    def _is_of_another_engine(self) -> bool:
        """True if the text is another engine's for certain, whose grammar Spark's says nothing about."""
        return self.catalog.engine is not None or self.is_spark is None or self.indicates(Dialect.OTHER_ENGINES)

    def _is_another_engines(self, result: StatementResult) -> bool:
        """True if a statement by itself has syntax of another engine: a document shows several side by side."""
        its_statements = [s for s in self.statements if s.start <= result.span[0] < s.end]
        text = self.lines.text
        if indicates_dialect(text, its_statements, Dialect.SPARK):
            return False
        is_others = any(is_others_ddl(statement) for statement in its_statements)
        return is_others or indicates_dialect(text, its_statements, Dialect.OTHER_ENGINES)

    def _emit_note(self, result: StatementResult) -> None:
        """Add the note about what a statement's rules lacked; if its table has one, count the statement there."""
        finding = result.note
        if finding is None:
            return
        full_name = self.catalog.full_name(result.table) if result.table is not None else None
        missing_fact = finding.message.partition(": ")[2]
        name = tuple(part.lower() for part in full_name) if full_name is not None else result.span
        # If the table itself is unknown, one note covers all of its statements, whatever their rules lack.
        key = (name, "" if full_name is not None and missing_fact.startswith("table `") else missing_fact)
        skipped_codes = result.skipped_codes
        count_before = len(self.diagnostics)
        self.emit(reporter(Event.NOT_CHECKED), finding)
        if len(self.diagnostics) == count_before:
            return  # suppressed by the settings or a comment
        diagnostic = self.diagnostics.pop()
        index = self.note_indexes.setdefault(key, count_before)
        if index < count_before:
            diagnostic = self.diagnostics[index]
            skipped_codes = tuple(sorted({*diagnostic.skipped, *skipped_codes}))
            self.diagnostics[index] = replace(diagnostic, skipped=skipped_codes, statements=diagnostic.statements + 1)
        else:
            self.diagnostics.append(replace(diagnostic, skipped=skipped_codes))

    def emit_internal_error(self, span: Offsets, component: str, error: Exception) -> None:
        """Report an internal error, which no setting and no comment suppresses; the statement may run."""
        key = (span, type(error), str(error))
        if key not in self.crash_keys:  # a broken fact breaks all rules that use it in the same way
            self.crash_keys.add(key)
            self.emit(reporter(Event.INTERNAL_ERROR), internal_error_finding(span, component, error))

    def emit(self, rule: Rule, finding: Finding) -> bool:
        """Report a finding as a diagnostic; returns true if the statement can be assumed to run anyway."""
        declared_severity = finding.severity or rule.severity
        is_internal = rule.event is Event.INTERNAL_ERROR
        severity = (
            declared_severity
            if is_internal or self.severity_policy is None
            else self.severity_policy(rule.code, declared_severity)
        )
        if severity is None:
            return True
        diagnostic = Diagnostic(
            code=rule.code,
            name=rule.name,
            severity=severity,
            message=without_nested_backticks(finding.message),
            span=self.lines.span(*finding.span),
            help=visible(without_nested_backticks(finding.help, to_write=True)) if finding.help else finding.help,
            fix=finding.fix,
            spec=rule.spec,
        )
        is_suppressed = rule.suppressible and self.suppressions.suppresses(diagnostic)
        if is_suppressed and not (self.before_execution and severity is Severity.ERROR):
            return True
        self.diagnostics.append(diagnostic)
        return is_internal or declared_severity is not Severity.ERROR
