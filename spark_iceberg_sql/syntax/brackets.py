"""Brackets among tokens: the index of a closing one, and the groups between commas."""

from __future__ import annotations

from collections.abc import Sequence

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


def between_commas(tokens: Sequence[Token], brackets: str = "()[]") -> list[list[Token]]:
    """The tokens between the commas outside of all brackets; a group may be empty.

    brackets: as for `closing_index`.
    """
    depth_changes = _depth_changes(brackets)
    groups: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += depth_changes.get(token.text, 0)
        if token.text == "," and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _depth_changes(brackets: str) -> dict[str, int]:
    return dict.fromkeys(brackets[::2], 1) | dict.fromkeys(brackets[1::2], -1)
