"""A cache of statement results, for a text that is checked again after each small change (editor)."""

from __future__ import annotations

from spark_iceberg_sql.checker.rule_runner import StatementResult
from spark_iceberg_sql.model.access_tracking import AccessRecord
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax.script import Statement, statements

_Key = tuple[str, int, bool]
_MAX_AGE = 32  # checks after which a statement that did not come again is forgotten
# Equal statements whose recordings are compared: keeps matching linear.
_MAX_COMPARED = 8


@record(slots=True)
class CachedStatement:
    """The cached result of one statement.

    start: its offset then. results: of the statement and of its queries. is_accepted: it was assumed to run.
    access_record: what was read of the catalog state, and written. last_check: the last check that had it.
    """

    start: int
    results: tuple[StatementResult, ...]
    is_accepted: bool
    access_record: AccessRecord
    last_check: int


@record(slots=True)
class _EqualStatements:
    """Statements with equal text. used_count: the first so many entries are taken by the current check."""

    entries: list[CachedStatement] = field(default_factory=list)
    last_check: int = 0
    used_count: int = 0

    def take(self, index: int, check: int) -> CachedStatement:
        """Mark an entry as used by this check, and return it."""
        entry = self.entries[index]
        self.entries[self.used_count], self.entries[index] = entry, self.entries[self.used_count]
        entry.last_check = check
        self.used_count += 1
        return entry


class StatementCache:
    """The results of the statements of one document, under one configuration.

    A statement is checked again only if its own text has changed, or a value that it reads of the catalog state.
    """

    def __init__(self) -> None:
        self._groups: dict[_Key, _EqualStatements] = {}
        self._check_number = 0
        self._text = ""
        self._statements: list[Statement] = []

    def statements(self, text: str) -> list[Statement]:
        """The statements of a text, which is often the text of the last check."""
        if text != self._text:
            self._text, self._statements = text, statements(text)
        return self._statements

    def begin_check(self) -> None:
        """Start another check, and forget entries that no check has used for long."""
        self._check_number += 1
        if self._check_number % _MAX_AGE == 0:
            for group in self._groups.values():
                group.entries = [entry for entry in group.entries if entry.last_check > self._check_number - _MAX_AGE]
            self._groups = {key: group for key, group in self._groups.items() if group.entries}

    def find(self, statement: Statement, catalog: Tables) -> CachedStatement | None:
        """The cached result of an equal statement whose reads still hold; each is used once in a check.

        Two equal statements must not share one: each leaves a number of its own in `catalog.others`.
        """
        group = self._group(statement)
        for index in range(group.used_count, min(group.used_count + _MAX_COMPARED, len(group.entries))):
            if catalog.fits(group.entries[index].access_record):
                return group.take(index, self._check_number)
        return None

    def store(
        self,
        statement: Statement,
        results: tuple[StatementResult, ...],
        access_record: AccessRecord,
        *,
        is_accepted: bool,
    ) -> None:
        """Store the result of a statement."""
        group = self._group(statement)
        group.entries.append(CachedStatement(statement.start, results, is_accepted, access_record, self._check_number))
        group.take(len(group.entries) - 1, self._check_number)

    def _group(self, statement: Statement) -> _EqualStatements:
        group = self._groups.setdefault(_key(statement), _EqualStatements())
        if group.last_check != self._check_number:
            group.last_check, group.used_count = self._check_number, 0
        return group


def _key(statement: Statement) -> _Key:
    """The text that a statement's findings depend on: from the start of its line, since messages count columns from
    there.
    """
    text, start = statement.script, statement.start
    begin = min(statement.head, max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1)
    return text[begin : statement.tail], start - begin, statement.compound
