"""A new or renamed column with the name of a partition field.

## Why
Partition fields and columns share one namespace, and Iceberg checks new column names against every spec,
including past ones: it refuses the column ("Cannot create identity partition sourced from different field in
schema").

## Instead
Another name for the column. A field of the current spec can be renamed: REPLACE it with itself AS a new name. A
field of a past spec cannot.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events ADD COLUMN ts_day DATE;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP, day DATE) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events DROP PARTITION FIELD ts_day;
ALTER TABLE events RENAME COLUMN day TO ts_day;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events ADD COLUMN day_of_ts DATE;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.syntax import nodes, terms


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddColumns, nodes.RenameColumn, nodes.AlterColumn, nodes.ReplaceColumns),
    spec="Partitioning",
    when=has_special_clauses,
    category=Category.TABLE,
)
def column_named_like_a_field(context: Context) -> Findings:
    """A column with the name of a field of any spec, unless it is the field's source."""
    node = context.node
    if isinstance(node, nodes.Create) and context.replaced_table is None:
        return
    if isinstance(node, nodes.AlterColumn) and node.new_name is None:
        return  # no name changes, whatever the table is
    table_after = context.table_after
    if table_after is None or table_after.schema is None:
        return
    reported_names: set[str] = set()
    names = table_after.schema.names
    for field in context.specs.all_fields:
        if field.name not in names or field.name in reported_names:
            continue
        column = table_after.schema.find((field.name,))
        # Iceberg does not check a field whose source column is dropped.
        if column is None or table_after.schema.by_id(field.source_id) is None:
            continue
        if column.field.field_id == field.source_id:
            yield from _source_renamed(context, field)
            continue
        reported_names.add(field.name)
        spec_note = "" if field in context.specs.spec.fields else " of a past spec"
        name = field.name.rsplit(".", 1)[-1]
        yield Finding(
            _name_span(context, field.name),
            f"`{field.name}` is the name of a partition field{spec_note}, {display_field(field)}",
            f"give the column another name, for example `{name}_value`",
        )


def _source_renamed(context: Context, field: PartitionField) -> Findings:
    """The source column renamed to its field's name: accepted, and the name then means the column."""
    if (
        not isinstance(context.node, nodes.RenameColumn)
        or field not in context.specs.spec.fields
        or field.transform.transform.is_identity
        or context.schema.find((field.name,)) is not None
    ):
        return
    yield Finding(
        context.node.new_name.span,
        f"`{field.name}` is the name of the partition field {display_field(field)} on this column, and would then mean "
        "the column",
        f"give the column another name, or first write `ALTER TABLE {context.target.text} REPLACE PARTITION FIELD "
        f"{field.name} WITH {field.clause} AS ...`",
        severity=Severity.WARNING,
    )


def _name_span(context: Context, name: str) -> terms.Offsets:
    """The column's name in the statement."""
    node = context.node
    spans: dict[str, terms.Offsets] = {}
    match node:
        case nodes.AddColumns():
            spans = {".".join(ref.parts).lower(): ref.span for ref, _ in node.columns}
        case nodes.RenameColumn():
            return node.new_name.span
        case nodes.AlterColumn():
            return node.new_name.span if node.new_name is not None else node.column.span
        case nodes.Create() | nodes.ReplaceColumns():
            spans = {column.name.lower(): column.span for column in node.columns or ()}
    return spans.get(name.lower(), context.target.span)
