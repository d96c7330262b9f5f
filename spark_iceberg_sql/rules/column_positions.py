"""FIRST and AFTER: which column may be named, and which columns cannot be moved."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import folded
from spark_iceberg_sql.model.types import List, Map
from spark_iceberg_sql.rules.base import Finding, Findings
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


def misplaced_columns(context: Context) -> Findings:
    """Every AFTER whose column is not a sibling of the column that is added or moved."""
    node = context.node
    if not isinstance(node, nodes.AddColumns | nodes.AlterColumn):
        return
    schema = context.schema_if_known
    if schema is None:
        return
    fold = str if context.catalog.case_sensitive else folded
    added: dict[tuple[str, ...], list[str]] = {}
    for path, after_ref, is_moved in _requested_positions(node):
        parent_path = tuple(path[:-1])
        fields = schema.struct_fields(parent_path)
        if fields is None or (is_moved and len(schema.find_all(path)) != 1):
            continue  # another rule reports the missing column
        earlier_names = list(added.get(parent_path, ()))
        if not is_moved:
            added.setdefault(parent_path, []).append(path[-1])
        names = [field.name for field in fields] + earlier_names
        if after_ref is None or fold(after_ref.parts[0]) in map(fold, names):
            continue
        owner = f"`{'.'.join(parent_path)}`" if parent_path else f"`{context.target.text}`"
        candidates = [quoted(name) for name in names if name != path[-1]]
        help_ = f"write AFTER {join_names(candidates)}, or FIRST" if candidates else "write FIRST"
        yield Finding(after_ref.span, f"{owner} has no column `{after_ref.text}` for AFTER", help_)


def _requested_positions(
    node: nodes.AddColumns | nodes.AlterColumn,
) -> Iterator[tuple[terms.Name, terms.NamePath | None, bool]]:
    """The column's path, AFTER's column, and whether the column already exists."""
    if isinstance(node, nodes.AddColumns):
        for path, column in node.columns:
            yield path.parts, column.after_column, False
    else:
        for change in (node, *node.other_changes):
            if change.after_column is not None:
                yield change.column.parts, change.after_column, True


def immovable_column(context: Context, change: nodes.AlterColumn) -> Finding | None:
    """AFTER the column itself, or a move of a list's element or of a map's key or value."""
    columns = context.schema.find_all(change.column.parts)
    if change.position is None or len(columns) != 1:
        return None
    collection_name = change.column.text.rpartition(".")[0]
    if columns[0].parents and isinstance(columns[0].parents[-1], List | Map):
        return Finding(
            change.position,
            f"`{change.column.text}` is part of the type of `{collection_name}` and cannot be moved",
            f"leave out the statement, or move `{collection_name}`",
        )
    after_ref = change.after_column
    if after_ref is not None and folded(after_ref.parts[0]) == folded(change.column.parts[-1]):
        return Finding(
            change.position,
            f"`{change.column.text}` cannot be moved after itself",
            "name another column in AFTER, or write FIRST",
        )
    return None
