"""A column or a table whose name is empty.

## Why
CREATE TABLE and RENAME COLUMN silently accept a column named ``, inside structs too. Afterwards every
INSERT fails ("Empty name"), and so do most forms of ALTER TABLE. Tables without a name are refused ("Invalid
table name: null or empty"), and so is an empty LOCATION.

## Instead
A name. In an existing table, RENAME COLUMN cannot find such a column; CREATE OR REPLACE TABLE removes it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, `` STRING) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, kind STRING) USING iceberg;
ALTER TABLE events RENAME COLUMN kind TO ``;
```
```sql good
CREATE TABLE events (id BIGINT, kind STRING) USING iceberg;
ALTER TABLE events RENAME COLUMN kind TO `kind of event`;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_special_clauses, has_special_columns
from spark_iceberg_sql.syntax import nodes

_HELP = "give it a name"


def _may_be_empty(context: Context) -> bool:
    node = context.node
    has_name = isinstance(node, nodes.Create) and node.table.parts[-1] != ""
    return not has_name or has_special_clauses(context) or has_special_columns(context)


@rule(
    Severity.ERROR,
    on=(
        nodes.Create,
        nodes.AddColumns,
        nodes.RenameColumn,
        nodes.ReplaceColumns,
        nodes.RenameTable,
        nodes.DropTable,
        nodes.Use,
    ),
    spec="Schemas and Data Types",
    when=_may_be_empty,
    category=Category.COLUMNS,
    spark_only=True,
)
def empty_name(context: Context) -> Findings:
    """Every empty name of a new column or of a table."""
    node = context.node
    if isinstance(node, nodes.Create | nodes.DropTable | nodes.RenameTable):
        table = node.new_name if isinstance(node, nodes.RenameTable) else node.table
        if not table.parts[-1]:
            yield Finding(table.span, "the name of the table is empty", _HELP, early=True)
    if isinstance(node, nodes.Use) and not all(node.name.parts):
        yield Finding(node.name.span, "the name is empty", "name a catalog or a namespace")
    if isinstance(node, nodes.Create) and node.location is not None and not node.location[0]:
        yield Finding(node.location[1], "the table's location is empty", "leave out LOCATION", early=True)
    if isinstance(node, nodes.RenameColumn) and not context.is_not_iceberg:
        if not node.new_name.parts[-1]:
            yield Finding(node.new_name.span, "the new name of the column is empty", _HELP)
    elif isinstance(node, nodes.AddColumns):
        for path, _ in node.columns:
            if not path.parts[-1] and not context.is_not_iceberg:
                yield Finding(path.span, "the name of the column is empty", _HELP)
    for column, nested_columns in context.nested_new_columns:
        if isinstance(node, nodes.AddColumns) and not column.name:
            continue
        if any(not nested_column.field.name for nested_column in nested_columns):
            where = f"a field in `{column.name}`" if column.name else "the column"
            yield Finding(column.span, f"the name of {where} is empty", _HELP)
