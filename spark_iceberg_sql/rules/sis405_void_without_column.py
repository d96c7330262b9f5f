"""Dropping the source column of a void partition field.

## Why
A version 1 table never removes a partition field: a dropped one stays in the spec as void, and void still has a
source column. Iceberg accepts DROP COLUMN on that column, or a CREATE OR REPLACE TABLE without it, and afterwards
every INSERT fails ("Cannot build accessor for field: null").

## Instead
Keep the column. Or remove the void field first: upgrade to version 2, then DROP PARTITION FIELD again.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, day DATE, ts TIMESTAMP) USING iceberg
PARTITIONED BY (day, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE events DROP PARTITION FIELD day;
ALTER TABLE events DROP COLUMN day;
```
```sql good
CREATE TABLE events (id BIGINT, day DATE, ts TIMESTAMP) USING iceberg
PARTITIONED BY (day, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE events DROP PARTITION FIELD day;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import CorruptionKind
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField, nodes.DropColumns, nodes.ReplaceColumns),
    spec="Partition Transforms",
    when=has_risky_fields,
    category=Category.TABLE,
)
def void_without_column(context: Context) -> Findings:
    """A void field, besides live ones, whose source column the statement drops."""
    if isinstance(context.node, nodes.Create) and context.replaced_table is None:
        return
    for item in context.new_corruption:
        if item.kind is not CorruptionKind.VOID_WITHOUT_SOURCE:
            continue
        field = item.field
        yield Finding(
            dropped_column_span(context, field.source),
            f"the void partition field `{field.name}` would lose its source column `{field.source}`: "
            "afterwards every INSERT fails",
            f"keep the column, or first write {drop_void_statements(context, field)}",
        )


def drop_void_statements(context: Context, field: PartitionField) -> str:
    """The statements that remove a void field from the spec, in version 2."""
    table = context.target.text
    clauses = []
    if context.specs.format_version < 2:
        clauses.append("SET TBLPROPERTIES ('format-version' = '2')")
    schema = context.iceberg_table.schema
    if schema is not None and schema.find((field.name,)) is not None:
        # The name means the column as long as there is one.
        new = quoted(f"{field.name.rsplit('.', 1)[-1]}_column")
        clauses.append(f"RENAME COLUMN {field.name} TO {new}")
    clauses.append(f"DROP PARTITION FIELD {quoted(field.name)}")
    return " and ".join(f"`ALTER TABLE {table} {clause}`" for clause in clauses)


def dropped_column_span(context: Context, source: str) -> terms.Offsets:
    """The span of the dropped column, or else of the table's name."""
    if isinstance(context.node, nodes.DropColumns):
        for ref in context.node.columns:
            name = ".".join(ref.parts).lower()
            if (source.lower() + ".").startswith(name + "."):
                return ref.span
    return context.target.span
