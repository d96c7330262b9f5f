"""A script to its statements: split at each `;` token; a BEGIN ... END block is one statement.

Most scripts are split without their tokens (`fast_splitter`); a statement makes its tokens when they are first read.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from sys import intern

from spark_iceberg_sql.syntax.blocks import block_ends
from spark_iceberg_sql.syntax.characters import BOM_SHAPE, SPACES, lexer_shape, upper_keyword
from spark_iceberg_sql.syntax.fast_splitter import split_fast
from spark_iceberg_sql.syntax.lexer import LEXER, QUOTES, Token, TokenKind, comment_end

_CHARACTERS_PER_TOKEN = 5  # characters for each token of an opening: most openings have as many
_CUT_TOKENS = 4  # tokens that one may become where the text is cut: `1.5e-` of `1.5e-3`


class Statement:
    """A statement of a script; offsets are into the script.

    script: the whole text. start, end: from its first token to its last, without trivia and the terminator.
    head, tail: with the trivia before it, and its terminator. compound: a BEGIN ... END block. first: the word of its
    first token, as Spark recognizes keywords. closed: False if it may end in an open quote or comment.
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
        outer_span: tuple[int, int],
        first: str,
        *,
        compound: bool = False,
        closed: bool = True,
    ) -> None:
        self.script = script
        self.start, self.end = span
        self.head, self.tail = outer_span
        self.first = intern(first)
        self.compound = compound
        self.closed = closed
        self.release_tokens()

    @property
    def span(self) -> tuple[int, int]:
        """Its start and end."""
        return self.start, self.end

    @property
    def text(self) -> str:
        """The statement from its first token to its last."""
        return self.script[self.start : self.end]

    @property
    def all_tokens(self) -> list[Token]:
        """Its tokens from `head` to `tail`, trivia and terminator included."""
        if self._all is None:
            self._all = LEXER.tokens(self.script, self._token_texts(), self.head, self.tail, trivia=True)
        return self._all

    @property
    def tokens(self) -> list[Token]:
        """Its tokens from `start` to `end`, without trivia."""
        if self._tokens is None:
            texts = self._token_texts()
            self._tokens = LEXER.tokens(self.script, texts, self.head, self.end, trivia=False)
        return self._tokens

    def has_comment(self, start: int, end: int) -> bool:
        """True if a comment begins in a range; the tokens are read once for all findings in a long statement."""
        if self._comments is None:
            self._comments = [t.start for t in self.all_tokens if t.kind is TokenKind.COMMENT]
        index = bisect_left(self._comments, start)
        return index < len(self._comments) and self._comments[index] < end

    def _token_texts(self) -> list[str]:
        return LEXER.token_texts(lexer_shape(self.script[self.head : self.tail]))

    def may_contain(self, word: str) -> bool:
        """True if these lower-case letters occur anywhere in it: a quick test before a slower search."""
        if self._low is None:
            self._low = self.text.lower()
        return word in self._low

    def release_tokens(self) -> None:
        """Release the tokens, which take many times the memory of the text; they can be made again."""
        self._all = self._tokens = self._low = self._comments = None

    @property
    def unclosed(self) -> Token | None:
        """The quote or comment at its end that is not closed, and holds the rest of the script."""
        if self.closed:
            return None
        last_text = self._token_texts()[-1]
        start = self.tail - len(last_text)
        if last_text[0] not in QUOTES or LEXER.kind_of(last_text, start) is not TokenKind.UNCLOSED:
            return None
        return Token(TokenKind.UNCLOSED, self.script[start : self.tail], start, self.tail)

    def opening(self, count: int) -> list[Token]:
        """Its first tokens without trivia, at most `count`, without lexing all of a long statement."""
        if self._tokens is not None:
            return self._tokens[:count]
        shaped = lexer_shape(self.script[self.head : self.tail])
        prefix_length = _CHARACTERS_PER_TOKEN * count
        while prefix_length < len(shaped):
            texts = LEXER.token_texts(shaped[:prefix_length])
            # A prefix may end inside a token: its last tokens may differ from those of the full text.
            tokens = LEXER.tokens(self.script, texts, self.head, self.end, trivia=False)[:-_CUT_TOKENS]
            if len(tokens) >= count:
                return tokens[:count]
            prefix_length *= 4
        return self.tokens[:count]


def statements(text: str) -> list[Statement]:
    """The statements of a script: cut at each `;` token, but a BEGIN ... END block is one statement.

    Stretches without a token are none. Never raises, in linear time.
    """
    shaped = lexer_shape(text)
    statement_list: list[Statement] = []
    covered_end = 0
    for head, start, end, tail, first in split_fast(shaped):
        statement_list.append(Statement(text, (start, end), (head, tail), first))
        covered_end = tail
    if covered_end < len(text):
        statement_list += split_by_tokens(text, shaped, covered_end)
    return statement_list


def split_by_tokens(text: str, shaped: str, offset: int = 0) -> list[Statement]:
    """The statements from an offset on, split by tokens: blocks, unclosed quotes, nested comments.

    shaped: the text's shape. offset: where a statement begins, with the trivia before it.
    """
    texts = LEXER.token_texts(shaped[offset:])
    starts = list(accumulate(map(len, texts), initial=offset))
    # Computed at the first BEGIN only: most scripts have no block.
    blocks: dict[int, int] | None = None
    statement_list = []
    index, count = 0, len(texts)
    while index < count:
        first_index = index
        while first_index < count and _is_trivia(texts[first_index], starts[first_index]):
            first_index += 1
        is_compound = False
        last_index = first_index
        word = upper_keyword(texts[first_index]) if first_index < count else ""
        if word == "BEGIN":
            if blocks is None:
                blocks = block_ends(
                    (i, upper_keyword(texts[i]) if len(texts[i]) <= 7 else "")
                    for i in range(first_index, count)
                    if not _is_trivia(texts[i], starts[i])
                )
            is_compound = first_index in blocks
            last_index = blocks.get(first_index, first_index)
        try:
            stop = texts.index(";", last_index)
        except ValueError:
            stop = count
        last_index = stop
        while last_index > first_index and _is_trivia(texts[last_index - 1], starts[last_index - 1]):
            last_index -= 1
        if first_index < last_index:
            tail = min(stop + 1, count)
            statement_list.append(
                Statement(
                    text,
                    (starts[first_index], starts[last_index]),
                    (starts[index], starts[tail]),
                    word,
                    compound=is_compound,
                    closed=texts[tail - 1][0] not in QUOTES,
                )
            )
        index = stop + 1
    return statement_list


def _is_trivia(token_text: str, start: int) -> bool:
    first_char = token_text[0]
    if first_char == "/":
        return token_text.startswith("/*") and token_text != "/*+" and comment_end(token_text, 0)[1]
    return first_char in SPACES or token_text.startswith("--") or (first_char == BOM_SHAPE and not start)
