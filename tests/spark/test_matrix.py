"""Two cells of tests/matrix: executors in processes of their own, and the command that serves JDBC clients."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("cell", ["way=jar,master=standalone", "way=beeline,catalog=jdbc"])
def test_a_cell(cell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.matrix", "--only", cell],
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
