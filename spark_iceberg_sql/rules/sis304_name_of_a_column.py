"""A partition field with the name of a column.

## Why
The names of partition fields and columns must differ, unless the field is identity on that column. Iceberg
refuses the name of another column. It accepts the name of the field's own source column, `bucket(8, id) AS id`,
and from then on the name means the column: DROP PARTITION FIELD id does not find the field, and identity on the
column cannot be added.

## Instead
A name that no column has, or no name: Iceberg's default names are `id_bucket` in CREATE TABLE, `id_bucket_8` in
ALTER TABLE.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, id_bucket INT) USING iceberg PARTITIONED BY (bucket(8, id));
```
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS name;
```
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS id;
```
```sql good
CREATE TABLE users (id BIGINT, name STRING) USING iceberg PARTITIONED BY (name);
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS id_shard;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import renamed_clause, unused_field_name
from spark_iceberg_sql.rules.message_format import column_text
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partitioning",
    when=has_risky_fields,
    category=Category.FIELDS,
)
def name_of_a_column(context: Context) -> Findings:
    """Every new field whose name, given or default, is a column's."""
    if isinstance(context.node, nodes.Create):
        yield from _created(context)
        return
    added_field, requested_field = context.added_field, context.requested_field
    if added_field is None or requested_field is None:
        return
    column = context.schema.find((added_field.name,))
    if column is None:
        return
    is_source_column = column.field.field_id == added_field.source_id
    if is_source_column and added_field.transform.transform.is_identity:
        return
    clause, fix = renamed_clause(context, unused_field_name(context.specs, context.schema, requested_field))
    facts = context.new_terms[0]
    if is_source_column:
        message = (
            f"the field would be named `{added_field.name}`, like its source column, and could not be dropped by "
            "that name"
        )
    else:
        message = f"the field would be named `{added_field.name}`, but that is a column"
    yield Finding(facts.name.span if facts.name else facts.term.span, message, f"write `{clause}`", fix)


def _created(context: Context) -> Findings:
    for facts in context.terms:
        requested_field = facts.requested_field
        if requested_field is None or requested_field.transform.transform.suffix is None:
            continue
        name = requested_field.transform.transform.create_name(requested_field.source)
        if (column := context.schema.find((name,))) is not None:
            yield Finding(
                facts.term.span,
                f"the field would be named `{name}`, but that is a column",
                f"rename the column `{column_text(column)}`, or leave out the field and then write "
                f"`ALTER TABLE {context.target.text} ADD PARTITION FIELD {context.text_at(facts.term.span)} AS ...`",
            )
