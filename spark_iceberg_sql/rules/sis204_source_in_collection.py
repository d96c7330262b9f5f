"""A source column inside a list or a map.

## Why
A row has one partition value; a list has many elements. The spec allows source columns inside structs, but not
inside lists or maps ("Invalid partition field parent").

## Instead
A separate column for the value, filled when the row is written.

## Examples
```sql bad
CREATE TABLE orders (id BIGINT, items ARRAY<STRUCT<sku: STRING>>) USING iceberg
PARTITIONED BY (items.element.sku);
```
```sql bad
CREATE TABLE orders (id BIGINT, attributes MAP<STRING, STRING>) USING iceberg;
ALTER TABLE orders ADD PARTITION FIELD truncate(4, attributes.value);
```
```sql good
CREATE TABLE orders (id BIGINT, buyer STRUCT<region: STRING>) USING iceberg
PARTITIONED BY (buyer.region);
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import List, Map
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.rules.words import written
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partitioning",
    when=odd_fields,
    category=Category.COLUMNS,
)
def source_in_collection(context: Context) -> Iterator[Finding]:
    """Every source column whose path leads into a list or a map."""
    for facts in context.new_terms:
        ref, record = facts.source, facts.transform
        if ref is None or len(ref.parts) == 1:
            continue  # nothing needs to be known of the columns
        around = context.schema.around(ref.parts)
        outer = [column for column in around if isinstance(column.field.type, List | Map)]
        if not outer:
            continue
        what = "array" if isinstance(outer[0].field.type, List) else "map"
        last = next(
            (p for p in reversed(ref.parts) if p not in ("element", "key", "value")), "item"
        )
        name = quoted(
            f"{outer[0].name.split('.')[-1]}_{last}" if last != outer[0].name else f"one_{last}"
        )
        clause = name
        if record is not None and record.in_ddl:
            clause = record.clause(name, facts.parameter)
        yield Finding(
            ref.span,
            f"`{ref.text}` is inside the {what} `{written(outer[0])}`, which holds many values per row",
            f"add a column such as `{name}` for the one value to partition by, and write `{clause}`",
            early=True,
        )
