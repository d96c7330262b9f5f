"""A source column whose type the transform does not take.

## Why
bucket takes integers, decimals, dates, timestamps, strings and binaries; truncate integers, decimals,
strings and binaries; years, months and days take dates and timestamps, hours timestamps only. Everything
else is refused ("Invalid source type string for transform: day").

## Instead
A transform for the column's type, or a column of a type for the transform.

## Examples
```sql bad
CREATE TABLE people (id BIGINT, name STRING) USING iceberg PARTITIONED BY (days(name));
```
```sql bad
CREATE TABLE people (id BIGINT, born DATE) USING iceberg;
ALTER TABLE people ADD PARTITION FIELD hours(born);
```
```sql good
CREATE TABLE people (id BIGINT, name STRING, born DATE) USING iceberg
PARTITIONED BY (truncate(4, name), years(born));
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.transforms import BY_NAME, Transform
from spark_iceberg_sql.model.types import Primitive, is_iceberg
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.sis203_source_not_primitive import NOT_PRIMITIVE
from spark_iceberg_sql.rules.words import a_type, listed
from spark_iceberg_sql.syntax import nodes

# How much of an ISO date and time, 2024-05-17T10:30, a time transform keeps.
_ISO_WIDTH = {"year": 4, "month": 7, "day": 10, "hour": 13}
# What to offer instead, best first.
_NEAREST = ("day", "month", "bucket", "truncate")


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partition Transforms",
)
def type_not_accepted(context: Context) -> Iterator[Finding]:
    """Every transform over a primitive column that it does not take."""
    for facts in context.new_terms:
        record, column = facts.transform, facts.column
        if record is None or not record.in_ddl or column is None or column.in_collection:
            continue
        kind = column.field.type
        if not isinstance(kind, Primitive) or kind.name in NOT_PRIMITIVE or not is_iceberg(kind):
            continue
        if record.takes(kind):
            continue
        name = facts.source_text
        yield Finding(
            facts.source.span if facts.source else facts.term.span,
            f"`{facts.term.call}` needs {record.accepts}, but `{name}` is {a_type(kind)}",
            _help(record, name, kind),
        )


def _help(record: Transform, name: str, kind: Primitive) -> str:
    if kind.name == "string":
        iso = f"`truncate({_ISO_WIDTH[record.name]}, {name})` where it holds ISO dates"
        return f"write {iso}, or `{name}` itself"
    if kind.name in ("float", "double"):
        return f"add a decimal or bigint column and write `{record.clause('that_column')}`"
    others = (BY_NAME[other] for other in _NEAREST if BY_NAME[other].takes(kind))
    return f"write {listed([*(other.clause(name) for other in others), name])}"
