"""Reports moved onto an edited text: credentials masked, or parameter markers instead of the checked values."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Span, apply_edits
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.report.credentials import MASK, program_secrets_of, secrets_of
from spark_iceberg_sql.safe_output import visible

# Of files in which the SQL is in literals of a program.
_PROGRAMS = (".py", ".ipynb", ".scala", ".sc", ".java")


def rebased(report: Report, edits: Sequence[Edit]) -> Report:
    """The report on its text with edits, which are in order; a fix that touches an edit is dropped."""
    if not edits:
        return report
    text = apply_edits(report.text, edits)
    lines = Lines(text)

    def placed(diagnostic: Diagnostic) -> Diagnostic:
        span = lines.span(*_shifted_range(diagnostic.span, edits))
        fix = _rebased_fix(diagnostic.fix, edits) if diagnostic.fix is not None else None
        return replace(diagnostic, span=span, fix=fix)

    return replace(report, text=text, diagnostics=tuple(map(placed, report)), lines=lines)


def inverse_edits(edits: Sequence[Edit], text: str) -> list[Edit]:
    """The edits that undo edits. text: as it was before them."""
    inverse, shift = [], 0
    for edit in edits:
        start = edit.start + shift
        inverse.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        shift += len(edit.text) - (edit.end - edit.start)
    return inverse


def shifted_offset(offset: int, edits: Sequence[Edit], *, end: bool = False) -> int:
    """The new offset after edits. end: the offset ends a span, which then includes an edit that it cuts."""
    shift = 0
    for edit in edits:
        if offset <= edit.start and not (end and edit.start < offset):
            break
        if offset < edit.end:
            return edit.start + shift + (len(edit.text) if end else 0)
        shift += len(edit.text) - (edit.end - edit.start)
    return offset + shift


def _rebased_fix(fix: Fix, edits: Sequence[Edit]) -> Fix | None:
    if any(fix_edit.start < edit.end and edit.start < fix_edit.end for fix_edit in fix.edits for edit in edits):
        return None
    return replace(fix, edits=tuple(Edit(*_shifted_range(edit, edits), edit.text) for edit in fix.edits))


def _shifted_range(old: Span | Edit, edits: Sequence[Edit]) -> tuple[int, int]:
    return shifted_offset(old.start, edits), shifted_offset(old.end, edits, end=True)


def without_secrets(report: Report) -> Report:
    """The report with each value that may be a credential masked, in messages too."""
    is_program = (report.filename or "").lower().endswith(_PROGRAMS)
    edits = program_secrets_of(report.text) if is_program else secrets_of(report.text)
    if not edits:
        return report
    secrets = {report.text[edit.start : edit.end] for edit in edits}
    # A shorter one may be part of other words.
    values = sorted((value for value in secrets if len(value) > 3), key=len, reverse=True)
    masked_report = rebased(report, edits)

    def silent(text: str | None) -> str | None:
        for value in values if text else ():
            for spelling in (value, visible(value)):  # a message has it without control characters
                text = text.replace(spelling, MASK)  # type: ignore[union-attr]
        return text

    return replace(
        masked_report,
        diagnostics=tuple(replace(d, message=silent(d.message) or "", help=silent(d.help)) for d in masked_report),
    )
