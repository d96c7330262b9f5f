"""Two partition fields with the same name.

## Why
Iceberg refuses a name that the spec already has. It accepts names that differ only in case, `shard` and
`Shard`, and then Spark cannot tell them apart: SELECT with a filter, `.files`, `_partition` and row updates fail
("Cannot build lower case index").

## Instead
Another name, or no name.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users ADD PARTITION FIELD truncate(2, name) AS shard;
```
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users ADD PARTITION FIELD truncate(2, name) AS Shard;
```
```sql good
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users ADD PARTITION FIELD truncate(2, name) AS prefix;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import CorruptionKind
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field, renamed_clause, unused_field_name
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partitioning",
    when=has_risky_fields,
    category=Category.FIELDS,
)
def name_taken(context: Context) -> Findings:
    """A new field with the name of another field of the spec, ignoring case."""
    if isinstance(context.node, nodes.Create):
        for item in context.new_corruption if context.terms else ():
            is_same_name = item.kind is CorruptionKind.SAME_NAME_NOW
            if is_same_name and item.other is not None and item.other.name != item.field.name:  # else SIS301, SIS302
                yield Finding(
                    context.node.partitioning_span or context.node.span,
                    f"two fields would be named `{item.other.name}` and `{item.field.name}`: "
                    "Spark cannot tell them apart",
                    "rename the column that one of them comes from",
                )
        return
    added_field, requested_field = context.added_field, context.requested_field
    if added_field is None or requested_field is None:
        return
    other = _field_with_name(context, added_field)
    if other is None:
        return
    facts = context.new_terms[0]
    clause, fix = renamed_clause(context, unused_field_name(context.specs, context.schema, requested_field))
    yield Finding(
        facts.name.span if facts.name else facts.term.span,
        f"`{added_field.name}` is already the name of the partition field `{other.clause}`"
        if other.name == added_field.name
        else f"`{added_field.name}` differs only in case from the partition field {display_field(other)}",
        f"write `{clause}`",
        fix,
    )


def _field_with_name(context: Context, added_field: PartitionField) -> PartitionField | None:
    """The other field of the spec that has the name and keeps it."""
    fold = str if context.catalog.case_sensitive else str.lower
    for field in context.specs.spec.fields:
        if fold(field.name) != fold(added_field.name) or field.key == added_field.key:
            continue
        if field.name != added_field.name:
            keeps_name = field is not context.dropped_field or context.specs.format_version < 2
        else:
            # A dropped or void field of exactly this name is renamed out of the way.
            keeps_name = field is not context.dropped_field and not field.transform.is_void
        if keeps_name:
            return field
    return None
