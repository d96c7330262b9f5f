"""Output for GitHub, Azure DevOps (commands in the log of a job) and GitLab (a code quality report)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from spark_iceberg_sql.diagnostics import Diagnostic, Report, Severity
from spark_iceberg_sql.report.fingerprints import fingerprints, relative
from spark_iceberg_sql.safe_output import visible, visible_lines, without_commands

_GITHUB: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_GITLAB: Mapping[Severity, str] = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def github_reports(reports: Sequence[Report]) -> str:
    """A workflow command for each diagnostic, which a GitHub job turns into an annotation."""
    root = os.environ.get("GITHUB_WORKSPACE")
    return "".join(_command(report, d, root) + "\n" for report in reports for d in report)


def _command(report: Report, diagnostic: Diagnostic, root: str | None) -> str:
    span = diagnostic.span
    properties = {"title": f"{diagnostic.code} {diagnostic.name}", "file": relative(report.filename, root)}
    if report.cell is None:  # a line number of a cell is not one of the notebook's file
        properties |= {"line": str(span.row), "col": str(span.column), "endLine": str(span.end_row)}
        properties["endColumn"] = str(span.end_column)
    property_text = ",".join(
        f"{key}={_property(without_commands(visible(value)))}" for key, value in properties.items()
    )
    return f"::{_GITHUB[diagnostic.severity]} {property_text}::{_data(_message_text(report, diagnostic))}"


def _message_text(report: Report, diagnostic: Diagnostic) -> str:
    prefix = f"cell {report.cell}, line {diagnostic.span.row}: " if report.cell is not None else ""
    help_ = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    # Our own command ends at its line, which a name may not make another system's.
    return without_commands(visible_lines(f"{prefix}{diagnostic.message}{help_}"))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def azure_reports(reports: Sequence[Report]) -> str:
    """A logging command for each diagnostic; Azure has errors and warnings only."""
    root = os.environ.get("BUILD_SOURCESDIRECTORY")
    return "".join(_logging_command(report, d, root) + "\n" for report in reports for d in report)


def _logging_command(report: Report, diagnostic: Diagnostic, root: str | None) -> str:
    issue_type = "error" if diagnostic.severity is Severity.ERROR else "warning"
    properties = {"type": issue_type, "sourcepath": relative(report.filename, root)}
    if report.cell is None:
        span = diagnostic.span
        properties |= {"linenumber": str(span.row), "columnnumber": str(span.column)}
    properties["code"] = diagnostic.code
    property_text = "".join(f"{key}={_azure(without_commands(visible(value)))};" for key, value in properties.items())
    return f"##vso[task.logissue {property_text}]{_azure(_message_text(report, diagnostic), data=True)}"


def _azure(text: str, *, data: bool = False) -> str:
    text = text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")
    return text if data else text.replace("]", "%5D").replace(";", "%3B")


def gitlab_reports(reports: Sequence[Report]) -> str:
    """GitLab's code quality report: one issue for each diagnostic."""
    root = os.environ.get("CI_PROJECT_DIR")
    issues = [
        {
            "description": f"{d.code}: {_message_text(report, d)}",
            "check_name": d.name,
            "fingerprint": fingerprint,
            "severity": _GITLAB[d.severity],
            "location": {
                "path": relative(report.filename, root),
                "lines": {"begin": d.span.row, "end": d.span.end_row} if report.cell is None else {"begin": 1},
            },
        }
        for report, d, fingerprint in fingerprints(reports)
    ]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"
