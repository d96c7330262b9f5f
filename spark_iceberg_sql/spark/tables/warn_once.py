"""Warnings that are issued once per process, since a query is analysed several times."""

from __future__ import annotations

import warnings

from spark_iceberg_sql.safe_output import visible

_issued_messages: set[str] = set()


def warn_once(message: str) -> None:
    """Issue a UserWarning, once per message."""
    if message not in _issued_messages:
        _issued_messages.add(message)
        warnings.warn(visible(message), UserWarning, stacklevel=2)
