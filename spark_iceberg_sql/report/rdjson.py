"""Reviewdog's diagnostic format: columns count bytes of UTF-8, fixes are suggestions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Lines, Report, Severity, apply_edits
from spark_iceberg_sql.report.fingerprints import relative
from spark_iceberg_sql.report.rule_pages import SITE, url_of

_SEVERITY: Mapping[Severity, str] = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}


def rdjson_reports(reports: Sequence[Report]) -> str:
    """One DiagnosticResult with all diagnostics."""
    result = {
        "source": {"name": "iceberg-sql", "url": SITE},
        "diagnostics": [_diagnostic(report, d) for report in reports for d in report],
    }
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _diagnostic(report: Report, diagnostic: Diagnostic) -> dict[str, Any]:
    lines = report.lines or Lines(report.text)
    span, url = diagnostic.span, url_of(diagnostic.code)
    help_ = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    prefix = ""
    location: dict[str, Any] = {"path": relative(report.filename)}
    optional_members: dict[str, Any] = {}
    if report.cell is not None:  # a line number of a cell is not one of the notebook's file
        prefix = f"cell {report.cell}, line {span.row}: "
    else:
        location |= {"range": _range(lines, span.start, span.end)}
        if diagnostic.fix is not None and diagnostic.fix.edits:
            optional_members["suggestions"] = [_suggestion(report.text, lines, diagnostic.fix)]
    return {
        "message": f"{prefix}{diagnostic.message}{help_}",
        "location": location,
        "severity": _SEVERITY[diagnostic.severity],
        "code": {"value": diagnostic.code, **({"url": url} if url is not None else {})},
        **optional_members,
    }


def _suggestion(text: str, lines: Lines, fix: Fix) -> dict[str, Any]:
    """All edits as one: several suggestions would be alternatives."""
    start, end = fix.edits[0].start, max(edit.end for edit in fix.edits)
    return {"range": _range(lines, start, end), "text": apply_edits(text[:end], fix.edits)[start:]}


def _range(lines: Lines, start: int, end: int) -> dict[str, dict[str, int]]:
    return {"start": _position(lines, start), "end": _position(lines, end)}


def _position(lines: Lines, offset: int) -> dict[str, int]:
    row, column = lines.position(offset)
    prefix = lines.line(row)[: column - 1]
    return {"line": row, "column": len(prefix.encode(errors="surrogatepass")) + 1}
