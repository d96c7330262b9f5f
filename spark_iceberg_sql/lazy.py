"""Lazy values: cached properties without the lock of `functools.cached_property`, and regular expressions.

Before Python 3.12 the lock costs more than most properties. Most regular expressions of a command are never used, and
compiling all of them would take longer than importing the modules.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property as _locked
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    regex = re.compile
else:

    class regex:  # noqa: N801
        """A regular expression with the methods of a compiled one. text, flags: as `re.compile` takes them."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._given = text, flags

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            attribute = getattr(re.compile(*self._given), name)
            setattr(self, name, attribute)  # the next time it is there
            return attribute


if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = _locked
else:

    class cached_property(_locked):  # noqa: N801
        """A property that is computed once, and then stands in the instance's `__dict__`."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


def forget(instance: object) -> None:
    """Drop the cached properties of a record without slots; they are computed again when they are read."""
    values, fields = vars(instance), getattr(instance, "__match_args__", ())
    for name in [name for name in values if name not in fields]:
        values.pop(name, None)
