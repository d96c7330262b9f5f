"""Hints, `/*+ ... */`: to both grammars no comments, though Iceberg's has none."""

from __future__ import annotations

from collections.abc import Iterable

from spark_iceberg_sql.syntax.lexer import Token
from spark_iceberg_sql.syntax.terms import Offsets


def split_hints(tokens: Iterable[Token]) -> tuple[list[Token], list[Offsets]]:
    """The tokens outside hints, and the spans of the hints; all tokens and none if the last hint is not closed."""
    every = list(tokens)
    outside: list[Token] = []
    hints: list[Offsets] = []
    start = None
    for token in every:
        if start is None and token.text == "/*+":
            start = token.start
        elif start is None:
            outside.append(token)
        elif token.text == "*/":
            hints.append((start, token.end))
            start = None
    return (outside, hints) if start is None else (every, [])
