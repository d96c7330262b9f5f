"""Properties that are computed once, by `functools.cached_property` without its lock.

Before Python 3.12 it takes one, which costs more than most facts.
"""

from __future__ import annotations

import sys
from functools import cached_property as _locked
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = _locked
else:

    class cached_property(_locked):  # noqa: N801
        """A property that is computed once, and then stands in the instance's `__dict__`."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            made = vars(instance)[self.attrname] = self.func(instance)
            return made


def forget(instance: object) -> None:
    """Let go of the computed properties of a record without slots; they are computed anew when they are read."""
    values, fields = vars(instance), getattr(instance, "__match_args__", ())
    for name in [name for name in values if name not in fields]:
        values.pop(name, None)
