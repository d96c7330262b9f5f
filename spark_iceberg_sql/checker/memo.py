"""A cache of statement results, for a text that is checked again after each small change (editor)."""

from __future__ import annotations

from spark_iceberg_sql.checker.judging import Judgement
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.watching import Recording
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax.script import Statement, statements

_Key = tuple[str, int, bool]
_KEPT = 32  # checks after which a statement that did not come again is forgotten
# Equal statements whose recordings are compared: keeps matching linear.
_TRIED = 8


@record(slots=True)
class Earlier:
    """The cached result of one statement.

    start: its offset then. results: of the statement and of its queries. is_accepted: it was assumed
    to run. access_record: what was read of the catalog state, and written. last_check: the last check that had it.
    """

    start: int
    judgements: tuple[Judgement, ...]
    fine: bool
    recording: Recording
    used: int


@record(slots=True)
class _Alike:
    """Statements with equal text. used_count: the first so many entries are taken by the current check."""

    found: list[Earlier] = field(default_factory=list)
    check: int = 0
    at: int = 0

    def take(self, number: int, check: int) -> Earlier:
        """Mark an entry as used by this check, and return it."""
        self.found[self.at], self.found[number] = self.found[number], self.found[self.at]
        earlier = self.found[self.at]
        earlier.used = check
        self.at += 1
        return earlier


class Memo:
    """The results of the statements of one document, under one configuration.

    A statement is checked again only if its own text has changed, or a value that it reads of the catalog state.
    """

    def __init__(self) -> None:
        self._earlier: dict[_Key, _Alike] = {}
        self._check = 0
        self._text = ""
        self._statements: list[Statement] = []

    def statements(self, text: str) -> list[Statement]:
        """The statements of a text, which is often the text of the last check."""
        if text != self._text:
            self._text, self._statements = text, statements(text)
        return self._statements

    def begin(self) -> None:
        """Start another check, and forget entries that no check has used for long."""
        self._check += 1
        if self._check % _KEPT == 0:
            for alike in self._earlier.values():
                alike.found = [e for e in alike.found if e.used > self._check - _KEPT]
            self._earlier = {key: alike for key, alike in self._earlier.items() if alike.found}

    def find(self, statement: Statement, known: Tables) -> Earlier | None:
        """The cached result of an equal statement whose reads still hold; each is used once in a check.

        Two equal statements must not share one: each leaves a number of its own in `catalog.others`.
        """
        alike = self._alike(statement)
        for number in range(alike.at, min(alike.at + _TRIED, len(alike.found))):
            if known.fits(alike.found[number].recording):
                return alike.take(number, self._check)
        return None

    def keep(
        self,
        statement: Statement,
        judgements: tuple[Judgement, ...],
        recording: Recording,
        *,
        fine: bool,
    ) -> None:
        """Store the result of a statement."""
        alike = self._alike(statement)
        alike.found.append(Earlier(statement.start, judgements, fine, recording, self._check))
        alike.take(len(alike.found) - 1, self._check)

    def _alike(self, statement: Statement) -> _Alike:
        alike = self._earlier.setdefault(_key(statement), _Alike())
        if alike.check != self._check:
            alike.check, alike.at = self._check, 0
        return alike


def _key(statement: Statement) -> _Key:
    """The text that a statement's findings depend on: from the start of its line, since messages count columns from
    there.
    """
    text, start = statement.script, statement.start
    begin = min(statement.head, max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1)
    return text[begin : statement.tail], start - begin, statement.compound
