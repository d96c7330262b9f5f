"""The progress line of a long check, on a terminal."""

from __future__ import annotations

import sys
import time

from spark_iceberg_sql.outgoing import machine

_FIRST, _EACH = 1.0, 0.1  # seconds


class Progress:
    """Shows on standard error how many files are done, if it is a terminal and the check takes longer than a second."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = ""
        self._next = time.monotonic() + _FIRST if sys.stderr.isatty() else float("inf")

    def step(self) -> None:
        """One more file begins."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EACH
            self._shown = f"Checked {self._done:,} of {self._total:,} files"
            # The cursor goes back, so that any other line takes this one's place.
            machine(sys.stderr).write(f"{self._shown}\r")
            sys.stderr.flush()
        self._done += 1

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            machine(sys.stderr).write(f"{' ' * len(self._shown)}\r")
            sys.stderr.flush()
        self._shown, self._next = "", float("inf")
