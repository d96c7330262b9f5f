"""Demotes findings to notes if they depend on placeholder text, which a template or a program fills in later."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import itemgetter

from spark_iceberg_sql.checker.engine import TextOrigin, check
from spark_iceberg_sql.checker.reporting import SeverityPolicy
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Lines, Severity, Span
from spark_iceberg_sql.files.source_map import JoinedScript, Offsets, join_fragments
from spark_iceberg_sql.files.templates import template_spans, with_invented_names
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Event
from spark_iceberg_sql.rules.registry import BY_CODE, reporter
from spark_iceberg_sql.syntax.script import statements

# What follows from the text and columns of one statement: findings on a parsed term are certain.
_CERTAIN = (Category.TEXT, Category.COLUMNS, Category.FIELDS)
FILLED_IN_HELP = "check the generated SQL (dbt: `iceberg-sql check target/compiled`)"


def not_checked(message: str, span: Span, help_: str | None = None) -> Diagnostic:
    """A note about what could not be checked."""
    rule = reporter(Event.NOT_CHECKED)
    return Diagnostic(rule.code, rule.name, Severity.NOTE, message, span, help_)


def with_severity(diagnostic: Diagnostic, severity_policy: SeverityPolicy) -> Iterator[Diagnostic]:
    """The diagnostic with the severity that the settings give it; nothing if they hide it."""
    severity = severity_policy(diagnostic.code, diagnostic.severity)
    if severity is not None:
        yield replace(diagnostic, severity=severity)


class PlaceholderFilter:
    """A filter of the diagnostics of statements with placeholders.

    script: as written. variant: the one that is checked, of the same length. severity_policy: from the settings.
    is_filled_in: such a statement has run before the script.

    placeholder_ranges: the ranges that are filled in.
    """

    def __init__(
        self,
        script: JoinedScript,
        variant: JoinedScript,
        severity_policy: SeverityPolicy,
        *,
        is_filled_in: bool = False,
    ) -> None:
        self._is_filled_in = is_filled_in
        self._severity_policy = severity_policy
        self._variant = variant
        self._lines = Lines(variant.sql)
        self._placeholders = [
            (placeholder.start + offset, placeholder.end + offset, placeholder.text)
            for fragment, offset in zip(variant.fragments, variant.offsets, strict=True)
            for placeholder in fragment.placeholders
        ]
        spans = [
            (start + offset, end + offset)
            for fragment, offset in zip(script.fragments, script.offsets, strict=True)
            for start, end in template_spans(fragment.sql)
        ]
        spans = sorted([*spans, *((start, end) for start, end, _ in self._placeholders)])
        self.placeholder_ranges = tuple(spans)
        self._templated_statements = [
            (statement.start, statement.end)
            for statement in (statements(variant.sql) if spans else ())
            if (index := bisect_left(spans, (statement.end, 0))) and spans[index - 1][1] > statement.start
        ]

    def demoted(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """The diagnostic; if it depends on a placeholder, a note instead, or None if notes are hidden."""
        if diagnostic.code == INTERNAL:
            return diagnostic
        statement_span = self._statement(diagnostic)
        rule = BY_CODE[diagnostic.code]
        if statement_span is None:
            has_earlier = bool(self._templated_statements) and self._templated_statements[0][0] < diagnostic.span.start
            is_doubtful = rule.from_absence and (has_earlier or self._is_filled_in)
            return self.demote(diagnostic) if is_doubtful else diagnostic
        placeholders = self._placeholders_in(statement_span)
        source_texts = {self._variant.sql[a:b]: text for a, b, text in placeholders}
        restored = _with_source_text(diagnostic, source_texts)
        if rule.event is Event.NOT_CHECKED:
            return restored
        is_about = any(variant_text in diagnostic.message for variant_text in source_texts) or _touches_any(
            diagnostic.span, [(a, b) for a, b, _ in placeholders]
        )
        return self.demote(restored) if is_about or rule.from_absence or rule.needs_whole_text else restored

    def untouched_findings(self, catalog: Tables, origin: TextOrigin) -> Iterator[Diagnostic]:
        """Findings in the parts of templated statements that no template touches."""
        if not self._placeholders:
            return
        named_script = join_fragments(with_invented_names(fragment) for fragment in self._variant.fragments)
        for diagnostic in check(named_script.sql, catalog, severity_policy=self._severity_policy, origin=origin):
            statement_span = self._statement(diagnostic)
            rule = BY_CODE[diagnostic.code]
            if statement_span is None or rule.category not in _CERTAIN or rule.from_absence:
                continue
            placeholder_spans = [(a, b) for a, b, _ in self._placeholders_in(statement_span)]
            report_text = f"{diagnostic.message} {diagnostic.help}"
            if not _touches_any(diagnostic.span, placeholder_spans) and not any(
                named_script.sql[a:b] in report_text for a, b in placeholder_spans
            ):
                yield diagnostic

    def whole_statement_notes(self) -> Iterator[Diagnostic]:
        """A note for each statement that is entirely filled in."""
        for start, end in self._templated_statements:
            placeholders = self._placeholders_in((start, end))
            filled_length = sum(b - a for a, b, _ in placeholders)
            # All characters of the statement, except for white space, come from placeholders.
            if placeholders and filled_length >= sum(not c.isspace() for c in self._variant.sql[start:end]):
                template_text = " ".join(text for _, _, text in placeholders)
                message = f"not checked: `{template_text}` could be any statement"
                note = not_checked(message, self._lines.span(start, end), FILLED_IN_HELP)
                yield from with_severity(note, self._severity_policy)

    def _statement(self, diagnostic: Diagnostic) -> Offsets | None:
        """The templated statement that contains a diagnostic."""
        index = bisect_right(self._templated_statements, diagnostic.span.start, key=itemgetter(0)) - 1
        if index < 0 or self._templated_statements[index][1] < diagnostic.span.start:
            return None
        return self._templated_statements[index]

    def _placeholders_in(self, statement_span: Offsets) -> list[tuple[int, int, str]]:
        """The placeholders in a statement."""
        first, last = (bisect_left(self._placeholders, offset, key=itemgetter(0)) for offset in statement_span)
        return self._placeholders[first:last]

    def demote(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """A note instead of a diagnostic that depends on the text that is filled in."""
        message = "not checked: the statement depends on the text that is filled in here"
        note = not_checked(message, diagnostic.span, FILLED_IN_HELP)
        kept = replace(note, skipped=diagnostic.skipped, statements=diagnostic.statements)
        return next(with_severity(kept, self._severity_policy), None)


def _touches_any(span: Span, ranges: list[Offsets]) -> bool:
    return any(a < max(span.end, span.start + 1) and span.start < b for a, b in ranges)


def _with_source_text(diagnostic: Diagnostic, source_texts: dict[str, str]) -> Diagnostic:
    """The diagnostic with each template as written in the file."""
    message, help_ = diagnostic.message, diagnostic.help
    for variant_text, text in source_texts.items():
        message = message.replace(variant_text, text)
        help_ = help_.replace(variant_text, text) if help_ is not None else None
    return replace(diagnostic, message=message, help=help_)
