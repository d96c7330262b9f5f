"""Another writer's commit, as a part of a sentence: for a session, and for a client of Spark Connect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

from spark_iceberg_sql.quantities import plural

MAX_SNAPSHOTS = 1_000
_FILES = (
    ("added-data-files", "added", "data file"),
    ("deleted-data-files", "removed", "data file"),
    ("added-delete-files", "added", "delete file"),
    ("removed-delete-files", "removed", "delete file"),
)


@dataclass(frozen=True, slots=True)
class OtherCommit:
    """A commit of another writer. operation: Iceberg's name for it. committed_ms: since 1970. summary: the snapshot's.

    later: how many snapshots were committed since the time that was asked for, this one included.
    """

    operation: str
    committed_ms: int
    snapshot_id: int
    summary: Mapping[str, str]
    later: int

    def __str__(self) -> str:
        number = f", the last of {self.later} commits" if self.later > 1 else ""
        files = _files(self.summary)
        time = time_text(self.committed_ms)
        return f"{self.operation} of {time}, snapshot {self.snapshot_id}{files and f', {files}'}{number}"


def time_text(milliseconds: int) -> str:
    """A time since 1970 as a sentence has it."""
    return f"{datetime.fromtimestamp(milliseconds / 1000, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def _files(summary: Mapping[str, str]) -> str:
    parts = []
    for key, verb, noun in _FILES:
        number = int(summary.get(key, "0"))
        if number:
            parts.append(f"{verb} {plural(number, noun)}")
    return " and ".join(parts)
