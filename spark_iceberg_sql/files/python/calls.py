"""The calls of methods in a Python program: their names, arguments and positions."""

from __future__ import annotations

import ast

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import Offsets


def method_of(call: ast.expr) -> str:
    """The name of the called method; empty for a function."""
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def argument(call: ast.Call, index: int, name: str) -> ast.expr | None:
    """An argument by position or name. index: its position."""
    if any(isinstance(value, ast.Starred) for value in call.args[: index + 1]):
        return None
    if len(call.args) > index:
        return call.args[index]
    return next((k.value for k in call.keywords if k.arg == name), None)


def name_span(program: Program, call: ast.Call) -> Offsets:
    """The position of the name of the called method or function."""
    start, end = program.span(call.func)
    return end - len(call.func.attr) if isinstance(call.func, ast.Attribute) else start, end
