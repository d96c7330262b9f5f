"""A script to its statements: split at each `;` token; a BEGIN ... END block is one statement.

Most scripts are split without their tokens (`fast_splitter`); a statement makes its tokens when they are
first read.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from sys import intern

from spark_iceberg_sql.syntax.blocks import block_ends
from spark_iceberg_sql.syntax.characters import BOM_SHAPE, SPACES, shape, upper_shape
from spark_iceberg_sql.syntax.cuts import cuts
from spark_iceberg_sql.syntax.lexer import LEXER, QUOTES, Kind, Token, comment_end

_EACH = 5  # characters for each token of an opening: most openings have as many
_CUT = 4  # tokens that one may become where the text is cut: `1.5e-` of `1.5e-3`


class Statement:
    """A statement of a script; offsets are into the script.

    script: the whole text. start, end: from its first token to its last, without trivia and the terminator.
    head, tail: with the trivia before it, and its terminator. compound: a BEGIN ... END block. first: the
    word of its first token, as Spark recognizes keywords. closed: False if it may end in an open quote or
    comment.
    """

    __slots__ =(
        "_all",
        "_comments",
        "_low",
        "_tokens",
        "closed",
        "compound",
        "end",
        "first",
        "head",
        "script",
        "start",
        "tail",
    )  # fmt: skip
    _all: list[Token] | None
    _tokens: list[Token] | None
    _low: str | None
    _comments: list[int] | None

    def __init__(
        self,
        script: str,
        span: tuple[int, int],
        around: tuple[int, int],
        first: str,
        *,
        compound: bool = False,
        closed: bool = True,
    ) -> None:
        self.script = script
        self.start, self.end = span
        self.head, self.tail = around
        self.first = intern(first)
        self.compound = compound
        self.closed = closed
        self.forget()

    @property
    def text(self) -> str:
        """The statement from its first token to its last."""
        return self.script[self.start : self.end]

    @property
    def all_tokens(self) -> list[Token]:
        """Its tokens from `head` to `tail`, trivia and terminator included."""
        if self._all is None:
            self._all = LEXER.tokens(self.script, self._pieces(), self.head, self.tail, trivia=True)
        return self._all

    @property
    def tokens(self) -> list[Token]:
        """Its tokens from `start` to `end`, without trivia."""
        if self._tokens is None:
            pieces = self._pieces()
            self._tokens = LEXER.tokens(self.script, pieces, self.head, self.end, trivia=False)
        return self._tokens

    def commented(self, start: int, end: int) -> bool:
        """True if a comment begins in a range; the tokens are read once for all findings in a long statement."""
        if self._comments is None:
            self._comments = [t.start for t in self.all_tokens if t.kind is Kind.COMMENT]
        at = bisect_left(self._comments, start)
        return at < len(self._comments) and self._comments[at] < end

    def _pieces(self) -> list[str]:
        return LEXER.pieces(shape(self.script[self.head : self.tail]))

    def says(self, word: str) -> bool:
        """True if these lower-case letters occur anywhere in it: a quick test before a slower search."""
        if self._low is None:
            self._low = self.text.lower()
        return word in self._low

    def forget(self) -> None:
        """Release the tokens, which take many times the memory of the text; they can be made again."""
        self._all = None
        self._tokens = None
        self._low = None
        self._comments = None

    @property
    def unclosed(self) -> Token | None:
        """The quote or comment at its end that is not closed, and holds the rest of the script."""
        if self.closed:
            return None
        piece = self._pieces()[-1]
        start = self.tail - len(piece)
        if piece[0] not in QUOTES or LEXER.kind(piece, start) is not Kind.UNCLOSED:
            return None
        return Token(Kind.UNCLOSED, self.script[start : self.tail], start, self.tail)

    def opening(self, count: int) -> list[Token]:
        """Its first tokens without trivia, at most `count`, without lexing all of a long statement."""
        if self._tokens is not None:
            return self._tokens[:count]
        shaped = shape(self.script[self.head : self.tail])
        reach = _EACH * count
        while reach < len(shaped):
            pieces = LEXER.pieces(shaped[:reach])
            # A prefix may end inside a token: its last tokens may differ from those of the full text.
            found = LEXER.tokens(self.script, pieces, self.head, self.end, trivia=False)[:-_CUT]
            if len(found) >= count:
                return found[:count]
            reach *= 4
        return self.tokens[:count]


def statements(text: str) -> list[Statement]:
    """The statements of a script: cut at each `;` token, but a BEGIN ... END block is one statement.

    Stretches without a token are none. Never raises, in linear time.
    """
    shaped = shape(text)
    found: list[Statement] = []
    reached = 0
    for head, start, end, tail, first in cuts(shaped):
        found.append(Statement(text, (start, end), (head, tail), first))
        reached = tail
    if reached < len(text):
        found += by_tokens(text, shaped, reached)
    return found


def by_tokens(text: str, shaped: str, reached: int = 0) -> list[Statement]:
    """The statements from an offset on, split by tokens: blocks, unclosed quotes, nested comments.

    shaped: the text's shape. offset: where a statement begins, with the trivia before it.
    """
    pieces = LEXER.pieces(shaped[reached:])
    starts = list(accumulate(map(len, pieces), initial=reached))
    # Computed at the first BEGIN only: most scripts have no block.
    blocks: dict[int, int] | None = None
    found = []
    at, count = 0, len(pieces)
    while at < count:
        first = at
        while first < count and _is_trivia(pieces[first], starts[first]):
            first += 1
        compound = False
        last = first
        word = upper_shape(pieces[first]) if first < count else ""
        if word == "BEGIN":
            if blocks is None:
                blocks = block_ends(
                    (i, upper_shape(pieces[i]) if len(pieces[i]) <= 7 else "")
                    for i in range(first, count)
                    if not _is_trivia(pieces[i], starts[i])
                )
            compound = first in blocks
            last = blocks.get(first, first)
        try:
            stop = pieces.index(";", last)
        except ValueError:
            stop = count
        last = stop
        while last > first and _is_trivia(pieces[last - 1], starts[last - 1]):
            last -= 1
        if first < last:
            tail = min(stop + 1, count)
            found.append(
                Statement(
                    text,
                    (starts[first], starts[last]),
                    (starts[at], starts[tail]),
                    word,
                    compound=compound,
                    closed=pieces[tail - 1][0] not in QUOTES,
                )
            )
        at = stop + 1
    return found


def _is_trivia(piece: str, start: int) -> bool:
    first = piece[0]
    if first == "/":
        return piece.startswith("/*") and piece != "/*+" and comment_end(piece, 0)[1]
    return first in SPACES or piece.startswith("--") or (first == BOM_SHAPE and not start)
