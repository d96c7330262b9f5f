"""A package of rules, as docs/guide/own-rules.md shows it: its cases, its page, and the command with it."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT, blocks

from spark_iceberg_sql import rules
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.rules import cases
from spark_iceberg_sql.rules.base import Category, rule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

PACKAGE = Path(__file__).parent / "plugin_package"
PAGE = ROOT / "docs" / "guide" / "own-rules.md"
FILES = [
    path.relative_to(PACKAGE).as_posix()
    for path in sorted(PACKAGE.rglob("*"))
    if path.suffix in (".py", ".sql", ".toml")
]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The package, with the entry points of its pyproject as pip writes them."""
    shutil.copytree(PACKAGE, tmp_path, dirs_exist_ok=True)
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    info = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_its_own_tests_pass(installed: Path) -> None:
    done = python(installed, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_the_command_runs_its_rule(installed: Path) -> None:
    arguments = ("check", "cases/ACME101.sql", "--output-format", "concise")
    done = python(installed, "spark_iceberg_sql", *arguments)
    findings = re.findall(r"^cases/ACME101.sql:(\d+):\d+: (\w+)\[(\w+)\]", done.stdout, re.MULTILINE)
    assert [item for item in findings if item[2] == "ACME101"] == [
        ("2", "warning", "ACME101"),
        ("6", "warning", "ACME101"),
    ]
    assert done.returncode == 1
    (installed / "a.sql").write_text("CREATE TABLE t (a INT) USING iceberg PARTITIONED BY (a);\n")
    arguments = ("check", "a.sql", "--fix", "--unsafe-fixes")
    assert python(installed, "spark_iceberg_sql", *arguments).returncode == 0
    assert "(bucket(16, a))" in (installed / "a.sql").read_text()
    page = python(installed, "spark_iceberg_sql", "explain", "no-identity").stdout
    assert page.startswith("# ACME101 no-identity (warning)\n\nA partition field without")


def test_the_page_shows_the_package() -> None:
    page_texts = {block.file: block.text for block in blocks(PAGE) if block.file is not None}
    assert sorted(page_texts) == FILES
    for name, text in page_texts.items():
        first, _, body = text.partition("\n")
        assert first.endswith(name)
        assert body == (PACKAGE / name).read_text("utf-8"), name


def test_it_uses_the_documented_modules_only() -> None:
    modules = {rules.__name__, cases.__name__, "spark_iceberg_sql"}
    for name in FILES:
        if not name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse((PACKAGE / name).read_text("utf-8"))):
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert {m for m in imported if m.startswith("spark_iceberg_sql")} <= modules, name


def test_the_page_has_the_whole_api() -> None:
    page = PAGE.read_text("utf-8")
    for name in rules.__all__:
        assert re.search(rf"\b{name}\b", page), name
    arguments = set(rule.__kwdefaults__) | {"on"}
    assert set(re.findall(r"^\| `(\w+)[`=]", page, re.MULTILINE)) == arguments | {
        category.name for category in Category
    }
    for fact in set(re.findall(r"`context\.(\w+)", page)):
        assert hasattr(Context, fact) or fact in Context.__match_args__, fact
    for fact in set(re.findall(r"`facts\.(\w+)`", page)):
        assert hasattr(ResolvedTerm, fact), fact
