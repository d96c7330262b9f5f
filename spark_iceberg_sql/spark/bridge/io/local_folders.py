"""Metadata files in a folder of the local disk: listed again only when the folder has changed.

A table's `metadata` folder may have a hundred thousand files, and only one is needed. The version hint would be
faster to read, but may be out of date: only the listing shows the newest file.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from pathlib import Path

from spark_iceberg_sql.model.metadata.metadata_files import is_metadata_file

# Local kernel file systems: they update a folder's modification time on every change of its entries.
# Others (network, FUSE) may do so late or not at all.
_TIME_KEEPING_FILESYSTEMS = frozenset({"ext2", "ext3", "ext4", "xfs", "tmpfs", "overlay", "zfs", "f2fs"})
_SETTLE_SECONDS = 2.0  # seconds after a change; their timestamps are at least that precise
_CACHE_SIZE = 64  # folders

_State = tuple[int, int, int, int]
_cache: OrderedDict[str, tuple[_State, tuple[str, ...]]] = OrderedDict()


def metadata_files(folder: str) -> tuple[str, ...]:
    """The names of the metadata files directly in a folder; empty if the folder does not exist."""
    started = time.time()
    try:
        status = os.stat(folder)
        state = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        cached_entry = _cache.get(folder)
        if cached_entry is not None and cached_entry[0] == state and _keeps_time(status.st_dev):
            return cached_entry[1]
        with os.scandir(folder) as entries:
            names = tuple(entry.name for entry in entries if is_metadata_file(entry.name) and entry.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return ()
    if started - max(status.st_mtime, status.st_ctime) > _SETTLE_SECONDS:
        _cache[folder] = (state, names)
        while len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return names


def _keeps_time(device: int) -> bool:
    """True if a device updates a folder's time with its entries. Checked every time: mounts change."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
        number = f"{os.major(device)}:{os.minor(device)}"
    except (OSError, AttributeError):  # not Linux: unknown
        return False
    filesystem_types = {
        mount.partition(" - ")[2].split(" ", 1)[0] for mount in mounts if mount.split(" ", 3)[2:3] == [number]
    }
    return bool(filesystem_types) and filesystem_types <= _TIME_KEEPING_FILESYSTEMS
