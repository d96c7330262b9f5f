"""The grammar that reads a text: Iceberg's parser extension decides by searching the text.

`goes_to_iceberg` is `IcebergSparkSqlExtensionsParser.isIcebergCommand`, step by step. Since that searches
text and not tokens, a comment can hide one of Iceberg's statements, and a string can look like one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.script import Statement

_PHRASES = (
    "add partition field",
    "drop partition field",
    "replace partition field",
    "write ordered by",
    "write locally ordered by",
    "write distributed by",
    "write unordered",
    "set identifier fields",
    "drop identifier fields",
    "create branch",
    "replace branch",
    "create tag",
    "replace tag",
    "drop branch",
    "drop tag",
)
# Java's `.` ends at each of these, its \s is ASCII only, and its trim() takes all up to U+0020.
_NOT_DOT = "\n\r\u0085\u2028\u2029"
# Each also matches an unclosed comment, which is kept: so no part of the text is searched twice.
_LINE_COMMENT = regex(rf"--[^{_NOT_DOT}]*(\n?)")
_SPACE = regex(r"[ \t\n\x0b\f\r]+")
_COMMENT = regex(rf"/\*[^*{_NOT_DOT}]*(?:\*(?!/)[^*{_NOT_DOT}]*)*(\*/)?")
_TRIMMED = "".join(map(chr, range(0x21)))
_PHRASE_WORDS: dict[str, list[list[str]]] = {}  # the phrases' words, by the first
for _phrase in _PHRASES:
    _PHRASE_WORDS.setdefault(_phrase.upper().split()[0], []).append(_phrase.upper().split())


def _normalized(text: str) -> str:
    text = _LINE_COMMENT.sub(_comment_replacement, text.lower().strip(_TRIMMED))
    return _COMMENT.sub(_comment_replacement, _SPACE.sub(" ", text)).replace("`", "").strip(_TRIMMED)


def _comment_replacement(comment: re.Match[str]) -> str:
    return " " if comment[1] else comment[0]


def goes_to_iceberg(text: str) -> bool:
    """True if Iceberg's grammar, and not Spark's, will read the text. Variables (`${}`) are not resolved."""
    normalized = _normalized(text)
    return normalized.startswith("alter table") and any(phrase in normalized for phrase in _PHRASES)


def is_iceberg_statement(statement: Statement) -> bool:
    """True if the tokens are a statement of Iceberg's grammar: comments and strings do not count."""
    keywords = [t.word for t in statement.tokens]
    return keywords[:2] == ["ALTER", "TABLE"] and has_iceberg_phrase(keywords)


def has_iceberg_phrase(keywords: Sequence[str]) -> bool:
    """True if the words of an ALTER TABLE contain a phrase of Iceberg's grammar."""
    return any(
        list(keywords[i : i + len(phrase)]) == phrase
        for i, word in enumerate(keywords)
        if word in _PHRASE_WORDS
        for phrase in _PHRASE_WORDS[word]
    )


def phrase_in(text: str) -> str | None:
    """The phrase that sends a text to Iceberg's grammar if the text begins with ALTER TABLE."""
    normalized = _normalized(text)
    return next((phrase for phrase in _PHRASES if phrase in normalized), None)


def text_with_trivia(statement: Statement) -> str:
    """The statement with the trivia before it, but without a byte order mark and the terminator."""
    return statement.script[statement.head : statement.end].lstrip("\ufeff")


def routed_text(statement: Statement) -> str:
    """The text for `spark.sql`: the same tokens, with separators that let the right grammar read them.

    The terminator, a byte order mark and unusual white space before the statement are left out; comments, only where
    they would mislead the routing. White space inside it stays, also where Iceberg's grammar refuses it.
    """
    text = text_with_trivia(statement)
    is_iceberg = is_iceberg_statement(statement)
    is_misrouted = goes_to_iceberg(text) != is_iceberg
    if not is_misrouted and not (is_iceberg and any(_is_refused_space(statement, t) for t in statement.all_tokens)):
        return text
    texts = []
    for token in statement.all_tokens:
        if token.start >= statement.end or token.kind is TokenKind.BOM:
            continue
        is_omitted = is_misrouted and token.kind is TokenKind.COMMENT
        texts.append(" " if is_omitted or _is_refused_space(statement, token) else token.text)
    text = "".join(texts).strip(" ")
    return _hidden(text) if not is_iceberg and goes_to_iceberg(text) else text


def _hidden(text: str) -> str:
    """A statement of Spark's with Iceberg's words in a string, so that the search for them does not begin.

    Only Spark's lexer knows the comment in a comment: the search stops at its last `*/`.
    """
    return f"/*/**/*/{text}"


def _is_refused_space(statement: Statement, token: Token) -> bool:
    """True if a token is white space before the statement that Iceberg's grammar refuses."""
    is_before = token.kind is TokenKind.SPACE and token.start < statement.start
    return is_before and not set(token.text) <= {" ", "\t", "\r", "\n"}
