"""SQL text to tokens with offsets, with the token boundaries of Spark 4.1's own lexer (SqlBaseLexer.g4).

One token table, two passes: first the texts alone (`token_texts`), then the tokens of some of them. The table
is matched against the text's shape, which has the same length. tests/spark/test_lexer_differential.py
compares with Spark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import (
    BLANK,
    BOM_SHAPE,
    DOTLESS_I,
    LETTER,
    LONG_S,
    shape,
    upper,
    upper_shape,
)


class Kind(Enum):
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


TRIVIA = frozenset({Kind.SPACE, Kind.COMMENT, Kind.BOM})
STRINGS = (Kind.STRING, Kind.DOUBLE)
_SPACE, _COMMENT, _MARKED = Kind.SPACE, Kind.COMMENT, Kind.BOM


class Token(NamedTuple):
    """A token; `start` and `end` are offsets into the whole text, in code points."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """A word in upper case, as Spark recognizes keywords; any other token's own text."""
        return upper(self.text) if self.kind is Kind.WORD else self.text


_L = rf"A-Za-z{LETTER}{LONG_S}{DOTLESS_I}"
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
_TABLE: tuple[tuple[Kind, str], ...] = (
    (Kind.SPACE, rf"[ \t\n\f\r\x0b{BLANK}]+"),
    (
        Kind.WORD,
        rf"(?!{_RAW})(?:[{_L}]+(?:://[{_L}0-9_/\-.?=&#%]+|[{_L}0-9_]*)|_[{_L}0-9_]*)",
    ),
    (Kind.COMMENT, LINE_COMMENT),
    (Kind.COMMENT, COMMENT),
    (Kind.UNCLOSED, _OPEN_COMMENT),  # or it holds another comment: _scan counts
    (
        Kind.NUMBER,
        # isValidDecimal of SqlBaseLexer.g4: no ASCII letter, digit or underscore may follow a number with a point.
        (
            rf"{_DECIMAL}(?:[eE][+-]?[0-9]+)?{_SUFFIX}(?![A-Za-z0-9_{LONG_S}{DOTLESS_I}])"
            rf"|[0-9]+[eE][+-][0-9]+{_SUFFIX}"
            rf"|[0-9]+(?:[lLsSyY{LONG_S}]|(?:[eE][0-9]+)?{_SUFFIX})(?![{_L}0-9_])"
        ),
    ),
    (
        Kind.MARK,
        (
            r"[(),;]|<=>|>>>|<>|!=|<=|>=|!>|!<|==|\|\||\|>|::|->|=>|<<|>>|/\*\+|\*/"
            r"|[.\[\]=<>!+\-*/%~&|^:?]"
        ),
    ),
    (Kind.STRING, rf"{STRING}|{_RAW}"),
    (Kind.QUOTED, QUOTED),
    (Kind.DOUBLE, DOUBLE),
    (Kind.WORD, rf"[{_L}0-9_]+"),
    (Kind.UNCLOSED, r"['\"`].*"),
    (Kind.BOM, rf"\A{BOM_SHAPE}"),
    (Kind.STRAY, r"."),
)
_COMMENT_EDGE = regex(rf"{_OPEN_COMMENT}|\*/")
_COMPLEX = frozenset({"ARRAY", "MAP", "STRUCT"})

# Kinds that the first character decides; all other token texts are matched with the table.
_BY_FIRST: dict[str, Kind] = {
    **dict.fromkeys(" \t\n\f\r\x0b" + BLANK, Kind.SPACE),
    **dict.fromkeys("abcdefghijklmnopqstuvwxyzABCDEFGHIJKLMNOPQSTUVWXYZ_", Kind.WORD),
    **dict.fromkeys("(),;[]=<>!+%~&^:?", Kind.MARK),
}
_SINGLE = frozenset(".-*/|")  # marks alone that may also begin something longer
QUOTES = "'\"`/"  # first characters of an unclosed token
_new = tuple.__new__  # a NamedTuple's own constructor takes twice as long


class Lexer:
    """Spark 4.1's token table, compiled into one expression."""

    def __init__(self) -> None:
        self._kinds = [kind for kind, _ in _TABLE]
        # The last row takes any character: there is always a match.
        match: Any = re.compile("|".join(f"({rx})" for _, rx in _TABLE), re.DOTALL).match
        self._match = match
        self._all = re.compile("|".join(f"(?:{rx})" for _, rx in _TABLE), re.DOTALL).findall

    def pieces(self, shaped: str) -> list[str]:
        """The tokens of a shape as texts alone; `>>` may represent two tokens."""
        pieces: list[str] = self._all(shaped)
        return list(self._scan(shaped)) if "/*" in pieces else pieces

    def piece(self, shaped: str, start: int) -> str:
        """The text of the token that begins at `start`, if it is not a nested comment."""
        piece: str = self._match(shaped, start).group()
        return piece

    def tokens(
        self, text: str, pieces: list[str], start: int, end: int, *, trivia: bool
    ) -> list[Token]:
        """The tokens of consecutive token texts, the first of which is at `start`.

        end: where to stop. trivia: include blanks and comments.
        """
        if ">>" in pieces or ">>>" in pieces:
            pieces = self._types(pieces)
        tokens = []
        same = text.isascii()
        for piece in pieces:
            stop = start + len(piece)
            kind = _BY_FIRST.get(piece[0]) or self.kind(piece, start)
            # By identity: a lookup in TRIVIA would hash an enum, in Python, for each token.
            if trivia or (kind is not _SPACE and kind is not _COMMENT and kind is not _MARKED):
                if start >= end:
                    break
                tokens.append(_new(Token, (kind, piece if same else text[start:stop], start, stop)))
            start = stop
        return tokens

    def _types(self, pieces: list[str]) -> list[str]:
        """The token texts with `>>` split as in Spark: while an array<, map< or struct< is open."""
        found: list[str] = []
        angles = 0
        for i, piece in enumerate(pieces):
            if piece in (">", ">>", ">>>"):
                if angles and len(piece) > 1 and i + 1 < len(pieces) and pieces[i + 1][0] in ">=":
                    # The remaining `>` may form one token with the next text, as `>` and `=` form `>=`: scan again.
                    return list(self._scan("".join(pieces), types=True))
                closed = min(angles, len(piece))
                angles -= closed
                found += [">"] * closed
                piece = piece[closed:]
            elif 3 <= len(piece) <= 6 and upper_shape(piece) in _COMPLEX:
                angles += 1
            if piece:
                found.append(piece)
        return found

    def kind(self, piece: str, start: int) -> Kind:
        """The kind of a token text that begins at `start`."""
        if piece.isdigit() and piece.isascii():
            return Kind.NUMBER
        if piece in _SINGLE:
            return Kind.MARK
        kind: Kind = self._kinds[self._match(piece).lastindex - 1]
        # A closed comment with another one in it: the table matches only its opening.
        if kind is Kind.UNCLOSED and piece[0] == "/" and comment_end(piece, 0)[1]:
            return Kind.COMMENT
        return Kind.STRAY if kind is Kind.BOM and start else kind

    def _scan(self, shaped: str, *, types: bool = False) -> Iterator[str]:
        """The tokens of a shape for which one expression is not enough: nested comments, and `>>`.

        split_angles: count open array<, map<, struct<, as Spark does; until that is 0, `>>` is two tokens.
        """
        start, length, angles = 0, len(shaped), 0
        match = self._match
        while start < length:
            piece: str = match(shaped, start).group()
            if piece == "/*":
                piece = shaped[start : comment_end(shaped, start)[0]]
            elif types and angles and piece in (">", ">>", ">>>"):
                piece = ">"
                angles -= 1
            elif types and 3 <= len(piece) <= 6 and upper_shape(piece) in _COMPLEX:
                angles += 1
            yield piece
            start += len(piece)


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
    return LEXER.tokens(text, LEXER.pieces(shape(text)), 0, len(text), trivia=True)


def on_one_line(text: str) -> str:
    """A clause without the line ends between its tokens; as it is, if it has comments."""
    tokens = tokenize(text) if "\n" in text or "\r" in text else []
    if not tokens or any(token.kind is Kind.COMMENT for token in tokens):
        return text
    blank = (token.kind is Kind.SPACE and not token.text.isprintable() for token in tokens)
    return "".join(" " if b else t.text for b, t in zip(blank, tokens, strict=True)).strip()
