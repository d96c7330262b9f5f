"""A column change that Iceberg refuses.

## Why
A type can only be widened: int to bigint, float to double, a decimal to more digits before its point. Anything
else would require rewriting the old files, and is refused ("Cannot change column type"). A nullable column
cannot become NOT NULL. Hive's CHANGE COLUMN cannot rename. A column cannot be moved after itself, nor a list's
element out of its list. A map's key and everything inside it cannot be changed, and an element, a key or a value
cannot be renamed. One statement can change a column only once. A column that files are sorted by, or that is an
identifier field, cannot be dropped, and an identifier field cannot become optional.

## Instead
Add a new column and fill it from the old one; then drop the old one. To rename, RENAME COLUMN.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, code INT) USING iceberg;
ALTER TABLE events ALTER COLUMN code TYPE STRING;
```
```sql bad
CREATE TABLE events (id BIGINT, code INT) USING iceberg;
ALTER TABLE events ALTER COLUMN code SET NOT NULL;
```
```sql bad
CREATE TABLE events (id BIGINT, code INT) USING iceberg;
ALTER TABLE events CHANGE COLUMN code kind INT;
```
```sql bad
CREATE TABLE events (id BIGINT, code INT) USING iceberg;
ALTER TABLE events ALTER COLUMN code AFTER code;
```
```sql bad
CREATE TABLE events (id BIGINT, code INT) USING iceberg;
ALTER TABLE events WRITE ORDERED BY bucket(16, code);
ALTER TABLE events DROP COLUMN code;
```
```sql good
CREATE TABLE events (id BIGINT NOT NULL, code INT, price DECIMAL(9, 2)) USING iceberg;
ALTER TABLE events ALTER COLUMN code TYPE BIGINT;
ALTER TABLE events ALTER COLUMN price TYPE DECIMAL(18, 2);
ALTER TABLE events ALTER COLUMN id DROP NOT NULL;
ALTER TABLE events ALTER COLUMN price AFTER id;
ALTER TABLE events RENAME COLUMN code TO kind;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column, folded
from spark_iceberg_sql.model.types import List, Map, Primitive, Struct, promotes
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_positions import immovable_column
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.AlterColumn, nodes.DropColumns, nodes.RenameColumn, nodes.AddColumns, nodes.ReplaceColumns),
    spec="Schema Evolution",
    category=Category.COLUMNS,
)
def column_change_refused(context: Context) -> Findings:
    """Types that cannot be widened, new NOT NULLs, renames in Hive's syntax, parts of lists and maps, moves."""
    node = context.node
    if isinstance(node, nodes.DropColumns) and context.schema_if_known is not None:
        yield from _parts_of_collections(context, node)
    if context.schema_if_known is not None:
        yield from _columns_in_map_keys(context)
        yield from _columns_in_use(context)
    if not isinstance(node, nodes.AlterColumn):
        return
    hive_finding = _hive_change(context, node)
    if hive_finding is not None:
        yield hive_finding
    if hive_finding is not None or context.schema_if_known is None:
        return
    earlier_paths: list[tuple[str, ...]] = []
    for change in (node, *node.other_changes):
        columns = context.schema.find_all(change.column.parts)
        if len(columns) != 1:
            continue
        table, column = context.target.text, columns[0]
        path = tuple(map(folded, change.column.parts))
        is_repeated = any(path[: len(old)] == old or old[: len(path)] == path for old in earlier_paths)
        earlier_paths.append(path)
        immovable_finding = immovable_column(context, change)
        if _is_in_map_key(column) and change.position is None:
            continue  # _in_keys reports it
        if is_repeated:
            yield Finding(
                change.column.span,
                f"`{change.column.text}`, or the column that contains it, is changed twice in one statement",
                f"write a separate statement: `ALTER TABLE {table} ALTER COLUMN {change.column.text} ...`",
            )
        elif immovable_finding is not None:
            yield immovable_finding
        elif change.required and not column.field.required:
            yield Finding(
                change.column.span,
                f"`{change.column.text}` is nullable, so it cannot become NOT NULL",
                f"check for nulls in the query that writes, or copy the rows to a new table with a column "
                f"`{quoted(column.field.name + '_2')} {column.field.type} NOT NULL`",
            )
        elif change.type_span is not None and _refused(context, change, column):
            type_text = type_with_article(column.field.type)
            new = quoted(column.field.name + "_new")
            yield Finding(
                change.type_span,
                f"`{change.column.text}` is {type_text}, which cannot become {change.type_text}",
                f"write `ALTER TABLE {table} ADD COLUMN {new} {change.type_text}` and fill it",
            )


def _columns_in_use(context: Context) -> Findings:
    """Columns that cannot be dropped or become optional: sort columns and identifier fields."""
    node, table, target = context.node, context.iceberg_table, context.target.text
    dropped_columns: list[tuple[terms.Offsets, Column]] = []
    optional_columns: list[tuple[terms.Offsets, Column]] = []
    if isinstance(node, nodes.ReplaceColumns):
        dropped_columns = [(context.target.span, column) for column in context.schema.columns]
    elif isinstance(node, nodes.DropColumns):
        roots = [(ref.span, c) for ref in node.columns for c in context.schema.find_all(ref.parts)]
        dropped_columns = _with_nested(context, roots)
    elif isinstance(node, nodes.AlterColumn):
        changes = [change for change in (node, *node.other_changes) if change.required is False]
        roots = [(c.column.span, f) for c in changes for f in context.schema.find_all(c.column.parts)]
        optional_columns = _with_nested(context, roots)
    for span, column in dropped_columns:
        if column.field.field_id in (table.sorted_by or ()):
            yield Finding(
                span,
                f"`{column.name}` is in the sort order of `{target}` and cannot be dropped",
                f"write `ALTER TABLE {target} WRITE UNORDERED` first, or `WRITE ORDERED BY` other columns",
            )
    for span, column in (*dropped_columns, *optional_columns):
        if column.field.field_id in (table.identifiers or ()):
            change_text = "be dropped" if dropped_columns else "become optional"
            yield Finding(
                span,
                f"`{column.name}` is an identifier field of `{target}` and cannot {change_text}",
                f"write `ALTER TABLE {target} DROP IDENTIFIER FIELDS {column.name}` first",
            )


def _with_nested(context: Context, roots: list[tuple[terms.Offsets, Column]]) -> list[tuple[terms.Offsets, Column]]:
    """The columns with everything nested in them."""
    return [
        (span, column)
        for span, root in roots
        for column in context.schema.columns
        if column == root or column.name.startswith(root.name + ".")
    ]


def _hive_change(context: Context, change: nodes.AlterColumn) -> Finding | None:
    """A CHANGE COLUMN that Spark's parser refuses for any column of any table: rename or NOT NULL."""
    name = change.new_name
    if name is None:
        return None
    if name.parts[-1].lower() != change.column.parts[-1].lower():
        return Finding(
            name.span,
            "CHANGE COLUMN cannot rename a column",
            f"write `ALTER TABLE {context.target.text} RENAME COLUMN {change.column.text} TO {name.text}`",
        )
    if change.required:
        return Finding(
            change.column.span,
            "CHANGE COLUMN takes no NOT NULL",
            "leave it out: a NOT NULL column stays so, and only a new table can add NOT NULL",
        )
    return None


def _is_in_map_key(column: Column) -> bool:
    """True if a column is a map's key or nested in one; its position in the key may change."""
    keys = [parent.key for parent in column.parents if isinstance(parent, Map)]
    parents = column.parents
    return any(key == column.field or any(key.type is data_type for data_type in parents) for key in keys)


def _columns_in_map_keys(context: Context) -> Findings:
    """Changes that a map's key does not allow: drop, rename, retype, add; and renames of parts of lists and maps."""
    node = context.node
    refs: list[terms.NamePath] = []
    match node:
        case nodes.DropColumns():
            refs = list(node.columns)
        case nodes.RenameColumn():
            refs = [node.column]
        case nodes.AlterColumn():
            refs = [change.column for change in (node, *node.other_changes) if change.position is None]
        case nodes.AddColumns():
            refs = [terms.NamePath(p.parts[:-1], p.span, p.text) for p, _ in node.columns if len(p.parts) > 1]
    for ref in refs:
        columns = context.schema.find_all(ref.parts)
        if len(columns) != 1:
            continue
        parent = columns[0].parents[-1] if columns[0].parents else None
        is_collection_part = isinstance(parent, List | Map)
        if isinstance(node, nodes.RenameColumn) and is_collection_part:
            message = f"`{ref.text}` is part of a {parent.name if parent else 'type'} and cannot be renamed"
            yield Finding(ref.span, message, "leave out the statement")
        elif _is_in_map_key(columns[0]) and not (isinstance(node, nodes.DropColumns) and is_collection_part):
            yield Finding(
                ref.span,
                f"`{ref.text}` is in a map's key, and keys cannot be changed",
                f"write `ALTER TABLE {context.target.text} ADD COLUMN ...` for a map with other keys, and fill it",
            )


def _parts_of_collections(context: Context, node: nodes.DropColumns) -> Findings:
    """A list's element, a map's key or value, which cannot be dropped alone."""
    for ref in node.columns:
        columns = context.schema.find_all(ref.parts)
        if len(columns) != 1 or not isinstance(next(iter(columns[0].parents[::-1]), None), List | Map):
            continue
        collection_name = dropped_name = ref.text.rpartition(".")[0]
        structs = list(columns[0].parents[:-1])
        while structs and isinstance(last := structs.pop(), Struct) and len(last.fields) == 1:
            dropped_name = dropped_name.rpartition(".")[0]  # a struct without fields is not allowed either
        yield Finding(
            ref.span,
            f"`{ref.text}` is part of the type of `{collection_name}` and cannot be dropped alone",
            f"write `ALTER TABLE {context.target.text} DROP COLUMN {dropped_name}`",
        )


def _refused(context: Context, change: nodes.AlterColumn, column: Column) -> bool:
    """True if the type cannot be widened to the new one; SIS409 reports source columns.

    To Iceberg a tinyint column is an int and a varchar column a string, and Spark cannot change either back.
    """
    old, new = column.field.type, change.type
    if isinstance(new, Primitive) and new.spark is not None:
        return True
    if new is not None and (promotes(old, new) or str(old) == str(new)):
        return False
    fields = context.specs.all_fields
    return not any(f.source_id == column.field.field_id and not f.transform.is_void for f in fields)
