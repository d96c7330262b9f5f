"""REPLACE of a partition field with itself.

## Why
Iceberg accepts it, and nothing changes: no new spec is created.

## Instead
Another transform, or AS with a new name, which renames the field and keeps its id.

## Examples
```sql bad
CREATE TABLE users (id BIGINT) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE users REPLACE PARTITION FIELD id_bucket WITH bucket(16, id);
```
```sql good
CREATE TABLE users (id BIGINT) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE users REPLACE PARTITION FIELD id_bucket WITH bucket(16, id) AS shard;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.WARNING,
    on=(nodes.ReplaceField,),
    spec="Partition Evolution",
    when=has_risky_fields,
    category=Category.TABLE,
)
def replaced_by_itself(context: Context) -> Findings:
    """The same source, transform and name before and after WITH."""
    dropped_field, added_field = context.dropped_field, context.added_field
    if dropped_field is None or added_field != dropped_field:
        return
    facts = context.new_terms[0]
    yield Finding(
        facts.term.span,
        f"`{dropped_field.name}` is already `{dropped_field.clause}`: nothing changes",
        f"write another transform after WITH, or `{context.text_at(facts.term.span)} AS ...` to rename it",
    )
