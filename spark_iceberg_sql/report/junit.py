"""JUnit XML, which most CI systems show as test results: a finding is a failed test, a note a skipped one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from spark_iceberg_sql.diagnostics import Diagnostic, Report, Severity
from spark_iceberg_sql.report.fingerprints import relative
from spark_iceberg_sql.report.rule_pages import url_of
from spark_iceberg_sql.report.terminal import location

# Characters that XML 1.0 does not allow, even escaped.
_INVALID_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_reports(reports: Sequence[Report]) -> str:
    """A test suite for each file, a test case for each diagnostic; a passed one for a file without diagnostics."""
    files: dict[str, list[tuple[Report, Diagnostic]]] = {}
    for report in reports:
        files.setdefault(relative(report.filename), []).extend((report, d) for d in report)
    suites = "".join(_suite(name, findings) for name, findings in files.items())
    all_findings = [pair for findings in files.values() for pair in findings]
    counts = _counts(all_findings, passed=sum(not findings for findings in files.values()))
    header = '<?xml version="1.0" encoding="utf-8"?>\n'
    return f'{header}<testsuites name="iceberg-sql" {counts}>\n{suites}</testsuites>\n'


def _counts(findings: Sequence[tuple[Report, Diagnostic]], passed: int) -> str:
    notes = sum(diagnostic.severity is Severity.NOTE for _, diagnostic in findings)
    tests, failures = len(findings) + passed, len(findings) - notes
    return f'tests="{tests}" failures="{failures}" skipped="{notes}" errors="0"'


def _suite(name: str, findings: list[tuple[Report, Diagnostic]]) -> str:
    cases = "".join(_case(name, report, diagnostic) for report, diagnostic in findings)
    if not findings:
        cases = f'    <testcase name="no problems found" classname={_attribute(name)}/>\n'
    return f"  <testsuite name={_attribute(name)} {_counts(findings, passed=not findings)}>\n{cases}  </testsuite>\n"


def _case(name: str, report: Report, diagnostic: Diagnostic) -> str:
    title = _attribute(f"{diagnostic.code} {diagnostic.name}")
    element = "skipped" if diagnostic.severity is Severity.NOTE else "failure"
    type_attribute = "" if element == "skipped" else f' type="{diagnostic.severity}"'
    body_lines = [location(report, diagnostic), diagnostic.message]
    body_lines += [f"help: {diagnostic.help}"] if diagnostic.help else []
    body_lines += filter(None, [url_of(diagnostic.code)])
    line = f' line="{diagnostic.span.row}"' if report.cell is None else ""
    return (
        f"    <testcase name={title} classname={_attribute(name)} file={_attribute(name)}{line}>\n"
        f"      <{element}{type_attribute} message={_attribute(diagnostic.message)}>"
        f"{escape(_plain(chr(10).join(body_lines)))}</{element}>\n"
        "    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_plain(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _plain(text: str) -> str:
    return _INVALID_XML.sub("\N{REPLACEMENT CHARACTER}", text)
