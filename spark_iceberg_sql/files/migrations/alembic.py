"""Alembic revisions: their order, and the SQL of `op.execute` in upgrade() and downgrade().

In: the text of a revision. Out: its id and predecessors; its fragments, those of upgrade() first.
"""

from __future__ import annotations

import ast
import re
import warnings

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Piece, anything
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

IN_ALEMBIC = regex(r"^down_revision\b", re.MULTILINE)
_EXECUTE = regex(r"\bop(\s*)\.(\s*)execute(\s*\(\s*)((?:\w+\s*\.\s*)?text\s*(?=\())?")


# Functions of `op` that change no table, or whose SQL is read.
_HARMLESS = frozenset({"execute", "f", "get_context"})


def revisions(text: str) -> tuple[str, tuple[str, ...]]:
    """A file's revision, and its predecessors: several if it merges branches."""
    values = {}
    for node in _parsed(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        for target in targets:
            if isinstance(target, ast.Name) and value is not None:
                values[target.id] = _literal(value)
    before = values.get("down_revision")
    names = before if isinstance(before, tuple | list) else [before]
    return str(values.get("revision", "")), tuple(str(name) for name in names if name is not None)


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return None


def alembic_sql(text: str) -> tuple[list[Piece], list[Unread], int]:
    """The SQL of a revision, that of upgrade() first, and the number of fragments in upgrade().

    Any other call of `op`, and SQL that cannot be extracted, may change any table.
    """
    from spark_iceberg_sql.files.python.sql import python_sql

    tree = _parsed(text)
    pieces, unread = python_sql(_EXECUTE.sub(_as_sql, text))
    pieces += _other_calls(tree, text)
    pieces += [anything(place.start) for place in unread]
    lines = Lines(text)
    up: list[Piece] = []
    down: list[Piece] = []
    helped = False
    for piece in sorted(pieces, key=lambda piece: piece.starts[0]):
        row, _ = lines.position(piece.starts[0])
        name = next(
            (f.name for f in _functions(tree) if f.lineno <= row <= (f.end_lineno or 0)), ""
        )
        arms = tuple(arm for arm in piece.arms if not _is_whole(arm[2].start, tree, lines))
        (up if name == "upgrade" else down).append(replace(piece, arms=arms))
        helped = helped or name not in ("upgrade", "downgrade")
    if helped:  # upgrade() may call a function of any of these modules
        up = [anything(0), *up, anything(len(text))]
    return [*up, *down], unread, len(up)


def _as_sql(found: re.Match[str]) -> str:
    """Rewrite `op.execute(text("..."))` as a call of a method `sql`, without changing the length."""
    before, behind, opening, text = found[1], found[2], found[3], found[4] or ""
    return f"op{before}    .{behind}sql{opening}{' ' * len(text)}"


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _is_whole(start: int, tree: ast.Module, lines: Lines) -> bool:
    """True if a branch is the body of upgrade() or downgrade(), which Alembic calls exactly once."""
    row, _ = lines.position(start)
    return any(f.lineno <= row <= f.body[0].lineno for f in _functions(tree))


def _other_calls(tree: ast.Module, text: str) -> list[Piece]:
    lines = Lines(text)
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "op" and node.func.attr not in _HARMLESS:
            found.append(anything(lines.start(node.lineno)))
    return found


def _parsed(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
