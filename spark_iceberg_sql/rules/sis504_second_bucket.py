"""A second bucket field on a column that is already bucketed.

## Why
`bucket(16, id)` together with `bucket(64, id)` splits each partition again by the same hash: queries for one id
can prune by the finer one alone, and the coarser one only adds folders. Usually the finer one was meant to
replace it.

## Instead
`REPLACE PARTITION FIELD bucket(16, id) WITH bucket(64, id)`; existing files keep the old spec.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE events ADD PARTITION FIELD bucket(64, id);
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE events REPLACE PARTITION FIELD bucket(16, id) WITH bucket(64, id);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import abbreviate_names
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(Severity.WARNING, on=(nodes.AddField,), when=has_risky_fields, category=Category.ADVICE)
def second_bucket(context: Context) -> Findings:
    """ADD of a bucket on the source column of other buckets of the current spec, reported once."""
    for facts in context.new_terms:
        bound, column = facts.bound, facts.column
        if bound is None or not bound.transform.hashes or column is None:
            continue
        source_id = column.field.field_id
        other_buckets = [
            field
            for field in context.specs.spec.fields
            if field.source_id == source_id
            and field.transform.transform is bound.transform
            and field.transform.parameter != bound.parameter
        ]
        if other_buckets:
            new_clause, old_clause = bound.clause(facts.source_text), other_buckets[-1].clause
            yield Finding(
                facts.term.span,
                f"`{column.name}` is already bucketed, by "
                f"{abbreviate_names([field.clause for field in other_buckets[:4]], len(other_buckets))}",
                f"write `ALTER TABLE {context.target.text} REPLACE PARTITION FIELD {old_clause} WITH {new_clause}`",
            )
