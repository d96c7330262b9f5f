"""The branches of a program: functions and blocks of conditions, which do not run one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from spark_iceberg_sql.files.source_map import Branch, Offsets

SpanOf = Callable[[ast.expr | ast.stmt], Offsets]
# Calls that end the program.
_EXIT_CALLS = frozenset({"exit", "_exit", "quit", "abort", "skip", "fail"})


def find_branches(nodes: Iterable[ast.AST], span_of: SpanOf, unit_index: int) -> list[Branch]:
    """The branches of a program, in order, an outer one before those in it.

    nodes: those of its tree. span_of: returns the offsets of a node. unit_index: the text unit's index in the file.
    """
    branches = [
        Branch(unit_index, span_of(body[0])[0], span_of(body[-1])[1], is_function, _always_exits(body[-1]))
        for node in nodes
        if hasattr(node, "body")
        for body, is_function in _bodies(node)
        if body
    ]
    return sorted(branches, key=lambda branch: (branch.start, -branch.end))


def _bodies(node: ast.AST) -> Iterator[tuple[Sequence[ast.expr | ast.stmt], bool]]:
    """The bodies of a node that do not always run when the node is reached, and whether each is a function's."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.body, True
    elif isinstance(node, ast.Lambda):
        yield [node.body], True
    elif isinstance(node, ast.If):
        yield from ((node.body, False), (node.orelse, False))
    elif isinstance(node, ast.IfExp):
        yield from (([node.body], False), ([node.orelse], False))
    elif isinstance(node, ast.match_case | ast.ExceptHandler):
        yield node.body, False
    elif isinstance(getattr(node, "handlers", None), list):  # try, and try with except*
        yield from ((node.body, False), (node.orelse, False))  # type: ignore[attr-defined]


def _always_exits(last: ast.expr | ast.stmt) -> bool:
    """True if a block with this last statement always exits, so that the code after it does not run."""
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _EXIT_CALLS
