"""The void transform in DDL.

## Why
`void` is what format version 1 leaves in the place of a dropped partition field; nobody can ask for it
("Transform is not supported").

## Instead
Drop the partition field, and in a version 1 table it becomes void. To have no partitions, leave the clause
out.

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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
)
def void_in_ddl(context: Context) -> Iterator[Finding]:
    """`void(x)`, and `always_null(x)`, the name that metadata of old had for it."""
    node = context.node
    for facts in context.terms:
        record, call = facts.transform, facts.term.call
        if call is None or not (call.lower() == "always_null" or (record and not record.in_ddl)):
            continue
        if isinstance(node, nodes.ReplaceField) and not facts.dropping:
            old = context.words(node.old.span)
            help_ = f"write `ALTER TABLE {node.table.text} DROP PARTITION FIELD {old}`"
        elif facts.dropping:
            help_ = (
                "a field that is void already needs no drop: upgrade to format version 2 to lose it"
            )
        else:
            help_ = f"leave `{context.words(facts.term.span)}` out"
        yield Finding(facts.term.span, f"`{call}` cannot be used in DDL", help_)
