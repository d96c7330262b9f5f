"""Calls of the table functions with literals as arguments: the location that a statement writes to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from spark_iceberg_sql.model.table_functions import Value
from spark_iceberg_sql.syntax.brackets import between_commas, closing
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.literals import unescape

_INTEGER = re.compile(r"[0-9]+")
_WORDS: dict[str, Value] = {"TRUE": True, "FALSE": False, "NOSIGN": "NOSIGN"}


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a table function. The values may be keys, so no repr shows them.

    function: its name as written. positional: pairs of None and a value. keywords: pairs of a name and a
    value.
    """

    function: str
    positional: tuple[tuple[None, Value], ...] = field(repr=False)
    named: tuple[tuple[str, Value], ...] = field(default=(), repr=False)

    @property
    def first(self) -> str:
        """The first argument, in most functions the path."""
        return str(self.positional[0][1]) if self.positional else ""


def literal_call(tokens: list[Token], at: int, collections: Collection[str]) -> Call | None:
    """The call that begins at a function's name; None if an argument is not a literal.

    collections: the names of collections, of which one may be the first argument.
    """
    close = closing(tokens, at + 1)
    inside = tokens[at + 2 : close]
    positional: list[tuple[None, Value]] = []
    named: list[tuple[str, Value]] = []
    for number, argument in enumerate(between_commas(inside) if inside else ()):
        if argument and argument[0].word == "SETTINGS" and len(argument) > 1:
            argument = argument[1:]
        sign = next((i for i, t in enumerate(argument) if t.text in ("=", "=>")), None)
        if sign not in (None, 1):
            return None
        value = _value(argument[2:] if sign else argument, collections if number == 0 else ())
        if value is None:
            return None
        if sign:
            named.append((argument[0].text, value))
        elif named:
            return None
        else:
            positional.append((None, value))
    return Call(tokens[at].text, tuple(positional), tuple(named))


def _value(tokens: list[Token], collections: Collection[str]) -> Value:
    if len(tokens) != 1:
        return None
    (token,) = tokens
    if token.kind is Kind.STRING:
        return unescape(token.text)
    if token.kind is Kind.NUMBER and _INTEGER.fullmatch(token.text):
        return int(token.text)
    if token.kind is Kind.WORD:
        return token.text if token.text in collections else _WORDS.get(token.word)
    return None
