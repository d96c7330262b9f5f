"""Globs of files, the same on every Python version: `*` within a name, `**` across directories."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path


def matches(path: Path, glob: str, root: Path) -> bool:
    """True if a glob matches a file or a folder above it.

    glob: `*` within a name, `**` across directories; one without a slash matches a name at any depth, any
    other is relative to root unless it is absolute.
    """
    full = path.absolute()
    name = full.as_posix()
    if not Path(glob).is_absolute():
        with suppress(ValueError):
            name = full.relative_to(root.absolute()).as_posix()
    return _pattern(Path(glob).as_posix()).match(name) is not None


def expanded(glob: str, admit: Callable[[str], None] = lambda folder: None) -> list[str]:
    """The files and folders that a glob means, in order, without hidden ones, as `glob.glob` finds them.

    `**` does not follow links to folders, which may lead round in circles. admit: raises an error for a folder that
    may not be searched; it is not called for those before the first wildcard.
    """
    parts = re.split(r"[/\\]" if os.sep == "\\" else "/", glob)
    parts = [p for n, p in enumerate(parts) if p or n in (0, len(parts) - 1)]
    parts = [p for n, p in enumerate(parts) if p != "**" or parts[n - 1 : n] != ["**"]]
    return sorted(set(_expanded(parts, admit)))


def _expanded(parts: list[str], admit: Callable[[str], None]) -> Iterator[str]:
    from glob import escape  # the command starts sooner

    if "**" not in parts:
        yield from _named(parts, admit)
        return
    at = parts.index("**")
    above, below = parts[:at], parts[at + 1 :]
    if below.count("**") > 1:
        yield from _walked(above, "/".join(parts[at:]), admit)
        return
    for base in _named([*above, ""], admit) if above else ("",):
        for root, folders, names in os.walk(base or "."):
            folders[:] = [name for name in folders if not name.startswith(".")]
            here = root if base else os.path.normpath(root).removeprefix(".")
            if below:
                above = [escape(here).rstrip("/")] if here else []
                yield from _expanded([*above, *below], admit)
            else:
                if here:
                    yield here
                yield from (os.path.join(here, n) for n in names if not n.startswith("."))


def _named(parts: list[str], admit: Callable[[str], None]) -> Iterator[str]:
    """The paths that match parts without `**`, one folder level at a time.

    `admit` is called for each folder before it is searched: a link may lead to one that must not be searched.
    """
    from glob import escape, has_magic, iglob

    wild = next((n for n, part in enumerate(parts) if has_magic(part)), len(parts))
    paths: Iterable[str] = iglob("/".join(parts[: wild + 1]) + _slash(wild, parts))
    for number in range(wild + 1, len(parts)):
        folders = list(paths)
        for folder in folders:
            admit(folder)
        part = parts[number] + _slash(number, parts)
        paths = (path for folder in folders for path in iglob(escape(folder) + part))
    yield from paths


def _walked(above: list[str], below: str, admit: Callable[[str], None]) -> Iterator[str]:
    """The files below some folders that a glob with several `**` means: one walk, where one in another is endless."""
    pattern = _pattern(below)
    for base in _named([*above, ""], admit) if above else ("",):
        for root, folders, names in os.walk(base or "."):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = os.path.normpath(os.path.join(root, name))
                relative = os.path.relpath(path, base or ".").replace(os.sep, "/")
                if not name.startswith(".") and pattern.match(relative):
                    yield path


@cache  # each of any number of globs in the settings is asked about each file
def _pattern(glob: str) -> re.Pattern[str]:
    """The regular expression of a glob. It takes at most quadratic time: the glob may be a stranger's.

    The text before the last `**`, and, in each section between two `**`, the text before the last `*`, is
    matched as early as possible and never tried again: a lookahead with a back-reference to its group is an
    atomic group. This loses no match, since the next wildcard takes the remaining text.
    """
    first, *others = re.split(r"((?<![^/])\*\*/|\*\*)", glob)
    stretches = [("" if "/" in glob else "(?:.*?/)??", first)]
    for wildcard, text in zip(others[::2], others[1::2], strict=True):
        stretches.append(("(?:.*?/)??" if wildcard == "**/" else ".*?", text))
    out, groups = "", 0
    for number, (before, stretch) in enumerate(stretches, start=1):
        start, *chunks = map(_literal, stretch.split("*"))
        inside = before + start
        for at, chunk in enumerate(chunks, start=1):
            if at < len(chunks):
                inside, groups = (
                    f"{inside}(?=(?P<g{groups}>[^/]*?{chunk}))(?P=g{groups})",
                    groups + 1,
                )
            else:
                inside += f"[^/]*?{chunk}"
        if number < len(stretches):
            inside, groups = f"(?=(?P<g{groups}>{inside}))(?P=g{groups})", groups + 1
        out += inside
    return re.compile(rf"{out}(?:/.*)?\Z", re.DOTALL)


def _literal(chunk: str) -> str:
    return "[^/]".join(map(re.escape, chunk.split("?")))


def _slash(number: int, parts: Sequence[str]) -> str:
    """After a part: nothing after the last one, which may be a file."""
    return "/" if number + 1 < len(parts) else ""
