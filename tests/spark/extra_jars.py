"""Jars that a test needs in addition to the runtime, from the Maven repository."""

from __future__ import annotations

from pathlib import Path

import maven
import pytest


def fetched(group: str, artifact: str, version: str) -> Path:
    """The jar, from the cache if present; skips the test if it cannot be downloaded."""
    if (jar := maven.jar(group, artifact, version)) is None:
        pytest.skip(f"{group}:{artifact}:{version} cannot be fetched")
    return jar


def sqlite() -> Path:
    """The JDBC driver of SQLite, for Iceberg's JDBC catalog without a server."""
    return fetched("org.xerial", "sqlite-jdbc", "3.50.3.0")
