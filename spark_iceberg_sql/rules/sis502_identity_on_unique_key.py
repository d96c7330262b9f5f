"""Identity partitioning on a column that is unique per row.

## Why
A UUID column has as many values as the table has rows: one partition and one file per row.

## Instead
`bucket(16, key)`: queries for one key read one bucket. This rule recognizes keys by type and name (`uuid`,
`guid`); it cannot tell other keys from categories, and does not report them.

## Examples
```sql bad
CREATE TABLE events (event_uuid STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (event_uuid);
```
```sql good
CREATE TABLE events (event_uuid STRING, ts TIMESTAMP) USING iceberg
PARTITIONED BY (bucket(16, event_uuid));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transforms import HASH
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_identity_fields, identity_terms
from spark_iceberg_sql.syntax import nodes

_KEY = regex(r"(?i)(?:^|[_.])[ug]uid$")


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    when=has_identity_fields,
    category=Category.ADVICE,
)
def identity_on_unique_key(context: Context) -> Findings:
    """Identity on a uuid column, or on a string or binary column with the name of one."""
    for facts, column in identity_terms(context):
        data_type = column.field.type
        if not isinstance(data_type, Primitive):
            continue
        has_key_name = data_type.name in ("string", "binary", "fixed") and _KEY.search(column.name)
        if data_type.name != "uuid" and not has_key_name:
            continue
        yield Finding(
            facts.term.span,
            f"every row has its own `{facts.source_text}`, so every row would be a partition",
            f"write `{HASH.clause(facts.source_text)}`",
        )
