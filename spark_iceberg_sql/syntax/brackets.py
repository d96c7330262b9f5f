"""Brackets among tokens: the index of a closing one, and the groups between commas."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.syntax.lexer import Token


def closing(tokens: Sequence[Token], opened: int, brackets: str = "()") -> int:
    """The index of the bracket that closes the one at `opening_index`; the number of tokens if none does.

    brackets: those that count, each opening one before its closing one.
    """
    steps = _steps(brackets)
    depth = 0
    for at in range(opened, len(tokens)):
        depth += steps.get(tokens[at].text, 0)
        if depth == 0:
            return at
    return len(tokens)


def between_commas(tokens: Sequence[Token], brackets: str = "()[]") -> list[list[Token]]:
    """The tokens between the commas outside of all brackets; a group may be empty.

    brackets: as for `closing_index`.
    """
    steps = _steps(brackets)
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += steps.get(token.text, 0)
        if token.text == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found


def _steps(brackets: str) -> dict[str, int]:
    return dict.fromkeys(brackets[::2], 1) | dict.fromkeys(brackets[1::2], -1)
