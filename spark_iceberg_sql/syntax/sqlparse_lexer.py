"""The token table as a lexer of sqlparse, for layout, colours and programs that work with its tokens.

No statement is judged by them: sqlparse's parser and default table put token ends where Spark does not, which would be
ways round the gate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlparse import tokens as T  # noqa: N812
from sqlparse.keywords import KEYWORDS_COMMON
from sqlparse.lexer import Lexer

from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize

_TYPES = {
    TokenKind.SPACE: T.Whitespace,
    TokenKind.COMMENT: T.Comment,
    TokenKind.BOM: T.Whitespace,
    TokenKind.QUOTED: T.Name,
    TokenKind.STRING: T.String.Single,
    TokenKind.DOUBLE: T.String.Symbol,
    TokenKind.NUMBER: T.Number,
    TokenKind.MARK: T.Punctuation,
    TokenKind.STRAY: T.Error,
    TokenKind.UNCLOSED: T.Error,
}
# sqlparse's common ones are those of queries. Its dictionaries of other engines have USER and NAME, which are columns.
_KEYWORDS = (
    "ADD ASC BETWEEN CALL COLUMN COLUMNS COMMENT DESC DISTRIBUTED EXISTS FIELD FIELDS FIRST HAVING IDENTIFIER IS "
    "LAST LIMIT LOCALLY NOT NULL NULLS ORDERED OVERWRITE PARTITION PARTITIONED RENAME TABLE TBLPROPERTIES TO UNION "
    "UNSET USE USING VALUES VIEW WITH WRITE"
)


class SparkLexer(Lexer):  # type: ignore[misc]
    """sqlparse's lexer, with tokens that end where Spark 4.1's end. `add_keywords` adds to its keywords."""

    def __init__(self) -> None:
        self.clear()
        self.add_keywords(KEYWORDS_COMMON)
        self.add_keywords(dict.fromkeys(_KEYWORDS.split(), T.Keyword))

    def get_tokens(self, text: str, encoding: str | None = None) -> Iterator[tuple[Any, str]]:
        """Yield (sqlparse token type, text) for the whole text, as sqlparse's own lexer does."""
        for token in tokenize(text):
            if token.kind is TokenKind.WORD:
                yield self.is_keyword(token.text)
            else:
                yield _TYPES[token.kind], token.text
