"""Minor versions of Spark and Iceberg as numbers, which compare as versions do: (1, 10) is later than (1, 7)."""

from __future__ import annotations

Version = tuple[int, ...]


def parsed(text: str) -> Version:
    """A version's minor version as numbers: (1, 7) of `1.7` and of `1.7.1-amzn-2`. Raises ValueError."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def text(version: Version) -> str:
    """A version as text, `1.7`."""
    return ".".join(map(str, version))
