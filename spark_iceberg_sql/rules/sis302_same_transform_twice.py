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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create,),
    spec="Partitioning",
    when=odd_fields,
    category=Category.FIELDS,
)
def same_transform_twice(context: Context) -> Iterator[Finding]:
    """Every bucket or truncate of a column after an earlier one with a different number."""
    first: dict[tuple[int, str], tuple[RequestedField, str | None]] = {}
    for facts in context.terms:
        wanted = facts.wanted
        if wanted is None or wanted.transform.parameter is None:
            continue
        record = wanted.transform.transform
        key = (wanted.source_id, record.name)
        earlier, call = first.setdefault(key, (wanted, facts.term.call))
        if earlier.transform == wanted.transform:
            continue
        name = record.create_name(wanted.source)
        other = min(earlier.transform.parameter or 0, wanted.transform.parameter or 0)
        finer = max(earlier.transform.parameter or 0, wanted.transform.parameter)
        yield Finding(
            facts.term.span,
            f"`{earlier.transform.clause(wanted.source)}` and `{wanted.transform.clause(wanted.source)}` "
            f"would both be named `{name}`",
            f"write `{record.clause(wanted.source, finer)}` alone, or add the other with "
            f"`ALTER TABLE {context.target.text} ADD PARTITION FIELD {record.clause(wanted.source, other)}`",
            early=call == facts.term.call,
        )
