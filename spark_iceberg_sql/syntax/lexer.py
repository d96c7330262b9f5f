"""SQL text to tokens with offsets, with the token boundaries of Spark 4.1's own lexer (SqlBaseLexer.g4).

One token table, two passes: first the texts alone (`token_texts`), then the tokens of some of them. The table is
matched against the text's shape, which has the same length. tests/spark/test_lexer_differential.py compares with Spark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, NamedTuple

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import (
    BLANK,
    BOM_SHAPE,
    DOTLESS_I,
    LETTER,
    LONG_S,
    lexer_shape,
    upper,
    upper_keyword,
)


class TokenKind(Enum):
    """The kind of a token. SPACE, COMMENT and BOM are trivia: no grammar reads them."""

    SPACE = "space"
    COMMENT = "comment"
    BOM = "byte order mark"
    WORD = "word"  # a keyword or unquoted identifier; Spark takes a path, file://a/b, as one too
    QUOTED = "quoted identifier"  # `...`
    STRING = "string"  # '...', r'...', r"..."
    DOUBLE = "double-quoted string"  # an identifier where ANSI double quotes are switched on
    NUMBER = "number"
    MARK = "punctuation"
    STRAY = "stray character"  # no rule of Spark's grammar has a use for it
    UNCLOSED = "unclosed"  # a quote or a comment without its end: the rest of the text


TRIVIA = frozenset({TokenKind.SPACE, TokenKind.COMMENT, TokenKind.BOM})
STRINGS: Final = (TokenKind.STRING, TokenKind.DOUBLE)
NAME_KINDS: Final = (TokenKind.WORD, TokenKind.QUOTED)
# Final: code that mypyc compiles reads such a name without a lookup.
_SPACE_KIND: Final = TokenKind.SPACE
_COMMENT_KIND: Final = TokenKind.COMMENT
_BOM_KIND: Final = TokenKind.BOM


class Token(NamedTuple):
    """A token; `start` and `end` are offsets into the whole text, in code points."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """A word in upper case, as Spark recognizes keywords; any other token's own text."""
        return upper(self.text) if self.kind is TokenKind.WORD else self.text

    @property
    def span(self) -> tuple[int, int]:
        """Its start and end."""
        return self.start, self.end


# A code literal of Spark 4.2, after AS alone: before, no statement goes on with `$$` there.
CODE = r"\$(?<=[aA][sS][ \t\n]\$)\$(?:[^$]|\$(?!\$))*\$\$"
_LETTERS = rf"A-Za-z{LETTER}{LONG_S}{DOTLESS_I}"
_RAW = r"[rR]'[^']*'|[rR]\"[^\"]*\""
_DECIMAL = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"
_SUFFIX = r"(?:[fFdD]|[bB][dD])?"
# fast_splitter.py drops the first character of these patterns: it must be one literal character.
_OPEN_COMMENT = r"/\*(?!\+)"
LINE_COMMENT = r"--[^\r\n\\]*(?:\\\n?[^\r\n\\]*)*\r?\n?"
COMMENT = rf"{_OPEN_COMMENT}[^*/]*(?:(?:\*(?!/)|/(?!\*(?!\+)))[^*/]*)*\*/"
STRING = r"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'"
QUOTED = r"`[^`]*(?:``[^`]*)*`"
DOUBLE = r'"[^"\\]*(?:(?:\\.|"")[^"\\]*)*"'

# Kind and expression. Invariant: the first row that matches is also the longest match, which is what Spark's lexer
# (ANTLR) takes. The order of the rows is therefore part of the token boundaries.
_TABLE: tuple[tuple[TokenKind, str], ...] = (
    (TokenKind.SPACE, rf"[ \t\n\f\r\x0b{BLANK}]+"),
    (TokenKind.MARK, r"[(),;]"),  # first, since most marks are these
    (
        TokenKind.WORD,
        rf"(?!{_RAW})(?:[{_LETTERS}]+(?:://[{_LETTERS}0-9_/\-.?=&#%]+|[{_LETTERS}0-9_]*)|_[{_LETTERS}0-9_]*)",
    ),
    (TokenKind.COMMENT, LINE_COMMENT),
    (TokenKind.COMMENT, COMMENT),
    (TokenKind.UNCLOSED, _OPEN_COMMENT),  # or it holds another comment: _scan counts
    (
        TokenKind.NUMBER,
        # isValidDecimal of SqlBaseLexer.g4: no ASCII letter, digit or underscore may follow a number with a point.
        (
            rf"{_DECIMAL}(?:[eE][+-]?[0-9]+)?{_SUFFIX}(?![A-Za-z0-9_{LONG_S}{DOTLESS_I}])"
            rf"|[0-9]+[eE][+-][0-9]+{_SUFFIX}"
            rf"|[0-9]+(?:[lLsSyY{LONG_S}]|(?:[eE][0-9]+)?{_SUFFIX})(?![{_LETTERS}0-9_])"
        ),
    ),
    (
        TokenKind.MARK,
        (
            r"<=>|>>>|<>|!=|<=|>=|!>|!<|==|\|\||\|>|::|->|=>|<<|>>|/\*\+|\*/"
            r"|[.\[\]=<>!+\-*/%~&|^:?]"
        ),
    ),
    (TokenKind.STRING, rf"{STRING}|{_RAW}|{CODE}"),
    (TokenKind.QUOTED, QUOTED),
    (TokenKind.DOUBLE, DOUBLE),
    (TokenKind.WORD, rf"[{_LETTERS}0-9_]+"),
    (TokenKind.UNCLOSED, r"['\"`].*"),
    (TokenKind.BOM, rf"\A{BOM_SHAPE}"),
    (TokenKind.STRAY, r"."),
)
_COMMENT_EDGE = regex(rf"{_OPEN_COMMENT}|\*/")
_NESTED_TYPES = frozenset({"ARRAY", "MAP", "STRUCT"})

# Kinds that the first character decides; all other token texts are matched with the table.
_BY_FIRST: Final[dict[str, TokenKind]] = {
    **dict.fromkeys(" \t\n\f\r\x0b" + BLANK, TokenKind.SPACE),
    **dict.fromkeys("abcdefghijklmnopqstuvwxyzABCDEFGHIJKLMNOPQSTUVWXYZ_", TokenKind.WORD),
    **dict.fromkeys("(),;[]=<>!+%~&^:?", TokenKind.MARK),
}
_SINGLE_MARKS = frozenset(".-*/|")  # marks alone that may also begin something longer
QUOTES = "'\"`/"  # first characters of an unclosed token
_new_tuple: Final = tuple.__new__  # a NamedTuple's own constructor takes twice as long


class Lexer:
    """Spark 4.1's token table, compiled into one expression."""

    def __init__(self) -> None:
        self._row_kinds = [kind for kind, _ in _TABLE]
        # The last row takes any character: there is always a match.
        match: Any = re.compile("|".join(f"({rx})" for _, rx in _TABLE), re.DOTALL).match
        self._match = match
        self._find_all = re.compile("|".join(f"(?:{rx})" for _, rx in _TABLE), re.DOTALL).findall

    def token_texts(self, shaped: str) -> list[str]:
        """The tokens of a shape as texts alone; `>>` may represent two tokens."""
        texts: list[str] = self._find_all(shaped)
        return list(self._scan(shaped)) if "/*" in texts else texts

    def token_text_at(self, shaped: str, start: int) -> str:
        """The text of the token that begins at `start`, if it is not a nested comment."""
        token_text: str = self._match(shaped, start).group()
        return token_text

    def tokens(self, text: str, texts: list[str], start: int, end: int, *, trivia: bool) -> list[Token]:
        """The tokens of consecutive token texts, the first of which is at `start`.

        end: where to stop. trivia: include blanks and comments.
        """
        if ">>" in texts or ">>>" in texts:
            texts = self._split_angles(texts)
        tokens: list[Token] = []
        is_ascii = text.isascii()
        for token_text in texts:
            stop = start + len(token_text)
            kind = _BY_FIRST.get(token_text[0])
            # By identity: a lookup in TRIVIA would hash an enum, in Python, for each token.
            if trivia or kind is not _SPACE_KIND:
                kind = kind or self.kind_of(token_text, start)
                if trivia or (kind is not _COMMENT_KIND and kind is not _BOM_KIND):
                    if start >= end:
                        break
                    tokens.append(_new_tuple(Token, (kind, token_text if is_ascii else text[start:stop], start, stop)))
            start = stop
        return tokens

    def _split_angles(self, texts: list[str]) -> list[str]:
        """The token texts with `>>` split as in Spark: while an array<, map< or struct< is open."""
        split_texts: list[str] = []
        open_angles = 0
        for i, token_text in enumerate(texts):
            if token_text in (">", ">>", ">>>"):
                if open_angles and len(token_text) > 1 and i + 1 < len(texts) and texts[i + 1][0] in ">=":
                    # The remaining `>` may form one token with the next text, as `>` and `=` form `>=`: scan again.
                    return list(self._scan("".join(texts), split_angles=True))
                closed_count = min(open_angles, len(token_text))
                open_angles -= closed_count
                split_texts += [">"] * closed_count
                token_text = token_text[closed_count:]
            elif 3 <= len(token_text) <= 6 and upper_keyword(token_text) in _NESTED_TYPES:
                open_angles += 1
            if token_text:
                split_texts.append(token_text)
        return split_texts

    def kind_of(self, token_text: str, start: int) -> TokenKind:
        """The kind of a token text that begins at `start`."""
        if token_text.isdigit() and token_text.isascii():
            return TokenKind.NUMBER
        if token_text in _SINGLE_MARKS:
            return TokenKind.MARK
        kind: TokenKind = self._row_kinds[self._match(token_text).lastindex - 1]
        # A closed comment with another one in it: the table matches only its opening.
        if kind is TokenKind.UNCLOSED and token_text[0] == "/" and comment_end(token_text, 0)[1]:
            return TokenKind.COMMENT
        return TokenKind.STRAY if kind is TokenKind.BOM and start else kind

    def _scan(self, shaped: str, *, split_angles: bool = False) -> Iterator[str]:
        """The tokens of a shape for which one expression is not enough: nested comments, and `>>`.

        split_angles: count open array<, map<, struct<, as Spark does; until that is 0, `>>` is two tokens.
        """
        start, length, open_angles = 0, len(shaped), 0
        match = self._match
        while start < length:
            token_text: str = match(shaped, start).group()
            if token_text == "/*":
                token_text = shaped[start : comment_end(shaped, start)[0]]
            elif split_angles and open_angles and token_text in (">", ">>", ">>>"):
                token_text = ">"
                open_angles -= 1
            elif split_angles and 3 <= len(token_text) <= 6 and upper_keyword(token_text) in _NESTED_TYPES:
                open_angles += 1
            yield token_text
            start += len(token_text)


def comment_end(shaped: str, start: int) -> tuple[int, bool]:
    """The end of the comment that opens at `start`, nested comments counted, and False if it is not closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(shaped, start):
        depth += 1 if edge.group() == "/*" else -1
        if not depth:
            return edge.end(), True
    return len(shaped), False


LEXER = Lexer()


def tokenize(text: str) -> list[Token]:
    """All tokens of a text, trivia too; their texts joined are the text. Never raises, in linear time."""
    return LEXER.tokens(text, LEXER.token_texts(lexer_shape(text)), 0, len(text), trivia=True)


def on_one_line(text: str) -> str:
    """A clause without the line ends between its tokens; as it is, if it has comments."""
    tokens = tokenize(text) if "\n" in text or "\r" in text else []
    if not tokens or any(token.kind is TokenKind.COMMENT for token in tokens):
        return text
    is_blank = (token.kind is TokenKind.SPACE and not token.text.isprintable() for token in tokens)
    return "".join(" " if b else t.text for b, t in zip(is_blank, tokens, strict=True)).strip()
