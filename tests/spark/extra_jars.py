"""Jars that a test needs in addition to the runtime, from the Maven repository through pyspark's Ivy."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from spark_iceberg_sql.spark import runtime_jar


def fetched(group: str, artifact: str, version: str) -> Path:
    """The jar, from the cache if present; skips the test if it cannot be downloaded."""
    folder = runtime_jar.cache_directory() / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{artifact}-{version}.jar"
    with FileLock(f"{target}.lock"):
        if not target.is_file():
            command = [runtime_jar.java(), "-jar", str(runtime_jar._ivy()), "-error", "-cache", str(folder / "ivy")]
            command += ["-dependency", group, artifact, version, "-confs", "default"]
            command += ["-notransitive", "-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
            subprocess.run(command, capture_output=True, timeout=300, check=False)
    if not target.is_file():
        pytest.skip(f"{group}:{artifact}:{version} cannot be fetched")
    return target


def sqlite() -> Path:
    """The JDBC driver of SQLite, for Iceberg's JDBC catalog without a server."""
    return fetched("org.xerial", "sqlite-jdbc", "3.50.3.0")
