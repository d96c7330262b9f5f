"""Reaching definitions: the value of a name at a use, if the program assigns the name several times.

In: the nodes of a program. Out: the last assignment before a use, or None if another one may reach it.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_Place = tuple[int, int]
_RECENT = 50  # how many earlier assignments are considered
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_REPEATED = (ast.For, ast.AsyncFor, ast.While, *_COMPREHENSIONS)


class _Assigned(NamedTuple):
    """`name = value` in a block. statement_end, block_end: where the statement and its block end."""

    at: _Place
    last: _Place
    value: ast.expr


class Order:
    """The bindings of a program in their order. nodes: those of its tree, outer ones first."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._bound: dict[str, list[_Place]] = {}
        self._assigned: dict[str, list[_Assigned]] = {}
        self._done: set[str] = set()
        self._shared: set[str] = set()
        self._targets: set[int] = set()  # names that are bound at the end of their statement
        self._apart: list[tuple[_Place, _Place]] = []
        self._loops: list[tuple[_Place, _Place]] = []
        for node in nodes:
            self._note(node)

    def value(self, name: ast.Name) -> ast.expr | None:
        """The value that the last assignment before a use gives the name; None if that is not certain."""
        use = _start(name)
        if name.id in self._shared or name.id not in self._assigned:
            return None
        bound, assigned = self._sorted(name.id)
        before = bisect_right(assigned, use, key=lambda each: each.at)
        recent = reversed(assigned[max(before - _RECENT, 0) : before])
        last = next((each for each in recent if use < each.last), None)
        if last is None:
            return None
        # The definition reaches the use only if no other binding lies between them, no loop around the use
        # binds the name again for the next round, and the use is not in a function or class that runs later.
        between = bisect_left(bound, use) > bisect_right(bound, last.at)
        around = [(start, end) for start, end in self._loops if last.at < start <= use < end]
        again = any(bisect_right(bound, end) > bisect_left(bound, start) for start, end in around)
        later = any(last.at < start <= use < end for start, end in self._apart)
        return None if between or again or later else last.value

    def _sorted(self, name: str) -> tuple[list[_Place], list[_Assigned]]:
        """The places that bind a name, and its assignments, in order."""
        if name not in self._done:
            self._done.add(name)
            self._bound[name].sort()
            self._assigned[name].sort(key=lambda each: each.at)
        return self._bound[name], self._assigned[name]

    def _note(self, node: ast.AST) -> None:
        for name, place in () if id(node) in self._targets else _names(node):
            self._bound.setdefault(name, []).append(place)
        if isinstance(node, ast.Global | ast.Nonlocal):
            self._shared |= set(node.names)
        if isinstance(node, _SCOPES):
            self._apart.append((_start(node), _end(node)))
        if isinstance(node, _REPEATED):
            self._loops.append((_start(node), _end(node)))
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            statements: list[ast.stmt] = body if isinstance(body, list) else []
            for statement in statements:
                target, value = _target(statement)
                if target is not None and value is not None:
                    self._targets.add(id(target))
                    self._bound.setdefault(target.id, []).append(_end(statement))
                    found = _Assigned(_end(statement), _end(statements[-1]), value)
                    self._assigned.setdefault(target.id, []).append(found)


def _target(statement: ast.stmt) -> tuple[ast.Name | None, ast.expr | None]:
    """The name that a statement assigns, if it assigns only one, and its value."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    if not isinstance(target, ast.Name):
        return None, None
    return target, getattr(statement, "value", None)


def _names(node: ast.AST) -> Iterator[tuple[str, _Place]]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, (node.lineno, node.col_offset)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, (node.lineno, node.col_offset)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], (node.lineno, node.col_offset)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, (node.lineno, node.col_offset)


def _start(node: ast.stmt | ast.expr) -> _Place:
    return node.lineno, node.col_offset


def _end(node: ast.stmt | ast.expr) -> _Place:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
