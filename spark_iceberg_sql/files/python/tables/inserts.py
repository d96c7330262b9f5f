"""`insertInto` of DataFrame writers: the methods before it that Spark refuses, for any table."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.python.calls import method_of, name_span
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source import ExtractionProblem

SHARED_WRITER = "several statements use this writer, and its methods change it"
HELP = "write the calls from the DataFrame to this one in one expression, or check the table in a Spark session"
# What `insertInto` refuses, for any table: whatever its arguments are, and even if it has none.
_REFUSED_METHODS = {
    "partitionBy": "leave out `partitionBy`: the table's own partitioning applies",
    "bucketBy": "leave out `bucketBy`: the table's own buckets apply, if it has any",
}
_FRAME_WRITERS = frozenset({"write", "writeStream"})
_MAX_NAMES = 50  # how many names of a writer are considered
_Root = ast.Name | ast.Attribute


class PartitionedWriter(NamedTuple):
    """A statement that may partition a writer. is_assigned: the statement assigns the writer."""

    writer: _Root
    method: str
    statement: ast.stmt
    is_assigned: bool


def insert_problems(
    program: Program, final_call: ast.Call, calls: Sequence[ast.Call] | None, partitioned_list: list[PartitionedWriter]
) -> Iterator[ExtractionProblem]:
    """The problems with `insertInto`. A writer never loses its partitioning, so its other uses do not matter.

    calls: those from the DataFrame to the final one; None if they are unknown. partitioned_list: as
    `partitioned_writers` returns it; whether such a statement has run before is unknown.
    """
    last_calls = {method_of(step): step for step in calls or ()}
    refused_methods = [method for method in _REFUSED_METHODS if method in last_calls]
    for method in refused_methods:
        span = name_span(program, last_calls[method])[0], program.span(last_calls[method])[1]
        reason = f"Spark refuses `insertInto` after `{method}`: the table has its own partitioning"
        yield ExtractionProblem(program.part, *span, reason, _REFUSED_METHODS[method], is_refused=True)
    if not refused_methods:
        uncertainty = _uncertainty(program, final_call, partitioned_list, is_known=calls is not None)
        if uncertainty is not None:
            yield ExtractionProblem(program.part, *program.span(final_call), uncertainty, HELP)


def _uncertainty(
    program: Program, final_call: ast.Call, partitioned_list: list[PartitionedWriter], *, is_known: bool
) -> str | None:
    """The reason why `insertInto` may be refused; None if there is no such reason.

    is_known: the calls from the DataFrame to this one are known.
    """
    writer, methods = _writer_of(final_call)
    for _ in range(_MAX_NAMES):  # a writer may have several names
        if writer is None:
            break
        for other in partitioned_list:
            first, last = program.span(other.statement)
            is_inside = first <= program.span(final_call)[0] < last
            if is_inside or (other.is_assigned and is_known) or not _may_partition(program, writer, other):
                continue
            if not other.is_assigned:
                return SHARED_WRITER
            setup = f"whether `{other.method}` has set up `{ast.unparse(writer)}`"
            return f"{setup}, after which Spark refuses `insertInto`"
        refused = next((method for method in methods if method in _REFUSED_METHODS), None)
        definition = program.definition(writer)
        if definition is None or definition is writer:
            uncertainty = f"whether `{ast.unparse(writer)}` is a writer of Spark, which refuses `insertInto` after"
            return f"{uncertainty} `{refused}`" if refused is not None else None
        writer, more_methods = _writer_of(definition)
        methods = [*methods, *more_methods]
    return None


def partitioned_writers(program: Program) -> list[PartitionedWriter]:
    """The statements that partition a writer with a name: `w.partitionBy("id")`, `w = w.partitionBy("id")`."""
    writers = []
    for node in program.nodes:
        if isinstance(node, ast.Expr):
            writer, methods = _writer_of(node.value)
            method = next((method for method in methods if method in _REFUSED_METHODS), None)
            if writer is not None and method is not None:
                writers.append(PartitionedWriter(writer, method, node, is_assigned=False))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            calls = (child for child in ast.walk(node.value) if isinstance(child, ast.Call))
            method = next((m for m in map(method_of, calls) if m in _REFUSED_METHODS), None)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            writers += [
                PartitionedWriter(target, method, node, is_assigned=True)
                for target in targets
                if method is not None and isinstance(target, ast.Name | ast.Attribute)
            ]
    return writers


def _writer_of(value: ast.expr) -> tuple[_Root | None, list[str]]:
    """The writer at the beginning of a chain of calls, and the methods of the chain.

    `df.write` is a new writer each time, and has no name.
    """
    methods = []
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        methods.append(value.func.attr)
        value = value.func.value
    is_frame_writer = isinstance(value, ast.Attribute) and value.attr in _FRAME_WRITERS
    return value if isinstance(value, _Root) and not is_frame_writer else None, methods


def _may_partition(program: Program, writer: _Root, partitioned: PartitionedWriter) -> bool:
    """True if a statement may partition a writer."""
    other_writer = partitioned.writer
    if not isinstance(writer, ast.Name) or not isinstance(other_writer, ast.Name):
        return ast.unparse(writer) == ast.unparse(other_writer)
    values = program.definition(writer), program.definition(other_writer)
    is_other_value = not partitioned.is_assigned and None not in values and values[0] is not values[1]
    return program.symbols.is_same_name(writer, other_writer) and not is_other_value
