"""A table property that is not to be set, or whose value no write can use.

## Why
Spark keeps `provider`, `location`, `owner`, `external`, `table_type` (Athena's) and `is_managed_location`
for itself and its clauses, and Iceberg sets `sort-order` and `identifier-fields` by statements of their
own: as properties they are refused ("is a reserved table property"). A file format that does not exist is
accepted, and then every INSERT fails ("Invalid file format").

## Instead
`USING`, `LOCATION`, `ALTER TABLE ... WRITE ORDERED BY` and `SET IDENTIFIER FIELDS`. Files are parquet, orc
or avro.

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
```sql good
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc');
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql import nodes
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.case import Case
from spark_iceberg_sql.rules.own_words import fields
from spark_iceberg_sql.text import Kind, tokenize

# Spark's own (AstBuilder.cleanTableProperties), letter case as it is: what to write instead.
_SPARKS = {
    "provider": "write `USING iceberg`",
    "location": "write the clause `LOCATION '...'` in CREATE TABLE",
    "owner": "leave it out: it is the user who runs the statement",
    "external": "write `CREATE EXTERNAL TABLE`, which is the same to Iceberg as CREATE TABLE",
    "is_managed_location": "leave it out",
    "table_type": "write `USING iceberg`, and leave it out",
}
# Iceberg's, in ALTER TABLE alone (Spark3Util.setProperty).
_ICEBERGS = {
    "sort-order": "write `ALTER TABLE {table} WRITE ORDERED BY ...`",
    "identifier-fields": "write `ALTER TABLE {table} SET IDENTIFIER FIELDS ...`",
}
# What other engines partition by.
_ELSEWHERE = ("partitioning", "partitioned_by", "partition_by", "partition_spec")
_FORMATS = ("parquet", "orc", "avro")


@rule(Severity.ERROR, on=(nodes.Create, nodes.SetProperties))
def refused_property(case: Case) -> Iterator[Finding]:
    """Every reserved key, and a default file format that there is not."""
    node = case.node
    if isinstance(node, nodes.Create):
        items = (*node.properties, *node.options)
        iceberg = case.makes_iceberg
    else:
        assert isinstance(node, nodes.SetProperties)
        items = node.properties
        iceberg = case.table is not None and not case.of_another_kind
        yield from _removed(case, node)
    for item in items:
        if item.key in _SPARKS:
            what = f"`{item.key}` is no property to set: Spark keeps it for itself"
            yield Finding(item.key_span, what, _SPARKS[item.key], early=True)
        elif iceberg and item.key.lower().replace("-", "_") in _ELSEWHERE:
            meant = fields(
                [token for token in tokenize(item.value) if token.kind is not Kind.SPACE]
            )
            terms = meant or ["..."]
            adds = [f"ALTER TABLE {case.target.text} ADD PARTITION FIELD {term}" for term in terms]
            create = isinstance(node, nodes.Create)
            help_ = f"PARTITIONED BY ({', '.join(terms)})" if create else "; ".join(adds)
            what = f"nobody reads a property `{item.key}`: it partitions nothing"
            yield Finding(item.key_span, what, f"write `{help_}`", severity=Severity.WARNING)
        elif item.key in _ICEBERGS and iceberg and isinstance(node, nodes.SetProperties):
            help_ = _ICEBERGS[item.key].replace("{table}", case.target.text)
            what = f"`{item.key}` is no property to set: Iceberg has a statement for it"
            yield Finding(item.key_span, what, help_)
        elif iceberg and item.key == "write.format.default" and item.value.lower() not in _FORMATS:
            what = f"there are no files of the format `{item.value}`, and no INSERT will work"
            yield Finding(item.value_span, what, "write 'parquet', 'orc' or 'avro'")


def _removed(case: Case, node: nodes.SetProperties) -> Iterator[Finding]:
    for key in node.removed:
        if key in _SPARKS:
            what = f"`{key}` is no property to remove: Spark keeps it for itself"
            yield Finding(case.target.span, what, "leave it out")
