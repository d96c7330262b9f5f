"""Calls of the table functions with literals as arguments: the location that a statement writes to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from spark_iceberg_sql.model.functions.table_functions import BY_NAME, Value
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.literals import unescape

_INTEGER = re.compile(r"[0-9]+")
_WORD_VALUES: dict[str, Value] = {"TRUE": True, "FALSE": False, "NOSIGN": "NOSIGN"}


@dataclass(frozen=True, slots=True)
class LiteralCall:
    """A call of a table function. The values may be keys, so no repr shows them.

    function: its name as written. positional: pairs of None and a value. keywords: pairs of a name and a value.
    """

    function: str
    positional: tuple[tuple[None, Value], ...] = field(repr=False)
    keywords: tuple[tuple[str, Value], ...] = field(default=(), repr=False)

    @property
    def first(self) -> str:
        """The first argument, in most functions the path."""
        return str(self.positional[0][1]) if self.positional else ""


def literal_call(tokens: list[Token], index: int, collections: Collection[str]) -> LiteralCall | None:
    """The call that begins at a function's name; None if an argument is not a literal.

    collections: the names of collections, of which one may be the first argument.
    """
    argument_tokens = tokens[index + 2 : closing_index(tokens, index + 1)]
    positional: list[tuple[None, Value]] = []
    keywords: list[tuple[str, Value]] = []
    function = BY_NAME.get(tokens[index].text.lower())
    location_position = 0 if function is None else function.location_position
    for number, argument in enumerate(between_commas(argument_tokens) if argument_tokens else ()):
        if argument and argument[0].word == "SETTINGS" and len(argument) > 1:
            argument = argument[1:]
        equals_index = next((i for i, t in enumerate(argument) if t.text in ("=", "=>")), None)
        if equals_index not in (None, 1):
            return None
        words = (
            (argument[0].text,) if number < location_position else collections if number == location_position else ()
        )
        value = _value(argument[2:] if equals_index else argument, words)
        if value is None:
            return None
        if equals_index:
            keywords.append((argument[0].text, value))
        elif keywords:
            return None
        else:
            positional.append((None, value))
    return LiteralCall(tokens[index].text, tuple(positional), tuple(keywords))


def _value(tokens: list[Token], collections: Collection[str]) -> Value:
    if len(tokens) != 1:
        return None
    (token,) = tokens
    if token.kind is TokenKind.STRING:
        return unescape(token.text)
    if token.kind is TokenKind.NUMBER and _INTEGER.fullmatch(token.text):
        return int(token.text)
    if token.kind is TokenKind.WORD:
        return token.text if token.text in collections else _WORD_VALUES.get(token.word)
    return None
