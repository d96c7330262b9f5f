"""A partition field without a transform.

## Why
Our tables have many shops, and each value of a column would be a partition.

## Instead
A transform of the column: `bucket` for a key, `days` for a time.

## Examples
```sql bad
CREATE TABLE visits (shop_id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (shop_id);
```
```sql good
CREATE TABLE visits (shop_id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, shop_id));
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.rules import Category, Context, Edit, Finding, Fix, Severity, nodes, rule


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    category=Category.ADVICE,
    iceberg_only=True,
    api=1,
)
def no_identity(context: Context) -> Iterator[Finding]:
    """Every new field that is a column itself."""
    for facts in context.new_terms:
        if facts.column is None or facts.transform is None or not facts.transform.is_identity:
            continue
        bucket = f"bucket(16, {facts.source_text})"
        yield Finding(
            facts.term.span,
            f"`{facts.source_text}` has no transform",
            f"write `{bucket}`, or `days` of a time",
            Fix("write a bucket", (Edit(*facts.term.span, bucket),)),
        )
