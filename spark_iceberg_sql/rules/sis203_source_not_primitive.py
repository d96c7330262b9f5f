"""A source column that is a struct, a list, a map, a variant or a geometry.

## Why
A partition value is a single primitive value. Structs, lists, maps, variants, geometries and geographies are
refused ("Cannot partition by non-primitive source field").

## Instead
For a struct, one of its fields: `PARTITIONED BY (address.city)`. For the others, a primitive column with the
value to partition by.

## Examples
```sql bad
CREATE TABLE people (id BIGINT, address STRUCT<city: STRING, zip: STRING>) USING iceberg
PARTITIONED BY (address);
```
```sql bad
CREATE TABLE people (id BIGINT, tags ARRAY<STRING>) USING iceberg;
ALTER TABLE people ADD PARTITION FIELD bucket(8, tags);
```
```sql good
CREATE TABLE people (id BIGINT, address STRUCT<city: STRING, zip: STRING>) USING iceberg
PARTITIONED BY (address.city);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.types import Primitive, Struct
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import column_text, join_names
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes

NOT_PRIMITIVE = frozenset({"variant", "geometry", "geography"})


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partitioning",
    when=has_risky_fields,
    category=Category.COLUMNS,
)
def source_not_primitive(context: Context) -> Findings:
    """Every source column of a nested or semi-structured type."""
    for facts in context.new_terms:
        ref, column = facts.source, facts.column
        if ref is None or column is None or column.in_collection:
            continue
        data_type = column.field.type
        if isinstance(data_type, Primitive) and data_type.name not in NOT_PRIMITIVE:
            continue
        type_text = "a struct" if isinstance(data_type, Struct) else f"of type {data_type}"
        yield Finding(
            ref.span,
            f"`{ref.text}` is {type_text}, and only primitive columns can partition a table",
            _help(context, facts, column),
        )


def _help(context: Context, facts: ResolvedTerm, column: Column) -> str:
    transform = facts.transform
    if transform is None or not transform.in_ddl:
        return "partition by a primitive column"

    nested = isinstance(column.field.type, Struct)
    clauses = [
        transform.clause(column_text(other), facts.parameter)
        for other in context.schema.columns
        if not other.in_collection
        and transform.takes(other.field.type)
        and (not nested or other.name.startswith(f"{column.name}."))
    ]
    if clauses:
        return f"write {join_names(clauses)}"
    return f"add a primitive column and write `{transform.clause('that_column', facts.parameter)}`"
