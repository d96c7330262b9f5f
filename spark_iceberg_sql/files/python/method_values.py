"""`spark.sql` as a value: under another name, by `getattr`, or passed to a function that calls it.

In: a program. Out: the calls of the method, and the uses that cannot be traced.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.lazy import regex

_PACKAGE = "spark_iceberg_sql"
_OWN = f"{_PACKAGE}.sql"
_SESSION = regex(r"spark|session", re.IGNORECASE)
_SESSIONS = frozenset({"getOrCreate", "active"})


class Passed(NamedTuple):
    """A call that gets the method, with the arguments after it. is_certain: it is a session's method."""

    call: ast.Call
    arguments: list[ast.expr]
    certain: bool


class Uses(NamedTuple):
    """The uses of the method as a value.

    calls: calls of it. passed: calls that it is passed to. untraced: the uses that cannot be followed.
    """

    calls: list[ast.Call]
    passed: list[Passed]
    unseen: list[ast.expr]


def method_values(program: Program) -> Uses:
    """The uses of `spark.sql` other than `spark.sql(...)`."""
    return _Uses(program).uses


class _Uses:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.uses = Uses([], [], [])
        calls = [node for node in program.nodes if isinstance(node, ast.Call)]
        called = {id(call.func) for call in calls}
        for call in calls:
            named = isinstance(call.func, ast.Call) and self._is_method(call.func)
            if named or self._is_own(call.func):
                self.uses.calls.append(call)
        values = [v for v in self._values() if id(v) not in called]
        if not values:
            return
        self._around = {
            id(child): node for node in program.nodes for child in ast.iter_child_nodes(node)
        }
        self._names: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
        for value in values:
            self._follow(value, value)
        if self._names:
            self._follow_names()

    def _values(self) -> Iterator[ast.expr]:
        for node in self._program.nodes:
            if isinstance(node, ast.Attribute | ast.Call) and self._is_method(node):
                yield node

    def _is_own(self, value: ast.expr) -> bool:
        """True for this package's function `sql`, imported by its name."""
        return isinstance(value, ast.Name) and self._program.imports.full_name(value) == _OWN

    def _is_method(self, value: ast.expr) -> bool:
        """True if it may be a session's method `sql`: an attribute, or by `getattr`."""
        if isinstance(value, ast.Attribute):
            whole = self._program.imports.full_name(value) or ""
            package = whole.partition(".")[0] in ("pyspark", _PACKAGE) and whole != _OWN
            return value.attr == "sql" and isinstance(value.ctx, ast.Load) and not package
        if not isinstance(value, ast.Call) or getattr(value.func, "id", "") != "getattr":
            return False
        named = len(value.args) > 1 and self._program.words(value.args[1]) == "sql"
        return named and self._is_session(value.args[0])

    def _is_session(self, value: ast.expr) -> bool:
        """True if a name or a value is that of a Spark session."""
        if isinstance(value, ast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            return name in _SESSIONS or _SESSION.search(name) is not None
        whole = self._program.imports.full_name(value)
        name = whole or str(getattr(value, "attr", getattr(value, "id", "")))
        if whole == _PACKAGE or _SESSION.search(name.rpartition(".")[2]) is not None:
            return True
        bound = self._program.bound(value) if isinstance(value, ast.Name) else None
        return isinstance(bound, ast.Call) and self._is_session(bound)

    def _follow(self, value: ast.expr, origin: ast.expr, name: ast.Name | None = None) -> None:
        """Record the use of a value. origin: the attribute `sql` itself. name: a name that is bound to it."""
        here = name or value
        around = self._around.get(id(here))
        if isinstance(around, ast.Attribute) and around.attr == "__call__":
            self._follow(around, origin)
        elif isinstance(around, ast.Expr | ast.Attribute):
            pass  # `spark.sql.return_value` of a test
        elif isinstance(around, ast.Call) and here is around.func:
            self.uses.calls.append(around)
        elif isinstance(around, ast.Call) and any(here is each for each in around.args):
            given = around.args[around.args.index(here) + 1 :]
            given += [k.value for k in around.keywords if k.arg == "sqlQuery"]
            partial = self._program.imports.full_name(around.func) == "functools.partial"
            if partial and not given:
                self._follow(around, origin)
            elif given:
                self.uses.passed.append(Passed(around, given, self._is_certain(origin)))
            else:
                self._lose(here, origin)
        elif name is None and (assigned := _assigned(around)) is not None:
            self._names.setdefault(assigned, []).append((value, origin))
        else:
            self._lose(here, origin)

    def _lose(self, value: ast.expr, origin: ast.expr) -> None:
        if self._is_certain(origin):
            self.uses.unseen.append(value)

    def _is_certain(self, origin: ast.expr) -> bool:
        """True for a session's method; False if it may be an attribute `sql` of another object."""
        owner = origin.value if isinstance(origin, ast.Attribute) else None
        return owner is None or self._is_session(owner)

    def _follow_names(self) -> None:
        """Follow the names that are given the method."""
        followed: set[int] = set()
        for node in self._program.nodes:
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            given = self._names.get(node.id, ())
            bound = self._program.bound(node) if given else None
            around = self._around.get(id(node))
            called = isinstance(around, ast.Call) and node is around.func
            for value, origin in given:
                if value is bound:
                    followed.add(id(value))
                    self._follow(value, origin, node)
                elif bound is None and called:
                    self._lose(node, origin)
                    break
        for value, origin in (pair for given in self._names.values() for pair in given):
            if id(value) not in followed:
                self._lose(value, origin)


def _assigned(node: ast.AST | None) -> str | None:
    """The name that a statement assigns its value to, if only one."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return getattr(node.targets[0], "id", None)
    if isinstance(node, ast.AnnAssign):
        return getattr(node.target, "id", None)
    return None
