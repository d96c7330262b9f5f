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

    glob: `*` within a name, `**` across directories; one without a slash matches a name at any depth, any other is
    relative to root unless it is absolute.
    """
    full = path.absolute()
    name = full.as_posix()
    if not Path(glob).is_absolute():
        with suppress(ValueError):
            name = full.relative_to(root.absolute()).as_posix()
    return _glob_pattern(Path(glob).as_posix()).match(name) is not None


def expand_glob(glob: str, admit: Callable[[str], None] = lambda folder: None) -> list[str]:
    """The files and folders that a glob means, in order, without hidden ones, as `glob.glob` finds them.

    `**` does not follow links to folders, which may lead round in circles. admit: raises an error for a folder that
    may not be searched; it is not called for those before the first wildcard.
    """
    parts = re.split(r"[/\\]" if os.sep == "\\" else "/", glob)
    parts = [p for n, p in enumerate(parts) if p or n in (0, len(parts) - 1)]
    parts = [p for n, p in enumerate(parts) if p != "**" or parts[n - 1 : n] != ["**"]]
    return sorted(set(_expand(parts, admit)))


def _expand(parts: list[str], admit: Callable[[str], None]) -> Iterator[str]:
    from glob import escape  # the command starts sooner

    if "**" not in parts:
        yield from _glob_paths(parts, admit)
        return
    index = parts.index("**")
    leading_parts, trailing_parts = parts[:index], parts[index + 1 :]
    if trailing_parts.count("**") > 1:
        yield from _walk_files(leading_parts, "/".join(parts[index:]), admit)
        return
    for base in _glob_paths([*leading_parts, ""], admit) if leading_parts else ("",):
        for root, folders, names in os.walk(base or "."):
            folders[:] = [name for name in folders if not name.startswith(".")]
            folder_path = root if base else os.path.normpath(root).removeprefix(".")
            if trailing_parts:
                leading_parts = [escape(folder_path).rstrip("/")] if folder_path else []
                yield from _expand([*leading_parts, *trailing_parts], admit)
            else:
                if folder_path:
                    yield folder_path
                yield from (os.path.join(folder_path, n) for n in names if not n.startswith("."))


def _glob_paths(parts: list[str], admit: Callable[[str], None]) -> Iterator[str]:
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


def _walk_files(above: list[str], below: str, admit: Callable[[str], None]) -> Iterator[str]:
    """The files below some folders that a glob with several `**` means: one walk, where one in another is endless."""
    pattern = _glob_pattern(below)
    for base in _glob_paths([*above, ""], admit) if above else ("",):
        for root, folders, names in os.walk(base or "."):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = os.path.normpath(os.path.join(root, name))
                relative = os.path.relpath(path, base or ".").replace(os.sep, "/")
                if not name.startswith(".") and pattern.match(relative):
                    yield path


@cache  # each of any number of globs in the settings is asked about each file
def _glob_pattern(glob: str) -> re.Pattern[str]:
    """The regular expression of a glob. It takes at most quadratic time: the glob may be a stranger's.

    The text before the last `**`, and, in each section between two `**`, the text before the last `*`, is matched as
    early as possible and never tried again: a lookahead with a back-reference to its group is an atomic group. This
    loses no match, since the next wildcard takes the remaining text.
    """
    first, *remaining = re.split(r"((?<![^/])\*\*/|\*\*)", glob)
    sections = [("" if "/" in glob else "(?:.*?/)??", first)]
    for wildcard, text in zip(remaining[::2], remaining[1::2], strict=True):
        sections.append(("(?:.*?/)??" if wildcard == "**/" else ".*?", text))
    pattern, groups = "", 0
    for number, (prefix, section) in enumerate(sections, start=1):
        first_chunk, *chunks = map(_literal_pattern, section.split("*"))
        section_pattern = prefix + first_chunk
        for chunk_number, chunk in enumerate(chunks, start=1):
            if chunk_number < len(chunks):
                section_pattern, groups = (
                    f"{section_pattern}(?=(?P<g{groups}>[^/]*?{chunk}))(?P=g{groups})",
                    groups + 1,
                )
            else:
                section_pattern += f"[^/]*?{chunk}"
        if number < len(sections):
            section_pattern, groups = (f"(?=(?P<g{groups}>{section_pattern}))(?P=g{groups})", groups + 1)
        pattern += section_pattern
    return re.compile(rf"{pattern}(?:/.*)?\Z", re.DOTALL)


def _literal_pattern(chunk: str) -> str:
    return "[^/]".join(map(re.escape, chunk.split("?")))


def _slash(number: int, parts: Sequence[str]) -> str:
    """After a part: nothing after the last one, which may be a file."""
    return "/" if number + 1 < len(parts) else ""
