"""Inserts suppression comments for the findings of a file (`--add-noqa`) or for one finding (editor).

The SQL and the program around it stay the same, apart from comments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import replace
from functools import lru_cache, partial

from spark_iceberg_sql.checker.directives import parse_directive
from spark_iceberg_sql.checker.files.suppression_positions import (
    POSITIONS,
    IndexedPart,
    Position,
    differ_only_in_comments,
    index_parts,
)
from spark_iceberg_sql.checker.fixes import apply_fixes
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Edit, Fix, Report, Severity, Span, apply_edits
from spark_iceberg_sql.files.notebooks.positions import merge_reports
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import BY_CODE

_CODE_LIST = re.compile(r"[:\[]\s*([\w.,\s-]+?)\s*\]?$")
_CODE = re.compile(r"\b[A-Z]+\d+\b")
_COMMENT_END = re.compile(r"\s*\*/")
_CACHE_SIZE = 3  # texts of a file whose reports are kept: the last good one, the one that is tried, and one more
_STATEMENTS_CHANGED = Diagnostic(
    INTERNAL, "changed", Severity.ERROR, "the statements are not the same", Span(0, 0, 1, 1, 1, 1), ""
)


def suppress_findings(
    read: Callable[[str], SourceFile], text: str, reports: list[Report], check: Callable[[str], list[Report]]
) -> tuple[str, list[Report], int, tuple[Diagnostic, ...]]:
    """Add a suppression comment for each error and warning of a file.

    read: returns the source file of a text. reports: those of the text. check: returns the reports of a text. A comment
    is put at the end of the finding's line, at the end of the string literal that contains the SQL, or before the
    statement: the first position where it suppresses the finding, causes no other, and changes neither the statements
    nor the program.
    Returns the text, its reports, the number of findings that now have a comment, and those that cannot have one.
    """
    count_before = len(_findings_to_suppress(reports))
    unused_before = {_span_text(report, d) for report in reports for d in report if _is_unused(d)}

    # Each position starts from the text that the previous one returned; most change nothing, so its reports are cached.
    cached_text, cached_reports = text, reports

    @lru_cache(maxsize=_CACHE_SIZE)
    def reports_of(changed: str) -> list[Report]:
        return cached_reports if changed == cached_text else check(changed)

    @lru_cache(maxsize=_CACHE_SIZE)
    def read_parts(changed: str) -> tuple[SourceFile, list[IndexedPart]]:
        source = read(changed)
        return source, index_parts(source)

    def apply(edited: Callable[[IndexedPart, Report], Report]) -> None:
        nonlocal text, reports
        old_source, _ = read_parts(text)

        def offered(new_text: str) -> Report:
            new_source, parts = read_parts(new_text)
            edited_reports = [edited(*pair) for pair in zip(parts, reports_of(new_text), strict=True)]
            report = merge_reports(new_text, edited_reports)
            is_same = new_text == text or differ_only_in_comments(old_source, new_source)
            return report if is_same else replace(report, diagnostics=(_STATEMENTS_CHANGED, *report))

        text = apply_fixes(text, offered).text
        reports = reports_of(text)

    for position in POSITIONS:
        if _findings_to_suppress(reports):
            apply(partial(_with_suppression_fixes, position))
    apply(partial(_without_unused_codes, unused_before))
    remaining = tuple(_findings_to_suppress(reports))
    return text, reports, count_before - len(remaining), remaining


def suppression_edit(
    source: SourceFile,
    number: int,
    report: Report,
    diagnostic: Diagnostic,
    check: Callable[[str], tuple[SourceFile, Report] | None],
) -> Edit | None:
    """The edit that suppresses one finding; None if no position works.

    source: the file. number: the part of it that contains the finding. report: that part's. check: from a new text of
    this part to the file with it and the part's report; None if it cannot be checked.
    """
    part = index_parts(source)[number]
    fragment = part.fragment_at(diagnostic.span.start)
    if fragment is None or not _needs_suppression(diagnostic):
        return None
    expected = _finding_counts(report)
    expected[diagnostic.code, diagnostic.message] -= 1
    for position in POSITIONS:
        edit = position(part, fragment, diagnostic, diagnostic.code)
        result = check(apply_edits(part.text, [edit])) if edit is not None else None
        if result is not None and _finding_counts(result[1]) <= expected and differ_only_in_comments(source, result[0]):
            return edit
    return None


def _finding_counts(report: Report) -> Counter[tuple[str, str]]:
    """Count errors and warnings by code and message.

    Notes are left out: a statement whose error is suppressed may cause new notes, since less is known after it.
    """
    return Counter((d.code, d.message) for d in report if d.severity is not Severity.NOTE)


def _findings_to_suppress(reports: list[Report]) -> list[Diagnostic]:
    """The findings that need a comment."""
    return [finding for report in reports for finding in report if _needs_suppression(finding)]


def _needs_suppression(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is not Severity.NOTE and BY_CODE[diagnostic.code].suppressible


def _is_unused(diagnostic: Diagnostic) -> bool:
    """Recognize a finding about an ignore comment."""
    return BY_CODE[diagnostic.code].event is Event.UNUSED_IGNORE


def _with_suppression_fixes(position: Position, part: IndexedPart, report: Report) -> Report:
    """A report in which the fix of each finding is the edit that adds its comment."""
    codes: dict[int, dict[str, None]] = {}
    for finding in _findings_to_suppress([report]):
        codes.setdefault(finding.span.row, {})[finding.code] = None

    def added_comment(diagnostic: Diagnostic) -> Edit | None:
        fragment = part.fragment_at(diagnostic.span.start) if _needs_suppression(diagnostic) else None
        if fragment is None:
            return None
        edit = position(part, fragment, diagnostic, ", ".join(codes[diagnostic.span.row]))
        # Else checks of the file, as many as are granted, would show it.
        return None if edit is not None and fragment.is_cut_off(diagnostic.span.start, edit.start) else edit

    return _with_fixes(report, "ignore it", added_comment)


def _with_fixes(report: Report, title: str, edit_for: Callable[[Diagnostic], Edit | None]) -> Report:
    """The report with these edits as the only fixes of its diagnostics."""
    edits = [(diagnostic, edit_for(diagnostic)) for diagnostic in report]
    fixes = [(diagnostic, Fix(title, (edit,), safe=True) if edit is not None else None) for diagnostic, edit in edits]
    return replace(report, diagnostics=tuple(replace(diagnostic, fix=fix) for diagnostic, fix in fixes))


def _span_text(report: Report, diagnostic: Diagnostic) -> str:
    return report.text[diagnostic.span.start : diagnostic.span.end]


def _without_unused_codes(unused_before: Set[str], part: IndexedPart, report: Report) -> Report:
    """The report, with a fix for each unused code of an added comment: it removes the code.

    A suppressed error counts as a statement that runs, so later findings may no longer exist. unused_before: the
    comments that were unused before any was added.
    """

    def removal(diagnostic: Diagnostic) -> Edit | None:
        comment = _span_text(report, diagnostic)
        is_added = _is_unused(diagnostic) and comment not in unused_before
        return _removal_edit(part.text, diagnostic, comment) if is_added else None

    return _with_fixes(report, "remove what is unused", removal)


def _removal_edit(text: str, diagnostic: Diagnostic, comment: str) -> Edit | None:
    """The edit that removes the unused codes from a comment, or the comment."""
    directive, code_list = parse_directive(comment), _CODE_LIST.search(comment)
    if directive is None or directive.mistake is not None or code_list is None:
        return None
    unused_codes = _CODE.findall(diagnostic.message)
    kept_codes = [code for code in directive.codes if code not in unused_codes]
    start, end = diagnostic.span.start, diagnostic.span.end
    if kept_codes:
        return Edit(start + code_list.start(1), start + code_list.end(1), ", ".join(kept_codes))
    if (closing := _COMMENT_END.match(text, end)) is not None:
        end = closing.end()
    if text[end : end + 1] not in ("", "\r", "\n"):  # another comment follows, or the statement
        return Edit(start, end + 1 if text[end] == " " else end, "")
    row = text.rfind("\n", 0, start) + 1
    if not text[row:start].strip():  # its own line
        line_end = re.compile(r"\r?\n").match(text, end)
        return Edit(row, line_end.end() if line_end is not None else end, "")
    return Edit(len(text[:start].rstrip(" ")), end, "")
