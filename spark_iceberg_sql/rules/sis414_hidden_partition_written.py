"""INSERT ... PARTITION on a field that is not identity-partitioned.

## Why
Iceberg computes partition values from the rows: PARTITION (ts_day = ...) names a hidden field, which is not a
column, and PARTITION (ts = ...) a column without an identity partition field. Spark refuses both ("PARTITION
clause cannot contain the non-partition column"). PARTITION accepts only the columns of identity fields.

## Instead
INSERT without PARTITION; to overwrite the partitions that the rows belong to, `SET
spark.sql.sources.partitionOverwriteMode = dynamic` and INSERT OVERWRITE; or DELETE FROM and INSERT INTO.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP, region STRING) USING iceberg PARTITIONED BY (days(ts), region);
INSERT OVERWRITE events PARTITION (ts_day = DATE '2024-05-17') SELECT 1, current_timestamp(), 'eu';
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP, region STRING) USING iceberg PARTITIONED BY (days(ts), region);
INSERT OVERWRITE events PARTITION (region = 'eu') SELECT 1, current_timestamp();
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.Insert,), spec="Partitioning", category=Category.TABLE)
def hidden_partition_written(context: Context) -> Findings:
    """Every name in PARTITION (...) that is not the column of an identity field."""
    node = context.node
    assert isinstance(node, nodes.Insert)
    if not node.partition:
        return
    fields = context.specs.spec.fields
    plain = {f.source.lower() for f in fields if f.transform.transform.is_identity}
    for ref in node.partition:
        name = ".".join(ref.parts)
        if name.lower() in plain:
            continue
        hidden = next((f for f in fields if f.name.lower() == name.lower()), None)
        if hidden is not None and hidden.transform.transform.is_identity:
            message = f"`{name}` is a partition field: PARTITION takes its column `{hidden.source}`"
        elif hidden is not None:
            message = f"`{name}` is computed from the rows, as `{hidden.clause}`, and cannot be written"
        else:
            message = f"`{context.target.text}` has no identity partition field on `{name}`"
        verb = "INSERT OVERWRITE" if node.overwrite else "INSERT INTO"
        only = f", or PARTITION with only {join_names(sorted(plain), 'and')}" if plain else ""
        yield Finding(ref.span, message, f"write `{verb} {context.target.text} SELECT ...`{only}")
