"""Calls that pass SQL to Spark, besides `.sql(...)`: Airflow's operators, cursors, functions of settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.databricks import SQL_MAGICS
from spark_iceberg_sql.files.python.prefilter import EXECUTE_METHODS, MAGIC_CALLS, OTHER_OPERATORS, SPARK_OPERATOR
from spark_iceberg_sql.files.python.program import Program

_OPERATOR = re.compile(rf"airflow\.(?:\w+\.)*{SPARK_OPERATOR}")
_OTHER_OPERATORS = re.compile(rf"airflow\.(?:\w+\.)*(?:{'|'.join(OTHER_OPERATORS)})")
_SPARK_SYNTAX = re.compile(r"\busing\s+iceberg\b|\bpartition\s+field\b", re.IGNORECASE)
_SINK_METHODS = frozenset({*MAGIC_CALLS, *EXECUTE_METHODS})
# The arguments of IPython's calls for magics, in order.
_MAGIC_ARGUMENTS = ("magic_name", "line", "cell")
_FILE_NAME = re.compile(r"\S+\.(?:sql|hql)", re.IGNORECASE)


class SinkArgument(NamedTuple):
    """The SQL argument of such a call. values: expressions. is_certain: it is certainly Spark's SQL."""

    values: tuple[ast.expr, ...]
    is_certain: bool


def sink_arguments(program: Program, callables: Sequence[str]) -> Iterator[tuple[ast.Call, SinkArgument]]:
    """Such calls of a program, each with its SQL argument.

    callables: dotted names of functions as they are imported, names of the program's own, and `.name` for a method.
    """
    has_named_sinks = bool(callables) or "airflow" in program.full_text
    for call in program.calls if has_named_sinks else program.calls_of(_SINK_METHODS):
        name = program.imports.full_name(call.func) if has_named_sinks else None
        sink = _sink_argument(program, call, name or "", callables)
        if sink is not None:
            yield call, sink


def _sink_argument(program: Program, call: ast.Call, name: str, callables: Sequence[str]) -> SinkArgument | None:
    """The SQL argument of a call; None for any other call. name: the full name of the called function."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    function_name = call.func.id if isinstance(call.func, ast.Name) else ""
    if method in MAGIC_CALLS:
        keyword_values = {keyword.arg: keyword.value for keyword in call.keywords}
        values = dict(zip(_MAGIC_ARGUMENTS, call.args, strict=False)) | keyword_values
        magic, sql = values.get("magic_name"), values.get(MAGIC_CALLS[method])
        magic_name = program.string_value(magic) if magic is not None else None
        return SinkArgument((sql,), True) if sql is not None and magic_name in SQL_MAGICS else None
    is_configured = bool({name or function_name, function_name, f".{method}"} & set(callables) - {"", "."})
    is_operator = _OPERATOR.fullmatch(name) is not None
    if not (is_configured or is_operator or method in EXECUTE_METHODS or _OTHER_OPERATORS.fullmatch(name)):
        return None
    keyword_names = ("sql", "hql") if not is_configured else ("sql", "query", "statement", "text")
    arguments = [k.value for k in call.keywords if k.arg in keyword_names]
    if not arguments and (is_configured or method):
        literal_arguments = [value for value in call.args[:2] if literals_of(program, value)] if is_configured else []
        arguments = (literal_arguments or call.args)[:1]
    return SinkArgument(
        tuple(v for argument in arguments for v in literals_of(program, argument) or [argument]),
        is_configured or is_operator,
    )


def is_spark_sql(sql: str) -> bool:
    """True if the syntax of a text is Spark's; for calls of which the engine is unknown."""
    return _SPARK_SYNTAX.search(sql) is not None


def is_sql_file_name(program: Program, value: ast.expr) -> bool:
    """True if a text is the name of a file with the SQL."""
    return _FILE_NAME.fullmatch((program.string_value(value) or "").strip()) is not None


def literals_of(program: Program, value: ast.expr) -> list[ast.expr]:
    """The literals of an expression: one, or each element of a list; empty if they are not string literals."""
    definition = program.definition(value)
    if isinstance(definition, ast.List | ast.Tuple):
        return definition.elts
    values = program.literal_values(value)
    return values if all(map(program.has_text, values)) else []
