"""`new_rule` makes files of a rule that works, before anybody has filled them in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from new_rule import make

ROOT = Path(__file__).parents[1]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "spark_iceberg_sql", tmp_path / "spark_iceberg_sql", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "rules", tmp_path / "tests" / "rules")
    return tmp_path


@pytest.mark.tier("quick")
def test_a_new_rule_works_at_once(checkout: Path) -> None:
    output = make(checkout, "SIS599", "identity-on-json", "A table partitioned by JSON text.")
    assert "sis599_identity_on_json.py" in output
    command = [sys.executable, "-m", "spark_iceberg_sql", "check", "tests/rules/SIS599.sql"]
    done = subprocess.run(
        [*command, "--output-format", "concise"],
        capture_output=True,
        text=True,
        check=False,
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )
    assert done.stdout.startswith("tests/rules/SIS599.sql:2:75: warning[SIS599] `doubtful` is doubtful\n")
    assert done.stdout.count("SIS599]") == 1
    tools = ["ruff", "check", "--config", str(ROOT / "pyproject.toml"), "spark_iceberg_sql/rules"]
    clean = subprocess.run([sys.executable, "-m", *tools], capture_output=True, text=True, check=False, cwd=checkout)
    assert clean.returncode == 0, clean.stdout


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    ("code", "name", "says"),
    [
        ("SIS504", "another-name", "SIS504 is taken"),
        ("506", "identity-on-json", "a code and a name are like"),
        ("SIS599", "Identity", "a code and a name are like"),
    ],
)
def test_what_cannot_be_made(checkout: Path, code: str, name: str, says: str) -> None:
    before = (checkout / "spark_iceberg_sql" / "rules" / "registry.py").read_text()
    with pytest.raises(SystemExit, match=says):
        make(checkout, code, name, "A page.")
    assert (checkout / "spark_iceberg_sql" / "rules" / "registry.py").read_text() == before
