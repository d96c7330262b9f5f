"""The void transform in DDL.

## Why
`void` is what remains of a dropped partition field in format version 1; DDL cannot create it ("Transform is
not supported").

## Instead
Drop the partition field; in a version 1 table it becomes void. For an unpartitioned table, leave out the clause.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, region STRING) USING iceberg PARTITIONED BY (void(id), region);
```
```sql bad
CREATE TABLE events (id BIGINT, region STRING) USING iceberg PARTITIONED BY (region);
ALTER TABLE events REPLACE PARTITION FIELD region WITH void(region);
```
```sql good
CREATE TABLE events (id BIGINT, region STRING) USING iceberg PARTITIONED BY (region);
ALTER TABLE events DROP PARTITION FIELD region;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_noncanonical_terms,
    category=Category.TEXT,
)
def void_in_ddl(context: Context) -> Findings:
    """`void(x)`, and `always_null(x)`, its name in old metadata."""
    node = context.node
    for facts in context.terms:
        transform, call = facts.transform, facts.term.transform_name
        if call is None or not (call.lower() == "always_null" or (transform and not transform.in_ddl)):
            continue
        if isinstance(node, nodes.ReplaceField) and not facts.dropping:
            old = context.text_at(node.old.span)
            help_ = f"write `ALTER TABLE {node.table.text} DROP PARTITION FIELD {old}`"
        elif facts.dropping:
            help_ = "a void field is already dropped: upgrade to format version 2 to remove it"
        else:
            help_ = f"leave out `{context.text_at(facts.term.span)}`"
        yield Finding(facts.term.span, f"`{call}` cannot be used in DDL", help_)
