"""Cases of rules: scripts in a file, in which a comment marks each line that must have a finding.

    -- case: in ALTER
    CREATE TABLE t (user_id BIGINT) USING iceberg;
    ALTER TABLE t ADD PARTITION FIELD user_id;  -- warning: ACME101

Several codes are separated by commas. There must be no other findings.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record

Marked = tuple[int, str, str]  # row, severity, code

_CODES = r"[A-Z]+\d{3}(?:, [A-Z]+\d{3})*"
_MARK = regex(rf"(?m)[ \t]*-- (error|warning|note): ({_CODES})(?=[ \t]*(?:$|--))")
_TITLE = regex(r"(?m)^-- case: *(.*)\n")


@record(frozen=True)
class Case:
    """A script and the findings that it must have. sql: without the marks. findings: sorted."""

    title: str
    sql: str
    findings: tuple[Marked, ...]


def cases_of(text: str) -> Iterator[Case]:
    """The cases in the text of a file."""
    parts = _TITLE.split(text)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield Case(title, _MARK.sub("", body), tuple(sorted(_marks(body))))


def findings_of(report: Report) -> tuple[Marked, ...]:
    """The findings of a report as those of a case: one for each row, severity and code."""
    return tuple(sorted({(d.span.row, str(d.severity), d.code) for d in report.diagnostics}))


def _marks(body: str) -> Iterator[Marked]:
    for match in _MARK.finditer(body):
        row = body.count("\n", 0, match.start()) + 1
        yield from ((row, match[1], code) for code in match[2].split(", "))
