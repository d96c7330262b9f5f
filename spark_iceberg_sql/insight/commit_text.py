"""What a commit changed, as text, from the summary of its snapshot."""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.checker.plan import size


def commit_text(operation: str, counts: Mapping[str, int], snapshots: int = 1) -> str:
    """`wrote 3 rows, 1 new data file (1.2 kB), in 1 partition`; empty for a commit without figures.

    operation: Iceberg's name for it: `append`, `replace`. counts: of the summary, such as `added-data-files`, in files,
    rows and bytes. snapshots: the number of snapshots that they are about.
    """
    parts = []
    added, removed = counts.get("added-records", 0), counts.get("deleted-records", 0)
    if operation == "replace" and added == removed:
        parts += [f"rewrote {number_of(added, 'row')}"] if added else []
    elif added and removed:  # whole files are rewritten: most of their rows may be unchanged
        parts.append(f"replaced {number_of(removed, 'row')} by {added:,}")
    elif added or removed:
        parts.append(f"{'wrote' if added else 'removed'} {number_of(added or removed, 'row')}")
    if files := counts.get("added-data-files"):
        written_size = size(counts.get("added-files-size", 0))
        parts.append(f"{number_of(files, 'new data file')} ({written_size})")
    if files := counts.get("deleted-data-files"):
        parts.append(f"{number_of(files, 'data file')} removed")
    if files := counts.get("added-delete-files"):
        parts.append(number_of(files, "new delete file"))
    if files := counts.get("removed-delete-files"):
        parts.append(f"{number_of(files, 'delete file')} removed")
    if snapshots > 1:
        parts.append(f"in {snapshots:,} snapshots")
    elif partitions := counts.get("changed-partition-count"):
        parts.append(f"in {number_of(partitions, 'partition')}")
    return ", ".join(parts)


def number_of(count: int, noun: str) -> str:
    """`1,234 rows`, `1 row`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
