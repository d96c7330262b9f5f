"""One file of `iceberg-sql check`: read it, check it, fix it or add suppression comments, write it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Report, Severity, Span
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.discovery import decode, extract_source, read_bytes
from spark_iceberg_sql.files.notebooks.positions import merge_reports
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.report.terminal import location
from spark_iceberg_sql.safe_output import quoted_path, write_message

# From the text of a file to the reports of its parts.
Check = Callable[[str], list[Report]]


@record(frozen=True, slots=True)
class File:
    """A file as read: its path, display name, settings, text, bytes, encoding and BOM."""

    path: str
    name: str
    settings: Settings
    text: str
    content: bytes
    encoding: str
    bom: bytes


@record(frozen=True, slots=True)
class ChangeMode:
    """The kind of change: fixes (includes_unsafe: unsafe ones, too), or suppression comments (adds_suppressions)."""

    includes_unsafe: bool = False
    adds_suppressions: bool = False


@record(frozen=True, slots=True)
class ChangeResult:
    """A file after the change. count: of findings fixed or suppressed. rejected_findings: those that could not be."""

    text: str
    reports: list[Report]
    count: int = 0
    rejected_findings: tuple[Diagnostic, ...] = ()


@record(slots=True)
class RunSummary:
    """The totals of a run.

    applied_count: of findings fixed or suppressed. has_changes: any text changed. failures: a report for each file that
    could not be checked or written. rejected_locations: of the findings that could not be fixed or suppressed.
    reported: messages already printed about files that could not be checked.
    """

    applied_count: int = 0
    has_changes: bool = False
    failures: list[Report] = field(default_factory=list)
    rejected_locations: list[str] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)

    def add_failure(self, path: str, reason: str) -> None:
        """Print the reason of a failure, once for all files that it concerns, and record it."""
        if reason not in self.reported:
            write_message(f"error: {reason}")
            self.reported.add(reason)
        diagnostic = Diagnostic(INTERNAL, "internal-error", Severity.ERROR, reason, Span(0, 0, 1, 1, 1, 1), "")
        self.failures.append(Report("", (diagnostic,), path))

    def add(self, old_text: str, result: ChangeResult) -> None:
        """Record the outcome for a file. old_text: its text before the change."""
        self.applied_count += result.count
        self.has_changes = self.has_changes or result.text != old_text
        self.rejected_locations += [
            f"{location(report_with(result.reports, d), d)} ({d.code})" for d in result.rejected_findings
        ]


def read_file(path: str, stdin_name: str | None, settings: Configuration) -> File:
    """Read a file. stdin_name: the name of standard input. Raises FileError, ConfigError."""
    name = stdin_name or path if path == "-" else path
    content = read_bytes(path)
    text, encoding, bom = decode(content, name)
    file_settings = settings.of(Path(name if name != "-" else "stdin.sql"))
    return File(path, name, file_settings, text, content, encoding, bom)


def change_file(file: File, reports: list[Report], check: Check, mode: ChangeMode) -> ChangeResult:
    """Fix a file's text, or add suppression comments. reports: of the file. check: returns the reports of a text."""
    if mode.adds_suppressions:
        from spark_iceberg_sql.checker.files.add_suppressions import suppress_findings

        read = partial(extract_source, file.name, callables=file.settings.callables)
        return ChangeResult(*suppress_findings(read, file.text, reports, check))
    from spark_iceberg_sql.checker.fixes import apply_fixes

    if all(d.fix is None for report in reports for d in report):
        return ChangeResult(file.text, reports)
    result = apply_fixes(file.text, lambda text: merge_reports(text, check(text)), unsafe=mode.includes_unsafe)
    new_reports = check(result.text) if result.applied_codes else reports
    return ChangeResult(result.text, new_reports, len(result.applied_codes), result.rejected_findings)


def report_with(reports: Sequence[Report], diagnostic: Diagnostic) -> Report:
    """The report, of a file or a cell, that contains a finding."""
    return next((r for r in reports if any(d.span == diagnostic.span for d in r)), reports[0])


def escapes_folders(path: str, named_paths: Sequence[str]) -> bool:
    """True if a file that was not named explicitly is reached by a link to outside the named folders."""
    if path in named_paths:
        return False
    real_path = os.path.realpath(path)
    roots = [os.path.realpath(folder) for folder in named_paths if os.path.isdir(folder)]
    return bool(roots) and not any(real_path.startswith(os.path.join(root, "")) for root in roots)


def write_fixed(file: File, text: str, *, diff_only: bool) -> str:
    """Write a fixed text to its file; returns what to print."""
    if diff_only:
        from spark_iceberg_sql.checker.fixes import diff

        return diff(file.text, text, quoted_path(file.name)) if text != file.text else ""
    if file.path == "-":
        return text
    if text != file.text:
        from spark_iceberg_sql.files.atomic_write import replace_file

        with suppress(UnicodeEncodeError):
            # Write only if the text that was read encodes to the same bytes: otherwise decoding has lost some.
            if file.bom + file.text.encode(file.encoding) == file.content:
                new_content = file.bom + text.encode(file.encoding)
                replace_file(Path(file.path), new_content, old_content=file.content)
                return ""
        raise FileError(
            f"cannot write `{file.path}`: the fixed text does not fit its encoding, {file.encoding.upper()}"
        )
    return ""
