"""Artifacts of a Maven repository, fetched with the Ivy that pyspark ships, and kept in the cache."""

from __future__ import annotations

import subprocess
from pathlib import Path

from filelock import FileLock

from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.spark import runtime_jar


def retrieve(group: str, artifact: str, version: str, folder: Path, *, transitive: bool = False) -> None:
    """Put an artifact into a folder, with all that it needs if that is asked; nothing if it cannot be had."""
    command = [runtime_jar.java(), "-jar", str(runtime_jar._ivy()), "-error", "-cache", str(folder / "ivy")]
    command += ["-dependency", group, artifact, version, "-confs", "default"]
    command += [] if transitive else ["-notransitive"]
    command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
    subprocess.run(command, capture_output=True, timeout=900 if transitive else 300, check=False)


def jar(group: str, artifact: str, version: str) -> Path | None:
    """The jar of an artifact, from the cache if it is there; None if it cannot be had."""
    folder = cache_directory() / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{artifact}-{version}.jar"
    with FileLock(f"{target}.lock"):
        if not target.is_file():
            retrieve(group, artifact, version, folder)
    return target if target.is_file() else None
