"""What a piece of work reads of the known tables and what it changes, so that it need not be done twice.

A statement that is judged again, on tables of which it reads the same as before, has the same findings and the
same effect. A language server checks a script at each keystroke, and nearly all of its statements are such.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from spark_iceberg_sql.records import record

_ABSENT = object()


class Watched(MutableMapping[Any, Any]):
    """A mapping that remembers what is read of it and what is written to it.

    read: the values that were read before they were written, by key. written: the values put there.
    whole: whether all of it was read, as by a loop.
    """

    def __init__(self, inner: MutableMapping[Any, Any]) -> None:
        self.read: dict[Any, object] = {}
        self.written: dict[Any, object] = {}
        self.whole = False
        self._inner = inner

    def __getitem__(self, key: Any) -> Any:
        if key not in self.written:
            self.read.setdefault(key, self._inner.get(key, _ABSENT))
        return self._inner[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.written[key] = value
        self._inner[key] = value

    def __delitem__(self, key: Any) -> None:
        if key not in self.written:
            self.read.setdefault(key, self._inner.get(key, _ABSENT))
        del self._inner[key]
        self.written[key] = _ABSENT

    def __iter__(self) -> Iterator[Any]:
        self.whole = True
        return iter(list(self._inner))

    def __len__(self) -> int:
        self.whole = True
        return len(self._inner)

    def fits(self, other: MutableMapping[Any, Any]) -> bool:
        """Whether reading from another mapping would give the same."""
        for key, value in self.read.items():
            there = other.get(key, _ABSENT)
            if there is not value and there != value:
                return False
        return True

    def write(self, other: MutableMapping[Any, Any]) -> None:
        """Write to another mapping what was written here."""
        for key, value in self.written.items():
            if value is _ABSENT:
                other.pop(key, None)
            else:
                other[key] = value


@record(slots=True)
class Recording:
    """What some work read of known tables and left behind. settings, after: before it, and after."""

    settings: tuple[Any, ...]
    mappings: tuple[Watched, ...]
    after: tuple[Any, ...] = ()

    @property
    def repeatable(self) -> bool:
        """Whether what was read is a few entries; work that went through all of them is done anew."""
        return not any(mapping.whole for mapping in self.mappings)
