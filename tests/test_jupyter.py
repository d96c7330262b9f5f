"""The entry point by which JupyterLab finds the language server."""

from __future__ import annotations

import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.thorough
def test_the_entry_point_names_a_server_that_serves() -> None:
    found = re.search(
        r'^\[project\.entry-points\.jupyter_lsp_spec_v1\]\n(\S+) = "(\S+):(\S+)"$',
        PROJECT.read_text("utf-8"),
        re.MULTILINE,
    )
    assert found is not None
    [(key, spec)] = getattr(import_module(found[2]), found[3])(None).items()
    assert key == found[1]
    assert spec["version"] == 2
    assert spec["languages"] == ["sql"]  # another server knows Python
    ended = subprocess.run(
        spec["argv"], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (1, b"")  # the input ended without a farewell
