"""The progress line of a long check, on a terminal."""

from __future__ import annotations

import sys
import time

from spark_iceberg_sql.safe_output import raw_stream

_DELAY, _INTERVAL = 1.0, 0.1  # seconds


class FileProgress:
    """Shows on standard error how many files are done, if it is a terminal and the check takes longer than a second."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._line = ""
        self._next = time.monotonic() + _DELAY if sys.stderr.isatty() else float("inf")

    def advance(self) -> None:
        """One more file begins."""
        if (current_time := time.monotonic()) >= self._next:
            self._next = current_time + _INTERVAL
            self._line = f"Checked {self._done:,} of {self._total:,} files"
            # The cursor goes back, so that any other line takes this one's place.
            raw_stream(sys.stderr).write(f"{self._line}\r")
            sys.stderr.flush()
        self._done += 1

    def close(self) -> None:
        """Clear the line."""
        if self._line:
            raw_stream(sys.stderr).write(f"{' ' * len(self._line)}\r")
            sys.stderr.flush()
        self._line, self._next = "", float("inf")
