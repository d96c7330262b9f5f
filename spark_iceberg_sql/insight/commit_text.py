"""What a commit changed, as text, from the summary of its snapshot."""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.quantities import plural, size


def commit_text(operation: str, counts: Mapping[str, int], snapshots: int = 1) -> str:
    """`wrote 3 rows, 1 new data file (1.2 kB), in 1 partition`; empty for a commit without figures.

    operation: Iceberg's name for it: `append`, `replace`. counts: of the summary, such as `added-data-files`, in files,
    rows and bytes. snapshots: the number of snapshots that they are about.
    """
    parts = []
    added, removed = counts.get("added-records", 0), counts.get("deleted-records", 0)
    if operation == "replace" and added == removed:
        parts += [f"rewrote {plural(added, 'row')}"] if added else []
    elif added and removed:  # most of the rows in these files may be unchanged
        parts.append(f"replaced files of {plural(removed, 'row')} by files of {added:,}")
    elif added or removed:
        parts.append(f"{'wrote' if added else 'removed'} {plural(added or removed, 'row')}")
    if files := counts.get("added-data-files"):
        written_size = size(counts.get("added-files-size", 0))
        parts.append(f"{plural(files, 'new data file')} ({written_size})")
    if files := counts.get("deleted-data-files"):
        parts.append(f"{plural(files, 'data file')} removed")
    if files := counts.get("added-delete-files"):
        parts.append(plural(files, "new delete file"))
    if files := counts.get("removed-delete-files"):
        parts.append(f"{plural(files, 'delete file')} removed")
    if snapshots > 1:
        parts.append(f"in {snapshots:,} snapshots")
    elif partitions := counts.get("changed-partition-count"):
        parts.append(f"in {plural(partitions, 'partition')}")
    return ", ".join(parts)
