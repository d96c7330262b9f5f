"""Demotes findings to notes if they depend on placeholder text, which a template or a program fills in later."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import itemgetter

from spark_iceberg_sql.checker.engine import Around, check
from spark_iceberg_sql.checker.reporting import Verdict
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Lines, Severity, Span
from spark_iceberg_sql.files.source_map import Joined, Offsets, join
from spark_iceberg_sql.files.templates import template_spans, with_names
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Event
from spark_iceberg_sql.rules.registry import BY_CODE, reporter
from spark_iceberg_sql.syntax.script import statements

# What follows from the text and columns of one statement: findings on a parsed term are certain.
_CERTAIN = (Category.TEXT, Category.COLUMNS, Category.FIELDS)
FILLED_IN = "check the generated SQL (dbt: `iceberg-sql check target/compiled`)"


def not_checked(message: str, span: Span, help_: str | None = None) -> Diagnostic:
    """A note about what could not be checked."""
    rule = reporter(Event.NOT_CHECKED)
    return Diagnostic(rule.code, rule.name, Severity.NOTE, message, span, help_)


def sure(diagnostic: Diagnostic, verdict: Verdict) -> Diagnostic | None:
    """A note with the severity that the settings give it."""
    severity = verdict(diagnostic.code, diagnostic.severity)
    return replace(diagnostic, severity=severity) if severity is not None else None


class Holes:
    """A filter of the diagnostics of statements with placeholders.

    script: as written. variant: the one that is checked, of the same length. severity_policy: from the settings.
    is_filled_in: such a statement has run before the script.

    placeholder_ranges: the ranges that are filled in.
    """

    def __init__(
        self, script: Joined, chosen: Joined, verdict: Verdict, *, filled_in: bool = False
    ) -> None:
        self._filled_in = filled_in
        self._verdict = verdict
        self._chosen = chosen
        self._lines = Lines(chosen.sql)
        self._holes = [
            (hole.start + offset, hole.end + offset, hole.text)
            for piece, offset in zip(chosen.pieces, chosen.offsets, strict=True)
            for hole in piece.holes
        ]
        spans = [
            (start + offset, end + offset)
            for piece, offset in zip(script.pieces, script.offsets, strict=True)
            for start, end in template_spans(piece.sql)
        ]
        spans = sorted([*spans, *((start, end) for start, end, _ in self._holes)])
        self.filled = tuple(spans)
        self._templated = [
            (s.start, s.end)
            for s in (statements(chosen.sql) if spans else ())
            if _last_before(spans, s.end) > s.start
        ]

    def said(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """The diagnostic; if it depends on a placeholder, a note instead, or None if notes are hidden."""
        if diagnostic.code == INTERNAL:
            return diagnostic
        at = self._statement(diagnostic)
        rule = BY_CODE[diagnostic.code]
        if at is None:
            earlier = bool(self._templated) and self._templated[0][0] < diagnostic.span.start
            if rule.from_absence and (earlier or self._filled_in):
                return self.unsure(diagnostic)
            return diagnostic
        inside = self._inside(at)
        words = {self._chosen.sql[a:b]: text for a, b, text in inside}
        restored = _restored(diagnostic, words)
        if rule.event is Event.NOT_CHECKED:
            return restored
        about = any(word in diagnostic.message for word in words) or _touches(
            diagnostic.span, [(a, b) for a, b, _ in inside]
        )
        if about or rule.from_absence or rule.needs_whole_text:
            return self.unsure(restored)
        return restored

    def readable(self, known: Tables, around: Around) -> Iterator[Diagnostic]:
        """Findings in the parts of templated statements that no template touches."""
        if not self._holes:
            return
        named = join(with_names(piece) for piece in self._chosen.pieces)
        for diagnostic in check(named.sql, known, verdict=self._verdict, around=around):
            at = self._statement(diagnostic)
            rule = BY_CODE[diagnostic.code]
            if at is None or rule.category not in _CERTAIN or rule.from_absence:
                continue
            inside = [(a, b) for a, b, _ in self._inside(at)]
            said = f"{diagnostic.message} {diagnostic.help}"
            if not _touches(diagnostic.span, inside) and not any(
                named.sql[a:b] in said for a, b in inside
            ):
                yield diagnostic

    def nothing_else(self) -> Iterator[Diagnostic]:
        """A note for each statement that is entirely filled in."""
        for start, end in self._templated:
            inside = self._inside((start, end))
            words = sum(b - a for a, b, _ in inside)
            # All characters of the statement, except for white space, come from placeholders.
            if inside and words >= sum(not c.isspace() for c in self._chosen.sql[start:end]):
                said = " ".join(text for _, _, text in inside)
                message = f"not checked: `{said}` could be any statement"
                span = self._lines.span(start, end)
                note = sure(not_checked(message, span, FILLED_IN), self._verdict)
                if note is not None:
                    yield note

    def _statement(self, diagnostic: Diagnostic) -> Offsets | None:
        """The templated statement that contains a diagnostic."""
        number = bisect_right(self._templated, diagnostic.span.start, key=itemgetter(0)) - 1
        if number < 0 or self._templated[number][1] < diagnostic.span.start:
            return None
        return self._templated[number]

    def _inside(self, at: Offsets) -> list[tuple[int, int, str]]:
        """The placeholders in a statement."""
        first, last = (bisect_left(self._holes, offset, key=itemgetter(0)) for offset in at)
        return self._holes[first:last]

    def unsure(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """A note instead of a diagnostic that depends on the text that is filled in."""
        message = "not checked: the statement depends on the text that is filled in here"
        note = not_checked(message, diagnostic.span, FILLED_IN)
        kept = replace(note, skipped=diagnostic.skipped, statements=diagnostic.statements)
        return sure(kept, self._verdict)


def _last_before(spans: list[Offsets], offset: int) -> int:
    """The end of the last span that begins before an offset."""
    number = bisect_left(spans, (offset, 0))
    return spans[number - 1][1] if number else -1


def _touches(span: Span, stretches: list[Offsets]) -> bool:
    return any(a < max(span.end, span.start + 1) and span.start < b for a, b in stretches)


def _restored(diagnostic: Diagnostic, words: dict[str, str]) -> Diagnostic:
    """The diagnostic with each template as written in the file."""
    message, help_ = diagnostic.message, diagnostic.help
    for word, text in words.items():
        message = message.replace(word, text)
        help_ = help_.replace(word, text) if help_ is not None else None
    return replace(diagnostic, message=message, help=help_)
