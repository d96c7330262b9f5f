"""A column type that only format version 3 has.

## Why
variant and void (unknown) were added in format version 3. In a version 1 or 2 table (2 is the default) the
runtime refuses them ("variant is not supported until v3").

## Instead
`TBLPROPERTIES ('format-version' = '3')`, if every engine that reads the table supports it; or a string instead
of a variant.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, payload VARIANT) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events ADD COLUMN payload VARIANT;
```
```sql good
CREATE TABLE events (id BIGINT, payload VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3');
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import V3_TYPES, primitives
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_nonstandard_types
from spark_iceberg_sql.syntax import nodes

_REQUIRED_VERSION = 3


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddColumns, nodes.ReplaceColumns),
    spec="Schemas and Data Types",
    when=has_nonstandard_types,
    category=Category.COLUMNS,
    iceberg_only=True,
    spark_only=True,
    in_models=False,
)
def type_needs_v3(context: Context) -> Findings:
    """Every new column, at any depth, of a version 3 type in a table of an earlier version."""
    for column in context.new_columns:
        v3_type = column.type and next((p for p in primitives(column.type) if p.name in V3_TYPES), None)
        if not v3_type:
            continue
        version = context.format_version
        if version is None or version >= _REQUIRED_VERSION:
            return
        type_name = "void" if v3_type.name == "unknown" else v3_type.name
        help_ = f"write {version_clause(context)}"
        if v3_type.name == "variant":
            help_ += f", or `{column.name} STRING`"
        yield Finding(
            column.type_span,
            f"`{column.name}` is a {type_name}, which needs format version 3, but the table has version {version}",
            help_,
        )


def version_clause(context: Context) -> str:
    """The clause that gives the statement's table format version 3."""
    if isinstance(context.node, nodes.Create):
        return "`TBLPROPERTIES ('format-version' = '3')`"
    return f"`ALTER TABLE {context.target.text} SET TBLPROPERTIES ('format-version' = '3')` first"
