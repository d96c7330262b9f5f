"""Calls of the table functions among a statement's tokens, and edits of its text."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.functions.metadata_functions import NAMES
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import Token, TokenKind


def is_call(tokens: list[Token], index: int) -> bool:
    """True if a call of one of the functions begins at a token."""
    return (
        index + 1 < len(tokens)
        and tokens[index].kind is TokenKind.WORD
        and tokens[index].text.lower() in NAMES
        and tokens[index + 1].text == "("
        and (index == 0 or tokens[index - 1].text != ".")
    )


def call_brackets(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Indices of the brackets of each call."""
    for index in range(len(tokens)):
        if is_call(tokens, index):
            closing_bracket = closing_index(tokens, index + 1)
            if closing_bracket < len(tokens):
                yield index + 1, closing_bracket


def argument_edit(tokens: list[Token], opened: int, closed: int, argument: str) -> Edit:
    """One more argument at the end of a call."""
    comma = ", " if closed > opened + 1 else ""
    return Edit(tokens[closed].start, tokens[closed].start, comma + argument)
