"""Another line of Spark for the tests, or another Iceberg: `SPARK_LINE=3.5 ICEBERG_VERSION=1.7.1 pytest tests/spark`.

Of all that the tests need, only pyspark differs, and py4j, which it brings; and the runtime's jar. They are fetched
once into a folder of the cache, which goes before the installed ones, also in the processes that tests start.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import maven
from filelock import FileLock

from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.spark import runtime_jar, versions

NAME = "SPARK_LINE"
ICEBERG = "ICEBERG_VERSION"
_SECONDS = 400  # some 400 MB, and a wheel to be built of them


class UnavailableError(Exception):
    """The package index does not give this line, or Maven not this Iceberg."""


def use() -> None:
    """Make pyspark that of the line that the environment names, and the runtime's jar that of its Iceberg."""
    if line := os.environ.get(NAME):
        assert "pyspark" not in sys.modules, f"{NAME} comes too late: pyspark is imported already"
        folder = str(provided(line))
        sys.path.insert(0, folder)
        before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *(p for p in before if p != folder)])
        os.environ.pop("SPARK_HOME", None)
    if version := os.environ.get(ICEBERG):
        os.environ[runtime_jar.JAR_VARIABLE] = str(iceberg(line or versions.SPARK_MINORS[0].spark, version))


def iceberg(line: str, version: str) -> Path:
    """The jar of an Iceberg for the pyspark of a line. Raises UnavailableError.

    version: such as `1.7.1`.
    """
    artifact = f"iceberg-spark-runtime-{line}_{runtime_jar.scala()}"
    if (jar := maven.jar("org.apache.iceberg", artifact, version)) is None:
        raise UnavailableError(f"{artifact} {version} cannot be had")
    return jar


def provided(line: str) -> Path:
    """The folder with the newest pyspark of a line, or with a version such as `4.0.0`, from the cache if it is there.

    Raises UnavailableError.
    """
    folder = cache_directory() / "tests" / f"pyspark-{line}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            version = f"=={line}" if line.count(".") > 1 else f"~={line}.0"
            command = [*_installer(), "-q", "--target", str(part), f"pyspark{version}"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            except subprocess.TimeoutExpired as slow:
                raise UnavailableError(f"pyspark {line} cannot be had: {slow}") from slow
            if done.returncode:
                raise UnavailableError(f"pyspark {line} cannot be had: {done.stderr[-300:]}")
            part.rename(folder)
    return folder


def _installer() -> list[str]:
    if find_spec("pip") is None and (uv := shutil.which("uv")):
        return [uv, "pip", "install", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
