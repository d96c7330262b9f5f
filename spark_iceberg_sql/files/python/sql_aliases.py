"""`spark.sql` as a value: under another name, by `getattr`, or passed to a function that calls it.

In: a program. Out: the calls of the method, and the uses that cannot be traced.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.python.walking import children
from spark_iceberg_sql.lazy import regex

_PACKAGE = "spark_iceberg_sql"
_PACKAGE_SQL = f"{_PACKAGE}.sql"
_SESSION = regex(r"spark|session", re.IGNORECASE)
# The nodes around a use of the method by which it can be traced.
_PARENT_KINDS = frozenset({ast.Attribute, ast.Expr, ast.Call, ast.Assign, ast.AnnAssign})
_SESSIONS = frozenset({"getOrCreate", "active"})


class PassedMethod(NamedTuple):
    """A call that gets the method, with the arguments after it. is_certain: it is a session's method."""

    call: ast.Call
    arguments: list[ast.expr]
    is_certain: bool


class MethodUses(NamedTuple):
    """The uses of the method as a value.

    calls: calls of it. passed: calls that it is passed to. untraced: the uses that cannot be followed.
    """

    calls: list[ast.Call]
    passed: list[PassedMethod]
    untraced: list[ast.expr]


def sql_method_uses(program: Program) -> MethodUses:
    """The uses of `spark.sql` other than `spark.sql(...)`."""
    return _UseFinder(program).uses


class _UseFinder:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.uses = MethodUses([], [], [])
        called = {id(call.func) for call in program.calls}
        imports_package = _PACKAGE in program.full_text
        for call in program.calls:
            is_getattr_call = isinstance(call.func, ast.Call) and self._is_method(call.func)
            # This package's function `sql`, imported by its name.
            is_package_sql = (
                imports_package
                and isinstance(call.func, ast.Name)
                and program.imports.full_name(call.func) == _PACKAGE_SQL
            )
            if is_getattr_call or is_package_sql:
                self.uses.calls.append(call)
        attributes = [node for node in program.nodes if type(node) is ast.Attribute and node.attr == "sql"]
        candidates = (*attributes, *program.calls_of(("getattr",)))
        values = [value for value in candidates if id(value) not in called and self._is_method(value)]
        if not values:
            return
        parents = (node for node in program.nodes if type(node) in _PARENT_KINDS)
        self._parents = {id(child): node for node in parents for child in children(node)}
        self._names: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
        for value in values:
            self._trace(value, value)
        if self._names:
            self._trace_names()

    def _is_method(self, value: ast.expr) -> bool:
        """True if it may be a session's method `sql`: an attribute, or by `getattr`."""
        if isinstance(value, ast.Attribute):
            full_name = self._program.imports.full_name(value) or ""
            is_package = full_name.partition(".")[0] in ("pyspark", _PACKAGE) and full_name != _PACKAGE_SQL
            return value.attr == "sql" and isinstance(value.ctx, ast.Load) and not is_package
        if not isinstance(value, ast.Call) or getattr(value.func, "id", "") != "getattr":
            return False
        is_sql_name = len(value.args) > 1 and self._program.string_value(value.args[1]) == "sql"
        return is_sql_name and self._is_session(value.args[0])

    def _is_session(self, value: ast.expr) -> bool:
        """True if a name or a value is that of a Spark session."""
        if isinstance(value, ast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            return name in _SESSIONS or _SESSION.search(name) is not None
        full_name = self._program.imports.full_name(value)
        name = full_name or str(getattr(value, "attr", getattr(value, "id", "")))
        if full_name == _PACKAGE or _SESSION.search(name.rpartition(".")[2]) is not None:
            return True
        definition = self._program.definition(value) if isinstance(value, ast.Name) else None
        return isinstance(definition, ast.Call) and self._is_session(definition)

    def _trace(self, value: ast.expr, origin: ast.expr, name: ast.Name | None = None) -> None:
        """Record the use of a value. origin: the attribute `sql` itself. name: a name that is bound to it."""
        use = name or value
        parent = self._parents.get(id(use))
        if isinstance(parent, ast.Attribute) and parent.attr == "__call__":
            self._trace(parent, origin)
        elif isinstance(parent, ast.Expr | ast.Attribute):
            pass  # `spark.sql.return_value` of a test
        elif isinstance(parent, ast.Call) and use is parent.func:
            self.uses.calls.append(parent)
        elif isinstance(parent, ast.Call) and any(use is argument for argument in parent.args):
            arguments = parent.args[parent.args.index(use) + 1 :]
            arguments += [k.value for k in parent.keywords if k.arg == "sqlQuery"]
            is_partial = self._program.imports.full_name(parent.func) == "functools.partial"
            if is_partial and not arguments:
                self._trace(parent, origin)
            elif arguments:
                self.uses.passed.append(PassedMethod(parent, arguments, self._is_certain(origin)))
            else:
                self._add_untraced(use, origin)
        elif name is None and (target_name := _assigned_name(parent)) is not None:
            self._names.setdefault(target_name, []).append((value, origin))
        else:
            self._add_untraced(use, origin)

    def _add_untraced(self, value: ast.expr, origin: ast.expr) -> None:
        if self._is_certain(origin):
            self.uses.untraced.append(value)

    def _is_certain(self, origin: ast.expr) -> bool:
        """True for a session's method; False if it may be an attribute `sql` of another object."""
        owner = origin.value if isinstance(origin, ast.Attribute) else None
        return owner is None or self._is_session(owner)

    def _trace_names(self) -> None:
        """Follow the names that are given the method."""
        traced_ids: set[int] = set()
        for node in self._program.nodes:
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            aliases = self._names.get(node.id, ())
            definition = self._program.definition(node) if aliases else None
            parent = self._parents.get(id(node))
            is_called = isinstance(parent, ast.Call) and node is parent.func
            for value, origin in aliases:
                if value is definition:
                    traced_ids.add(id(value))
                    self._trace(value, origin, node)
                elif definition is None and is_called:
                    self._add_untraced(node, origin)
                    break
        for value, origin in (pair for aliases in self._names.values() for pair in aliases):
            if id(value) not in traced_ids:
                self._add_untraced(value, origin)


def _assigned_name(node: ast.AST | None) -> str | None:
    """The name that a statement assigns its value to, if only one."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return getattr(node.targets[0], "id", None)
    if isinstance(node, ast.AnnAssign):
        return getattr(node.target, "id", None)
    return None
