"""How the Java files are written: as clang-format writes them (`.clang-format`), one type a file, no unused import."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob("spark_iceberg_sql/**/*.java"), *ROOT.glob("tests/**/*.java")])
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
_TYPE = re.compile(r"^(?:public |final |abstract )*(?:class|enum|interface) (\w+)", re.MULTILINE)


def formatted(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("clang-format")), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_format() -> None:
    done = formatted("--dry-run", "-Werror", *map(str, FILES))
    assert done.returncode == 0, done.stderr + "\nhelp: make format"


def _code(text: str) -> str:
    """The text with nothing in its strings and blanks for its comments, on the same lines."""
    bare = _COMMENT.sub(lambda m: m[1] or "\n" * m[0].count("\n"), text)
    return _LITERAL.sub('""', bare)


def faults(name: str, text: str) -> Iterator[str]:
    """What is wrong with a file's text. name: without `.java`."""
    code = _code(text)
    if (found := _TYPE.findall(code)) != [name]:
        yield f"it has the types {found}: one a file, named like it"
    imports = re.findall(r"^import (.*);$", code, re.MULTILINE)
    body = re.sub(r"^import .*$", "", code, flags=re.MULTILINE)
    for used in (i.rpartition(".")[2] for i in imports):
        if used != "*" and not re.search(rf"\b{used}\b", body):
            yield f"{used} is imported and not used"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_java_file_keeps_the_rules(path: Path) -> None:
    assert list(faults(path.stem, path.read_text("utf-8"))) == []
