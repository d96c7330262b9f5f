"""The source column before the number: `bucket(id, 16)`.

## Why
The spec and Iceberg's documentation write the number first. `bucket(id, 16)` in CREATE TABLE is refused
("Invalid number of buckets: id"). In ALTER TABLE, with truncate, and in other letter case the runtime
accepts it and takes the number wherever it stands; then it is a warning, since the next statement will be
refused. Hive's and Trino's functions have the column first, DuckDB's and Iceberg's own have it last.

## Instead
`bucket(16, id)`, `truncate(4, name)`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(id, 16));
```
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg PARTITIONED BY (truncate(name, 4));
```
```sql good
CREATE TABLE events (id BIGINT, name STRING) USING iceberg
PARTITIONED BY (bucket(16, id), truncate(4, name));
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.columns import to_write
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
)
def argument_order(context: Context) -> Iterator[Finding]:
    """A column and a number that is in order itself, the wrong way round."""
    for facts in context.terms:
        record, column = facts.transform, facts.source
        if record is None or column is None or facts.parameter is None:
            continue
        literal = facts.term.literals[0]
        if literal.span[0] < column.span[0] or literal.suffix.upper() in ("S", "Y"):
            continue
        bounds = record.parameter
        noun = bounds.noun if bounds is not None else "number"
        swap = (Edit(*column.span, literal.text), Edit(*literal.span, column.text))
        yield Finding(
            (column.span[0], literal.span[1]),
            f"`{facts.term.call}` takes the {noun} before the column",
            to_write(facts, record, column.text, facts.parameter),
            Fix("put the number first", swap, safe=True),
            None if facts.spark_reads else Severity.WARNING,
            early=facts.spark_reads,
        )
