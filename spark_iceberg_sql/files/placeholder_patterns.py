"""Placeholders that settings describe by regular expressions: a program replaces them before Spark.

In: a fragment and the patterns. Out: the fragment with a word of the same length at each match, so that all offsets
stay valid.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.source_map import Placeholder, SqlFragment
from spark_iceberg_sql.optional_dependencies import package
from spark_iceberg_sql.records import replace

_TIME_LIMIT = 1  # second, for all patterns together, and one more for so many characters:
_CHARACTERS = 100_000
# Seconds and characters so far, by the patterns: a program has thousands of texts, and each fix searches them again.
_searched: dict[tuple[str, ...], tuple[float, int]] = {}


def with_placeholders(fragment: SqlFragment, patterns: Sequence[str]) -> SqlFragment:
    """The fragment with a placeholder, written as a word of the same length, for each match of the patterns.

    patterns: regular expressions of text that a program fills in. Raises ConfigError if they take too long.
    """
    if not patterns:
        return fragment
    regex = package("regex")  # unlike `re`, it has a time limit: the pattern may be a stranger's

    started = time.monotonic()
    spent, characters = _searched.get(tuple(patterns), (0.0, 0))
    characters += len(fragment.sql)
    time_left = _TIME_LIMIT * (1 + characters / _CHARACTERS) - spent
    chars, placeholders, covered_mask = (list(fragment.sql), list(fragment.placeholders), bytearray(len(fragment.sql)))
    for placeholder in placeholders:
        covered_mask[placeholder.start : placeholder.end] = b"\1" * (placeholder.end - placeholder.start)
    for pattern in patterns:
        remaining = time_left - (time.monotonic() - started)
        try:
            if remaining <= 0:
                raise TimeoutError
            limit = min(remaining, _TIME_LIMIT)
            spans = [match.span() for match in regex.finditer(pattern, fragment.sql, timeout=limit)]
        except TimeoutError:
            raise ConfigError(_timeout_message(pattern, patterns)) from None
        for start, end in spans:
            # Placeholders never overlap: the first pattern that matches wins, and those of the program come before all.
            if start == end or covered_mask.find(1, start, end) >= 0:
                continue
            covered_mask[start:end] = b"\1" * (end - start)
            chars[start:end] = _placeholder(end - start)
            placeholders.append(Placeholder(start, end, fragment.sql[start:end]))
    _searched[tuple(patterns)] = spent + time.monotonic() - started, characters
    placeholders.sort(key=lambda placeholder: placeholder.start)
    return replace(fragment, sql="".join(chars), placeholders=tuple(placeholders))


def _placeholder(length: int) -> str:
    return "p".ljust(length, "_")


def placeholders_in(fragment: SqlFragment) -> Iterator[Placeholder]:
    """The placeholders of a fragment that `with_placeholders` added."""
    for placeholder in fragment.placeholders:
        if fragment.sql[placeholder.start : placeholder.end] == _placeholder(placeholder.end - placeholder.start):
            yield placeholder


def without_placeholders(fragment: SqlFragment) -> SqlFragment:
    """The fragment as written in the file: `with_placeholders` undone."""
    chars, replaced = list(fragment.sql), tuple(placeholders_in(fragment))
    for placeholder in replaced:
        chars[placeholder.start : placeholder.end] = placeholder.text
    placeholders = tuple(placeholder for placeholder in fragment.placeholders if placeholder not in replaced)
    return replace(fragment, sql="".join(chars), placeholders=placeholders)


def _timeout_message(pattern: str, patterns: Sequence[str]) -> str:
    suffix = f", with {len(patterns) - 1} others" if len(patterns) > 1 else ""
    return (
        f"the placeholder `{pattern}` takes more than {_TIME_LIMIT} second to match{suffix}; "
        "do not nest repetitions in it"
    )
