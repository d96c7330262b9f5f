"""Reports as plain lists, for worker processes and the result cache: values that JSON keeps as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity, Span

Packed = list[Any]


def packed(reports: Sequence[Report], text: str) -> Packed:
    """The reports of a file's parts. text: the file's, which is left out where it is the part's."""
    return [
        [
            report.text if report.text != text else None,
            [_packed(diagnostic) for diagnostic in report],
            report.statements,
            report.cell,
            report.unlisted,
        ]
        for report in reports
    ]


def unpacked(given: Packed, name: str, text: str) -> list[Report]:
    """The reports of the file of that name and text. Raises ValueError for data that `pack_reports` did not make."""
    try:
        return [_report(part, name, text) for part in given]
    except (TypeError, KeyError, AttributeError, IndexError) as error:
        raise ValueError(str(error)) from None


def _report(given: Packed, name: str, text: str) -> Report:
    own, diagnostics, statements, cell, unlisted = given
    part = text if own is None else own
    found = tuple(map(_diagnostic, diagnostics))
    return Report(part, found, name, statements, Lines(part), cell, unlisted)


def _packed(diagnostic: Diagnostic) -> Packed:
    span, fix = diagnostic.span, diagnostic.fix
    edits = [[edit.start, edit.end, edit.text] for edit in fix.edits] if fix is not None else []
    return [
        diagnostic.code,
        diagnostic.name,
        diagnostic.severity.value,
        diagnostic.message,
        [span.start, span.end, span.row, span.column, span.end_row, span.end_column],
        diagnostic.help,
        [fix.title, edits, fix.safe] if fix is not None else None,
        diagnostic.spec,
        list(diagnostic.skipped),
        diagnostic.statements,
    ]


def _diagnostic(given: Packed) -> Diagnostic:
    code, name, severity, message, span, help_, fix, spec, skipped, statements = given
    if fix is not None:
        title, edits, safe = fix
        fix = Fix(title, tuple(Edit(*edit) for edit in edits), safe)
    return Diagnostic(
        code,
        name,
        Severity(severity),
        message,
        Span(*span),
        help_,
        fix,
        spec,
        tuple(skipped),
        statements,
    )
