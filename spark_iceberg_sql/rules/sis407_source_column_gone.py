"""Dropping the source column of a partition field.

## Why
A source column of the current spec cannot be dropped ("Cannot find source column for partition field"). A source
column of only a past spec can, and then merge-on-read DELETE, UPDATE and MERGE fail ("Cannot find field 1000: ...
in struct"), because that spec, or files written with it, still exist. The same happens if the column is already
dropped and merge-on-read is enabled later.

## Instead
Drop the partition field first. For a column of a past spec: rewrite the old files, expire the snapshots
with `clean_expired_metadata => true`, then drop the column; or keep it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events DROP COLUMN ts;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP, note STRING) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events DROP COLUMN note;
ALTER TABLE events RENAME COLUMN ts TO event_ts;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import CorruptionKind
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field, display_fields
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.rules.sis405_void_without_column import dropped_column_span
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.DropColumns, nodes.ReplaceColumns, nodes.SetProperties),
    spec="Partition Evolution",
    when=has_special_clauses,
    category=Category.TABLE,
)
def source_column_gone(context: Context) -> Findings:
    """A source column of the current spec, or of a past one, that the statement drops."""
    if isinstance(context.node, nodes.Create) and context.replaced_table is None:
        return
    table_after = context.table_after
    if table_after is None or table_after.schema is None:
        return
    if isinstance(context.node, nodes.DropColumns | nodes.ReplaceColumns):
        fields = tuple(
            field
            for field in context.specs.spec.fields
            if not field.transform.is_void and table_after.schema.by_id(field.source_id) is None
        )
        if fields:
            drop_statements = "; ".join(
                f"ALTER TABLE {context.target.text} DROP PARTITION FIELD {quoted(f.name)}" for f in fields
            )
            yield Finding(
                dropped_column_span(context, fields[0].source),
                f"`{fields[0].source}` is the source column of {display_fields(fields)}",
                f"keep the column, or first write `{drop_statements}`",
            )
            return
    # Without merge-on-read, only statements that request it fail.
    items, merges_on_read = context.row_change_corruption
    for item in items:
        if item.kind is CorruptionKind.PAST_WITHOUT_SOURCE:
            if isinstance(context.node, nodes.SetProperties):
                yield _merge_on_read_finding(context, item.field)
                continue
            yield Finding(
                dropped_column_span(context, item.field.source),
                f"a past spec partitions by `{item.field.source}`, in {display_field(item.field)}: "
                "without the column, merge-on-read DELETE, UPDATE and MERGE fail",
                f"keep the column `{item.field.source}`, or first rewrite the old files and expire the "
                "snapshots with `clean_expired_metadata => true`",
                severity=Severity.ERROR if merges_on_read else Severity.WARNING,
            )


def _merge_on_read_finding(context: Context, field: PartitionField) -> Finding:
    return Finding(
        context.target.span,
        f"a past spec partitions by the dropped column `{field.source}`, in {display_field(field)}: merge-on-read "
        "DELETE, UPDATE and MERGE fail",
        "keep copy-on-write, or first rewrite the old files and expire the snapshots with "
        "`clean_expired_metadata => true`",
    )
