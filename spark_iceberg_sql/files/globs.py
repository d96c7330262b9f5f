"""Globs of files, the same on every Python version: `*` within a name, `**` across directories."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path


def matches(path: Path, glob: str, root: Path) -> bool:
    """Whether a glob means a file or a directory above it.

    glob: `*` within a name, `**` across directories; one without a slash matches a name at any depth, any other is
    relative to root unless it is absolute.
    """
    full = path.absolute()
    name = full.as_posix()
    if not Path(glob).is_absolute():
        with suppress(ValueError):
            name = full.relative_to(root.absolute()).as_posix()
    return _pattern(Path(glob).as_posix()).match(name) is not None


def expanded(glob: str) -> list[str]:
    """The files and folders that a glob means, in order, without hidden ones, as `glob.glob` finds them.

    `**` does not follow links to folders, which may lead round in circles.
    """
    parts = re.split(r"[/\\]" if os.sep == "\\" else "/", glob)
    parts = [p for n, p in enumerate(parts) if p or n in (0, len(parts) - 1)]
    parts = [p for n, p in enumerate(parts) if p != "**" or parts[n - 1 : n] != ["**"]]
    return sorted(set(_expanded(parts)))


def _expanded(parts: list[str]) -> Iterator[str]:
    from glob import escape, iglob  # the command starts sooner

    if "**" not in parts:
        yield from iglob("/".join(parts))
        return
    at = parts.index("**")
    above, below = parts[:at], parts[at + 1 :]
    for base in iglob("/".join([*above, ""])) if above else ("",):
        for root, folders, names in os.walk(base or "."):
            folders[:] = [name for name in folders if not name.startswith(".")]
            here = root if base else os.path.normpath(root).removeprefix(".")
            if below:
                yield from _expanded([escape(here).rstrip("/")] * bool(here) + below)
            else:
                yield from [here] * bool(here)
                yield from (os.path.join(here, n) for n in names if not n.startswith("."))


@lru_cache(maxsize=512)
def _pattern(glob: str) -> re.Pattern[str]:
    out = "" if "/" in glob else "(?:.*/)?"
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out, at = out + "(?:.*/)?", at + 3
        elif glob.startswith("**", at):
            out, at = out + ".*", at + 2
        elif glob[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif glob[at] == "?":
            out, at = out + "[^/]", at + 1
        else:
            out, at = out + re.escape(glob[at]), at + 1
    return re.compile(rf"{out}(?:/.*)?\Z", re.DOTALL)
