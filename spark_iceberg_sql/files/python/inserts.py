"""`insertInto` of DataFrame writers: the methods before it that Spark refuses, for any table."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.python.calls import method_of, name_place
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source import Unread

SHARED = "several statements use this writer, and its methods change it"
HELP = "write the calls from the DataFrame to this one in one expression, or check the table in a Spark session"
# What `insertInto` refuses, for any table: whatever its arguments are, and even if it has none.
_NOT_INSERTED = {
    "partitionBy": "leave out `partitionBy`: the table's own partitioning applies",
    "bucketBy": "leave out `bucketBy`: the table's own buckets apply, if it has any",
}
_OF_FRAME = frozenset({"write", "writeStream"})
_RECENT = 50  # how many names of a writer are considered
_Root = ast.Name | ast.Attribute


class Partitioned(NamedTuple):
    """A statement that may partition a writer. is_assigned: the statement assigns the writer."""

    writer: _Root
    method: str
    statement: ast.stmt
    assigned: bool


def inserted(
    program: Program,
    end: ast.Call,
    steps: Sequence[ast.Call] | None,
    partitioned: list[Partitioned],
) -> Iterator[Unread]:
    """The problems with `insertInto`. A writer never loses its partitioning, so its other uses do not matter.

    calls: those from the DataFrame to the final one; None if they are unknown. partitioned_list: as
    `partitioned_writers` returns it; whether such a statement has run before is unknown.
    """
    last = {method_of(step): step for step in steps or ()}
    found = [last.get(method) for method in _NOT_INSERTED]
    for call in found:
        if call is not None:
            method = method_of(call)
            place = name_place(program, call)[0], program.place(call)[1]
            why = f"Spark refuses `insertInto` after `{method}`: the table has its own partitioning"
            yield Unread(program.part, *place, why, _NOT_INSERTED[method], refused=True)
    unsure = None if any(found) else _unsure(program, end, partitioned, known=steps is not None)
    if unsure is not None:
        yield Unread(program.part, *program.place(end), unsure, HELP)


def _unsure(
    program: Program, end: ast.Call, partitioned: list[Partitioned], *, known: bool
) -> str | None:
    """The reason why `insertInto` may be refused; None if there is no such reason.

    is_known: the calls from the DataFrame to this one are known.
    """
    writer, methods = _writer_of(end)
    for _ in range(_RECENT):  # a writer may have several names
        if writer is None:
            break
        for other in partitioned:
            first, last = program.place(other.statement)
            own = first <= program.place(end)[0] < last
            if own or (other.assigned and known) or not _same(program, writer, other):
                continue
            if not other.assigned:
                return SHARED
            name = ast.unparse(writer)
            return f"whether `{other.method}` has set up `{name}`, after which Spark refuses `insertInto`"
        refused = next((method for method in methods if method in _NOT_INSERTED), None)
        bound = program.bound(writer)
        if bound is None or bound is writer:
            if refused is None:
                break
            name = ast.unparse(writer)
            return f"whether `{name}` is a writer of Spark, which refuses `insertInto` after `{refused}`"
        writer, more = _writer_of(bound)
        methods = [*methods, *more]
    return None


def all_partitioned(program: Program) -> list[Partitioned]:
    """The statements that partition a writer with a name: `w.partitionBy("id")`, `w = w.partitionBy("id")`."""
    found = []
    for node in program.nodes:
        if isinstance(node, ast.Expr):
            writer, methods = _writer_of(node.value)
            method = next((method for method in methods if method in _NOT_INSERTED), None)
            if writer is not None and method is not None:
                found.append(Partitioned(writer, method, node, assigned=False))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            calls = (each for each in ast.walk(node.value) if isinstance(each, ast.Call))
            method = next((m for m in map(method_of, calls) if m in _NOT_INSERTED), None)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [
                Partitioned(target, method, node, assigned=True)
                for target in targets
                if method is not None and isinstance(target, ast.Name | ast.Attribute)
            ]
    return found


def _writer_of(value: ast.expr) -> tuple[_Root | None, list[str]]:
    """The writer at the beginning of a chain of calls, and the methods of the chain.

    `df.write` is a new writer each time, and has no name.
    """
    methods = []
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        methods.append(value.func.attr)
        value = value.func.value
    if isinstance(value, ast.Name) or (
        isinstance(value, ast.Attribute) and value.attr not in _OF_FRAME
    ):
        return value, methods
    return None, methods


def _same(program: Program, one: _Root, partitioned: Partitioned) -> bool:
    """True if a statement may partition a writer."""
    other = partitioned.writer
    if not isinstance(one, ast.Name) or not isinstance(other, ast.Name):
        return ast.unparse(one) == ast.unparse(other)
    values = program.bound(one), program.bound(other)
    another = not partitioned.assigned and None not in values and values[0] is not values[1]
    return program.same(one, other) and not another
