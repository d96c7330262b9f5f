"""A table property that is reserved, or whose value Iceberg cannot use.

## Why
Spark reserves `provider`, `location`, `owner`, `external`, `table_type` (Athena's) and `is_managed_location`,
most of them for clauses, and Iceberg has separate statements for `sort-order` and `identifier-fields`: setting
these properties is refused ("is a reserved table property"). Iceberg parses the values of many others: if
`commit.retry.num-retries` is not a number, the statement is refused; if `write.distribution-mode` is unknown or
`write.target-file-size-bytes` is '512MB', the statement is accepted and then every INSERT fails. Column metrics
need a column that exists, and `encryption.key-id` needs format version 3.

## Instead
`USING`, `LOCATION`, `ALTER TABLE ... WRITE ORDERED BY` and `SET IDENTIFIER FIELDS`. File formats are parquet, orc
and avro; sizes are in bytes.

## Examples
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('location' = 's3://bucket/events');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events SET TBLPROPERTIES ('sort-order' = 'id');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'csv');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = 'four');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '512MB');
```
```sql good
CREATE TABLE events (id BIGINT) USING iceberg
TBLPROPERTIES ('write.format.default' = 'orc', 'write.target-file-size-bytes' = '536870912');
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.properties import METRICS_OF_COLUMN, OF_VERSION_3, PROPERTIES
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_clauses
from spark_iceberg_sql.rules.words import listed
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.lexer import Kind, tokenize

# Reserved by Spark (AstBuilder.cleanTableProperties), case-sensitive: what to write instead.
RESERVED = {
    "provider": "write `USING iceberg`",
    "location": "write the clause `LOCATION '...'` in CREATE TABLE",
    "owner": "leave it out: the owner is the user who runs the statement",
    "external": "write `CREATE EXTERNAL TABLE`, which Iceberg treats like CREATE TABLE",
    "is_managed_location": "leave it out",
    "table_type": "write `USING iceberg`, and leave it out",
}
# Reserved by Iceberg, only in ALTER TABLE (Spark3Util.setProperty).
_ICEBERGS = {
    "sort-order": "write `ALTER TABLE {table} WRITE ORDERED BY ...`",
    "identifier-fields": "write `ALTER TABLE {table} SET IDENTIFIER FIELDS ...`",
}
_SIZE = regex(r"([0-9]+)\s*([kmgt])i?b?", re.IGNORECASE)
# Properties that other engines use for partitioning.
_ELSEWHERE = ("partitioning", "partitioned_by", "partition_by", "partition_spec")


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.SetProperties),
    when=odd_clauses,
    category=Category.TABLE,
    iceberg_only=True,
)
def refused_property(context: Context) -> Iterator[Finding]:
    """Every reserved key, and every value that Iceberg cannot read."""
    node = context.node
    if isinstance(node, nodes.Create):
        items = (*node.properties, *node.options)
        iceberg = context.makes_iceberg
    else:
        assert isinstance(node, nodes.SetProperties)
        items = node.properties
        iceberg = context.table is not None and not context.of_another_kind
        yield from _removed(context, node)
    for item in items:
        if item.key in RESERVED:
            what = f"`{item.key}` is a reserved table property of Spark"
            yield Finding(item.key_span, what, RESERVED[item.key], early=True)
        elif iceberg and item.key.lower().replace("-", "_") in _ELSEWHERE:
            from spark_iceberg_sql.rules.intended_fields import fields  # the command starts sooner

            meant = fields(
                [token for token in tokenize(item.value) if token.kind is not Kind.SPACE]
            )
            terms = meant or ["..."]
            adds = [
                f"ALTER TABLE {context.target.text} ADD PARTITION FIELD {term}" for term in terms
            ]
            create = isinstance(node, nodes.Create)
            help_ = f"PARTITIONED BY ({', '.join(terms)})" if create else "; ".join(adds)
            what = f"Iceberg ignores the property `{item.key}`: it does not partition the table"
            yield Finding(item.key_span, what, f"write `{help_}`", severity=Severity.WARNING)
        elif item.key in _ICEBERGS and iceberg and isinstance(node, nodes.SetProperties):
            help_ = _ICEBERGS[item.key].replace("{table}", context.target.text)
            what = f"`{item.key}` cannot be set as a property: Iceberg has a statement for it"
            yield Finding(item.key_span, what, help_)
        elif iceberg:
            finding = _value(context, item) or _metrics(context, item)
            if finding is not None:
                yield finding
    if isinstance(node, nodes.Create) and iceberg:
        for item in (item for item in items if item.key in OF_VERSION_3):
            if context.format_version not in (1, 2):
                continue
            what = f"`{item.key}` needs format version 3"
            yield Finding(item.key_span, what, "add `'format-version' = '3'`, or leave it out")


def _value(context: Context, item: terms.Property) -> Finding | None:
    """A value that Iceberg cannot parse: refused, or accepted and breaks the table."""
    typed = PROPERTIES.get(item.key)
    if typed is None or "{" in item.value or "$" in item.value or typed.takes(item.value):
        return None
    if not _is_read(context, item.key):
        return None
    if (
        isinstance(context.node, nodes.SetProperties)
        and typed.minimum == 0
        and _negative(item.value)
    ):
        return None  # accepted here, and has no effect
    help_ = f"write {typed.expects}"
    size = _SIZE.fullmatch(item.value)
    if size is not None:
        number = int(size[1]) << 10 * (" kmgt".index(size[2].lower()))
        help_ = f"write the number of bytes: '{number}'"
    if item.key.endswith("format.default"):
        what = f"unknown file format `{item.value}`: every INSERT would fail"
        return Finding(item.value_span, what, "write 'parquet', 'orc' or 'avro'")
    end = "" if typed.refused else f": {typed.fails} would fail"
    what = f"`{item.key}` must be {typed.expects}, not `{item.value}`{end}"
    mild = typed.fails.split()[-1] in ("DELETE", "UPDATE", "MERGE")
    return Finding(item.value_span, what, help_, severity=Severity.WARNING if mild else None)


def _is_read(context: Context, key: str) -> bool:
    """True if writes use a Parquet property: other properties of the table may prevent that."""
    before = context.table.properties if isinstance(context.table, Table) else {}
    values = {**before, **context.properties}
    if ".parquet." in key and values.get("write.format.default", "parquet").lower() != "parquet":
        return False
    codec = values.get("write.parquet.compression-codec", "zstd").lower()
    return not key.endswith("compression-level") or codec in ("zstd", "gzip")


def _negative(value: str) -> bool:
    return re.fullmatch(r"-[0-9]{1,9}", value) is not None


def _metrics(context: Context, item: terms.Property) -> Finding | None:
    """Metrics of a column that the table does not have; names are case-sensitive."""
    if not item.key.startswith(METRICS_OF_COLUMN) or context.schema_if_known is None:
        return None
    name = item.key.removeprefix(METRICS_OF_COLUMN)
    if "{" in name or context.schema.find((name,)) is not None:
        return None
    names = context.instead(context.schema, name)
    what = f"`{context.target.text}` has no column `{name}` to collect metrics for"
    return Finding(item.key_span, what, f"write {listed(names)}")


def _removed(context: Context, node: nodes.SetProperties) -> Iterator[Finding]:
    for key in node.removed:
        if key in RESERVED:
            what = f"`{key}` is a reserved table property of Spark and cannot be removed"
            yield Finding(context.target.span, what, "leave it out")
