"""A fast splitter of scripts into statements, without tokens.

In: a script's shape (characters.py). Out: the range of each statement, up to the first that it cannot split;
the lexer splits the remaining text. One expression steps from edge to edge: a `;`, a string, a quoted name, a
comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import BOM_SHAPE, SPACES, upper_keyword
from spark_iceberg_sql.syntax.lexer import CODE, COMMENT, DOUBLE, LEXER, LINE_COMMENT, QUOTED, STRING

_BLANKS = "".join(sorted(SPACES))
# The first character picks the place, which the expression's engine finds fast. A quote behind an r is a raw string's
# if the r is a token's first character: no letter, digit, underscore or other character beyond ASCII is before it. (As
# a set of all those, `re` would take as long to compile it as all other expressions together.)
_RAW = r"(?<=[rR].)(?<![^\x00-/:-@\[-^`{-\x7f][rR].)"
# Invariant: every edge found here is a token boundary of `Lexer`, and no `;` token is passed over (tests/test_cuts.py
# compares both splitters). The patterns are those of the token table in lexer.py without their first character, which
# the set at the beginning matches: each must begin with one literal character. Groups: 1 a semicolon, 2 and 3 a
# comment, 4 a text that only the lexer can split; strings and names: none.
_EDGE = regex(
    r"[;'\"`\-/*:$](?:"
    r"(?<=;)()"
    rf"|(?<=-)({LINE_COMMENT[1:]})"
    rf"|(?<=')(?:(?<![rR].){STRING[1:]}|{_RAW}[^']*')"
    rf'|(?<=")(?:(?<![rR].){DOUBLE[1:]}|{_RAW}[^"]*")'
    rf"|(?<=`){QUOTED[1:]}"
    rf"|(?<=/)({COMMENT[1:]})"
    rf"|(?<=\$){CODE[2:]}"
    r"|(?<=/)\*\+|(?<=\*)/"  # punctuation
    r"|((?<=['\"`])|(?<=/)\*|(?<=:)//)"  # unclosed, a comment in a comment, a path that is one word
    r")",
    re.DOTALL,
)
_SEMICOLON, _UNSUPPORTED = 1, 4
_TRIVIA = regex(
    rf"(?:\A{BOM_SHAPE})?[{_BLANKS}]*(?:(?:{LINE_COMMENT}|{COMMENT})[{_BLANKS}]*)*"
    r"(?:([A-Za-z_]+)(?=[ \t\r\n(;]))?"
)


class StatementRange(NamedTuple):
    """A statement: its offsets and the word of its first token, as `Statement` has them."""

    head: int
    start: int
    end: int
    tail: int
    first_word: str


def split_fast(shaped: str) -> Iterator[StatementRange]:
    """Split a script's shape up to the first statement that this cannot split; never raises, in linear time."""
    head = 0
    comments: list[tuple[int, int]] = []
    for edge in _EDGE.finditer(shaped):
        group = edge.lastindex
        if group is None:
            continue
        if group == _SEMICOLON:
            stop, tail = edge.span()
            statement_range = _statement_range(shaped, head, stop, tail, comments)
            if statement_range is not None:
                # The `;` in a block do not end the statement: blocks.py finds its END, by tokens.
                if statement_range.first_word == "BEGIN":
                    return
                yield statement_range
            head = tail
            comments = []
        elif group == _UNSUPPORTED:
            return
        else:
            comments.append(edge.span())
    statement_range = _statement_range(shaped, head, len(shaped), len(shaped), comments)
    if statement_range is not None and statement_range.first_word != "BEGIN":
        yield statement_range


def _statement_range(
    shaped: str, head: int, stop: int, tail: int, comments: list[tuple[int, int]]
) -> StatementRange | None:
    """The statement between two `;`; None if there is no token."""
    trivia = _TRIVIA.match(shaped, head)
    assert trivia is not None  # it may be empty
    first_word = trivia[1]
    start = trivia.start(1) if first_word is not None else trivia.end()
    if start >= stop:
        return None
    end = start + len(shaped[start:stop].rstrip(_BLANKS))
    # Comments at the end are trivia: the range ends at the last token.
    while comments and comments[-1][1] >= end:
        end = start + len(shaped[start : comments.pop()[0]].rstrip(_BLANKS))
    return StatementRange(head, start, end, tail, upper_keyword(first_word or LEXER.token_text_at(shaped, start)))
