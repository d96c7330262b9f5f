"""Findings that are known already, by what they say of which statement: not by where it stands."""

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
    """What is the same of a finding as long as its statement is.

    path: the file, as a baseline names it. code, message: the finding's. digest: of these, the words that it
    points at, and its whole statement; spaces do not count, nor do lines and cells.
    """

    path: str
    code: str
    message: str
    digest: str


def marks(
    source: Source, reports: Sequence[Report], path: str
) -> list[tuple[Report, Diagnostic, Mark]]:
    """The mark of every finding of a file. source: the file. path: as the marks name it."""
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
    """The statements of a part of a file, by their places in it."""

    def __init__(self, source: Source, part: int) -> None:
        self._text = source.parts[part].text
        self._found = sorted(
            (*piece.place(statement.start, statement.end), statement.text)
            for piece in source.pieces
            if piece.part == part
            for statement in statements(piece.sql)
        )

    def around(self, diagnostic: Diagnostic) -> str:
        """The statement that a finding is in, or else the rest of its line."""
        start = diagnostic.span.start
        number = bisect_right(self._found, start, key=lambda found: found[0]) - 1
        if number >= 0 and start <= self._found[number][1]:
            return self._found[number][2]
        return self._text[start:].partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Sorted:
    """A file's findings, sorted. reports: with the new ones only. known: how many are not among them."""

    reports: list[Report]
    known: int


def new_findings(
    found: Iterable[tuple[Report, Diagnostic, Mark]],
    reports: Sequence[Report],
    known: Counter[str],
) -> Sorted:
    """The reports of a file without what is known.

    found: the marks of its findings. known: how often each digest is known; of findings that are alike, as
    many are. An internal error is never known. A note that is left out counts as one that is not listed.
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
    return Sorted(
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
