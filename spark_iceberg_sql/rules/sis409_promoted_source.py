"""Changing the type of a partition field's source column.

## Why
Iceberg can only widen int to bigint, float to double and a decimal's precision; an int and the same bigint have
the same hash, so bucket values stay correct. A change that would move rows to other partitions, date to timestamp
or int to string (34 and '34' hash differently), is refused ("Cannot change column type").

## Instead
A new column of the new type, filled from the old one, and a partition field on it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, day DATE) USING iceberg PARTITIONED BY (days(day));
ALTER TABLE events ALTER COLUMN day TYPE TIMESTAMP_NTZ;
```
```sql good
CREATE TABLE events (id BIGINT, day DATE, count INT) USING iceberg PARTITIONED BY (days(day));
ALTER TABLE events ALTER COLUMN count TYPE BIGINT;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import Primitive, promotes
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_fields
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.AlterColumn,), spec="Schema Evolution", category=Category.TABLE)
def promoted_source(context: Context) -> Findings:
    """A type change of a source column of any spec: refused, or a widening that other engines may not support."""
    assert isinstance(context.node, nodes.AlterColumn)
    for change in (context.node, *context.node.other_changes):
        if change.type is None or change.type_span is None:
            continue  # a comment or a move does not change the type
        columns = context.schema.find_all(change.column.parts)
        if len(columns) != 1:
            continue
        old = columns[0].field
        fields = tuple(f for f in context.specs.all_fields if f.source_id == old.field_id and not f.transform.is_void)
        if not fields or not isinstance(old.type, Primitive):
            continue
        subject = f"`{columns[0].name}` is the source column of {display_fields(tuple(dict.fromkeys(fields)))}"
        if not promotes(old.type, change.type):
            yield Finding(
                change.type_span,
                f"{subject}: its type cannot change from {old.type} to {change.type}",
                f"write `ALTER TABLE {context.target.text} ADD COLUMN {old.name}_new {change.type_text}`, fill it, "
                "and partition by that",
            )
        # To Iceberg, tinyint and int are one type.
        elif isinstance(change.type, Primitive) and (
            (old.type.name, old.type.arguments) != (change.type.name, change.type.arguments)
        ):
            yield Finding(
                change.type_span,
                f"{subject}: old files keep values of type {old.type}, which readers must widen",
                "keep the statement if every engine that reads the table supports type promotion",
                severity=Severity.WARNING,
            )
