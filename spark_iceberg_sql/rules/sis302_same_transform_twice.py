"""Two buckets or two truncates of one column in CREATE TABLE.

## Why
CREATE TABLE names a field after its column and transform, without the number: bucket(8, id) and bucket(16,
id) would both be `id_bucket`. Spark refuses it ("Found duplicate column(s) in the partitioning").

## Instead
One of them: bucket(16, id) already separates everything that bucket(8, id) does. If you want both, add the
second with ALTER TABLE ... ADD PARTITION FIELD, which puts the number into the name.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(8, id), bucket(16, id));
```
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg
PARTITIONED BY (truncate(1, name), truncate(3, name));
```
```sql good
CREATE TABLE users (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(16, id), truncate(3, name));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.Create,), spec="Partitioning", when=has_risky_fields, category=Category.FIELDS)
def same_transform_twice(context: Context) -> Findings:
    """Every bucket or truncate of a column after an earlier one with a different number."""
    first_uses: dict[tuple[int, str], tuple[RequestedField, str | None]] = {}
    for facts in context.terms:
        requested_field = facts.requested_field
        if requested_field is None or requested_field.transform.parameter is None:
            continue
        transform = requested_field.transform.transform
        key = (requested_field.source_id, transform.name)
        earlier_field, call = first_uses.setdefault(key, (requested_field, facts.term.transform_name))
        if earlier_field.transform == requested_field.transform:
            continue
        name = transform.create_name(requested_field.source)
        smaller_parameter = min(earlier_field.transform.parameter or 0, requested_field.transform.parameter or 0)
        larger_parameter = max(earlier_field.transform.parameter or 0, requested_field.transform.parameter)
        yield Finding(
            facts.term.span,
            f"`{earlier_field.transform.clause(requested_field.source)}` and "
            f"`{requested_field.transform.clause(requested_field.source)}` "
            f"would both be named `{name}`",
            f"write `{transform.clause(requested_field.source, larger_parameter)}` alone, or add the other with "
            f"`ALTER TABLE {context.target.text} ADD PARTITION FIELD "
            f"{transform.clause(requested_field.source, smaller_parameter)}`",
            early=call == facts.term.transform_name,
        )
