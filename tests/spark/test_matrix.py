"""A cell of tests/matrix: the command that serves JDBC clients. All others are run each night."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def test_a_cell() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.matrix", "--only", "way=beeline,catalog=jdbc"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if ": cannot be had here: " in done.stdout:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert ": works in " in done.stdout
