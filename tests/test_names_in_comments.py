"""The files that comments, docstrings and the pages for contributors name are there."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("spark_iceberg_sql", "tests", "docs")
    for suffix in ("py", "java")
    for path in (ROOT / folder).rglob(f"*.{suffix}")
    if "/." not in path.as_posix()
)
PAGES = ("CONTRIBUTING.md", "docs/architecture.md", "docs/java.md", "docs/next-spark.md", "docs/walkthrough.md")
NAME = re.compile(r"(?<![\w*<.-])((?:[\w.-]+/)*\w+\.(?:py|java))\b(?!\()")
# Of Python and of packages, of a user in an example, and what a command will write.
OTHERS = {"pygls.py", "multiprocessing.py", "job.py", "rules/sis599_identity_on_json.py"}


def comments(name: str) -> Iterator[tuple[int, str]]:
    """The comments and docstrings of a file that may name files, each with its line."""
    text = (ROOT / name).read_text("utf-8")
    if NAME.search(text) is None:
        return
    if name.endswith(".java"):
        for match in re.finditer(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL):
            yield text.count("\n", 0, match.start()) + 1, match[0]
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def is_there(name: str) -> bool:
    return any(file == name or file.endswith(f"/{name}") for file in FILES)


def missing(text: str) -> list[str]:
    return [match[1] for match in NAME.finditer(text) if match[1] not in OTHERS and not is_there(match[1])]


@pytest.mark.tier("quick")
def test_files_that_comments_name() -> None:
    missing_names = [
        f"{file}:{line}: {name}" for file in FILES for line, text in comments(file) for name in missing(text)
    ]
    assert missing_names == []


@pytest.mark.parametrize("page", PAGES)
def test_files_and_folders_that_pages_name(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    folders = {f"{parent}/" for file in FILES for parent in PurePath(file).parents}
    mentions = re.findall(r"`(spark_iceberg_sql/[\w/]+/|[a-z_]+/[\w/]*java/)`", text)
    assert [name for name in mentions if not any(f"/{folder}".endswith(f"/{name}") for folder in folders)] == []
    assert [name for match in re.findall(r"`([^`\n]+)`", text) for name in missing(match) if "/" in name] == []


def test_a_name_that_is_not_there_is_found() -> None:
    assert missing("as `KeptFiles.java` has it, and `jvm/compiler.py`") == ["KeptFiles.java"]
    assert missing("spark/bridge/compiler.py") == ["spark/bridge/compiler.py"]
