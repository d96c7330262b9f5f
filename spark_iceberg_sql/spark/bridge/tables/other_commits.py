"""What other writers have committed to a table: the newest snapshot, with its files, and how many since a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_MAX_SNAPSHOTS = 1_000
_FILES = (
    ("added-data-files", "added", "data file"),
    ("deleted-data-files", "removed", "data file"),
    ("added-delete-files", "added", "delete file"),
    ("removed-delete-files", "removed", "delete file"),
)


@dataclass(frozen=True, slots=True)
class OtherCommit:
    """A commit of another writer. operation: Iceberg's name for it. time: in UTC. files: what it did to files, as text.

    later: how many snapshots were committed since the time that was asked for, this one included.
    """

    operation: str
    time: str
    snapshot_id: int
    files: str
    later: int

    def __str__(self) -> str:
        number = f", the last of {self.later} commits" if self.later > 1 else ""
        return f"{self.operation} of {self.time}, snapshot {self.snapshot_id}{self.files and f', {self.files}'}{number}"


def newest(table: Java, since_ms: int) -> OtherCommit | None:
    """The newest snapshot of a table, whatever its branch; None if it has none.

    table: Iceberg's, which is refreshed. since_ms: in milliseconds since 1970.
    """
    snapshots = table.operations().refresh().snapshots()
    count = snapshots.size()
    if not count:
        return None
    later = 0
    while later < min(count, _MAX_SNAPSHOTS) and snapshots.get(count - 1 - later).timestampMillis() >= since_ms:
        later += 1
    snapshot = snapshots.get(count - 1)
    summary = {str(key): str(value) for key, value in dict(snapshot.summary()).items()}
    return OtherCommit(
        str(snapshot.operation()), _time(snapshot.timestampMillis()), int(snapshot.snapshotId()), _files(summary), later
    )


def metadata_time(table: Java) -> str:
    """When the metadata of a table was last changed. table: Iceberg's."""
    return _time(table.operations().current().lastUpdatedMillis())


def _time(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def _files(summary: dict[str, str]) -> str:
    parts = []
    for key, verb, noun in _FILES:
        number = int(summary.get(key, "0"))
        if number:
            parts.append(f"{verb} {number} {noun}{'s' if number > 1 else ''}")
    return " and ".join(parts)
