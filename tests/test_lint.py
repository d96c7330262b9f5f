"""Style, format, types and layers, as `make check` runs them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check"],
        ["ruff", "format", "--check"],
        # Needs every extra's packages; `make check` runs it, too.
        pytest.param(["mypy"], marks=pytest.mark.tier("rest")),
        ["lint-imports"],
    ],
    ids=" ".join,
)
def test_a_tool_has_nothing_to_report(command: list[str]) -> None:
    tool = shutil.which(command[0], path=str(SCRIPTS)) or shutil.which(command[0])
    assert tool is not None, f"{command[0]} is not installed: pip install -e '.[dev]'"
    done = subprocess.run([tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_py4j_and_underscore_attributes_stay_in_their_package() -> None:
    """Only spark/bridge may touch py4j; ruff (SLF) watches the attributes, this the exceptions."""
    package = ROOT / "spark_iceberg_sql"
    outside = [
        path.relative_to(ROOT)
        for path in package.rglob("*.py")
        if package / "spark" / "bridge" not in path.parents
        and any(word in path.read_text("utf-8") for word in ("import py4j", "from py4j", "SLF001"))
    ]
    assert outside == []


def test_make_updates_all_goldens() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    lists = re.findall(r"^(?:GOLDENS|OUTPUTS) = (.*)$", makefile, re.MULTILINE)
    updated = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"\bgoldens\.|\bOutputs\(", path.read_text("utf-8"))
    }
    assert updated - {"tests/test_lint.py"} == set(" ".join(lists).split())


def test_the_pure_modules_of_dry_runs_import_no_spark() -> None:
    """In insight/, only modules named spark* may import Spark and the package's Spark half, at any depth."""
    package = ROOT / "spark_iceberg_sql"
    impure = re.compile(
        r"^\s*(?:from|import) (?:pyspark|py4j"
        r"|spark_iceberg_sql\.(?:spark|sessions)\b|spark_iceberg_sql\.insight\.(?:\w+\.)*spark)",
        re.MULTILINE,
    )
    wrong = [
        path.relative_to(package).as_posix()
        for path in sorted((package / "insight").rglob("*.py"))
        if not path.name.startswith("spark") and impure.search(path.read_text("utf-8"))
    ]
    assert wrong == []


@pytest.mark.tier("quick")
def test_no_starred_tuple_packs_values_onto_a_line() -> None:
    """`*(a, b)` hides where a value ends; a table of strings is laid out by hand under `# fmt: skip`."""
    package = ROOT / "spark_iceberg_sql"
    packed = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple)
    ]
    assert packed == []
