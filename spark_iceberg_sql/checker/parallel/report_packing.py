"""Reports as plain lists, for worker processes and the result cache: values that JSON keeps as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity, Span

PackedData = list[Any]


def pack_reports(reports: Sequence[Report], text: str) -> PackedData:
    """The reports of a file's parts. text: the file's, which is left out where it is the part's."""
    return [
        [
            report.text if report.text != text else None,
            [_pack_diagnostic(diagnostic) for diagnostic in report],
            report.statements,
            report.cell,
            report.unlisted,
        ]
        for report in reports
    ]


def unpack_reports(packed_reports: PackedData, name: str, text: str) -> list[Report]:
    """The reports of the file of that name and text. Raises ValueError for data that `pack_reports` did not make."""
    try:
        return [_unpack_report(part, name, text) for part in packed_reports]
    except (TypeError, KeyError, AttributeError, IndexError) as error:
        raise ValueError(str(error)) from None


def _unpack_report(packed_report: PackedData, name: str, text: str) -> Report:
    stored_text, diagnostics, statements, cell, unlisted = packed_report
    part_text = text if stored_text is None else stored_text
    unpacked = tuple(map(_unpack_diagnostic, diagnostics))
    return Report(part_text, unpacked, name, statements, Lines(part_text), cell, unlisted)


def _pack_diagnostic(diagnostic: Diagnostic) -> PackedData:
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


def _unpack_diagnostic(packed_diagnostic: PackedData) -> Diagnostic:
    code, name, severity, message, span, help_, fix, spec, skipped, statements = packed_diagnostic
    if fix is not None:
        title, edits, safe = fix
        fix = Fix(title, tuple(Edit(*edit) for edit in edits), safe)
    return Diagnostic(
        code, name, Severity(severity), message, Span(*span), help_, fix, spec, tuple(skipped), statements
    )
