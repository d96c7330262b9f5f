"""Two columns with the same name.

## Why
Iceberg looks columns up by their dotted names, so a column named "a.b" and the field `b` of a struct `a`
collide ("multiple fields for name a.b"). Spark also treats `id` and `ID` as the same column, unless
`spark.sql.caseSensitive` is set. A Hive-style `PARTITIONED BY (dt STRING)` adds a column, which must not also
be in the column list.

## Instead
Rename one of the two. To partition by a column of the list, leave out its type: `PARTITIONED BY (dt)`.

## Examples
```sql bad
CREATE TABLE events (`a.b` INT, a STRUCT<b: INT>) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, ID STRING) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, dt STRING) USING iceberg PARTITIONED BY (dt STRING);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events RENAME COLUMN ts TO id;
```
```sql good
CREATE TABLE events (a_b INT, a STRUCT<b: INT>, dt STRING) USING iceberg PARTITIONED BY (dt);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import folded
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_special_columns
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddColumns, nodes.RenameColumn, nodes.ReplaceColumns),
    spec="Column Projection",
    when=has_special_columns,
    category=Category.COLUMNS,
    spark_only=True,
)
def ambiguous_column(context: Context) -> Findings:
    """Every column of a column list with the name of an earlier one, at any depth."""
    node = context.node
    if isinstance(node, nodes.AddColumns | nodes.RenameColumn) and context.schema_if_known is not None:
        yield from _existing_names(context, node)
    typed = node.typed_partitions if isinstance(node, nodes.Create) else ()
    seen_keys: set[tuple[int, str]] = set()
    for column, nested_columns in context.nested_new_columns:
        if isinstance(node, nodes.AddColumns):
            seen_keys = set()  # their own names are already checked: this checks the fields inside them
        for inner in nested_columns:
            name, depth = inner.name, len(inner.parents)
            key = name if context.catalog.case_sensitive else folded(name)
            # Spark compares paths and ignores case; Iceberg compares dotted names exactly.
            keys = {(depth, key), (-1, name)}
            if keys.isdisjoint(seen_keys):
                seen_keys |= keys
                continue
            if column in typed:
                help_ = f"write `PARTITIONED BY ({quoted(column.name)})`, without a type"
            else:
                is_dotted = not inner.parents and "." in name
                new = name.replace(".", "_") if is_dotted else f"{name.split('.')[-1]}_2"
                help_ = f"give one of them another name, for example `{quoted(new)}`"
            # Spark checks its own columns first; Iceberg checks dotted names when it creates the table.
            early = (depth, key) in seen_keys
            yield Finding(column.span, f"there are two columns named `{name}`", help_, early=early)
            break


def _existing_names(context: Context, node: nodes.AddColumns | nodes.RenameColumn) -> Findings:
    """Every new or renamed column whose name is already in use."""
    if isinstance(node, nodes.RenameColumn):
        new_names = [((*node.column.parts[:-1], node.new_name.parts[-1]), node.new_name)]
    else:
        new_names = [(path.parts, path) for path, _ in node.columns]
    added: set[str] = set()
    for parts, ref in new_names:
        columns = context.schema.find_all(parts, case_sensitive=context.catalog.case_sensitive)
        dotted = ".".join(parts)
        key = dotted if context.catalog.case_sensitive else folded(dotted)
        if columns or key in added:
            message = f"`{context.target.text}` already has a column `{columns[0].name if columns else dotted}`"
            other = quoted(f"{parts[-1]}_2")
            yield Finding(ref.span, message, f"give the new column another name, for example `{other}`")
        added.add(key)
