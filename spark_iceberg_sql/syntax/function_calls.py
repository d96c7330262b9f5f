"""Calls of the table functions among a statement's tokens, and edits of its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spark_iceberg_sql.model.metadata_functions import NAMES
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.lexer import Kind, Token


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that replaces a range of a statement's text."""

    start: int
    end: int
    text: str


def is_call(tokens: list[Token], at: int) -> bool:
    """True if a call of one of the functions begins at a token."""
    return (
        at + 1 < len(tokens)
        and tokens[at].kind is Kind.WORD
        and tokens[at].text.lower() in NAMES
        and tokens[at + 1].text == "("
        and (at == 0 or tokens[at - 1].text != ".")
    )


def calls(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Indices of the brackets of each call."""
    for at in range(len(tokens)):
        if is_call(tokens, at):
            close = closing(tokens, at + 1)
            if close < len(tokens):
                yield at + 1, close


def added(tokens: list[Token], opened: int, closed: int, argument: str) -> Edit:
    """One more argument at the end of a call."""
    comma = ", " if closed > opened + 1 else ""
    return Edit(tokens[closed].start, tokens[closed].start, comma + argument)
