"""Fingerprints of findings: rule, message and statement, independent of the position in the file."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Report, Severity
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.syntax.script import statements


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Identifies a finding as long as its statement does not change.

    path: the file, as a baseline names it. code, message: the finding's. digest: a hash of both, of the text at its
    span, and of its statement, with white space normalized; line and cell numbers are not part of it.
    """

    path: str
    code: str
    message: str
    digest: str


def marks(
    source: Source, reports: Sequence[Report], path: str
) -> list[tuple[Report, Diagnostic, Mark]]:
    """The fingerprint of every finding of a file. source: the file. path: its path in the fingerprints."""
    texts: dict[int, _Statements] = {}
    found = []
    for part, report in enumerate(reports):
        for diagnostic in report:
            if part not in texts:
                texts[part] = _Statements(source, part)
            words = report.text[diagnostic.span.start : diagnostic.span.end]
            around = texts[part].around(diagnostic)
            key = (diagnostic.code, diagnostic.message, words, around)
            data = "\0".join(" ".join(text.split()) for text in key)
            digest = hashlib.sha256(data.encode(errors="backslashreplace")).hexdigest()[:32]
            found.append((report, diagnostic, Mark(path, *key[:2], digest)))
    return found


class _Statements:
    """The statements of a part of a file, by position."""

    def __init__(self, source: Source, part: int) -> None:
        self._text = source.parts[part].text
        self._found = sorted(
            (*piece.place(statement.start, statement.end), statement.text)
            for piece in source.pieces
            if piece.part == part
            for statement in statements(piece.sql)
        )

    def around(self, diagnostic: Diagnostic) -> str:
        """The text of the statement that contains a finding, or else the rest of its line."""
        start = diagnostic.span.start
        number = bisect_right(self._found, start, key=lambda found: found[0]) - 1
        if number >= 0 and start <= self._found[number][1]:
            return self._found[number][2]
        return self._text[start:].partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Screened:
    """reports: a file's reports with new findings only. known_count: the number of findings that were removed."""

    reports: list[Report]
    known: int


def new_findings(
    found: Iterable[tuple[Report, Diagnostic, Mark]],
    reports: Sequence[Report],
    known: Counter[str],
) -> Screened:
    """The reports of a file without known findings.

    fingerprints: of its findings. known_digests: the number of known findings with each digest. Internal errors are
    always reported. A note that is removed is still counted as not checked.
    """
    left = Counter(known)
    kept: dict[int, list[Diagnostic]] = {id(report): [] for report in reports}
    hidden: Counter[int] = Counter()
    count = 0
    for report, diagnostic, mark in found:
        if diagnostic.code != INTERNAL and left[mark.digest] > 0:
            left[mark.digest] -= 1
            count += 1
            if diagnostic.severity is Severity.NOTE:
                hidden[id(report)] += diagnostic.statements
        else:
            kept[id(report)].append(diagnostic)
    return Screened(
        [
            replace(
                report,
                diagnostics=tuple(kept[id(report)]),
                unlisted=report.unlisted + hidden[id(report)],
            )
            for report in reports
        ],
        count,
    )
