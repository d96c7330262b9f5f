"""Two partition fields of one name.

## Why
A name is used once in a spec; Iceberg refuses it twice. Names that differ only by letter case, `shard` and
`Shard`, it accepts, and Spark then cannot tell them apart: SELECT with a filter, `.files`, `_partition` and
row updates fail ("Cannot build lower case index").

## Instead
Another name, or none.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users ADD PARTITION FIELD truncate(2, name) AS shard;
```
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users ADD PARTITION FIELD truncate(2, name) AS Shard;
```
```sql good
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users ADD PARTITION FIELD bucket(8, id) AS shard;
ALTER TABLE users ADD PARTITION FIELD truncate(2, name) AS prefix;
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql import nodes
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.model.damage import Kind
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.case import Case
from spark_iceberg_sql.rules.names import free_name, shown, with_name


@rule(Severity.ERROR, on=(nodes.Create, nodes.AddField, nodes.ReplaceField), spec="Partitioning")
def name_taken(case: Case) -> Iterator[Finding]:
    """A new field's name that another field of the spec has, letter case aside."""
    if isinstance(case.node, nodes.Create):
        for item in case.new_damage if case.terms else ():
            if item.kind is not Kind.SAME_NAME_NOW or item.other is None:
                continue
            if item.other.name != item.field.name:  # else SIS301, SIS302
                yield Finding(
                    case.node.partitioning_span or case.node.span,
                    f"two fields would be named `{item.other.name}` and `{item.field.name}`: "
                    "Spark cannot tell them apart",
                    "rename the column that one of them comes from",
                )
        return
    proposed, wanted = case.proposed, case.wanted
    if proposed is None or wanted is None:
        return
    other = _holder(case, proposed)
    if other is None:
        return
    facts = case.new_terms[0]
    clause, fix = with_name(case, free_name(case.specs, case.schema, wanted))
    same = other.name == proposed.name
    yield Finding(
        facts.name.span if facts.name else facts.term.span,
        f"`{proposed.name}` is already the name of the partition field `{other.clause}`"
        if same
        else f"`{proposed.name}` differs only by letter case from the partition field {shown(other)}",
        f"write `{clause}`",
        fix,
    )


def _holder(case: Case, proposed: PartitionField) -> PartitionField | None:
    """The other field of the spec that has the name and does not make room for it."""
    fields, name = case.specs.spec.fields, proposed.name
    if case.known.case_sensitive:
        named = [field for field in fields if field.name == name]
    else:
        low = name.lower()
        named = [field for field in fields if field.name.lower() == low]
    for field in named:
        if field.key == proposed.key:
            continue
        if field.name != proposed.name:
            stays = field is not case.dropped or case.specs.format_version < 2
        else:
            # A dropped or void field of exactly this name is renamed out of the way.
            stays = field is not case.dropped and not field.transform.is_void
        if stays:
            return field
    return None
