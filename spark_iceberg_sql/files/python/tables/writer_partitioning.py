"""Calls of DataFrame writers whose partitioning Spark refuses or ignores, for any table."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.files.python.calls import method_of, name_span
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.model.transforms import BY_SPELLING

# A writer's attribute or method, its class, its method for partitioning, and the one that it lacks.
_WRITERS = {
    "write": ("DataFrameWriter", "partitionBy", "partitionedBy"),
    "writeTo": ("DataFrameWriterV2", "partitionedBy", "partitionBy"),
    "writeStream": ("DataStreamWriter", "partitionBy", "partitionedBy"),
}
PARTITIONING_METHODS = ("partitionBy", "partitionedBy")
# Methods that return the writer.
_SETTERS = frozenset({
    *PARTITIONING_METHODS, "bucketBy", "clusterBy", "foreachBatch", "format", "mode", "option", "options",
    "outputMode", "queryName", "sortBy", "tableProperty", "trigger", "using",
})  # fmt: skip
_ROW_METHODS = ("append", "overwrite", "overwritePartitions")
_TABLE_METHODS = ("create", "createOrReplace", "replace", "saveAsTable", "save")


def partitioning_problems(program: Program) -> Iterator[ExtractionProblem]:
    """The calls that Spark refuses, and those that it ignores."""
    full_text = program.full_text.lower()
    if "spark" not in full_text and "iceberg" not in full_text:
        return
    for call in program.calls_of((*PARTITIONING_METHODS, *_ROW_METHODS, *_TABLE_METHODS)):
        method = method_of(call)
        root, chain = _setters(call)
        if root is None:
            continue
        if method in PARTITIONING_METHODS:
            yield from _refused(program, call, root)
        elif root == "writeTo" and method in _ROW_METHODS:
            yield from _ignored(program, method, [c for c in chain if method_of(c) == "partitionedBy"])
        elif method in _TABLE_METHODS:
            yield from _replaced(program, [c for c in chain if method_of(c) == _WRITERS[root][1]])


def _setters(final_call: ast.Call) -> tuple[str | None, list[ast.Call]]:
    """The writer before a call and the calls on it, in order; None for the writer if it is not in the expression."""
    calls: list[ast.Call] = []
    value = final_call.func.value if isinstance(final_call.func, ast.Attribute) else None
    while isinstance(value, ast.Call | ast.Attribute):
        method = method_of(value) if isinstance(value, ast.Call) else value.attr
        if method in _WRITERS and isinstance(value, ast.Call) == (method == "writeTo"):
            return method, calls[::-1]
        if not isinstance(value, ast.Call) or method not in _SETTERS:
            break
        calls.append(value)
        value = value.func.value if isinstance(value.func, ast.Attribute) else None
    return None, []


def _refused(program: Program, call: ast.Call, root: str) -> Iterator[ExtractionProblem]:
    class_name, method, missing_method = _WRITERS[root]
    if method_of(call) == missing_method:
        help_ = f"write `{method}({_arguments(program, [call])})`"
        if root != "writeTo" and _transform(program, call) is not None:
            help_ = f'create the table first, or write `writeTo(...).using("iceberg").{_source(program, call)}`'
        reason = f"`{class_name}` has no method `{missing_method}`: the program fails here"
        yield ExtractionProblem(program.part, *_span(program, call), reason, help_, is_refused=True)
    elif root == "writeStream" and (text := _transform(program, call)) is not None:
        reason = (
            f"`partitionBy` of a stream takes names of columns: Spark refuses `{text}` for a new table, and ignores it "
            "for one that exists"
        )
        help_ = f"create the table first, with `PARTITIONED BY ({text})`, and leave out `partitionBy`"
        yield ExtractionProblem(program.part, *_span(program, call), reason, help_, is_ignored=True)


def _ignored(program: Program, method: str, calls: Sequence[ast.Call]) -> Iterator[ExtractionProblem]:
    for call in calls:
        reason = f"`{method}` ignores `partitionedBy`: the rows get the partitions of the table"
        help_ = "leave out `partitionedBy`, or change the table: `ALTER TABLE ... ADD PARTITION FIELD ...`"
        yield ExtractionProblem(program.part, *_span(program, call), reason, help_, is_ignored=True)


def _replaced(program: Program, calls: Sequence[ast.Call]) -> Iterator[ExtractionProblem]:
    for call in calls[:-1]:
        method = method_of(call)
        reason = (
            f"the next `{method}` replaces this one: the table is not partitioned by `{_arguments(program, [call])}`"
        )
        help_ = f"write `{method}({_arguments(program, calls)})`"
        yield ExtractionProblem(program.part, *_span(program, call), reason, help_, is_ignored=True)


def _transform(program: Program, call: ast.Call) -> str | None:
    """The first argument that is a transform, `days(ts)`, in a string or as a call."""
    for value in call.args:
        text = program.string_value(value)
        name, bracket, _ = (text if text is not None else program.source(value)).partition("(")
        transform = BY_SPELLING.get(name.strip().rpartition(".")[2].lower())
        if bracket and transform is not None:
            return text if text is not None else program.source(value).replace('"', "").replace("'", "")
    return None


def _arguments(program: Program, calls: Sequence[ast.Call]) -> str:
    return ", ".join(program.source(value) for call in calls for value in call.args)


def _source(program: Program, call: ast.Call) -> str:
    return f"{method_of(call)}({_arguments(program, [call])})"


def _span(program: Program, call: ast.Call) -> tuple[int, int]:
    return name_span(program, call)[0], program.span(call)[1]
