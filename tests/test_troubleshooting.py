"""docs/troubleshooting.md: each message that it lists is one that the package prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from doc_pages import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"
PACKAGE = ROOT / "spark_iceberg_sql"
# Those below this heading are messages of Spark and Iceberg: tests/spark/test_doc_examples.py runs their statements.
OTHERS = "## From Spark and Iceberg themselves"
VALUE = "\0"  # of an f-string's expression
JAVA_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def listed() -> list[str]:
    """The messages of this package in the page's headings."""
    text, _, _ = PAGE.read_text("utf-8").partition(OTHERS)
    return re.findall(r"^### `(.+)`$", text, re.MULTILINE)


@cache
def printed() -> tuple[str, ...]:
    """Every text of the package's source: strings and f-strings of Python, strings of Java joined by `+`."""
    return (*python_texts(), *java_texts())


def python_texts() -> Iterator[str]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if text := literal_text(node):
                yield text


def literal_text(node: ast.AST) -> str:
    """The text of a string, an f-string, or of several that `+` joins; the values in it are VALUE."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(literal_text(value) or VALUE for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (literal_text(node.left) or VALUE) + (literal_text(node.right) or VALUE)
    return ""


def java_texts() -> Iterator[str]:
    for path in PACKAGE.rglob("*.java"):
        for statement in path.read_text("utf-8").split(";"):
            yield VALUE.join(JAVA_STRING.findall(statement))


def parts(message: str) -> list[str]:
    """The words of a message between its values; those of a few letters, such as `is`, distinguish nothing."""
    stripped = (part.strip(" :;,") for part in message.split("..."))
    return [part for part in stripped if len(part) > 7]


def is_printed(message: str) -> bool:
    """Whether the package has the words of a message; a value may be a text of its own."""
    return all(any(part in text for text in printed()) for part in parts(message))


@pytest.mark.parametrize("message", listed())
def test_a_listed_message_is_printed(message: str) -> None:
    assert max(map(len, parts(message))) > 12, "too few words to search for"
    assert is_printed(message)


def test_a_message_that_is_not_printed_is_noticed() -> None:
    assert not is_printed("the session has no warehouse ...")
    assert not is_printed("there is no table or view ... of this warehouse")


def test_no_message_is_listed_twice() -> None:
    headings = re.findall(r"^### (.+)$", Path(PAGE).read_text("utf-8"), re.MULTILINE)
    assert len(set(headings)) == len(headings)
    assert all(re.fullmatch(r"`.+`", heading) for heading in headings)
