"""A transform is a single record, for the functions and the optimizer rules, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_function_of_a_transform_more_gives_its_rows_and_prunes() -> None:
    script = Path(__file__).parents[1] / "dummy_transform.py"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), "spark"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
