"""A field that was voided in version 1, added again after the upgrade to version 2.

## Why
Version 1 keeps a dropped field in the spec as void, with its id. Version 2 gives a field that is added again its
old id. The spec then has both fields with the same id; the statement is accepted, and SELECT, INSERT and DELETE
all fail ("Multiple entries with same key: 1000"). CREATE OR REPLACE TABLE does not repair it.

## Instead
Drop the void field first, or add the field AS a new name, which gives it a new id. To repair an existing table,
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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import CorruptionKind
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import renamed_clause, unused_field_name
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.rules.sis405_void_without_column import drop_void_statements
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.AddField, nodes.ReplaceField),
    spec="Partition Evolution",
    when=has_risky_fields,
    category=Category.TABLE,
)
def field_id_twice(context: Context) -> Findings:
    """A new field that gets an id that a void field of the spec still has."""
    requested_field = context.requested_field
    for item in context.new_corruption:
        if item.kind is not CorruptionKind.ID_TWICE or item.other is None or requested_field is None:
            continue
        clause, fix = renamed_clause(context, unused_field_name(context.specs, context.schema, requested_field))
        facts = context.new_terms[0]
        void = next(f for f in context.specs.spec.fields if f.field_id == item.field.field_id)
        yield Finding(
            facts.term.span,
            f"`{item.field.clause}` would reuse field id {item.field.field_id}, which the void field "
            f"`{void.name}` still holds; the table could then be neither read nor written",
            f"first write {drop_void_statements(context, void)}, or write `{clause}`",
            fix,
        )
