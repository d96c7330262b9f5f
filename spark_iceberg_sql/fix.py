"""Safe fixes put into a text: nothing outside their spans changes by a character."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report, Severity

_ROUNDS = 10  # a fix may bring another to light; none brings ten


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text with its fixes applied.

    text: the new one. report: its check. applied: code of each fix that went in, in order.
    """

    text: str
    report: Report
    applied: tuple[str, ...]


def fixed(text: str, check: Callable[[str], Report]) -> Fixed:
    """Apply every fix that a check offers, and check again, until it offers none.

    check: text to report. A round that brings an error that was not there is taken back.
    """
    report = check(text)
    applied: tuple[str, ...] = ()
    for _ in range(_ROUNDS):
        chosen = _not_overlapping(report)
        if not chosen:
            break
        after = applied_to(text, [edit for d in chosen if d.fix for edit in d.fix.edits])
        new = check(after)
        if _worse(report, new):
            break
        text, report = after, new
        applied += tuple(d.code for d in chosen)
    return Fixed(text, report, applied)


def applied_to(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits, which do not overlap, put in."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _not_overlapping(report: Iterable[Diagnostic]) -> list[Diagnostic]:
    taken: list[Edit] = []
    chosen = []
    for diagnostic in report:
        edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
        if edits and not any(_clash(edit, other) for edit in edits for other in taken):
            taken += edits
            chosen.append(diagnostic)
    return chosen


def _clash(one: Edit, other: Edit) -> bool:
    return one.start <= other.end and other.start <= one.end


def _worse(before: Report, after: Report) -> bool:
    """Whether there are more errors of some code than there were."""
    old, new = (
        Counter(d.code for d in report if d.severity is Severity.ERROR)
        for report in (before, after)
    )
    return any(count > old[code] for code, count in new.items())


def diff(before: str, after: str, filename: str) -> str:
    """The change as a unified diff, which `patch` and `git apply` take."""
    from difflib import unified_diff

    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, filename, filename)
    )


def replace_file(path: Path, content: bytes) -> None:
    """Put new content in a file's place in one step, its mode kept; through a link, at its target."""
    target = path.resolve()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode(target: Path) -> int:
    """The permissions of a file, or those that a new one would get."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
