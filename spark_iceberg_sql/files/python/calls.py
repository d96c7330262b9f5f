"""The calls of methods in a Python program: their names, arguments and positions."""

from __future__ import annotations

import ast

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import Offsets


def method_of(call: ast.expr) -> str:
    """The name of the called method; empty for a function."""
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call.func.attr
    return ""


def argument(call: ast.Call, index: int, name: str) -> ast.expr | None:
    """An argument by position or name. index: its position."""
    if any(isinstance(value, ast.Starred) for value in call.args[: index + 1]):
        return None
    if len(call.args) > index:
        return call.args[index]
    return next((k.value for k in call.keywords if k.arg == name), None)


def name_span(program: Program, call: ast.Call) -> Offsets:
    """The position of the name of the called method or function."""
    _, end = program.span(call.func)
    if isinstance(call.func, ast.Attribute):
        return end - len(call.func.attr), end
    return program.span(call.func)
