"""One file of `iceberg-sql check`: read it, check it, fix it or add suppression comments, write it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from spark_iceberg_sql.config.settings import Configuration, Settings
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Report, Severity, Span
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.discovery import decode, read_bytes, source
from spark_iceberg_sql.files.notebooks.positions import as_one
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.outgoing import quoted_path, say
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.report.terminal import place

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
class Mode:
    """The kind of change: fixes (includes_unsafe: the unsafe ones, too), or suppression comments
    (adds_suppressions).
    """

    unsafe: bool = False
    ignore: bool = False


@record(frozen=True, slots=True)
class Changed:
    """A file after the change. count: of findings fixed or suppressed. rejected_findings: those that could not be."""

    text: str
    reports: list[Report]
    many: int = 0
    left: tuple[Diagnostic, ...] = ()


@record(slots=True)
class Tally:
    """The totals of a run.

    applied_count: of findings fixed or suppressed. has_changes: any text changed. failures: a report for each
    file that could not be checked or written. rejected_locations: of the findings that could not be fixed or
    suppressed. reported: messages already printed about files that could not be checked.
    """

    applied: int = 0
    changed: bool = False
    failed: list[Report] = field(default_factory=list)
    kept_back: list[str] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def could_not(self, path: str, why: str) -> None:
        """Print the reason of a failure, once for all files that it concerns, and record it."""
        if why not in self.said:
            say(f"error: {why}")
            self.said.add(why)
        place = Span(0, 0, 1, 1, 1, 1)
        failed = Diagnostic(INTERNAL, "internal-error", Severity.ERROR, why, place, "")
        self.failed.append(Report("", (failed,), path))

    def add(self, before: str, after: Changed) -> None:
        """Record the outcome for a file. old_text: its text before the change."""
        self.applied += after.many
        self.changed = self.changed or after.text != before
        self.kept_back += [f"{place(at(after.reports, d), d)} ({d.code})" for d in after.left]


def read(path: str, stdin_name: str | None, settings: Configuration) -> File:
    """Read a file. stdin_name: the name of standard input. Raises FileError, ConfigError."""
    name = stdin_name or path if path == "-" else path
    content = read_bytes(path)
    text, encoding, bom = decode(content, name)
    here = Path(name) if name != "-" else Path("stdin.sql")
    return File(path, name, settings.of(here), text, content, encoding, bom)


def changed(file: File, found: list[Report], check: Check, mode: Mode) -> Changed:
    """Fix a file's text, or add suppression comments. reports: of the file. check: returns the reports of a text."""
    if mode.ignore:
        from spark_iceberg_sql.checker.added_ignores import with_ignores

        def read_again(text: str) -> Source:
            return source(file.name, text, callables=file.settings.callables)

        return Changed(*with_ignores(read_again, file.text, found, check))
    from spark_iceberg_sql.checker.fixes import fixed

    if all(d.fix is None for report in found for d in report):
        return Changed(file.text, found)
    result = fixed(file.text, lambda text: as_one(text, check(text)), unsafe=mode.unsafe)
    better = check(result.text) if result.applied else found
    return Changed(result.text, better, len(result.applied), result.kept_back)


def at(reports: Sequence[Report], diagnostic: Diagnostic) -> Report:
    """The report, of a file or a cell, that contains a finding."""
    return next((r for r in reports if any(d.span == diagnostic.span for d in r)), reports[0])


def leads_out(path: str, named: Sequence[str]) -> bool:
    """True if a file that was not named explicitly is reached by a link to outside the named folders."""
    if path in named:
        return False
    real = os.path.realpath(path)
    roots = [os.path.realpath(folder) for folder in named if os.path.isdir(folder)]
    return bool(roots) and not any(real.startswith(os.path.join(root, "")) for root in roots)


def put(file: File, text: str, *, diff_only: bool) -> str:
    """Write a fixed text to its file; returns what to print."""
    if diff_only:
        from spark_iceberg_sql.checker.fixes import diff

        return diff(file.text, text, quoted_path(file.name)) if text != file.text else ""
    if file.path == "-":
        return text
    if text != file.text:
        from spark_iceberg_sql.files.replacing import replace_file

        with suppress(UnicodeEncodeError):
            # Write only if the text that was read encodes to the same bytes: otherwise decoding has lost some.
            if file.bom + file.text.encode(file.encoding) == file.content:
                new = file.bom + text.encode(file.encoding)
                replace_file(Path(file.path), new, before=file.content)
                return ""
        raise FileError(
            f"cannot write `{file.path}`: the fixed text does not fit its encoding, {file.encoding.upper()}"
        )
    return ""
