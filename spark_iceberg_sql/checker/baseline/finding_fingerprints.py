"""Fingerprints of findings: rule, message and statement, independent of the position in the file."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Report, Severity
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.syntax.script import statements


@dataclass(frozen=True, slots=True, order=True)
class FindingFingerprint:
    """Identifies a finding as long as its statement does not change.

    path: the file, as a baseline names it. code, message: the finding's. digest: a hash of both, of the text at its
    span, and of its statement, with white space normalized; line and cell numbers are not part of it.
    """

    path: str
    code: str
    message: str
    digest: str


def fingerprint_findings(
    source: SourceFile, reports: Sequence[Report], path: str
) -> list[tuple[Report, Diagnostic, FindingFingerprint]]:
    """The fingerprint of every finding of a file. source: the file. path: its path in the fingerprints."""
    statements_by_part: dict[int, _Statements] = {}
    fingerprints = []
    for part, report in enumerate(reports):
        for diagnostic in report:
            if part not in statements_by_part:
                statements_by_part[part] = _Statements(source, part)
            span_text = report.text[diagnostic.span.start : diagnostic.span.end]
            statement_text = statements_by_part[part].text_around(diagnostic)
            key = (diagnostic.code, diagnostic.message, span_text, statement_text)
            data = "\0".join(" ".join(text.split()) for text in key)
            digest = hashlib.sha256(data.encode(errors="backslashreplace")).hexdigest()[:32]
            fingerprints.append((report, diagnostic, FindingFingerprint(path, *key[:2], digest)))
    return fingerprints


class _Statements:
    """The statements of a part of a file, by position."""

    def __init__(self, source: SourceFile, part: int) -> None:
        self._text = source.units[part].text
        self._statements = sorted(
            (*fragment.source_span(statement.start, statement.end), statement.text)
            for fragment in source.fragments
            if fragment.unit_index == part
            for statement in statements(fragment.sql)
        )

    def text_around(self, diagnostic: Diagnostic) -> str:
        """The text of the statement that contains a finding, or else the rest of its line."""
        start = diagnostic.span.start
        index = bisect_right(self._statements, start, key=lambda statement: statement[0]) - 1
        if index >= 0 and start <= self._statements[index][1]:
            return self._statements[index][2]
        return self._text[start:].partition("\n")[0]


@dataclass(frozen=True, slots=True)
class NewFindings:
    """reports: a file's reports with new findings only. known_count: the number of findings that were removed."""

    reports: list[Report]
    known_count: int


def new_findings(
    fingerprints: Iterable[tuple[Report, Diagnostic, FindingFingerprint]],
    reports: Sequence[Report],
    known_digests: Counter[str],
) -> NewFindings:
    """The reports of a file without known findings.

    fingerprints: of its findings. known_digests: the number of known findings with each digest. Internal errors are
    always reported. A note that is removed is still counted as not checked.
    """
    remaining = Counter(known_digests)
    kept_diagnostics: dict[int, list[Diagnostic]] = {id(report): [] for report in reports}
    hidden_notes: Counter[int] = Counter()
    known_count = 0
    for report, diagnostic, fingerprint in fingerprints:
        if diagnostic.code != INTERNAL and remaining[fingerprint.digest] > 0:
            remaining[fingerprint.digest] -= 1
            known_count += 1
            if diagnostic.severity is Severity.NOTE:
                hidden_notes[id(report)] += diagnostic.statements
        else:
            kept_diagnostics[id(report)].append(diagnostic)
    return NewFindings(
        [
            replace(
                report,
                diagnostics=tuple(kept_diagnostics[id(report)]),
                unlisted=report.unlisted + hidden_notes[id(report)],
            )
            for report in reports
        ],
        known_count,
    )
