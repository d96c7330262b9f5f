"""FIRST and AFTER: which column may be named, and which columns cannot be moved."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Schema, folded
from spark_iceberg_sql.model.types import List, Map
from spark_iceberg_sql.rules.base import Finding
from spark_iceberg_sql.rules.words import listed
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


def misplaced(context: Context) -> Iterator[Finding]:
    """Every AFTER whose column is not a sibling of the column that is added or moved."""
    node = context.node
    if not isinstance(node, nodes.AddColumns | nodes.AlterColumn):
        return
    schema = context.schema_if_known
    if schema is None:
        return
    fold = str if context.known.case_sensitive else folded
    added: dict[tuple[str, ...], list[str]] = {}
    for path, after, moved in _placed(node):
        head = tuple(path[:-1])
        fields = schema.inside(head)
        if fields is None or (moved and not _there(schema, path)):
            continue  # another rule reports the missing column
        before = list(added.get(head, ()))
        if not moved:
            added.setdefault(head, []).append(path[-1])
        if after is None:
            continue
        names = [field.name for field in fields] + before
        if fold(after.parts[0]) in map(fold, names):
            continue
        where = f"`{'.'.join(head)}`" if head else f"`{context.target.text}`"
        fit = [quoted(name) for name in names if name != path[-1]]
        help_ = f"write AFTER {listed(fit)}, or FIRST" if fit else "write FIRST"
        yield Finding(after.span, f"{where} has no column `{after.text}` for AFTER", help_)


def _placed(
    node: nodes.AddColumns | nodes.AlterColumn,
) -> Iterator[tuple[terms.Name, terms.Ref | None, bool]]:
    """The column's path, AFTER's column, and whether the column already exists."""
    if isinstance(node, nodes.AddColumns):
        for path, column in node.columns:
            yield path.parts, column.after, False
    else:
        for change in (node, *node.more):
            if change.after is not None:
                yield change.column.parts, change.after, True


def _there(schema: Schema, path: terms.Name) -> bool:
    return len(schema.find_all(path)) == 1


def immovable(context: Context, change: nodes.AlterColumn) -> Finding | None:
    """AFTER the column itself, or a move of a list's element or of a map's key or value."""
    found = context.schema.find_all(change.column.parts)
    if change.position is None or len(found) != 1:
        return None
    whole = change.column.text.rpartition(".")[0]
    if found[0].parents and isinstance(found[0].parents[-1], List | Map):
        return Finding(
            change.position,
            f"`{change.column.text}` is part of the type of `{whole}` and cannot be moved",
            f"leave out the statement, or move `{whole}`",
        )
    after = change.after
    if after is not None and folded(after.parts[0]) == folded(change.column.parts[-1]):
        return Finding(
            change.position,
            f"`{change.column.text}` cannot be moved after itself",
            "name another column in AFTER, or write FIRST",
        )
    return None
