"""The page of the public functions and classes, made from their docstrings."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from typing import Any

import pytest
from doc_pages import ROOT

import spark_iceberg_sql


@pytest.fixture(scope="module")
def reference() -> Any:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return import_module("python_reference")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_every_public_name_has_one_entry(reference: Any) -> None:
    headings = re.findall(r"^### (.+)$", reference.page(), re.MULTILINE)
    public = {name for name, module in spark_iceberg_sql._HOME.items() if module != "errors"}
    assert sorted(headings) == sorted(public)


@pytest.mark.parametrize("name", ["advise", "preview", "session", "explain", "attach", "from_hive", "check"])
def test_every_argument_is_an_item(name: str, reference: Any) -> None:
    function = reference._definition(spark_iceberg_sql._HOME[name], name)
    entry = reference._function(function)
    items = [n for line in entry.splitlines() if line.startswith("- ") for n in re.findall(r"\*\*(\w+)\*\*", line)]
    described = {parameter.name for parameter in reference._parameters(function.args)}
    docstring = ast.get_docstring(function) or ""
    assert set(items) == {parameter for parameter in described if re.search(rf"\b{parameter}: ", docstring)}
    assert len(items) >= len(described) - 1, entry


def test_an_entry_is_markdown(reference: Any) -> None:
    source = """
def measure(table: str, *, sizes: bool = True, limit: int | None = None, first: str, second: str) -> int:
    '''The size; `*` counts.

    table: a name, or <path>. sizes: whether to [look]. limit:
    how many.
    first, second: two *names*. Raises ValueError if there is none.
    '''
"""
    entry = reference._function(ast.parse(source).body[0])
    assert (
        entry
        == """### measure

```python
measure(
    table: str,
    *,
    sizes: bool = True,
    limit: int | None = None,
    first: str,
    second: str,
) -> int
```

The size; `*` counts.

- **table** (`str`): a name, or &lt;path>.
- **sizes** (`bool`, default `True`): whether to \\[look\\].
- **limit** (`int | None`): how many.
- **first**, **second** (`str`): two \\*names\\*.

Raises ValueError if there is none.
"""
    )
