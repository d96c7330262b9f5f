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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import List, Map
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import column_text
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partitioning",
    when=has_risky_fields,
    category=Category.COLUMNS,
)
def source_in_collection(context: Context) -> Findings:
    """Every source column whose path leads into a list or a map."""
    for facts in context.new_terms:
        ref, transform = facts.source, facts.transform
        if ref is None or len(ref.parts) == 1:
            continue  # nothing needs to be known of the columns
        enclosing_columns = context.schema.enclosing_columns(ref.parts)
        collections = [column for column in enclosing_columns if isinstance(column.field.type, List | Map)]
        if not collections:
            continue
        collection_type = "array" if isinstance(collections[0].field.type, List) else "map"
        item_name = next((p for p in reversed(ref.parts) if p not in ("element", "key", "value")), "item")
        name = quoted(
            f"{collections[0].name.split('.')[-1]}_{item_name}"
            if item_name != collections[0].name
            else f"one_{item_name}"
        )
        clause = transform.clause(name, facts.parameter) if transform is not None and transform.in_ddl else name
        yield Finding(
            ref.span,
            f"`{ref.text}` is inside the {collection_type} `{column_text(collections[0])}`, which holds many "
            f"values per row",
            f"add a column such as `{name}` for the one value to partition by, and write `{clause}`",
            early=True,
        )
