"""Applies the fixes of a report to a text, and rejects those that resolve nothing or cause an error.

Nothing outside the edits changes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Edit, Fix, Report, Severity, Span, apply_edits
from spark_iceberg_sql.rules.base import Category
from spark_iceberg_sql.rules.registry import BY_CODE

# A fix may reveal another one, statement by statement; ten rounds are enough for any statement.
_ROUNDS = 10
# Checks of a file with some of its fixes: so many, and, of a small one, up to so many characters in all.
_CHECKS, _CHARACTERS = 25, 1_000_000


@dataclass(frozen=True, slots=True)
class FixResult:
    """A text with its fixes applied.

    text: the new one. report: its check. applied_codes: the code of each applied fix, in order.
    rejected_findings: the findings of the last report whose fix was tried and rejected.
    """

    text: str
    report: Report
    applied_codes: tuple[str, ...]
    rejected_findings: tuple[Diagnostic, ...] = ()


def apply_fixes(text: str, check: Callable[[str], Report], *, unsafe: bool = False) -> FixResult:
    """Apply every fix that a check offers, and check again, until it offers none.

    check: text to report. unsafe: apply unsafe fixes too. A fix that does not resolve its finding, or that introduces
    an error which the finding did not hide, is rejected, and the others are applied; so is one that could not be tried
    within a number of checks.
    """
    report = check(text)
    applied_codes: tuple[str, ...] = ()
    rejected_keys: set[tuple[str, int]] = set()
    checks = _CheckBudget(check, max(_CHECKS, _CHARACTERS // max(1, len(text))))
    for _ in range(_ROUNDS + report.statements):
        offers = [(d, d.fix) for d in report if d.fix is not None and (d.fix.safe or unsafe)]
        candidates = _without_overlaps([(d, f) for d, f in offers if _fix_key(d) not in rejected_keys])
        if not candidates:
            break
        accepted_fixes, rejected_fixes, new_report = _select_fixes(text, report, candidates, checks)
        # A rejected fix is not tried again: each round would try all of them, one by one.
        new_offset = _OffsetMap(_edits(accepted_fixes))
        rejected_keys |= {_fix_key(d) for d, _ in rejected_fixes}
        rejected_keys = {(code, new_offset(start)) for code, start in rejected_keys}
        text, report = apply_edits(text, _edits(accepted_fixes)), new_report
        applied_codes += tuple(d.code for d, _ in accepted_fixes)
    return FixResult(text, report, applied_codes, tuple(d for d in report if d.fix and _fix_key(d) in rejected_keys))


_FixList = list[tuple[Diagnostic, Fix]]


class _CheckBudget:
    """A check with a budget: in a broken file each fix may fail by itself.

    remaining: the number of checks that may still run.
    """

    def __init__(self, check: Callable[[str], Report], remaining: int) -> None:
        self._check = check
        self.remaining = remaining

    def __call__(self, text: str) -> Report:
        self.remaining -= 1
        return self._check(text)


def _fix_key(diagnostic: Diagnostic) -> tuple[str, int]:
    return diagnostic.code, diagnostic.span.start


def _select_fixes(
    text: str, report: Report, candidates: _FixList, checks: _CheckBudget
) -> tuple[_FixList, _FixList, Report]:
    """Split fixes into those that can be applied together and the others; with the report after the former.

    Groups that fail are halved until each failing fix is alone.
    """
    accepted_fixes: _FixList = []
    rejected_fixes: _FixList = []
    groups = [candidates]
    while groups:
        group = groups.pop()
        if checks.remaining == 0:
            rejected_fixes += group
            continue
        new_report = checks(apply_edits(text, _edits(accepted_fixes + group)))
        if _is_acceptable(report, new_report, group, accepted_fixes):
            accepted_fixes, report = accepted_fixes + group, new_report
        elif len(group) == 1:
            rejected_fixes += group
        else:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    return accepted_fixes, rejected_fixes, report


def _is_acceptable(old_report: Report, new_report: Report, group: _FixList, accepted_fixes: _FixList) -> bool:
    """True if every fix of a group resolves its finding and causes no error.

    old_report, new_report: without and with the group; accepted_fixes: the fixes in both. A statement with an error is
    not checked further, nor is anything that depends on it: errors that appear in it or after it were there before and
    should be reported. After an unsafe fix, however, they may be caused by its guess.
    """
    new_offset = _OffsetMap(_edits(accepted_fixes + group))
    for diagnostic, _ in group:
        start, end = new_offset(diagnostic.span.start), new_offset(diagnostic.span.end)
        if any(d.code == diagnostic.code and _overlap((start, end), d.span) for d in new_report):
            return False
    old, new = (Counter(d.code for d in report.errors) for report in (old_report, new_report))
    # Whatever a fix may reveal, it must not make a statement unreadable or the checker fail.
    never_revealed = [INTERNAL, *(rule.code for rule in BY_CODE.values() if rule.category is Category.SYNTAX)]
    if any(new[code] > old[code] for code in never_revealed):
        return False
    if all(fix.safe for _, fix in group):
        return True
    old.subtract(d.code for d, _ in group if d.severity is Severity.ERROR)
    return not any(count > old[code] for code, count in new.items())


def _overlap(left: tuple[int, int], right: Span) -> bool:
    """True if two spans share a character, or, if one is empty, a position."""
    return left[0] < max(right.end, right.start + 1) and right.start < max(left[1], left[0] + 1)


class _OffsetMap:
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


def _edits(fixes: _FixList) -> list[Edit]:
    return [edit for _, fix in fixes for edit in fix.edits]


def _without_overlaps(offers: Sequence[tuple[Diagnostic, Fix]]) -> _FixList:
    """Of fixes that touch each other, keep the first; safe ones take precedence."""
    occupied: list[tuple[int, int]] = []
    selected: _FixList = []
    for diagnostic, fix in sorted(offers, key=lambda item: not item[1].safe):
        edits = [(edit.start, edit.end) for edit in fix.edits]
        if edits and not any(_touches_any(edit, occupied) for edit in edits):
            occupied = sorted([*occupied, *edits])
            selected.append((diagnostic, fix))
    return selected


def _touches_any(edit: tuple[int, int], occupied: list[tuple[int, int]]) -> bool:
    """True if an edit touches one of the occupied ranges, which are sorted and do not overlap."""
    index = bisect_right(occupied, edit)
    return any(span[0] <= edit[1] and edit[0] <= span[1] for span in occupied[max(0, index - 1) : index + 1])


def diff(old_text: str, new_text: str, filename: str) -> str:
    """The change as a unified diff for `patch` and `git apply`."""
    from difflib import unified_diff

    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old_text, new_text))
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, filename, filename)
    )
