"""`functools.cached_property` without the lock that it takes before Python 3.12, which costs more than most facts."""

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
