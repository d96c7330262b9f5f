"""A statement that Spark refuses, what to write instead, and where its clauses are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token


class MistakeHelp(NamedTuple):
    """What to write. edit: the start and end of the text to replace, and the new text; None if it is not certain.
    span: the text that is wrong, if Spark points at another. message: the fact, if Spark's sentence hides it.
    """

    help: str
    edit: tuple[int, int, str] | None = None
    span: tuple[int, int] | None = None
    message: str | None = None


def _no_columns() -> Sequence[str]:
    return ()


def _as_written(parts: tuple[str, ...]) -> tuple[str, ...]:
    return parts


class RefusedStatement(NamedTuple):
    """A statement that Spark refuses.

    condition: Spark's name for the error, such as PARSE_SYNTAX_ERROR. parameters: of its message. tokens: without
    trivia. text: the script that they are offsets of. span: where Spark's error is; the first token if nowhere.
    columns: the columns of its tables, as far as they are known; asked for where they matter. full_name: the full name
    of a table, as far as it is known.
    """

    condition: str
    parameters: Mapping[str, Any]
    tokens: Sequence[Token]
    text: str
    span: tuple[int, int] = (0, 0)
    columns: Callable[[], Sequence[str]] = _no_columns
    full_name: Callable[[tuple[str, ...]], tuple[str, ...]] = _as_written

    def source(self, start: int, end: int) -> str:
        """The text of the tokens from one index up to another."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""

    @property
    def words(self) -> list[str]:
        """The tokens' words in upper case."""
        return [token.word for token in self.tokens]

    def clause(self, keyword: str, start: int = 0) -> int | None:
        """The index of a keyword that is in no brackets, from an index on; None if there is none."""
        depth = 0
        for index in range(start, len(self.tokens)):
            depth += {"(": 1, ")": -1}.get(self.tokens[index].text, 0)
            if depth == 0 and self.tokens[index].word == keyword:
                return index
        return None

    def clause_end(self, start: int, keywords: Sequence[str]) -> int:
        """The index at which a clause ends: that of the first of the keywords that is in no brackets, or the end."""
        ends = [index for keyword in keywords if (index := self.clause(keyword, start)) is not None]
        return min(ends, default=len(self.tokens))

    def name_end(self, start: int) -> int:
        """The index after a name of several parts that starts at an index; the index itself if none does."""
        index = start
        while index < len(self.tokens) and self.tokens[index].kind in NAME_KINDS:
            index += 1
            if index + 1 >= len(self.tokens) or self.tokens[index].text != ".":
                return index
            index += 1
        return index if index == start else index - 1


Mistake = Callable[[RefusedStatement], MistakeHelp | None]
