"""SARIF 2.1.0 (OASIS): the tool, its rules with their pages, every result with its region and fix."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report
from spark_iceberg_sql.report.fingerprints import fingerprints, relative
from spark_iceberg_sql.report.rule_pages import url_of
from spark_iceberg_sql.rules import registry

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"


def sarif_reports(reports: Sequence[Report]) -> str:
    """One run with all results; the rules are those that have one."""
    findings = list(fingerprints(reports))
    diagnostics_by_code = {d.code: d for _, d, _ in findings}
    order = {code: index for index, code in enumerate(sorted(diagnostics_by_code))}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "iceberg-sql",
                        "version": version("spark-iceberg-sql"),
                        "rules": [_rule(diagnostics_by_code[code]) for code in order],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri() + "/"}},
                "results": [_result(r, d, order[d.code], fingerprint) for r, d, fingerprint in findings],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(diagnostic: Diagnostic) -> dict[str, Any]:
    rule = next((r for r in registry.ALL if r.code == diagnostic.code), None)
    name = "".join(part.capitalize() for part in diagnostic.name.split("-"))
    if rule is None:
        return {"id": diagnostic.code, "name": name}
    url = url_of(rule.code)
    return {
        "id": rule.code,
        "name": name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.page, "markdown": rule.page},
        **({"helpUri": url} if url is not None else {}),
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _result(report: Report, diagnostic: Diagnostic, index: int, fingerprint: str) -> dict[str, Any]:
    help_ = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    prefix = f"cell {report.cell}, line {diagnostic.span.row}: " if report.cell is not None else ""
    file = _file(report)
    physical_location: dict[str, Any] = {"artifactLocation": file}
    lines = report.lines or Lines(report.text)
    if report.cell is None:  # a region has line numbers of the file, not of a cell
        snippet = report.text[diagnostic.span.start : diagnostic.span.end]
        physical_location["region"] = {
            **_region(lines, diagnostic.span.start, diagnostic.span.end),
            "snippet": {"text": snippet},
        }
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": str(diagnostic.severity),
        "message": {"text": f"{prefix}{diagnostic.message}{help_}"},
        "locations": [{"physicalLocation": physical_location}],
        "partialFingerprints": {"icebergSql/v1": fingerprint},
    }
    if diagnostic.fix is not None and report.cell is None:
        replacements = [
            {"deletedRegion": _region(lines, edit.start, edit.end), "insertedContent": {"text": edit.text}}
            for edit in diagnostic.fix.edits
        ]
        result["fixes"] = [
            {
                "description": {"text": diagnostic.fix.title},
                "properties": {"applicability": diagnostic.fix.applicability},
                "artifactChanges": [{"artifactLocation": file, "replacements": replacements}],
            }
        ]
    return result


def _file(report: Report) -> dict[str, str]:
    path = relative(report.filename)
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": _ROOT}


def _region(lines: Lines, start: int, end: int) -> dict[str, int]:
    span = lines.span(start, end)
    return {
        "startLine": span.row,
        "startColumn": span.column,
        "endLine": span.end_row,
        "endColumn": span.end_column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }
