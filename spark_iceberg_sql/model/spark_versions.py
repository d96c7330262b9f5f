"""The versions of Spark whose grammar the checker knows, those before Iceberg has a runtime for them included.

A version is a minor one as numbers, (4, 2). None stands for one that is not known: the newest with a runtime.
tests/spark/test_next_grammar.py compares with each version's own parser.
"""

from __future__ import annotations

Version = tuple[int, ...]

OLDEST: Version = (3, 5)
# The newest for which Iceberg has a runtime.
NEWEST: Version = (4, 1)
# Grammars of published Sparks without a runtime.
LATER: tuple[Version, ...] = ((4, 2), (4, 3))


def parsed(text: str) -> Version:
    """A version's minor version as numbers: (4, 2) of `4.2` and of `4.2.1`. Raises ValueError."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def text(version: Version) -> str:
    """A version as text, `4.2`."""
    return ".".join(map(str, version))
