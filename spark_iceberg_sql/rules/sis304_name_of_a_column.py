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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.names import free_name, with_name
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.rules.words import written
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partitioning",
    when=odd_fields,
    category=Category.FIELDS,
)
def name_of_a_column(context: Context) -> Iterator[Finding]:
    """Every new field whose name, given or default, is a column's."""
    if isinstance(context.node, nodes.Create):
        yield from _created(context)
        return
    proposed, wanted = context.proposed, context.wanted
    if proposed is None or wanted is None:
        return
    column = context.schema.find((proposed.name,))
    if column is None:
        return
    own = column.field.field_id == proposed.source_id
    if own and proposed.transform.transform.is_identity:
        return
    clause, fix = with_name(context, free_name(context.specs, context.schema, wanted))
    facts = context.new_terms[0]
    if own:
        message = (
            f"the field would be named `{proposed.name}`, like its source column, and could not be dropped by "
            "that name"
        )
    else:
        message = f"the field would be named `{proposed.name}`, but that is a column"
    yield Finding(
        facts.name.span if facts.name else facts.term.span, message, f"write `{clause}`", fix
    )


def _created(context: Context) -> Iterator[Finding]:
    for facts in context.terms:
        wanted = facts.wanted
        if wanted is None or wanted.transform.transform.suffix is None:
            continue
        name = wanted.transform.transform.create_name(wanted.source)
        column = context.schema.find((name,))
        if column is not None:
            yield Finding(
                facts.term.span,
                f"the field would be named `{name}`, but that is a column",
                f"rename the column `{written(column)}`, or leave out the field and then write "
                f"`ALTER TABLE {context.target.text} ADD PARTITION FIELD {context.words(facts.term.span)} AS ...`",
            )
