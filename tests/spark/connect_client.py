"""A separate Python for Spark Connect clients, without Java, pyspark or this package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from filelock import FileLock

from spark_iceberg_sql.spark import runtime_jar

_WANTED = "pyspark-client=={}.*".format(".".join(pyspark.__version__.split(".")[:2]))


def python() -> Path:
    """Its interpreter, from the cache if present; skips the test if its packages cannot be downloaded."""
    folder = runtime_jar.cache_directory() / "tests" / _WANTED.replace("==", "-").rstrip(".*")
    folder.parent.mkdir(parents=True, exist_ok=True)
    interpreter, marker = folder / "bin" / "python", folder / "made"
    with FileLock(f"{folder}.lock"):
        if not marker.is_file():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
            command = [str(interpreter), "-m", "pip", "install", "-q", _WANTED, "setuptools<81"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
            if done.returncode:
                pytest.skip(f"{_WANTED} cannot be installed: {done.stderr[-200:]}")
            marker.touch()
    return interpreter
