"""Records the read and write sets of work on the catalog state, so that it need not be repeated.

A statement that is checked again, on tables of which it reads the same as before, has the same findings and the same
effect. A language server checks a script at each keystroke, and that holds for nearly all of its statements.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from spark_iceberg_sql.records import record

_MISSING = object()


class TrackedMapping(MutableMapping[Any, Any]):
    """A mapping that records its reads and writes.

    reads: the values that were read before they were written, by key. writes: the values put there.
    was_iterated: true if all of it was read, as by a loop.
    """

    def __init__(self, inner: MutableMapping[Any, Any]) -> None:
        self.reads: dict[Any, object] = {}
        self.writes: dict[Any, object] = {}
        self.was_iterated = False
        self._inner = inner

    def __getitem__(self, key: Any) -> Any:
        if key not in self.writes:
            self.reads.setdefault(key, self._inner.get(key, _MISSING))
        return self._inner[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.writes[key] = value
        self._inner[key] = value

    def __delitem__(self, key: Any) -> None:
        if key not in self.writes:
            self.reads.setdefault(key, self._inner.get(key, _MISSING))
        del self._inner[key]
        self.writes[key] = _MISSING

    def __iter__(self) -> Iterator[Any]:
        self.was_iterated = True
        return iter(list(self._inner))

    def __len__(self) -> int:
        self.was_iterated = True
        return len(self._inner)

    def is_unchanged_in(self, other: MutableMapping[Any, Any]) -> bool:
        """True if reading from another mapping would give the same values."""
        # Identity first: most values are the same object, and comparing two tables field by field is slow.
        return all(
            (current_value := other.get(key, _MISSING)) is value or current_value == value
            for key, value in self.reads.items()
        )

    def replay_writes(self, other: MutableMapping[Any, Any]) -> None:
        """Repeat these writes on another mapping."""
        for key, value in self.writes.items():
            if value is _MISSING:
                other.pop(key, None)
            else:
                other[key] = value


@record(slots=True)
class AccessRecord:
    """Read and write set of work on the catalog state. settings_before, settings_after: around the work."""

    settings_before: tuple[Any, ...]
    mappings: tuple[TrackedMapping, ...]
    settings_after: tuple[Any, ...] = ()

    @property
    def is_repeatable(self) -> bool:
        """True if only single entries were read; work that iterated over all of them is done again."""
        return not any(mapping.was_iterated for mapping in self.mappings)
