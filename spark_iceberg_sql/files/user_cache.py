"""The user's cache folder, and the check that only the user can write to it."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "SPARK_ICEBERG_SQL_CACHE"


def cache_directory() -> Path:
    """The folder for files that can be built or fetched again, such as jars; it need not exist yet.

    It is SPARK_ICEBERG_SQL_CACHE, or `spark-iceberg-sql` in XDG_CACHE_HOME or ~/.cache.
    """
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "spark-iceberg-sql"


def make_private_folder(folder: Path) -> None:
    """Make a folder that only the user can read and write; one that exists stays as it is. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)  # the mode is not that of parents


def is_private(path: Path) -> bool:
    """True if only the user can have written a file, or put files into a folder. Raises OSError."""
    if not hasattr(os, "getuid"):  # Windows, where a profile is its user's alone
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022
