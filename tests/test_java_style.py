"""How the Java files are written: the few rules that we hold, as no formatter can be had through pip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob("spark_iceberg_sql/**/*.java"), *ROOT.glob("tests/**/*.java")])
WIDTH = 120
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
_TYPE = re.compile(r"^(?:public |final |abstract )*(?:class|enum|interface) (\w+)", re.MULTILINE)


def _code(text: str) -> str:
    """The text with nothing in its strings and blanks for its comments, on the same lines."""
    bare = _COMMENT.sub(lambda m: m[1] or "\n" * m[0].count("\n"), text)
    return _LITERAL.sub('""', bare)


def faults(name: str, text: str) -> Iterator[str]:
    """What is wrong with a file's text. name: without `.java`."""
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line or line != line.rstrip() or len(line) > WIDTH:
            yield f"{number}: a tab, a blank at its end, or more than {WIDTH} characters"
    if not text.endswith("}\n") or "\n\n\n" in text:
        yield "its end, or two empty lines"
    code = _code(text)
    if (found := _TYPE.findall(code)) != [name]:
        yield f"it has the types {found}: one a file, named like it"
    imports = re.findall(r"^import (.*);$", code, re.MULTILINE)
    order = sorted(imports, key=lambda i: (not i.startswith("static "), i))
    if imports != order:
        yield f"its imports are not sorted: {order}"
    body = re.sub(r"^import .*$", "", code, flags=re.MULTILINE)
    for used in (i.rpartition(".")[2] for i in imports):
        if used != "*" and not re.search(rf"\b{used}\b", body):
            yield f"{used} is imported and not used"
    yield from _indentation(code)


def _indentation(code: str) -> Iterator[str]:
    """Two blanks a block: its first line stands two further in than the statement or its last line, its end as they."""
    blocks: list[tuple[int, int]] = []
    begun, previous = 0, ";"
    for number, line in enumerate(code.split("\n"), 1):
        if not (words := line.strip()):
            continue
        indent = len(line) - len(line.lstrip())
        if previous[-1] == "{" and words[0] != "}" and indent - 2 not in blocks[-1]:
            yield f"{number}: {indent} blanks after a brace"
        if words[0] == "}" and (not blocks or indent not in blocks[-1]):
            yield f"{number}: {indent} blanks before a brace"
        if previous[-1] in ";{}:" or previous.startswith("@"):
            begun = indent
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                blocks.append((begun, indent))
            elif blocks:
                blocks.pop()
        previous = words


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_java_file_keeps_the_rules(path: Path) -> None:
    assert list(faults(path.stem, path.read_text("utf-8"))) == []
