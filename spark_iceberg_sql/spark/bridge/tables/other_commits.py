"""What other writers have committed to a table: the newest snapshot, with its files, and how many since a time."""

from __future__ import annotations

from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.other_commit import MAX_SNAPSHOTS, OtherCommit, time_text


def newest(table: Java, since_ms: int) -> OtherCommit | None:
    """The newest snapshot of a table, whatever its branch; None if it has none.

    table: Iceberg's, which is refreshed. since_ms: in milliseconds since 1970.
    """
    snapshots = table.operations().refresh().snapshots()
    count = snapshots.size()
    if not count:
        return None
    later = 0
    while later < min(count, MAX_SNAPSHOTS) and snapshots.get(count - 1 - later).timestampMillis() >= since_ms:
        later += 1
    snapshot = snapshots.get(count - 1)
    summary = {str(key): str(value) for key, value in dict(snapshot.summary()).items()}
    return OtherCommit(
        str(snapshot.operation()), int(snapshot.timestampMillis()), int(snapshot.snapshotId()), summary, later
    )


def metadata_time(table: Java) -> str:
    """When the metadata of a table was last changed. table: Iceberg's."""
    return time_text(table.operations().current().lastUpdatedMillis())
