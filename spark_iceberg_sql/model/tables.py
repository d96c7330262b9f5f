"""The catalog state: all tables known before a statement. A check starts from one and each statement updates it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from copy import copy
from itertools import count
from typing import Any

from spark_iceberg_sql.lazy import forget
from spark_iceberg_sql.model.access_tracking import AccessRecord, TrackedMapping
from spark_iceberg_sql.model.engines import Dialect, Engine
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import MissingTable, Name, RelationKind, Table, is_branch

_EPOCHS = count(1)
# Number of tables whose computed properties are kept; these take more memory than the tables.
_RECENT = 100


class Tables:
    """The catalog state: tables by name. A name is known, known not to exist, or unknown.

    tables: the known ones. catalog, namespace: how an unqualified name is resolved (None: unknown, the bare name is its
    own full name). complete: true if a name not listed here is known not to exist.
    case_sensitive: Spark's `spark.sql.caseSensitive`. time_zone: the session's, once a statement has set it. shared:
    true if anything besides the statements, such as the surrounding program, creates and drops tables. others: a number
    for the last statement that may have written rows; 0 if there was none.
    engine: that the statements are for, if a comment or a setting names one. iceberg: its minor version, (1, 7), if a
    setting or the session names it. dialects: those that the earlier texts of a series indicate; None if the tables
    come from elsewhere, so that they are Spark's.
    other_procedures: those that a catalog has besides Iceberg's, in lower case.
    filled_in: true if a statement has run whose text a template or a program completes. live: true if they are a
    session's. Subclasses that read a live catalog override `look_up`.
    """

    live = False

    def __init__(
        self,
        tables: Iterable[Table] = (),
        *,
        catalog: str | None = None,
        namespace: Name = (),
        complete: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.catalog = catalog
        self.namespace = tuple(namespace)
        self.complete = complete
        self.case_sensitive = case_sensitive
        self.time_zone: str | None = None
        self.engine: Engine | None = None
        self.iceberg: Version | None = None
        self.spark: Version | None = None
        self.dialects: frozenset[Dialect] | None = None
        self.other_procedures: frozenset[str] = frozenset()
        self.shared = False
        self.filled_in = False
        self._counters: MutableMapping[str, int] = {"others": 0}
        self._entries: MutableMapping[Name, Table | MissingTable | None] = {}
        self._views: MutableMapping[Name, bool] = {}
        self._recent: deque[Table] = deque()  # changed last; their computed properties are kept
        self._unsettled: list[Name] = []  # namespaces in which anything may have happened
        for table in tables:
            self.put(table)

    def copy(self) -> Tables:
        """A copy with its own state; the sources it reads from are shared."""
        twin = copy(self)
        vars(twin).update(
            _entries=dict(self._entries),
            _views=dict(self._views),
            _recent=deque(),
            _counters=dict(self._counters),
            _unsettled=list(self._unsettled),
        )
        return twin

    @property
    def others(self) -> int:
        """The last statement that may have written rows."""
        return self._counters["others"]

    @others.setter
    def others(self, number: int) -> None:
        self._counters["others"] = number

    def another(self) -> None:
        """Record that a statement has run that may have written rows."""
        self.others = next(_EPOCHS)

    @contextmanager
    def recorded(self) -> Iterator[AccessRecord]:
        """Record what is read and changed within this context."""
        originals = self._entries, self._views, self._counters
        recording = AccessRecord(self._settings, tuple(map(TrackedMapping, self._mappings)))
        self._entries, self._views, self._counters = recording.mappings
        try:
            yield recording
        finally:
            self._entries, self._views, self._counters = originals
            recording.settings_after = self._settings

    def fits(self, recording: AccessRecord) -> bool:
        """True if everything that was read then is unchanged."""
        return recording.settings_before == self._settings and all(
            watched.is_unchanged_in(mapping)
            for watched, mapping in zip(recording.mappings, self._mappings, strict=True)
        )

    def repeat(self, recording: AccessRecord) -> None:
        """Apply the recorded changes again. recording: of repeatable work, and one that fits."""
        for watched, mapping in zip(recording.mappings, self._mappings, strict=True):
            watched.replay_writes(mapping)
        if recording.settings_after != recording.settings_before:
            self.catalog, self.namespace, self.case_sensitive, self.time_zone, *_ = recording.settings_after

    @property
    def _mappings(self) -> tuple[MutableMapping[Any, Any], ...]:
        return self._entries, self._views, self._counters

    @property
    def _settings(self) -> tuple[Any, ...]:
        changing = self.catalog, self.namespace, self.case_sensitive, self.time_zone
        return (*changing, self.complete, self.shared, tuple(self._unsettled), self.engine, self.iceberg, self.spark)

    @property
    def says_anything(self) -> bool:
        """True if it is known which catalog or which tables of Spark's the statements concern.

        Tables of earlier texts of a series show nothing: another engine may have created them.
        """
        return self.catalog is not None or self.complete or (bool(self._entries) and self.dialects is None)

    def full_name(self, parts: Name) -> Name:
        """The full name of a name in a statement, given the current catalog and namespace."""
        if self.catalog is None:
            return (*self.namespace, *parts) if len(parts) == 1 else tuple(parts)
        if len(parts) == 1:
            return (self.catalog, *self.namespace, *parts)
        return tuple(parts) if self.is_catalog(parts[0]) else (self.catalog, *parts)

    def is_catalog(self, name: str) -> bool:
        """True if the first part of a name is a catalog; `spark_catalog` always is."""
        return name.lower() in ("spark_catalog", (self.catalog or "").lower())

    def is_icebergs(self, catalog: str) -> bool:
        """True if a catalog other than Spark's own is, or may be, an Iceberg catalog; a live session knows which."""
        return True

    def _key(self, parts: Name) -> Name:
        return tuple([part.lower() for part in self.full_name(parts)])

    def get(self, parts: Name) -> Table | MissingTable | None:
        """The table of a name, MissingTable if it is known not to exist, None if unknown.

        A temporary view hides a table of the same name.
        """
        if self.is_temporary_view(parts):
            return Table(tuple(parts), kind=RelationKind.VIEW)
        return self._table(parts)

    def partitioned(self, parts: Name) -> Table | MissingTable | None:
        """The table whose partition spec a statement about this name changes; otherwise as `get`.

        Iceberg ignores temporary views, and resolves the name of a branch or tag to the table.
        """
        relation = self._find(parts)
        branch = relation is None or (isinstance(relation, Table) and relation.kind is RelationKind.BRANCH)
        if branch and len(parts) > 1 and is_branch(parts[-1]):
            parent = self._table(parts[:-1])
            if isinstance(parent, Table) and parent.kind is RelationKind.ICEBERG:
                return parent
        return self._table(parts)

    def is_temporary_view(self, parts: Name) -> bool:
        """True if a name as written refers to a temporary view."""
        return self._views.get(tuple(part.lower() for part in parts), False)

    def put_temporary_view(self, parts: Name, exists: bool = True) -> None:
        """Remember that a temporary view of this name exists, or does not."""
        self._views[tuple(part.lower() for part in parts)] = exists

    def _table(self, parts: Name) -> Table | MissingTable | None:
        relation = self._find(parts)
        if relation is None and self.complete and not self.is_unsettled(parts):
            return MissingTable(self.full_name(parts), "no earlier statement creates it")
        return relation

    def _find(self, parts: Name) -> Table | MissingTable | None:
        """The entry of a name, or else the answer of the source."""
        entry = self._entries.get(self._key(parts))
        if entry is not None or self.is_unsettled(parts):
            return entry
        return self.look_up(self.full_name(parts))

    def is_unsettled(self, parts: Name) -> bool:
        """True if something besides the statements may have created, changed or dropped the table."""
        key = self._key(parts)
        if key in self._entries:
            return self._entries[key] is None
        return any(key[: len(namespace)] == namespace for namespace in self._unsettled)

    def look_up(self, name: Name) -> Table | MissingTable | None:
        """Ask an external source by full name; this class has none."""
        return None

    def why_unknown(self, parts: Name) -> str:
        """The reason why a name is unknown, in the user's terms."""
        return "no earlier statement creates it"

    def columns_of(self, query: str) -> Schema | None:
        """The columns of a query's result, if they can be determined; a live session can."""
        return None

    def condition_fault(self, name: Name, condition: str) -> str | None:
        """Why Spark or Iceberg refuses a condition over a table, with the help on a second line; None if they do not,
        or if it is unknown, as it is outside a session.
        """
        return None

    @property
    def known(self) -> tuple[Table, ...]:
        """The tables that are remembered, by name."""
        tables = (item for item in self._entries.values() if isinstance(item, Table))
        return tuple(sorted(tables, key=lambda table: table.name))

    def keep_what_agrees(self, other: Tables) -> None:
        """Make unknown every entry on which another state of the same tables differs."""
        for key in {*self._entries, *other._entries}:
            in_both = key in self._entries and key in other._entries
            if not in_both or self._entries[key] != other._entries[key]:
                self._entries[key] = None
        self._views = {k: v for k, v in self._views.items() if other._views.get(k) == v}
        self._unsettled += [space for space in other._unsettled if space not in self._unsettled]
        self.others = max(self.others, other.others)
        self.filled_in = self.filled_in or other.filled_in
        if self.dialects is not None and other.dialects is not None:
            self.dialects |= other.dialects

    def put(self, table: Table) -> None:
        """Remember a table under its name."""
        self.remember(table.name, table)

    def remember(self, parts: Name, relation: Table | MissingTable) -> None:
        """Remember what a name refers to, if anything."""
        self._entries[self._key(parts)] = relation
        if isinstance(relation, Table):
            self._recent.append(relation)
            if len(self._recent) > _RECENT:
                oldest = self._recent.popleft()
                # Later states of a table share with it what no statement has changed since.
                shared = {id(part) for t in self._recent for part in (t.schema, t.specs)}
                for part in (oldest.schema, oldest.specs):
                    if part is not None and id(part) not in shared:
                        forget(part)

    def drop(self, parts: Name, reason: str) -> None:
        """Remember that a name does not exist, or, if tables are shared, that it is unknown."""
        absent = MissingTable(self.full_name(parts), reason)
        self._entries[self._key(parts)] = None if self.shared else absent

    def unsettle(self, *names: Name) -> None:
        """Make unknown whether these tables exist: something may have created, changed or dropped them."""
        keys: set[Name] = set()
        for parts in names:
            nameless = self.catalog is None and len(parts) > 2  # `db.t` may be the same
            for name in (parts, parts[1:]) if nameless else (parts,):
                keys.add(self._key(name))
                self._views.pop(tuple(part.lower() for part in name), None)
        self._entries.update(dict.fromkeys(keys))
        for other in self._entries if keys else ():  # a program may name tables without their catalog
            if any(other[i:] in keys for i in range(1, len(other))):
                self._entries[other] = None

    def unsettle_below(self, namespace: Name) -> None:
        """Make unknown the tables of a namespace, and of those below it; () means all."""
        full = (*((self.catalog,) if self.catalog and len(namespace) == 1 else ()), *namespace)
        spaces = {tuple(part.lower() for part in name) for name in (namespace, full)}
        if self.catalog is None and len(namespace) > 1:
            spaces.add(tuple(part.lower() for part in namespace[1:]))
        self._unsettled += spaces
        if () in spaces:
            self._views.clear()
        for key in list(self._entries):
            if any(key[: len(space)] == space for space in spaces):
                self._entries[key] = None

    def forget(self, parts: Name) -> None:
        """Make unknown everything about a table that changed in a way that cannot be tracked."""
        name = self.full_name(parts)
        self._entries[self._key(parts)] = Table(name, why_unknown="an earlier statement changed it")
