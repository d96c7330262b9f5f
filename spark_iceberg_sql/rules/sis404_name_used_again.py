"""A new partition field with the name of a dropped one.

## Why
Files keep the spec that they were written with, and Iceberg merges all specs, by field id, into one struct.
That struct cannot have two ids with the same name: the statement is accepted, and from then on `.files`,
`.partitions`, `_partition`, merge-on-read DELETE, UPDATE and MERGE, and rewrites fail ("multiple fields for
name partition.shard: 1000 and 1001"). It happens with REPLACE ... AS the old name, with DROP followed by ADD
... AS the same name, and with CREATE OR REPLACE TABLE, whose default names omit the number: bucket(8, id) and
bucket(16, id) are both `id_bucket`. Case makes no difference. A version 1 table renames the dropped field and
is safe.

## Instead
REPLACE without AS, or AS a name that was never used. Adding the *same* transform again is fine: it gets its old
id back. For CREATE OR REPLACE: keep the transform, change it with ALTER TABLE, or DROP TABLE first.

## Examples
```sql bad
CREATE TABLE users (id BIGINT) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard;
```
```sql bad
CREATE TABLE users (id BIGINT) USING iceberg PARTITIONED BY (bucket(8, id));
CREATE OR REPLACE TABLE users (id BIGINT) USING iceberg PARTITIONED BY (bucket(16, id));
```
```sql good
CREATE TABLE users (id BIGINT) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard_16;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.corruption import CorruptField, CorruptionKind
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import renamed_clause, unused_field_name
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partition Evolution",
    when=has_risky_fields,
    category=Category.TABLE,
)
def name_used_again(context: Context) -> Findings:
    """A new field that has the name of a past one, ignoring case, but another id."""
    if isinstance(context.node, nodes.Create) and context.replaced_table is None:
        return
    for item in context.new_corruption:
        if item.kind is CorruptionKind.SAME_NAME and item.other is not None:
            yield _finding(context, item)


def _finding(context: Context, item: CorruptField) -> Finding:
    field, other = item.field, item.other
    assert other is not None
    facts = _causing_term(context, item)
    message = (
        f"`{field.name}` was the name of the partition field `{other.clause}`: "
        "if it is reused, `.files`, `.partitions` and row-level changes fail"
    )
    requested_field = context.requested_field
    if isinstance(context.node, nodes.Create) or requested_field is None:
        span = facts.term.span if facts is not None else context.target.span
        new = f"`ALTER TABLE {context.target.text} REPLACE PARTITION FIELD {other.clause} WITH {field.clause}`"
        return Finding(span, message, f"write `{other.clause}`, change it with {new}, or drop the table first")
    clause, fix = renamed_clause(context, unused_field_name(context.specs, context.schema, requested_field))
    new_facts = context.new_terms[0]
    span = new_facts.name.span if new_facts.name is not None else new_facts.term.span
    return Finding(span, message, f"write `{clause}`", fix)


def _causing_term(context: Context, item: CorruptField) -> ResolvedTerm | None:
    """The term that creates the newer field, or else the one that restores the older field."""
    facts_by_key = {
        (facts.requested_field.source_id, str(facts.requested_field.transform)): facts
        for facts in context.new_terms
        if facts.requested_field is not None
    }
    fields = (item.field, item.other) if item.other is not None else (item.field,)
    return next((facts_by_key[field.key] for field in fields if field.key in facts_by_key), None)
