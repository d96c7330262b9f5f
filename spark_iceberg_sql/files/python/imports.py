"""The full names of what a program imports: `F.days` is `pyspark.sql.functions.days`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from spark_iceberg_sql.files.python.parsing import parse_python

_IMPORTS = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^()]*\)|[^\n(;#]+))|import[ \t]+[^\n;#]+)", re.MULTILINE
)
_BINDING = r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+{0}\b|class[ \t]+{0}\b|{0}[ \t]*=[^=])"
_BINDING_KINDS = frozenset({ast.Name, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
# The names that `from module import *` is assumed to import.
_STAR_NAMES = {
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

    def __init__(self, nodes: Sequence[ast.AST], other_text: str = "") -> None:
        self._other_text = other_text
        self._full_names: dict[str, set[str]] = {}
        self._star_modules: set[str] = set()
        self._bound_names = set(_bound_names(nodes))
        self._read(nodes)
        for match in _IMPORTS.finditer(other_text):
            self._read(ast.walk(parse_python(match[1].strip()) or ast.Module([], [])), is_other_text=True)

    def _read(self, nodes: Iterable[ast.AST], *, is_other_text: bool = False) -> None:
        for node in nodes:
            if isinstance(node, ast.Import):
                for name in node.names:
                    full_name = name.name if name.asname else name.name.partition(".")[0]
                    self._add(name.asname or full_name, full_name, is_other_text=is_other_text)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for name in node.names:
                    if name.name == "*":
                        self._star_modules.add(node.module)
                    else:
                        full_name = f"{node.module}.{name.name}"
                        self._add(name.asname or name.name, full_name, is_other_text=is_other_text)

    def _add(self, name: str, full_name: str, *, is_other_text: bool) -> None:
        if not is_other_text or name not in self._bound_names:
            self._full_names.setdefault(name, set()).add(full_name)

    def full_name(self, value: ast.expr) -> str | None:
        """The full dotted name of an expression; None if the imports do not determine it."""
        if isinstance(value, ast.Attribute):
            owner = self.full_name(value.value)
            return f"{owner}.{value.attr}" if owner is not None else None
        if (
            not isinstance(value, ast.Name)
            or value.id in self._bound_names
            or (self._other_text and re.search(_BINDING.format(value.id), self._other_text, re.MULTILINE))
        ):
            return None
        full_names = self._full_names.get(value.id, set())
        if full_names:
            return next(iter(full_names)) if len(full_names) == 1 else None
        star_modules = [m for m in self._star_modules if m in _STAR_NAMES and _STAR_NAMES[m].fullmatch(value.id)]
        return f"{star_modules[0]}.{value.id}" if len(star_modules) == 1 else None


def _bound_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that a program binds other than by imports, in any scope."""
    for node in nodes:
        if type(node) not in _BINDING_KINDS:
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
