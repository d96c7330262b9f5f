"""Placeholders that settings describe by regular expressions: a program replaces them before Spark.

In: a fragment and the patterns. Out: the fragment with a word of the same length at each match, so that all
offsets stay valid.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.source_map import Hole, Piece
from spark_iceberg_sql.records import replace

_LIMIT = 1  # second, for all patterns together, and one more for so many characters:
_CHARACTERS = 100_000
# Seconds and characters so far, by the patterns: a program has thousands of texts, and each fix searches them again.
_searched: dict[tuple[str, ...], tuple[float, int]] = {}


def with_placeholders(piece: Piece, patterns: Sequence[str]) -> Piece:
    """The fragment with a placeholder, written as a word of the same length, for each match of the patterns.

    patterns: regular expressions of text that a program fills in. Raises ConfigError if they take too long.
    """
    if not patterns:
        return piece
    import regex  # unlike `re`, it has a time limit: the pattern may be a stranger's

    begin = time.monotonic()
    spent, characters = _searched.get(tuple(patterns), (0.0, 0))
    characters += len(piece.sql)
    left = _LIMIT * (1 + characters / _CHARACTERS) - spent
    chars, holes, taken = list(piece.sql), list(piece.holes), bytearray(len(piece.sql))
    for hole in holes:
        taken[hole.start : hole.end] = b"\1" * (hole.end - hole.start)
    for pattern in patterns:
        remaining = left - (time.monotonic() - begin)
        try:
            if remaining <= 0:
                raise TimeoutError
            matches = regex.finditer(pattern, piece.sql, timeout=min(remaining, _LIMIT))
            spans = [match.span() for match in matches]
        except TimeoutError:
            raise ConfigError(_too_long(pattern, patterns)) from None
        for start, end in spans:
            # Placeholders never overlap: the first pattern that matches wins, and those of the program come
            # before all.
            if start == end or taken.find(1, start, end) >= 0:
                continue
            taken[start:end] = b"\1" * (end - start)
            chars[start:end] = _placeholder(end - start)
            holes.append(Hole(start, end, piece.sql[start:end]))
    _searched[tuple(patterns)] = spent + time.monotonic() - begin, characters
    holes.sort(key=lambda hole: hole.start)
    return replace(piece, sql="".join(chars), holes=tuple(holes))


def _placeholder(length: int) -> str:
    return "p".ljust(length, "_")


def placeholders_in(piece: Piece) -> Iterator[Hole]:
    """The placeholders of a fragment that `with_placeholders` added."""
    for hole in piece.holes:
        if piece.sql[hole.start : hole.end] == _placeholder(hole.end - hole.start):
            yield hole


def as_written(piece: Piece) -> Piece:
    """The fragment as written in the file: `with_placeholders` undone."""
    chars, replaced = list(piece.sql), tuple(placeholders_in(piece))
    for hole in replaced:
        chars[hole.start : hole.end] = hole.text
    holes = tuple(hole for hole in piece.holes if hole not in replaced)
    return replace(piece, sql="".join(chars), holes=holes)


def _too_long(pattern: str, patterns: Sequence[str]) -> str:
    others = f", with {len(patterns) - 1} others" if len(patterns) > 1 else ""
    return (
        f"the placeholder `{pattern}` takes more than {_LIMIT} second to match{others}; "
        "do not nest repetitions in it"
    )
