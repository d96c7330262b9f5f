"""Code actions: the fix of a finding, all safe fixes of a file, or a comment that suppresses the finding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from spark_iceberg_sql.checker.fixes import applied_to, fixed
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report, Severity
from spark_iceberg_sql.editor.analysis import Analysis
from spark_iceberg_sql.rules.sis000_internal_error import internal_error
from spark_iceberg_sql.rules.sis002_not_checked import not_checked
from spark_iceberg_sql.rules.sis003_unused_ignore import unused_ignore

_NO_COMMENT = frozenset({internal_error.code, unused_ignore.code, not_checked.code})


def ignoring(
    text: str,
    part: int,
    found: Diagnostic,
    analysis: Analysis,
    check: Callable[[str], Report | None],
) -> Edit | None:
    """The comment that hides one finding; None if there is none, as in text that a program builds.

    text: of the file's part that the finding is in. check: a changed text of this part to its report.
    """
    place = analysis.place(part, found.span.start)
    if place is None or found.code in _NO_COMMENT:
        return None
    script, offset = place
    statement, _ = analysis.known_at(script, offset)
    if statement is None:
        return None
    host_part, start, end = script.host(statement.start, statement.end)
    if host_part != part or text[start:end] != statement.text:
        return None
    before = _faults(analysis.reports[part])
    before[found.code, found.message] -= 1
    for edit in _comments(text, start, found):
        if analysis.place(part, edit.start) is None:
            continue  # the row ends outside the SQL
        after = check(applied_to(text, [edit]))
        if after is not None and _faults(after) <= before:
            return edit
    return None


def _comments(text: str, start: int, found: Diagnostic) -> Iterator[Edit]:
    """A comment on the row above the statement; at the end of the finding's row; before the statement."""
    row = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    indent = text[row:start]
    if not indent.strip():
        newline = "\r\n" if "\r\n" in text else "\n"
        comment = f"{indent}-- iceberg-sql: ignore[{found.code}]{newline}"
        yield Edit(row, row, comment)
    end = re.compile(r"[\r\n]|\Z").search(text, found.span.start)
    if end is not None:
        yield Edit(end.start(), end.start(), f"  -- noqa: {found.code}")
    yield Edit(start, start, f"/* iceberg-sql: ignore[{found.code}] */ ")


def _faults(report: Report) -> Counter[tuple[str, str]]:
    """The findings without notes: an ignored statement may cause new notes, since less is known after it."""
    return Counter((d.code, d.message) for d in report if d.severity is not Severity.NOTE)


def all_safe(text: str, check: Callable[[str], Report | None]) -> Edit | None:
    """The edit that applies all safe fixes of a text, as `iceberg-sql check --fix` does; None if there is none.

    check: a text to its report.
    """
    after = fixed(text, lambda changed: check(changed) or Report(changed)).text
    if after == text:
        return None
    start, end = 0, 0
    most = min(len(text), len(after))
    while start < most and text[start] == after[start]:
        start += 1
    while end < most - start and text[-1 - end] == after[-1 - end]:
        end += 1
    return Edit(start, len(text) - end, after[start : len(after) - end])
