"""Warnings that are issued once per process, since a query is analysed several times."""

from __future__ import annotations

import warnings

from spark_iceberg_sql.outgoing import visible

_said: set[str] = set()


def warn_once(words: str) -> None:
    """Issue a UserWarning, once per message."""
    if words not in _said:
        _said.add(words)
        warnings.warn(visible(words), UserWarning, stacklevel=2)
