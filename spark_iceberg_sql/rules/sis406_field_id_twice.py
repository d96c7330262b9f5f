"""A field that version 1 had voided, added again after the upgrade to version 2.

## Why
Version 1 leaves a dropped field in the spec as void, under its id. Version 2 gives a field that is added
again the id that it had. Both are then in the spec under one id; the statement is accepted, and SELECT,
INSERT and DELETE all fail ("Multiple entries with same key: 1000"). CREATE OR REPLACE TABLE does not cure
it.

## Instead
Drop the void field first, or add the field AS a new name, which gives it a new id. Where it has happened:
drop the new field, then `CALL system.expire_snapshots(table => '...', clean_expired_metadata => true)`.

## Examples
```sql bad
CREATE TABLE users (id BIGINT) USING iceberg
PARTITIONED BY (bucket(8, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE users DROP PARTITION FIELD id_bucket;
ALTER TABLE users SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE users ADD PARTITION FIELD bucket(8, id);
```
```sql good
CREATE TABLE users (id BIGINT) USING iceberg
PARTITIONED BY (bucket(8, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE users DROP PARTITION FIELD id_bucket;
ALTER TABLE users SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE users DROP PARTITION FIELD id_bucket;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id);
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import Kind
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.names import free_name, with_name
from spark_iceberg_sql.rules.sis405_void_without_column import drop_void
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.AddField, nodes.ReplaceField), spec="Partition Evolution")
def field_id_twice(context: Context) -> Iterator[Finding]:
    """A new field that takes an id that a void field of the spec still has."""
    wanted = context.wanted
    for item in context.new_damage:
        if item.kind is not Kind.ID_TWICE or item.other is None or wanted is None:
            continue
        clause, fix = with_name(context, free_name(context.specs, context.schema, wanted))
        facts = context.new_terms[0]
        void = next(f for f in context.specs.spec.fields if f.field_id == item.field.field_id)
        yield Finding(
            facts.term.span,
            f"`{item.field.clause}` takes its old field id {item.field.field_id} again, which the void "
            f"field `{void.name}` still has: afterwards nothing reads or writes the table",
            f"first {drop_void(context, void)}, or write `{clause}`",
            fix,
        )
