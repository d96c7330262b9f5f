"""Statements that were judged before, for texts that are checked again and again with small changes."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.checker.judging import Judgement
from spark_iceberg_sql.model.table import Tables
from spark_iceberg_sql.model.watching import Account
from spark_iceberg_sql.syntax.script import Statement, statements

_Key = tuple[str, int, bool]
_KEPT = 32  # checks after which a statement that did not come again is forgotten


@dataclass(slots=True)
class Past:
    """A statement that was judged before.

    start: where it began. judgement: what was found, None if the checker has nothing to do with it. fine: whether
    it was assumed to run. account: what was read of the known tables, and changed. used: the last check that had it.
    """

    start: int
    judgement: Judgement | None
    fine: bool
    account: Account
    used: int


class Memo:
    """What was found in the statements of one document, under one configuration.

    A statement is judged again only if its own text changed, or what it reads of the known tables.
    """

    def __init__(self) -> None:
        self._past: dict[_Key, list[Past]] = {}
        self._check = 0
        self._text = ""
        self._statements: list[Statement] = []

    def statements(self, text: str) -> list[Statement]:
        """The statements of a text, which is often the one of the last check."""
        if text != self._text:
            self._text, self._statements = text, statements(text)
        return self._statements

    def begin(self) -> None:
        """Another check begins."""
        self._check += 1
        if self._check % _KEPT == 0:
            kept = ((key, self._recent(past)) for key, past in self._past.items())
            self._past = {key: past for key, past in kept if past}

    def find(self, statement: Statement, known: Tables) -> Past | None:
        """The same statement of before, on the same tables; each is found once in a check."""
        for past in self._past.get(_key(statement), ()):
            # Two equal statements must not share one: each leaves a mark of its own in `known.others`.
            if past.used != self._check and known.fits(past.account):
                past.used = self._check
                return past
        return None

    def keep(
        self, statement: Statement, judgement: Judgement | None, account: Account, *, fine: bool
    ) -> None:
        """Remember a statement that was just judged."""
        past = Past(statement.start, judgement, fine, account, self._check)
        alike = self._past.setdefault(_key(statement), [])
        alike[:] = [past, *self._recent(alike)]

    def _recent(self, past: list[Past]) -> list[Past]:
        return [each for each in past if each.used > self._check - _KEPT]


def _key(statement: Statement) -> _Key:
    """The text that a statement's findings depend on: from the start of its line, which messages count columns from."""
    text, start = statement.script, statement.start
    begin = min(statement.head, max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1)
    return text[begin : statement.tail], start - begin, statement.compound
