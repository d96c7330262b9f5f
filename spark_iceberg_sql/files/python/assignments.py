"""Reaching definitions: the value of a name at a use, if the program assigns the name several times.

In: the nodes of a program. Out: the last assignment before a use, or None if another one may reach it.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_Position = tuple[int, int]
_MAX_EARLIER = 50  # how many earlier assignments are considered
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, *_COMPREHENSIONS)
_OTHER_BINDINGS = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ExceptHandler)
_KINDS = frozenset({*_SCOPES, *_LOOPS, *_OTHER_BINDINGS})  # besides those with a body: all that `_record` reads


class _Assignment(NamedTuple):
    """`name = value` in a block. statement_end, block_end: where the statement and its block end."""

    statement_end: _Position
    block_end: _Position
    value: ast.expr


class ReachingDefinitions:
    """The bindings of a program in their order. nodes: those of its tree, outer ones first."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._bindings: dict[str, list[_Position]] = {}
        self._assignments: dict[str, list[_Assignment]] = {}
        self._sorted_names: set[str] = set()
        self._global_names: set[str] = set()
        self._target_ids: set[int] = set()  # names that are bound at the end of their statement
        self._nested_scopes: list[tuple[_Position, _Position]] = []
        self._loops: list[tuple[_Position, _Position]] = []
        for node in nodes:
            if isinstance(node, ast.Name):
                is_relevant = type(node.ctx) is not ast.Load
            else:
                is_relevant = type(node) in _KINDS or "body" in node._fields
            if is_relevant:
                self._record(node)

    def value(self, name: ast.Name) -> ast.expr | None:
        """The value that the last assignment before a use gives the name; None if that is not certain."""
        use = _start(name)
        if name.id in self._global_names or name.id not in self._assignments:
            return None
        bindings, assignments = self._sorted(name.id)
        count_before = bisect_right(assignments, use, key=lambda assignment: assignment.statement_end)
        recent = reversed(assignments[max(count_before - _MAX_EARLIER, 0) : count_before])
        definition = next((assignment for assignment in recent if use < assignment.block_end), None)
        if definition is None:
            return None
        # The definition reaches the use only if no other binding lies between them, no loop around the use binds the
        # name again for the next round, and the use is not in a function or class that runs later.
        is_rebound = bisect_left(bindings, use) > bisect_right(bindings, definition.statement_end)
        enclosing_loops = [(start, end) for start, end in self._loops if definition.statement_end < start <= use < end]
        is_rebound_in_loop = any(
            bisect_right(bindings, end) > bisect_left(bindings, start) for start, end in enclosing_loops
        )
        runs_later = any(definition.statement_end < start <= use < end for start, end in self._nested_scopes)
        return None if is_rebound or is_rebound_in_loop or runs_later else definition.value

    def _sorted(self, name: str) -> tuple[list[_Position], list[_Assignment]]:
        """The places that bind a name, and its assignments, in order."""
        if name not in self._sorted_names:
            self._sorted_names.add(name)
            self._bindings[name].sort()
            self._assignments[name].sort(key=lambda assignment: assignment.statement_end)
        return self._bindings[name], self._assignments[name]

    def _record(self, node: ast.AST) -> None:
        for name, position in () if id(node) in self._target_ids else _names(node):
            self._bindings.setdefault(name, []).append(position)
        if isinstance(node, ast.Global | ast.Nonlocal):
            self._global_names |= set(node.names)
        elif isinstance(node, _SCOPES):
            self._nested_scopes.append((_start(node), _end(node)))
        elif isinstance(node, _LOOPS):
            self._loops.append((_start(node), _end(node)))
        for name in ("body", "orelse", "finalbody") if hasattr(node, "body") else ():
            body = getattr(node, name, None)
            statements: list[ast.stmt] = body if isinstance(body, list) else []
            for statement in statements:
                target, value = _target(statement)
                if target is not None and value is not None:
                    self._target_ids.add(id(target))
                    self._bindings.setdefault(target.id, []).append(_end(statement))
                    assignment = _Assignment(_end(statement), _end(statements[-1]), value)
                    self._assignments.setdefault(target.id, []).append(assignment)


def _target(statement: ast.stmt) -> tuple[ast.Name | None, ast.expr | None]:
    """The name that a statement assigns, if it assigns only one, and its value."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    return (target, getattr(statement, "value", None)) if isinstance(target, ast.Name) else (None, None)


def _names(node: ast.AST) -> Iterator[tuple[str, _Position]]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, (node.lineno, node.col_offset)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, (node.lineno, node.col_offset)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], (node.lineno, node.col_offset)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, (node.lineno, node.col_offset)


def _start(node: ast.stmt | ast.expr) -> _Position:
    return node.lineno, node.col_offset


def _end(node: ast.stmt | ast.expr) -> _Position:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
