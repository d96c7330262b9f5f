"""The options of DataFrame writers to Iceberg tables: values that every write fails on, and names that are ignored."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spark_iceberg_sql.files.python.calls import argument, method_of
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.model.runtime.write_options import wrong_option

_FINAL_METHODS = (
    "append", "overwrite", "overwritePartitions", "create", "createOrReplace", "replace", "save", "saveAsTable",
    "insertInto", "toTable", "start",
)  # fmt: skip
_ROOTS = frozenset({"write", "writeTo", "writeStream"})


def option_problems(program: Program) -> Iterator[ExtractionProblem]:
    """The options that Iceberg refuses or ignores, in writers whose format is Iceberg's for certain."""
    if "iceberg" not in program.full_text.lower():
        return
    for final_call in program.calls_of(_FINAL_METHODS):
        calls = _calls(final_call)
        if calls is None or not _is_iceberg(program, final_call, calls):
            continue
        for key, value in _options(calls):
            yield from _problem(program, key, value)


def _calls(final_call: ast.Call) -> list[ast.Call] | None:
    """The calls of one expression from a DataFrame's writer to the final call; None if it starts elsewhere."""
    calls: list[ast.Call] = []
    value = final_call.func.value if isinstance(final_call.func, ast.Attribute) else None
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        calls.append(value)
        if value.func.attr in _ROOTS:
            return calls
        value = value.func.value
    return calls if isinstance(value, ast.Attribute) and value.attr in _ROOTS else None


def _is_iceberg(program: Program, final_call: ast.Call, calls: list[ast.Call]) -> bool:
    named = [argument(call, 0, "source") for call in calls if method_of(call) == "format"]
    named += [argument(call, 0, "provider") for call in calls if method_of(call) == "using"]
    if method_of(final_call) in ("saveAsTable", "save"):
        named += [argument(final_call, 1, "format")]
    names = [program.string_value(name) for name in named if name is not None]
    return bool(names) and all(name is not None and name.lower() == "iceberg" for name in names)


def _options(calls: list[ast.Call]) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """The names and values of `option(name, value)` and `options(**{name: value})`."""
    for call in calls:
        if method_of(call) == "option":
            key, value = argument(call, 0, "key"), argument(call, 1, "value")
            if key is not None:
                yield key, value
        elif method_of(call) == "options":
            for keyword in call.keywords:
                if keyword.arg is None and isinstance(keyword.value, ast.Dict):
                    pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
                    yield from ((key, value) for key, value in pairs if key is not None)


def _problem(program: Program, key: ast.expr, value: ast.expr | None) -> Iterator[ExtractionProblem]:
    name = program.string_value(key)
    if name is None:
        return
    wrong = wrong_option(name, _text(program, value))
    if wrong is None:
        return
    node = key if wrong.of_key or value is None else value
    span = program.span(node)
    yield ExtractionProblem(
        program.part, *span, wrong.reason, wrong.help, is_refused=wrong.is_refused, is_ignored=not wrong.is_refused
    )


def _text(program: Program, value: ast.expr | None) -> str | None:
    """A value as pyspark passes it to Spark; None if it is unknown."""
    if isinstance(value, ast.Constant):
        if isinstance(value.value, bool):
            return str(value.value).lower()
        if isinstance(value.value, int):
            return str(value.value)
    return program.string_value(value) if value is not None else None
