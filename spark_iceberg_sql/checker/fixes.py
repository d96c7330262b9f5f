"""Applies the fixes of a report to a text, and rejects those that resolve nothing or cause an error.

Nothing outside the edits changes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Edit, Fix, Report, Severity, Span
from spark_iceberg_sql.rules.base import Category
from spark_iceberg_sql.rules.registry import BY_CODE

# A fix may reveal another one, statement by statement; ten rounds are enough for any statement.
_ROUNDS = 10
# Checks of a file with some of its fixes: so many, and, of a small one, up to so many characters in all.
_CHECKS, _CHARACTERS = 25, 1_000_000


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text with its fixes applied.

    text: the new one. report: its check. applied_codes: the code of each applied fix, in order.
    rejected_findings: the findings of the last report whose fix was tried and rejected.
    """

    text: str
    report: Report
    applied: tuple[str, ...]
    kept_back: tuple[Diagnostic, ...] = ()


def fixed(text: str, check: Callable[[str], Report], *, unsafe: bool = False) -> Fixed:
    """Apply every fix that a check offers, and check again, until it offers none.

    check: text to report. unsafe: apply unsafe fixes too. A fix that does not resolve its finding, or that
    introduces an error which the finding did not hide, is rejected, and the others are applied; so is one that could
    not be tried within a number of checks.
    """
    report = check(text)
    applied: tuple[str, ...] = ()
    refused: set[tuple[str, int]] = set()
    checks = _Checks(check, max(_CHECKS, _CHARACTERS // max(1, len(text))))
    for _ in range(_ROUNDS + report.statements):
        offered = [(d, d.fix) for d in report if d.fix is not None and (d.fix.safe or unsafe)]
        chosen = _not_overlapping([(d, f) for d, f in offered if _mark(d) not in refused])
        if not chosen:
            break
        good, bad, after = _standing(text, report, chosen, checks)
        # A rejected fix is not tried again: each round would try all of them, one by one.
        moved = _Moved(_edits(good))
        refused |= {_mark(d) for d, _ in bad}
        refused = {(code, moved(start)) for code, start in refused}
        text, report = applied_to(text, _edits(good)), after
        applied += tuple(d.code for d, _ in good)
    return Fixed(text, report, applied, tuple(d for d in report if d.fix and _mark(d) in refused))


_Chosen = list[tuple[Diagnostic, Fix]]


class _Checks:
    """A check with a budget: in a broken file each fix may fail by itself.

    remaining: the number of checks that may still run.
    """

    def __init__(self, check: Callable[[str], Report], left: int) -> None:
        self._check = check
        self.left = left

    def __call__(self, text: str) -> Report:
        self.left -= 1
        return self._check(text)


def _mark(found: Diagnostic) -> tuple[str, int]:
    return found.code, found.span.start


def _standing(
    text: str, report: Report, chosen: _Chosen, checks: _Checks
) -> tuple[_Chosen, _Chosen, Report]:
    """Split fixes into those that can be applied together and the others; with the report after the former.

    Groups that fail are halved until each failing fix is alone.
    """
    good: _Chosen = []
    bad: _Chosen = []
    groups = [chosen]
    while groups:
        group = groups.pop()
        if checks.left == 0:
            bad += group
            continue
        after = checks(applied_to(text, _edits(good + group)))
        if _stands(report, after, group, good):
            good, report = good + group, after
        elif len(group) == 1:
            bad += group
        else:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    return good, bad, report


def _stands(before: Report, after: Report, group: _Chosen, good: _Chosen) -> bool:
    """True if every fix of a group resolves its finding and causes no error.

    old_report, new_report: without and with the group; accepted_fixes: the fixes in both. A statement
    with an error is not checked further, nor is anything that depends on it: errors that appear in it or
    after it were there before and should be reported. After an unsafe fix, however, they may be caused by its guess.
    """
    moved = _Moved(_edits(good + group))
    for found, _ in group:
        start, end = moved(found.span.start), moved(found.span.end)
        if any(d.code == found.code and _overlap((start, end), d.span) for d in after):
            return False
    old, new = (Counter(d.code for d in report.errors) for report in (before, after))
    # Whatever a fix may reveal, it must not make a statement unreadable or the checker fail.
    if any(new[code] > old[code] for code in _never_revealed()):
        return False
    if all(fix.safe for _, fix in group):
        return True
    old.subtract(d.code for d, _ in group if d.severity is Severity.ERROR)
    return not any(count > old[code] for code, count in new.items())


def _never_revealed() -> set[str]:
    """The codes of errors that only the fix itself can have caused."""
    syntax = (rule.code for rule in BY_CODE.values() if rule.category is Category.SYNTAX)
    return {INTERNAL, *syntax}


def _overlap(one: tuple[int, int], other: Span) -> bool:
    """True if two spans share a character, or, if one is empty, a position."""
    return one[0] < max(other.end, other.start + 1) and other.start < max(one[1], one[0] + 1)


class _Moved:
    """Maps an offset of a text to its offset after edits."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        edits = sorted(edits, key=lambda e: e.start)
        self._starts = [edit.start for edit in edits]
        self._shifts = [0]
        for edit in edits:
            self._shifts.append(self._shifts[-1] + len(edit.text) - (edit.end - edit.start))

    def __call__(self, offset: int) -> int:
        """The new offset; for an offset inside an edit, one close to it."""
        return max(0, offset + self._shifts[bisect_right(self._starts, offset - 1)])


def _edits(fixes: _Chosen) -> list[Edit]:
    return [edit for _, fix in fixes for edit in fix.edits]


def applied_to(text: str, edits: Iterable[Edit]) -> str:
    """The text with non-overlapping edits applied."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _not_overlapping(offered: Sequence[tuple[Diagnostic, Fix]]) -> _Chosen:
    """Of fixes that touch each other, keep the first; safe ones take precedence."""
    taken: list[tuple[int, int]] = []
    chosen: _Chosen = []
    for diagnostic, fix in sorted(offered, key=lambda item: not item[1].safe):
        edits = [(edit.start, edit.end) for edit in fix.edits]
        if edits and not any(_clashes(edit, taken) for edit in edits):
            taken = sorted([*taken, *edits])
            chosen.append((diagnostic, fix))
    return chosen


def _clashes(edit: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """True if an edit touches one of the occupied ranges, which are sorted and do not overlap."""
    at = bisect_right(taken, edit)
    return any(o[0] <= edit[1] and edit[0] <= o[1] for o in taken[max(0, at - 1) : at + 1])


def diff(before: str, after: str, filename: str) -> str:
    """The change as a unified diff for `patch` and `git apply`."""
    from difflib import unified_diff

    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, filename, filename)
    )
