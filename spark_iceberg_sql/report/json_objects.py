"""Diagnostics as JSON objects, with the field names of ruff's output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Lines, Report
from spark_iceberg_sql.report.rule_pages import url_of
from spark_iceberg_sql.report.terminal import counts_by_code


def json_reports(reports: Sequence[Report]) -> str:
    """All diagnostics as one JSON array."""
    objects = [diagnostic_object(r, d) for r in reports for d in r]
    return json.dumps(objects, indent=2, ensure_ascii=False) + "\n"


def json_statistics(reports: Sequence[Report]) -> str:
    """The number of findings of each code, as a JSON array."""
    objects = [{"code": code, "name": name, "count": number} for number, code, name in counts_by_code(reports)]
    return json.dumps(objects, indent=2, ensure_ascii=False) + "\n"


def diagnostic_object(report: Report, diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as a JSON object: ruff's fields plus severity, name, help and spec."""
    span = diagnostic.span
    return {
        "cell": report.cell,
        "code": diagnostic.code,
        "end_location": {"column": span.end_column, "row": span.end_row},
        "filename": report.filename,
        "fix": _fix(report, diagnostic.fix),
        "help": diagnostic.help,
        "location": {"column": span.column, "row": span.row},
        "message": diagnostic.message,
        "name": diagnostic.name,
        "noqa_row": span.row,
        "severity": str(diagnostic.severity),
        "skipped": list(diagnostic.skipped),
        "spec": diagnostic.spec,
        "statements": diagnostic.statements,
        "url": url_of(diagnostic.code),
    }


def _fix(report: Report, fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    lines = report.lines or Lines(report.text)
    return {
        "applicability": fix.applicability,
        "edits": [
            {"content": edit.text, "end_location": _location(lines, edit.end), "location": _location(lines, edit.start)}
            for edit in fix.edits
        ],
        "message": fix.title,
    }


def _location(lines: Lines, offset: int) -> dict[str, int]:
    row, column = lines.position(offset)
    return {"column": column, "row": row}
