"""Cells of tests/matrix: the command that serves JDBC clients, and versions of Iceberg. The others run each night."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# With the one of test_iceberg_versions.py five: the oldest and another Iceberg of each Spark, in each way.
ICEBERGS = (
    "spark=4.1,iceberg=1.11,way=jar",
    "spark=4.0,iceberg=1.10,way=connect-4.1",
    "spark=4.0,iceberg=1.10,way=python,layout=system",
    "spark=3.5,iceberg=1.7,way=jar",
)


def run(*cells: str) -> None:
    """Run cells, one process for all. Skips the test if none can be had here."""
    only = [word for cell in cells for word in ("--only", cell)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.matrix", *only],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    missing = done.stdout.count(": cannot be had here: ")
    assert done.stdout.count(": works in ") + missing == len(cells), done.stdout
    if missing == len(cells):
        pytest.skip(done.stdout.strip())


def test_a_cell() -> None:
    run("way=beeline,catalog=jdbc")


def test_versions_of_iceberg() -> None:
    run(*ICEBERGS)
