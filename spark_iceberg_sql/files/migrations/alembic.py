"""Alembic revisions: their order, and the SQL of `op.execute` in upgrade() and downgrade().

In: the text of a revision. Out: its id and predecessors; its fragments, those of upgrade() first.
"""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.files.python.parsing import parse_python
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import SqlFragment, side_effect_marker
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

ALEMBIC_REVISION = regex(r"^down_revision\b", re.MULTILINE)
_EXECUTE = regex(r"\bop(\s*)\.(\s*)execute(\s*\(\s*)((?:\w+\s*\.\s*)?text\s*(?=\())?")


# Functions of `op` that change no table, or whose SQL is read.
_HARMLESS = frozenset({"execute", "f", "get_context"})


def revisions(text: str) -> tuple[str, tuple[str, ...]]:
    """A file's revision, and its predecessors: several if it merges branches."""
    values = {}
    tree = parse_python(text)
    for node in tree.body if tree is not None else ():
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        for target in targets:
            if isinstance(target, ast.Name) and value is not None:
                values[target.id] = _literal(value)
    predecessors = values.get("down_revision")
    names = predecessors if isinstance(predecessors, tuple | list) else [predecessors]
    return str(values.get("revision", "")), tuple(str(name) for name in names if name is not None)


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return None


def alembic_sql(text: str) -> tuple[list[SqlFragment], list[ExtractionProblem], int]:
    """The SQL of a revision, that of upgrade() first, and the number of fragments in upgrade().

    Any other call of `op`, and SQL that cannot be extracted, may change any table.
    """
    from spark_iceberg_sql.files.python.sql_extraction import python_sql

    tree = parse_python(text) or ast.Module([], [])
    fragments, problems = python_sql(_EXECUTE.sub(_as_sql_call, text))
    fragments += _side_effect_markers(tree, text)
    fragments += [side_effect_marker(problem.start) for problem in problems]
    lines = Lines(text)
    upgrade_fragments: list[SqlFragment] = []
    downgrade_fragments: list[SqlFragment] = []
    has_helpers = False
    for fragment in sorted(fragments, key=lambda fragment: fragment.starts[0]):
        row, _ = lines.position(fragment.starts[0])
        name = next((f.name for f in _functions(tree) if f.lineno <= row <= (f.end_lineno or 0)), "")
        branch_ranges = tuple(
            branch_range
            for branch_range in fragment.branch_ranges
            if not _is_migration_body(branch_range[2].start, tree, lines)
        )
        (upgrade_fragments if name == "upgrade" else downgrade_fragments).append(
            replace(fragment, branch_ranges=branch_ranges)
        )
        has_helpers = has_helpers or name not in ("upgrade", "downgrade")
    if has_helpers:  # upgrade() may call a function of any of these modules
        upgrade_fragments = [side_effect_marker(0), *upgrade_fragments, side_effect_marker(len(text))]
    return [*upgrade_fragments, *downgrade_fragments], problems, len(upgrade_fragments)


def _as_sql_call(match: re.Match[str]) -> str:
    """Rewrite `op.execute(text("..."))` as a call of a method `sql`, without changing the length."""
    space_before_dot, space_after_dot, opening, text_call = match.groups("")
    return f"op{space_before_dot}    .{space_after_dot}sql{opening}{' ' * len(text_call)}"


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _is_migration_body(start: int, tree: ast.Module, lines: Lines) -> bool:
    """True if a branch is the body of upgrade() or downgrade(), which Alembic calls exactly once."""
    row, _ = lines.position(start)
    return any(f.lineno <= row <= f.body[0].lineno for f in _functions(tree))


def _side_effect_markers(tree: ast.Module, text: str) -> list[SqlFragment]:
    lines = Lines(text)
    return [
        side_effect_marker(lines.start(node.lineno))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "op"
        and node.func.attr not in _HARMLESS
    ]
