"""`spark.sql` as a value: under another name, by `getattr`, or passed to a function that calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.lazy import regex

_OWN = "spark_iceberg_sql.sql"
_SESSION = regex(r"spark|session", re.IGNORECASE)
_SESSIONS = frozenset({"getOrCreate", "newSession", "getActiveSession", "active", "session"})


class Uses(NamedTuple):
    """Where a program uses the method as a value.

    calls: calls of it. passed: calls that it is passed to, with the arguments behind it. unseen: the places from which
    it cannot be followed.
    """

    calls: list[ast.Call]
    passed: list[tuple[ast.Call, list[ast.expr]]]
    unseen: list[ast.expr]


def method_values(program: Program) -> Uses:
    """The uses of `spark.sql` other than `spark.sql(...)`."""
    return _Uses(program).uses


class _Uses:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.uses = Uses([], [], [])
        calls = [node for node in ast.walk(program.tree) if isinstance(node, ast.Call)]
        called = {id(call.func) for call in calls}
        for call in calls:
            named = isinstance(call.func, ast.Call) and self._is_method(call.func)
            if named or self._is_own(call.func):
                self.uses.calls.append(call)
        values = [v for v in self._values() if id(v) not in called]
        if not values:
            return
        self._around = {
            id(child): node
            for node in ast.walk(program.tree)
            for child in ast.iter_child_nodes(node)
        }
        self._names: dict[str, list[ast.expr]] = {}
        for value in values:
            self._follow(value)
        if self._names:
            self._follow_names()

    def _values(self) -> Iterator[ast.expr]:
        for node in ast.walk(self._program.tree):
            if isinstance(node, ast.Attribute | ast.Call) and self._is_method(node):
                yield node

    def _is_own(self, value: ast.expr) -> bool:
        """Whether it is this package's function `sql`, imported by its name."""
        return isinstance(value, ast.Name) and self._program.imports.full_name(value) == _OWN

    def _is_method(self, value: ast.expr) -> bool:
        """Whether it is a session's method `sql`, as an attribute or by `getattr`."""
        if isinstance(value, ast.Attribute):
            read = value.attr == "sql" and isinstance(value.ctx, ast.Load)
            return read and (
                self._is_session(value.value) or self._program.imports.full_name(value) == _OWN
            )
        if not isinstance(value, ast.Call) or getattr(value.func, "id", "") != "getattr":
            return False
        named = len(value.args) > 1 and self._program.words(value.args[1]) == "sql"
        return named and self._is_session(value.args[0])

    def _is_session(self, value: ast.expr) -> bool:
        """Whether a name or a value says that it is a Spark session."""
        if isinstance(value, ast.Call):
            return getattr(value.func, "attr", getattr(value.func, "id", "")) in _SESSIONS
        if (self._program.imports.full_name(value) or "").startswith("pyspark"):
            return False  # the module `pyspark.sql`
        name = getattr(value, "attr", getattr(value, "id", ""))
        if _SESSION.search(name) is not None:
            return True
        bound = self._program.bound(value) if isinstance(value, ast.Name) else None
        return isinstance(bound, ast.Call) and self._is_session(bound)

    def _follow(self, value: ast.expr, method: ast.expr | None = None) -> None:
        """Record what becomes of a value. method: what it is, if it is a name."""
        around = self._around.get(id(value))
        if isinstance(around, ast.Expr | ast.Attribute):
            return  # `spark.sql.return_value` of a test
        if isinstance(around, ast.Call) and value is around.func:
            self.uses.calls.append(around)
        elif isinstance(around, ast.Call) and any(value is each for each in around.args):
            given = around.args[around.args.index(value) + 1 :]
            given += [k.value for k in around.keywords if k.arg == "sqlQuery"]
            partial = self._program.imports.full_name(around.func) == "functools.partial"
            if partial and not given:
                self._follow(around, around)
            elif given:
                self.uses.passed.append((around, given))
            else:
                self.uses.unseen.append(value)
        elif (name := _assigned(around)) is not None and method in (None, value):
            self._names.setdefault(name, []).append(value)
        else:
            self.uses.unseen.append(value)

    def _follow_names(self) -> None:
        """Follow the names that are given the method."""
        seen: set[int] = set()
        for node in ast.walk(self._program.tree):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            values = self._names.get(node.id, ())
            bound = self._program.bound(node) if values else None
            found = next((value for value in values if value is bound), None)
            if found is not None:
                seen.add(id(found))
                self._follow(node, found)
            elif values and bound is None:
                around = self._around.get(id(node))
                if isinstance(around, ast.Call) and node is around.func:
                    self.uses.unseen.append(node)
        for value in (value for values in self._names.values() for value in values):
            if id(value) not in seen:
                self.uses.unseen.append(value)


def _assigned(node: ast.AST | None) -> str | None:
    """The name that a statement assigns its value to, if only one."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return getattr(node.targets[0], "id", None)
    if isinstance(node, ast.AnnAssign):
        return getattr(node.target, "id", None)
    return None
