"""Maps in a CALL, `map('name', 'value', ...)`: those that Spark cannot make, or of which no name is a text."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.facts.call_refusals import Refused
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.literals import unescape


def wrong_map(parameter: str, tokens: Sequence[Token]) -> Refused | None:
    """Why Spark refuses a map of literals; None for any other expression. tokens: of the argument, without spaces."""
    if len(tokens) < 4 or tokens[0].word != "MAP" or tokens[1].text != "(" or tokens[-1].text != ")":
        return None
    values, marks = tokens[2:-1:2], tokens[3:-1:2]
    if any(mark.text != "," for mark in marks) or not all(map(_is_literal, values)):
        return None
    if len(values) % 2:
        span = values[-1].span
        return Refused(span, f"`{values[-1].text}` has no value in the map", "write its value behind a comma")
    names = values[::2]
    for token in values:
        if token.word == "NULL":
            return Refused(token.span, f"the map of `{parameter}` has a NULL", "write a text, or leave the pair out")
    if parameter == "options" and (number := next((n for n in names if n.kind is TokenKind.NUMBER), None)) is not None:
        return Refused(number.span, f"`{number.text}` is no name of an option", "write a name in quotes")
    texts = [unescape(name.text) if name.kind in STRINGS else name.text for name in names]
    twice = next((i for i, text in enumerate(texts) if text in texts[:i]), None)
    if twice is None:
        return None
    # A session may let the last one win.
    message = f"`{texts[twice]}` is in the map twice, which Spark refuses by default"
    return Refused(names[twice].span, message, "leave one of them out", is_certain=False)


def _is_literal(token: Token) -> bool:
    return token.kind in STRINGS or token.kind is TokenKind.NUMBER or token.word in ("TRUE", "FALSE", "NULL")
