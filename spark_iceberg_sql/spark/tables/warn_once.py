"""Warnings that are said once in a process: a query is analysed several times on its way."""

from __future__ import annotations

import warnings

_said: set[str] = set()


def warn_once(words: str) -> None:
    """A UserWarning, the first time that these words are said."""
    if words not in _said:
        _said.add(words)
        warnings.warn(words, UserWarning, stacklevel=2)
