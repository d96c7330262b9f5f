"""Patterns of folders: `/lake/s*`, `s3://lake/{sales,audit}/2024-??`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# An unclosed bracket is an ordinary character of a name.
_WILD = re.compile(r"[*?]|\[[!^]?\]?[^\]/]*\]|\{[^{}]*\}")
_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern without braces. root: the folder above its first wildcard. parts: the names below it."""

    root: str
    parts: tuple[str, ...]


def has_wildcards(path: str) -> bool:
    """True if a path is a pattern."""
    return _WILD.search(path) is not None


def patterns(path: str) -> Iterator[Pattern]:
    """The patterns that a path with braces stands for; a path without wildcards is its own root."""
    for text in _without_braces(path):
        match = _WILD.search(text)
        if match is None:
            yield Pattern(text.rstrip("/") or "/", ())
            continue
        root, _, suffix = text[: match.start()].rpartition("/")
        parts = tuple(part for part in (suffix + text[match.start() :]).split("/") if part)
        yield Pattern(root or "/", parts)


def _without_braces(text: str) -> Iterator[str]:
    match = _BRACES.search(text)
    if match is None:
        yield text
        return
    for word in match[1].split(","):
        yield from _without_braces(text[: match.start()] + word + text[match.end() :])


def matcher(part: str) -> Callable[[str], bool]:
    """A predicate that is true for names that match one part of a pattern; case-sensitive, as stores are."""
    regex = re.compile(fnmatch.translate(part.replace("[^", "[!")))
    return lambda name: regex.match(name) is not None
