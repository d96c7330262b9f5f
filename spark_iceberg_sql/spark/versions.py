"""Spark minor version -> the Iceberg runtime that belongs to it, from jars/runtime.lock.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from spark_iceberg_sql.errors import IcebergSqlError

JAVA = (17, 21)  # what Spark 4.1 runs on


@dataclass(frozen=True, slots=True)
class Runtime:
    """One line of the lock: a Maven coordinate and the jar's sha256 (hex)."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def coordinate(self) -> str:
        """`group:artifact:version`."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def filename(self) -> str:
        """The jar's file name in a Maven repository."""
        return f"{self.artifact}-{self.version}.jar"


def _lock_text() -> str:
    packaged = resources.files("spark_iceberg_sql.spark") / "runtime.lock.json"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (checkout_jars() / "runtime.lock.json").read_text(encoding="utf-8")


def checkout_jars() -> Path:
    """The folder `jars/` of a source checkout; in an installed wheel it does not exist."""
    return Path(__file__).resolve().parents[2] / "jars"


def spark_line(version: str) -> str:
    """The minor version, `4.1`, of a full one, `4.1.4`."""
    return ".".join(version.split(".")[:2])


def runtime(spark_version: str) -> Runtime:
    """The pinned Iceberg runtime for a Spark version such as `4.1.4`.

    Raises IcebergSqlError if no runtime is pinned for that minor version.
    """
    lock = json.loads(_lock_text())
    line = spark_line(spark_version)
    if line not in lock:
        raise IcebergSqlError(
            f"no Iceberg runtime is pinned for Spark {line}, only for {', '.join(lock)}\n"
            f"help: pip install 'pyspark~={max(lock)}.0'"
        )
    return Runtime(**lock[line])
