"""Calls that pass SQL to Spark, besides `.sql(...)`: Airflow's operators, cursors, functions of settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.databricks import SQL_MAGICS
from spark_iceberg_sql.files.python.program import Program, has_text

_OPERATOR = re.compile(r"airflow\.(?:\w+\.)*SparkSqlOperator")
_OTHERS = re.compile(r"airflow\.(?:\w+\.)*(?:SQLExecuteQueryOperator|HiveOperator|BaseSQLOperator)")
_SPARKS = re.compile(r"\busing\s+iceberg\b|\bpartition\s+field\b", re.IGNORECASE)
# IPython's calls for magics: the argument that is the SQL of a SQL magic, and all arguments in order.
_MAGIC_CALLS = {"run_line_magic": "line", "run_cell_magic": "cell"}
_MAGIC_ARGUMENTS = ("magic_name", "line", "cell")
_FILE = re.compile(r"\S+\.(?:sql|hql)", re.IGNORECASE)


class Given(NamedTuple):
    """The SQL argument of such a call. values: expressions. is_certain: it is certainly Spark's SQL."""

    values: tuple[ast.expr, ...]
    certain: bool


def given_to(program: Program, call: ast.Call, callables: Sequence[str]) -> Given | None:
    """The SQL argument of such a call; None for any other call.

    callables: dotted names of functions as they are imported, names of the program's own, and `.name` for a
    method.
    """
    name = program.imports.full_name(call.func) or ""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    plain = call.func.id if isinstance(call.func, ast.Name) else ""
    if method in _MAGIC_CALLS:
        named_too = {keyword.arg: keyword.value for keyword in call.keywords}
        values = dict(zip(_MAGIC_ARGUMENTS, call.args, strict=False)) | named_too
        magic, sql = values.get("magic_name"), values.get(_MAGIC_CALLS[method])
        word = program.words(magic) if magic is not None else None
        return Given((sql,), True) if sql is not None and word in SQL_MAGICS else None
    own = bool({name or plain, plain, f".{method}"} & set(callables) - {"", "."})
    operator = _OPERATOR.fullmatch(name) is not None
    if not (own or operator or method in ("execute", "executemany") or _OTHERS.fullmatch(name)):
        return None
    wanted = ("sql", "hql") if not own else ("sql", "query", "statement", "text")
    named = [k.value for k in call.keywords if k.arg in wanted]
    if not named and (own or method):
        read = [value for value in call.args[:2] if texts_of(program, value)] if own else []
        named = (read or call.args)[:1]
    return Given(
        tuple(v for each in named for v in texts_of(program, each) or [each]), own or operator
    )


def says_so(sql: str) -> bool:
    """True if the syntax of a text is Spark's; for calls of which the engine is unknown."""
    return _SPARKS.search(sql) is not None


def is_file(program: Program, value: ast.expr) -> bool:
    """True if a text is the name of a file with the SQL."""
    return _FILE.fullmatch((program.words(value) or "").strip()) is not None


def texts_of(program: Program, value: ast.expr) -> list[ast.expr]:
    """The literals of an expression: one, or each element of a list; empty if they are not string literals."""
    bound = program.bound(value)
    if isinstance(bound, ast.List | ast.Tuple):
        return bound.elts
    values = program.meant(value)
    return values if all(map(has_text, values)) else []
