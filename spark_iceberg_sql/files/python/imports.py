"""The full names of what a program imports: `F.days` is `pyspark.sql.functions.days`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

_IMPORTS = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^()]*\)|[^\n(;#]+))|import[ \t]+[^\n;#]+)",
    re.MULTILINE,
)
_BINDS = r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+{0}\b|class[ \t]+{0}\b|{0}[ \t]*=[^=])"
# The names that `from module import *` is assumed to import.
_STARS = {
    "pyspark.sql.functions": re.compile(
        r"years|months|days|hours|bucket|col|column|lit|expr|asc|desc|to_date|date_trunc|trunc"
        r"|year|month|day|dayofmonth|hour"
    ),
    "pyspark.sql.functions.partitioning": re.compile(r"years|months|days|hours|bucket"),
    "pyspark.sql.types": re.compile(r"\w+Type|StructField"),
    "pyiceberg.types": re.compile(r"\w+Type|NestedField"),
    "pyiceberg.schema": re.compile(r"Schema"),
    "pyiceberg.partitioning": re.compile(r"PartitionSpec|PartitionField"),
    "pyiceberg.transforms": re.compile(r"\w+Transform"),
}


class Imports:
    """The imports of a program. nodes: those of its tree. other_text: other cells of the same notebook."""

    def __init__(self, nodes: Sequence[ast.AST], beside: str = "") -> None:
        self._beside = beside
        self._named: dict[str, set[str]] = {}
        self._stars: set[str] = set()
        self._bound = set(_bound(nodes))
        self._read(nodes)
        for found in _IMPORTS.finditer(beside):
            self._read(ast.walk(_parsed(found[1].strip())), beside=True)

    def _read(self, nodes: Iterable[ast.AST], *, beside: bool = False) -> None:
        for node in nodes:
            if isinstance(node, ast.Import):
                for name in node.names:
                    whole = name.name if name.asname else name.name.partition(".")[0]
                    self._add(name.asname or whole, whole, beside=beside)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for name in node.names:
                    if name.name == "*":
                        self._stars.add(node.module)
                    else:
                        whole = f"{node.module}.{name.name}"
                        self._add(name.asname or name.name, whole, beside=beside)

    def _add(self, name: str, whole: str, *, beside: bool) -> None:
        if not beside or name not in self._bound:
            self._named.setdefault(name, set()).add(whole)

    def full_name(self, value: ast.expr) -> str | None:
        """The full dotted name of an expression; None if the imports do not determine it."""
        if isinstance(value, ast.Attribute):
            owner = self.full_name(value.value)
            return f"{owner}.{value.attr}" if owner is not None else None
        if not isinstance(value, ast.Name) or value.id in self._bound:
            return None
        if self._beside and re.search(_BINDS.format(value.id), self._beside, re.MULTILINE):
            return None
        named = self._named.get(value.id, set())
        if named:
            return next(iter(named)) if len(named) == 1 else None
        stars = [m for m in self._stars if m in _STARS and _STARS[m].fullmatch(value.id)]
        return f"{stars[0]}.{value.id}" if len(stars) == 1 else None


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that a program binds other than by imports, in any scope."""
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
