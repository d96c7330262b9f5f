"""A source column whose type the transform does not accept.

## Why
bucket accepts integers, decimals, dates, timestamps, strings and binaries; truncate accepts integers, decimals,
strings and binaries; years, months and days accept dates and timestamps; hours accepts only timestamps.
Everything else is refused ("Invalid source type string for transform: day").

## Instead
A transform that accepts the column's type, or a column of a type that the transform accepts.

## Examples
```sql bad
CREATE TABLE people (id BIGINT, name STRING) USING iceberg PARTITIONED BY (days(name));
```
```sql bad
CREATE TABLE people (id BIGINT, born DATE) USING iceberg;
ALTER TABLE people ADD PARTITION FIELD hours(born);
```
```sql good
CREATE TABLE people (id BIGINT, name STRING, born DATE) USING iceberg
PARTITIONED BY (truncate(4, name), years(born));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import Primitive, is_iceberg
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import alternative_help
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.rules.sis203_source_not_primitive import NOT_PRIMITIVE
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_risky_fields,
    category=Category.COLUMNS,
)
def type_not_accepted(context: Context) -> Findings:
    """Every transform over a primitive column that it does not accept."""
    for facts in context.new_terms:
        transform, column = facts.transform, facts.column
        if transform is None or not transform.in_ddl or column is None or column.in_collection:
            continue
        data_type = column.field.type
        if not isinstance(data_type, Primitive) or data_type.name in NOT_PRIMITIVE or not is_iceberg(data_type):
            continue
        if transform.takes(data_type):
            continue
        name = facts.source_text
        yield Finding(
            facts.source.span if facts.source else facts.term.span,
            f"`{facts.term.transform_name}` needs {transform.accepts}, but `{name}` is {type_with_article(data_type)}",
            alternative_help(transform, name, data_type, facts.parameter),
        )
