"""The tokens of a statement as names of Spark's grammar (SqlBaseLexer.g4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import Token, TokenKind

_KINDS = {
    TokenKind.QUOTED: "BACKQUOTED_IDENTIFIER",
    TokenKind.STRING: "STRING_LITERAL",
    TokenKind.DOUBLE: "DOUBLEQUOTED_STRING",
}
# The last letters of a number, and its name. An exponent alone is no float's.
_SUFFIXES = (
    ("BD", "BIGDECIMAL_LITERAL"),
    ("L", "BIGINT_LITERAL"),
    ("S", "SMALLINT_LITERAL"),
    ("Y", "TINYINT_LITERAL"),
    ("F", "FLOAT_LITERAL"),
    ("D", "DOUBLE_LITERAL"),
)
_VERSION = regex(r"v[0-9]+", re.IGNORECASE)


def token_names(tokens: Sequence[Token], texts: Mapping[str, str]) -> list[str]:
    """The name of each token; of one that no version of the grammar has, its own text.

    texts: the tokens of the version's own words and marks.
    """
    names = [_name(token, texts) for token in tokens]
    for i in range(1, len(tokens)):
        if tokens[i - 1].text == "@" and "@V" in texts and _VERSION.fullmatch(tokens[i].text):
            names[i - 1 : i + 1] = [texts["@V"], "INTEGER_VALUE"]  # `@v` is one token there
    return names


def _name(token: Token, texts: Mapping[str, str]) -> str:
    if token.kind is TokenKind.WORD:
        return texts.get(token.word, "IDENTIFIER")
    if token.kind is TokenKind.NUMBER:
        return number_name(token.text)
    if token.text.startswith("$$"):
        return "BEGIN_DOLLAR_QUOTED_STRING"
    return _KINDS.get(token.kind) or texts.get(token.text, token.text)


def number_name(text: str) -> str:
    """The name of a number."""
    upper = text.upper()
    name = next((name for suffix, name in _SUFFIXES if upper.endswith(suffix)), None)
    if name is not None:
        return name
    if upper.isdigit():
        return "INTEGER_VALUE"
    return "EXPONENT_VALUE" if "E" in upper else "DECIMAL_VALUE"
