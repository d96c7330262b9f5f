"""Inserts suppression comments for the findings of a file (`--add-noqa`) or for one finding (editor).

The SQL and the program around it stay the same, apart from comments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import replace
from functools import lru_cache, partial

from spark_iceberg_sql.checker.comment_places import PLACES, Part, Place, alike, parts_of
from spark_iceberg_sql.checker.fixes import applied_to, fixed
from spark_iceberg_sql.checker.ignore_comments import read_comment
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Edit, Fix, Report, Severity, Span
from spark_iceberg_sql.files.notebooks.positions import as_one
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import BY_CODE

_LISTED = re.compile(r"[:\[]\s*([\w.,\s-]+?)\s*\]?$")
_CODE = re.compile(r"\b[A-Z]+\d+\b")
_CLOSING = re.compile(r"\s*\*/")
_KEPT = 3  # texts of a file whose reports are kept: the last good one, the one that is tried, and one more
_CHANGED = Diagnostic(
    INTERNAL,
    "changed",
    Severity.ERROR,
    "the statements are not the same",
    Span(0, 0, 1, 1, 1, 1),
    "",
)


def with_ignores(
    read: Callable[[str], Source],
    text: str,
    found: list[Report],
    check: Callable[[str], list[Report]],
) -> tuple[str, list[Report], int, tuple[Diagnostic, ...]]:
    """Add a suppression comment for each error and warning of a file.

    read: returns the source file of a text. reports: those of the text. check: returns the reports of a
    text. A comment is put at the end of the finding's line, at the end of the string literal that contains the SQL,
    or before the statement: the first position where it suppresses the finding, causes no other, and changes neither
    the statements nor the program.
    Returns the text, its reports, the number of findings that now have a comment, and those that cannot have one.
    """
    before = len(_due(found))
    unused = {_words_of(report, d) for report in found for d in report if _is_unused(d)}

    # Each position starts from the text that the previous one returned; most change nothing, so its reports are
    # cached.
    first, first_reports = text, found

    @lru_cache(maxsize=_KEPT)
    def reports_of(changed: str) -> list[Report]:
        return first_reports if changed == first else check(changed)

    @lru_cache(maxsize=_KEPT)
    def read_parts(changed: str) -> tuple[Source, list[Part]]:
        source = read(changed)
        return source, parts_of(source)

    def apply(edited: Callable[[Part, Report], Report]) -> None:
        nonlocal text, found
        one, _ = read_parts(text)

        def offered(changed: str) -> Report:
            here, parts = read_parts(changed)
            given = [edited(*pair) for pair in zip(parts, reports_of(changed), strict=True)]
            report = as_one(changed, given)
            same = changed == text or alike(one, here)
            return report if same else replace(report, diagnostics=(_CHANGED, *report))

        text = fixed(text, offered).text
        found = reports_of(text)

    for place in PLACES:
        if _due(found):
            apply(partial(_with_edits, place))
    apply(partial(_without_idle, unused))
    left = tuple(_due(found))
    return text, found, before - len(left), left


def ignoring(
    found: Source,
    number: int,
    report: Report,
    diagnostic: Diagnostic,
    check: Callable[[str], tuple[Source, Report] | None],
) -> Edit | None:
    """The edit that suppresses one finding; None if no position works.

    source: the file. number: the part of it that contains the finding. report: that part's. check: from a new text of
    this part to the file with it and the part's report; None if it cannot be checked.
    """
    part = parts_of(found)[number]
    sql = part.sql_at(diagnostic.span.start)
    if sql is None or not _is_due(diagnostic):
        return None
    left = _faults(report)
    left[diagnostic.code, diagnostic.message] -= 1
    for place in PLACES:
        edit = place(part, sql, diagnostic, diagnostic.code)
        after = check(applied_to(part.text, [edit])) if edit is not None else None
        if after is not None and _faults(after[1]) <= left and alike(found, after[0]):
            return edit
    return None


def _faults(report: Report) -> Counter[tuple[str, str]]:
    """Count errors and warnings by code and message.

    Notes are left out: a statement whose error is suppressed may cause new notes, since less is known after it.
    """
    return Counter((d.code, d.message) for d in report if d.severity is not Severity.NOTE)


def _due(reports: list[Report]) -> list[Diagnostic]:
    """The findings that need a comment."""
    return [diagnostic for report in reports for diagnostic in report if _is_due(diagnostic)]


def _is_due(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is not Severity.NOTE and BY_CODE[diagnostic.code].suppressible


def _is_unused(diagnostic: Diagnostic) -> bool:
    """Recognize a finding about an ignore comment."""
    return BY_CODE[diagnostic.code].event is Event.UNUSED_IGNORE


def _with_edits(place: Place, part: Part, report: Report) -> Report:
    """A report in which the fix of each finding is the edit that adds its comment."""
    codes: dict[int, dict[str, None]] = {}
    for due in _due([report]):
        codes.setdefault(due.span.row, {})[due.code] = None
    given = []
    for diagnostic in report:
        edit = None
        if _is_due(diagnostic):
            sql = part.sql_at(diagnostic.span.start)
            if sql is not None:
                edit = place(part, sql, diagnostic, ", ".join(codes[diagnostic.span.row]))
                # Else checks of the file, as many as are granted, would show it.
                if edit is not None and sql.out_of_reach(diagnostic.span.start, edit.start):
                    edit = None
        fix = Fix("ignore it", (edit,), safe=True) if edit is not None else None
        given.append(replace(diagnostic, fix=fix))
    return replace(report, diagnostics=tuple(given))


def _words_of(report: Report, diagnostic: Diagnostic) -> str:
    return report.text[diagnostic.span.start : diagnostic.span.end]


def _without_idle(unused: Set[str], part: Part, report: Report) -> Report:
    """The report, with a fix for each unused code of an added comment: it removes the code.

    A suppressed error counts as a statement that runs, so later findings may no longer exist. unused_before:
    the comments
    that were unused before any was added.
    """
    given = []
    for diagnostic in report:
        comment = _words_of(report, diagnostic)
        ours = _is_unused(diagnostic) and comment not in unused
        edit = _removal(part.text, diagnostic, comment) if ours else None
        fix = Fix("remove what is unused", (edit,), safe=True) if edit is not None else None
        given.append(replace(diagnostic, fix=fix))
    return replace(report, diagnostics=tuple(given))


def _removal(text: str, diagnostic: Diagnostic, comment: str) -> Edit | None:
    """The edit that removes the unused codes from a comment, or the comment."""
    said, listed = read_comment(comment), _LISTED.search(comment)
    if said is None or said.wrong is not None or listed is None:
        return None
    idle = _CODE.findall(diagnostic.message)
    kept = [code for code in said.codes if code not in idle]
    start, end = diagnostic.span.start, diagnostic.span.end
    if kept:
        return Edit(start + listed.start(1), start + listed.end(1), ", ".join(kept))
    closing = _CLOSING.match(text, end)
    end = closing.end() if closing is not None else end
    if text[end : end + 1] not in ("", "\r", "\n"):  # another comment follows, or the statement
        return Edit(start, end + 1 if text[end] == " " else end, "")
    row = text.rfind("\n", 0, start) + 1
    if not text[row:start].strip():  # its own line
        line_end = re.compile(r"\r?\n").match(text, end)
        return Edit(row, line_end.end() if line_end is not None else end, "")
    return Edit(len(text[:start].rstrip(" ")), end, "")
