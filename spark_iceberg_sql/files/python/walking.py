"""The nodes of a syntax tree, in the order of `ast.walk` and in a third of its time.

Operators and the contexts of names, which no reader asks for, are left out.
"""

from __future__ import annotations

import ast

_FIELDS: dict[type, tuple[str, ...]] = {}  # by kind of node: the fields that may hold nodes
# Fields that hold no node, or none that is read. `names` of `global` and `value` of a constant are excluded below.
_OTHER_FIELDS = frozenset({
    "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level", "module", "name",
    "op", "ops", "rest", "simple", "str", "type_comment", "type_ignores",
})  # fmt: skip
_LEAVES = frozenset({ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal, ast.Name})
_WITH_GAPS = frozenset({ast.Dict, ast.arguments})  # whose lists of nodes may contain None


def walk(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a tree, outer ones first. tree: it, and every node below it, is among them."""
    nodes = [tree]
    for node in nodes:  # grows
        if type(node) not in _LEAVES:
            _add_children(node, nodes)
    return nodes


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below a node, in the order of the grammar."""
    nodes: list[ast.AST] = []
    _add_children(node, nodes)
    return nodes


def _add_children(node: ast.AST, nodes: list[ast.AST]) -> None:
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = _child_fields(kind)
    for name in fields:
        value = getattr(node, name)
        if type(value) is list:
            nodes += value if kind not in _WITH_GAPS else [child for child in value if child is not None]
        elif value is not None:
            nodes.append(value)


def _child_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    if kind in _LEAVES:
        return ()
    return tuple(
        name for name in kind._fields if name not in _OTHER_FIELDS or (name == "name" and kind.__name__ == "TypeAlias")
    )
