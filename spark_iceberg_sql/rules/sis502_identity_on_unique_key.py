"""Identity partitioning on a column that is unique per row.

## Why
A UUID column has as many values as the table has rows: one partition and one file per row. With the key of a user,
an order or a session there are as many partitions as users, orders or sessions, and each write adds a file to many.

## Instead
`bucket(16, key)`: queries for one key read one bucket. This rule recognizes keys by type and name: `uuid`, `guid`;
`email`, `phone_number`, `ip_address`; `order_id`, `user_id` and others of which there are very many; the first column
of a table that it is the key of, as `event_id` of `events`. It cannot tell whether `id`, `account_id` or `tenant_id`
has few values, and does not report them: `iceberg-sql preview` counts the partitions of a table's own rows.

## Examples
```sql bad
CREATE TABLE events (event_uuid STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (event_uuid);
```
```sql bad
CREATE TABLE orders (order_id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (order_id);
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
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.transforms import HASH
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_identity_fields, identity_terms
from spark_iceberg_sql.syntax import nodes

_KEY = regex(r"(?i)(?:^|[_.])[ug]uid$")
# Of what there are far more than files should be. Those of which some have few, or which name a kind, are left out:
# account, client, customer, device, event, player.
_ENTITIES = (
    "booking|cart|click|correlation|impression|invoice|message|order|page_?view|patient|payment|request|ride|session"
    "|span|ticket|trace|transaction|trip|txn|user|visitor"
)
_MANY = regex(
    rf"(?:^|[_.])(?:(?:{_ENTITIES})_id|e_?mail(?:_address)?|phone(?:_number)?|(?:client_|source_)?ip_address)$"
)
_CAMEL_CASE = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY_TYPES = ("binary", "decimal", "fixed", "int", "long", "string")


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    when=has_identity_fields,
    category=Category.ADVICE,
)
def identity_on_unique_key(context: Context) -> Findings:
    """Identity on a uuid column, or on a column with the name of a key of which there are very many values."""
    for facts, column in identity_terms(context):
        data_type = column.field.type
        if not isinstance(data_type, Primitive):
            continue
        has_key_name = data_type.name in ("string", "binary", "fixed") and _KEY.search(column.name)
        snake_case = _CAMEL_CASE.sub("_", column.name).lower()
        if data_type.name == "uuid" or has_key_name:
            message = f"every row has its own `{facts.source_text}`, so every row would be a partition"
        elif data_type.name in _KEY_TYPES and _is_own_key(context, column, snake_case):
            message = f"`{facts.source_text}` is the key of its table, so nearly every row would be a partition"
        elif data_type.name in _KEY_TYPES and _MANY.search(snake_case):
            message = f"`{facts.source_text}` is named like a key: each distinct value would be a separate partition"
        else:
            continue
        yield Finding(facts.term.span, message, f"write `{HASH.clause(facts.source_text)}`")


def _is_own_key(context: Context, column: Column, snake_case: str) -> bool:
    """True for the first column of a table that is named like the table: `event_id` of `raw_events`."""
    entity = snake_case.removesuffix("_id")
    schema = context.schema_if_known
    if entity == snake_case or schema is None or schema.fields[0].name != column.name:
        return False
    table_word = _CAMEL_CASE.sub("_", context.target_name[-1]).lower().rpartition("_")[2]
    noun = entity.rpartition("_")[2]
    return table_word in (f"{noun}s", f"{noun}es", f"{noun.removesuffix('y')}ies")
