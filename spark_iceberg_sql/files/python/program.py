"""A Python program: the offsets of its expressions, and the values of its literals.

`ast` counts columns in bytes of UTF-8; all offsets here are in code points of the text.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.files.python.assignments import ReachingDefinitions
from spark_iceberg_sql.files.python.imports import Imports
from spark_iceberg_sql.files.python.prefilter import normalized_names
from spark_iceberg_sql.files.python.string_literals import read_literals
from spark_iceberg_sql.files.python.symbol_table import SymbolTable
from spark_iceberg_sql.files.python.walking import walk
from spark_iceberg_sql.files.source_map import FragmentBuilder
from spark_iceberg_sql.lazy import cached_property

_TEXT_PRESERVING = frozenset({"strip", "lstrip", "rstrip", "dedent", "cleandoc"})


class Program:
    """A program.

    text: its source. unit_index: its index among the file's text units. tree: its syntax tree.
    other_text: other texts of the same program, which may use its names.
    """

    def __init__(self, text: str, unit_index: int, tree: ast.Module, other_text: str) -> None:
        self.text = text
        self.part = unit_index
        self.tree = tree
        self._lines = Lines(text)
        self._other_text = other_text
        self.full_text = normalized_names(f"{text}\n{other_text}")

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """The nodes of the tree, outer ones first: walked once, since a dozen readers go through all of them."""
        return walk(self.tree)

    @cached_property
    def calls(self) -> Sequence[ast.Call]:
        """The calls among the nodes."""
        return [node for node in self.nodes if type(node) is ast.Call]

    @cached_property
    def _calls_by_name(self) -> dict[str, list[tuple[int, ast.Call]]]:
        """The calls by the last name of what is called, with their indexes."""
        calls_by_name: dict[str, list[tuple[int, ast.Call]]] = {}
        for index, call in enumerate(self.calls):
            function = call.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            calls_by_name.setdefault(name, []).append((index, call))
        return calls_by_name

    def calls_of(self, names: Iterable[str]) -> list[ast.Call]:
        """The calls of functions and methods with some names, in the order of `calls`. names: without duplicates."""
        return [call for _, call in sorted(pair for name in names for pair in self._calls_by_name.get(name, ()))]

    @cached_property
    def symbols(self) -> SymbolTable:
        """The names of the program."""
        return SymbolTable(self.tree)

    @cached_property
    def _reaching_definitions(self) -> ReachingDefinitions:
        return ReachingDefinitions(self.nodes)

    @cached_property
    def _word_counts(self) -> Counter[str]:
        """The number of occurrences of each word."""
        return Counter(re.findall(r"\w+", self.full_text))

    @cached_property
    def imports(self) -> Imports:
        """The imports of the program."""
        return Imports(self.nodes, self._other_text)

    def string_value(self, value: ast.expr) -> str | None:
        """The string value of an expression, if it is a literal."""
        literal = self.resolve(value)
        return literal.value if isinstance(literal, ast.Constant) and isinstance(literal.value, str) else None

    def literal_values(self, value: ast.expr) -> list[ast.expr]:
        """The values of a name that the program binds once: a literal, or each element of a list."""
        values = self.symbols.values(value) if isinstance(value, ast.Name) else []
        # `for x in names`: symbol_table.py wraps the name of the list in a Starred node that the program does not have.
        if len(values) == 1 and isinstance(values[0], ast.Starred):  # each element of a list
            list_node = self.definition(values[0].value)
            values = list_node.elts if isinstance(list_node, ast.List | ast.Tuple) else []
        return values if values and all(map(self.has_text, values)) else [value]

    def has_text(self, value: ast.expr) -> bool:
        """True if an expression is a string literal, at least in part, or formats one that has a name."""
        return has_text(value) or self._template(value) is not None

    def _template(self, value: ast.expr) -> ast.Name | None:
        """The name of the literal that an expression formats, `CREATE % table` or `CREATE.format(table)`."""
        name: ast.expr | None = None
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
            name = value.left
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
            name = value.func.value
        values = self.symbols.values(name) if isinstance(name, ast.Name) else []
        return name if isinstance(name, ast.Name) and len(values) == 1 and has_text(values[0]) else None

    def resolve(self, value: ast.expr) -> ast.expr:
        """The literal that a name is bound to; any other expression itself."""
        values = self.literal_values(value)
        return values[0] if len(values) == 1 else value

    def definition(self, value: ast.expr) -> ast.expr | None:
        """The expression that a name is bound to; None if it is unknown."""
        if not isinstance(value, ast.Name):
            return value
        values = self.symbols.values(value)
        return values[0] if len(values) == 1 else self._reaching_definitions.value(value)

    def is_used_once(self, value: ast.expr) -> bool:
        """True if nothing else in the program uses the value of an expression."""
        if not isinstance(value, ast.Name):
            return True
        list_names = [v.value for v in self.symbols.values(value) if isinstance(v, ast.Starred)]
        # Its binding, and here: an occurrence in a string or a comment counts, since it may be a use.
        return all(map(self.is_used_once, list_names)) and self._word_counts[value.id] == 2

    def add(self, value: ast.expr, builder: FragmentBuilder, format_char: str, is_exclusive: bool) -> None:
        """Add the value of an expression to a fragment. is_exclusive: True if only this statement uses it."""
        is_exclusive = is_exclusive and self.is_used_once(value)
        value = self.resolve(value)
        start, end = self.span(value)
        template = self._template(value)
        if template is not None:
            self.add(template, builder, "%" if isinstance(value, ast.BinOp) else "{", is_exclusive)
        elif isinstance(value, ast.JoinedStr | ast.Constant) and has_text(value):
            read_literals(self.text, start, end, builder, format_char=format_char, is_exclusive=is_exclusive)
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and has_text(value):
            self.add(value.left, builder, format_char, is_exclusive)
            self.add(value.right, builder, format_char, is_exclusive)
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod) and has_text(value):
            self.add(value.left, builder, "%", is_exclusive)
        elif isinstance(value, ast.Call) and has_text(value):
            method = value.func.attr if isinstance(value.func, ast.Attribute) else ""
            self.add(_inner_text(value), builder, "{" if method == "format" else format_char, is_exclusive)
        else:
            builder.add_placeholder(start, end, self.text[start:end])

    def source(self, node: ast.expr) -> str:
        """The source of an expression."""
        start, end = self.span(node)
        return self.text[start:end]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The offsets at which a node begins and ends."""
        return (
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
        )

    def _offset(self, row: int, column: int) -> int:
        """The offset of a position that `ast` gives in bytes of UTF-8."""
        line = self._lines.line(row)
        if not line.isascii():
            column = len(line.encode()[:column].decode())
        return self._lines.start(row) + column


def has_text(value: ast.expr) -> bool:
    """True if an expression is a string literal, at least in part."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str)
    if isinstance(value, ast.JoinedStr):
        return True
    if isinstance(value, ast.BinOp):
        return (isinstance(value.op, ast.Add | ast.Mod) and has_text(value.left)) or (
            isinstance(value.op, ast.Add) and has_text(value.right)
        )
    return isinstance(value, ast.Call) and has_text(_inner_text(value))


def _inner_text(call: ast.Call) -> ast.expr:
    """The string that a call formats, trims or dedents; otherwise the called function."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "format" or name in _TEXT_PRESERVING:
        if isinstance(call.func, ast.Attribute) and has_text(call.func.value):
            return call.func.value
        if name != "format" and call.args:
            return call.args[0]
    return call.func
