"""Brackets among tokens: the index of a closing one, and the groups between commas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.syntax.lexer import Token


def closing_index(tokens: Sequence[Token], opening_index: int, brackets: str = "()") -> int:
    """The index of the bracket that closes the one at `opening_index`; the number of tokens if none does.

    brackets: those that count, each opening one before its closing one.
    """
    depth_changes = _depth_changes(brackets)
    depth = 0
    for index in range(opening_index, len(tokens)):
        depth += depth_changes.get(tokens[index].text, 0)
        if depth == 0:
            return index
    return len(tokens)


def opening_index(tokens: Sequence[Token], closing_index: int) -> int:
    """The index of the parenthesis that the one at `closing_index` closes; 0 if it closes none."""
    depth = 0
    for index in range(closing_index, -1, -1):
        depth += {")": 1, "(": -1}.get(tokens[index].text, 0)
        if depth == 0:
            return index
    return 0


def comma_ranges(tokens: Sequence[Token], start: int, end: int, brackets: str = "()[]") -> Iterator[tuple[int, int]]:
    """The index ranges between the commas outside of all brackets, from `start` to `end`.

    brackets: as for `closing_index`.
    """
    depth_changes = _depth_changes(brackets)
    depth, range_start = 0, start
    for index in range(start, end):
        depth += depth_changes.get(tokens[index].text, 0)
        if tokens[index].text == "," and depth == 0:
            yield range_start, index
            range_start = index + 1
    yield range_start, end


def between_commas(tokens: Sequence[Token], brackets: str = "()[]") -> list[list[Token]]:
    """The tokens in the `comma_ranges` of all tokens; a group may be empty."""
    return [list(tokens[start:end]) for start, end in comma_ranges(tokens, 0, len(tokens), brackets)]


def _depth_changes(brackets: str) -> dict[str, int]:
    return dict.fromkeys(brackets[::2], 1) | dict.fromkeys(brackets[1::2], -1)
