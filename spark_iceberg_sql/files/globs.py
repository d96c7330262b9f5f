"""Globs of files, the same on every Python version: `*` within a name, `**` across directories."""

from __future__ import annotations

import re
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
