"""A variant inside an array or a map.

## Why
Iceberg (1.12) writes such a column, but a query that does not read the column cannot read the Parquet files:
`SELECT id` fails ("Only non-nested columns are supported for vectorized reads"). In a table without
partition fields, `.position_deletes` and `rewrite_position_delete_files` fail as well, if the variant is an
array's element or a map's value itself ("Cannot explicitly project List or Map types").

## Instead
One variant: its value can itself be an array or an object. For an existing column, the property
`'read.parquet.vectorization.enabled' = 'false'` lets every query read the files, more slowly.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, items ARRAY<VARIANT>) USING iceberg TBLPROPERTIES ('format-version' = '3');
```
```sql good
CREATE TABLE events (id BIGINT, items VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3');
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import List, Map, primitives
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_nonstandard_types
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddColumns, nodes.ReplaceColumns),
    spec="Schemas and Data Types",
    when=has_nonstandard_types,
    category=Category.COLUMNS,
    spark_only=True,
)
def variant_in_collection(context: Context) -> Findings:
    """Every new column with a variant below an array or a map, unless the table's version is too low for it."""
    node = context.node
    paths = {column: path for path, column in node.columns} if isinstance(node, nodes.AddColumns) else {}
    for column, nested_columns in context.nested_new_columns:
        if column.type is None or not any(p.name == "variant" for p in primitives(column.type)):
            continue
        path = paths.get(column)
        name = path.text if path is not None else quoted(column.name)
        if path is not None and _in_collection(context, path):
            help_ = f"write `{name} STRING`, and read it with parse_json"
        elif any(str(c.field.type) == "variant" and c.in_collection for c in nested_columns):
            help_ = f"write `{name} VARIANT`: its value can itself be an array or an object"
        else:
            continue
        if context.format_version is not None and context.format_version < 3:
            return  # SIS205
        yield Finding(
            column.type_span,
            f"`{path.text if path else column.name}` holds variants inside an array or a map: a query that "
            "does not read this column cannot read the table's Parquet files",
            help_,
        )


def _in_collection(context: Context, path: terms.NamePath) -> bool:
    """True if a new column's path leads into a list or a map of the table."""
    schema = context.schema_if_known
    return schema is not None and any(
        isinstance(column.field.type, List | Map) for column in schema.enclosing_columns(path.parts)
    )
