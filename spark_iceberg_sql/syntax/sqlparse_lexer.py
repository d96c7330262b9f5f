"""The token table as a lexer of sqlparse, for programs that work with its tokens.

The only user of sqlparse, and of its lexer class alone: its parser and its default table put token
ends where Spark does not, which would be ways round the gate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlparse import tokens as T  # noqa: N812
from sqlparse.lexer import Lexer

from spark_iceberg_sql.syntax.lexer import Kind, tokenize

_TYPES = {
    Kind.SPACE: T.Whitespace,
    Kind.COMMENT: T.Comment,
    Kind.BOM: T.Whitespace,
    Kind.WORD: T.Name,
    Kind.QUOTED: T.Name,
    Kind.STRING: T.String.Single,
    Kind.DOUBLE: T.String.Symbol,
    Kind.NUMBER: T.Number,
    Kind.MARK: T.Punctuation,
    Kind.STRAY: T.Error,
    Kind.UNCLOSED: T.Error,
}


class SparkLexer(Lexer):  # type: ignore[misc]
    """sqlparse's lexer, with tokens that end where Spark 4.1's end."""

    def get_tokens(self, text: str, encoding: str | None = None) -> Iterator[tuple[Any, str]]:
        """Yield (sqlparse token type, text) for the whole text, as sqlparse's own lexer does."""
        for token in tokenize(text):
            yield _TYPES[token.kind], token.text
