"""A cell's SQL and its position in the cell: findings are shown on the cell's own lines, without secrets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Lines, Report, Severity
from spark_iceberg_sql.model.table_functions import FUNCTIONS
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Token, tokenize
from spark_iceberg_sql.syntax.script import statements

_CALLS = frozenset(name.upper() for f in FUNCTIONS if f.has_secrets for name in f.names)
_CALL = re.compile(rf"(?i)\b(?:{'|'.join(_CALLS)})\s*\(")
_SECRETS = re.compile(
    r"(?i)secret|passw|token|credential|connection.?string|//[^/@\s]*:[^/@\s]*@"
    r"|(?:access|account|api|private|encryption).?key"
)
_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Cell:
    """The SQL of a magic.

    text: the SQL. before: the cell's text before it. name: the file name shown with positions in it.
    """

    text: str
    before: str = ""
    name: str = "cell"

    def report(self, found: Iterable[Diagnostic], count: int = 1) -> Report:
        """A report on the whole cell, from findings with offsets into the SQL. count: the number of statements."""
        whole = self.before + self.text
        shown, moved = _masked(whole, len(self.before))
        lines = Lines(shown)
        placed = []
        for d in found:
            start, end = (moved(offset + len(self.before)) for offset in (d.span.start, d.span.end))
            placed.append(replace(d, span=lines.span(start, end)))
        placed.sort(key=lambda d: d.span)
        return Report(shown, tuple(placed), self.name, count, lines)

    def finding(
        self,
        code: str,
        message: str,
        span: tuple[int, int],
        help: str | None = None,
        fix: Fix | None = None,
    ) -> Diagnostic:
        """A finding that comes from no rule: an error of Spark, or one about a variable. span: offsets into the SQL."""
        place = Lines(self.text).span(*span)
        return Diagnostic(
            code, code.lower(), Severity.ERROR, masked_words(message, self.text), place, help, fix
        )


def masked(text: str) -> str:
    """The text, with quoted strings hidden in each statement that may hold a secret."""
    return _masked(text, 0)[0]


def has_secrets(text: str) -> bool:
    """Whether a text may hold a credential."""
    return _SECRETS.search(text) is not None or any(map(_hidden, _calls_in(text)))


def masked_words(message: str, text: str) -> str:
    """A message without the strings of the text that may hold a secret."""
    if not has_secrets(text):
        return message
    for statement in statements(text):
        for start, end in _hidden(statement.text):
            value = statement.text[start:end]
            if len(value) >= 4:
                message = message.replace(value, _HIDDEN)
    return message


class _Moved:
    """Maps an offset in a text to the offset after some spans became shorter or longer."""

    def __init__(self, hidden: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in hidden]
        self._hidden = hidden
        self._shifts = [0]
        for start, end in hidden:
            self._shifts.append(self._shifts[-1] + len(_HIDDEN) - (end - start))

    def __call__(self, offset: int) -> int:
        i = bisect_right(self._starts, offset)
        if i and offset < self._hidden[i - 1][1]:
            return self._hidden[i - 1][0] + self._shifts[i - 1]
        return offset + self._shifts[i]


def _masked(text: str, begin: int) -> tuple[str, _Moved]:
    hidden = []
    if has_secrets(text):
        for statement in statements(text[begin:]):
            if has_secrets(statement.text):
                at = begin + statement.start
                hidden += [(at + start, at + end) for start, end in _hidden(statement.text)]
    pieces, at = [], 0
    for start, end in hidden:
        pieces += [text[at:start], _HIDDEN]
        at = end
    return "".join([*pieces, text[at:]]), _Moved(hidden)


def _calls_in(text: str) -> list[str]:
    """The statements that call a table function which takes credentials."""
    return [s.text for s in statements(text) if _CALL.search(s.text)] if _CALL.search(text) else []


def _hidden(statement: str) -> list[tuple[int, int]]:
    """The spans of a statement's values that may be secret: its strings, and what SET assigns.

    If only a table function's call can hold a secret, these are the strings after the call's first positional
    argument.
    """
    tokens = [token for token in tokenize(statement) if token.kind not in TRIVIA]
    if _SECRETS.search(statement) is None:
        return list(_unnamed(tokens))
    if tokens and tokens[0].word == "SET" and "=" in statement:
        return [(statement.index("=") + 1, len(statement))]
    return [(t.start + 1, t.end - 1) for t in tokens if t.kind in STRINGS and t.end - t.start > 2]


def _unnamed(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    depth = 0
    for before, opening, first in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.text == "(" and (depth or before.word in _CALLS):
            depth += 1
        elif opening.text == ")" and depth:
            depth -= 1
        if depth and opening.text == "," and first.kind in STRINGS:
            yield first.start + 1, first.end - 1
