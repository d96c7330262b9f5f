"""Where the statements of a script begin and end, without its tokens.

One expression steps from edge to edge: a `;`, a string, a quoted name, a comment. It knows as much of the token
table as decides where these stand; what it does not know is left to the lexer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import BOM_SHAPE, SPACES, upper_shape
from spark_iceberg_sql.syntax.lexer import COMMENT, DOUBLE, LEXER, LINE_COMMENT, QUOTED, STRING

_BLANKS = "".join(sorted(SPACES))
# The first character picks the place, which the expression's engine finds fast. A quote behind an r is a raw
# string's if the r is a token's first character: no letter, digit, underscore or other character beyond ASCII is
# before it. (As a set of all those, `re` would take as long to compile it as all other expressions together.)
_RAW = r"(?<=[rR].)(?<![^\x00-/:-@\[-^`{-\x7f][rR].)"
_EDGE = regex(
    r"[;'\"`\-/*:](?:"
    r"(?<=;)()"
    rf"|(?<=-)({LINE_COMMENT[1:]})"
    rf"|(?<=')(?:(?<![rR].){STRING[1:]}|{_RAW}[^']*')"
    rf'|(?<=")(?:(?<![rR].){DOUBLE[1:]}|{_RAW}[^"]*")'
    rf"|(?<=`){QUOTED[1:]}"
    rf"|(?<=/)({COMMENT[1:]})"
    r"|(?<=/)\*\+|(?<=\*)/"  # punctuation
    r"|((?<=['\"`])|(?<=/)\*|(?<=:)//)"  # unclosed, a comment in a comment, a path that is one word
    r")",
    re.DOTALL,
)
_SEMICOLON, _UNSURE = 1, 4
_TRIVIA = regex(
    rf"(?:\A{BOM_SHAPE})?[{_BLANKS}]*(?:(?:{LINE_COMMENT}|{COMMENT})[{_BLANKS}]*)*"
    r"(?:([A-Za-z_]+)(?=[ \t\r\n(;]))?"
)


class Cut(NamedTuple):
    """A statement: its offsets and its first token's word, as `Statement` has them."""

    head: int
    start: int
    end: int
    tail: int
    first: str


def cuts(shaped: str) -> Iterator[Cut]:
    """Cut a script, in its shape, up to the first statement that this cannot cut; never raises, in linear time."""
    head = 0
    comments: list[tuple[int, int]] = []
    for edge in _EDGE.finditer(shaped):
        kind = edge.lastindex
        if kind is None:
            continue
        if kind == _SEMICOLON:
            at, tail = edge.span()
            cut = _cut(shaped, head, at, tail, comments)
            if cut is not None:
                if cut.first == "BEGIN":
                    return
                yield cut
            head = tail
            comments = []
        elif kind == _UNSURE:
            return
        else:
            comments.append(edge.span())
    cut = _cut(shaped, head, len(shaped), len(shaped), comments)
    if cut is not None and cut.first != "BEGIN":
        yield cut


def _cut(
    shaped: str, head: int, stop: int, tail: int, comments: list[tuple[int, int]]
) -> Cut | None:
    """The statement between two `;`; None if there is no token."""
    trivia = _TRIVIA.match(shaped, head)
    assert trivia is not None  # it may be empty
    word = trivia[1]
    start = trivia.start(1) if word is not None else trivia.end()
    if start >= stop:
        return None
    end = start + len(shaped[start:stop].rstrip(_BLANKS))
    while comments and comments[-1][1] >= end:
        end = start + len(shaped[start : comments.pop()[0]].rstrip(_BLANKS))
    return Cut(head, start, end, tail, upper_shape(word or LEXER.piece(shaped, start)))
