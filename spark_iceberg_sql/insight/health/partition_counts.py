"""The counts over a table's partitions, from the files of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median


def partition_counts(
    partitions: Sequence[tuple[int, int, int, int, int]], current_spec: int, target_size: int
) -> Mapping[str, int]:
    """The fields of `TableMetrics` that the files of all partitions give.

    partitions: of each the id of its spec, its data files, their bytes, and the files and the bytes of small ones.
    current_spec: its id. target_size: of files.
    """
    current = [p for p in partitions if p[0] == current_spec]
    old = [p for p in partitions if p[0] != current_spec]
    shared = [(small, small_bytes) for _, _, _, small, small_bytes in current if small > 1]
    largest, largest_files = max(((size, files) for _, files, size, _, _ in current), default=(0, 0))
    return {
        "files": sum(files for _, files, *_ in partitions),
        "bytes": sum(size for _, _, size, *_ in partitions),
        "partitions": len(current),
        "largest": largest,
        "largest_files": largest_files,
        "median": int(median(size for _, _, size, _, _ in current)) if current else 0,
        "small": sum(small for small, _ in shared),
        "small_bytes": sum(small_bytes for _, small_bytes in shared),
        "small_after": sum(-(-small_bytes // target_size) for _, small_bytes in shared),
        "alone": sum(files == small == 1 for _, files, _, small, _ in current),
        "old_files": sum(files for _, files, *_ in old),
        "old_bytes": sum(size for _, _, size, *_ in old),
        "old_small": sum(small for *_, small, _ in old),
        "old_small_bytes": sum(small_bytes for *_, small_bytes in old),
    }
