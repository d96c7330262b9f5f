"""The source column before the number: `bucket(id, 16)`.

## Why
The spec and Iceberg's documentation put the number first. `bucket(id, 16)` in CREATE TABLE is refused
("Invalid number of buckets: id"). In ALTER TABLE, with truncate, and if the name is not in lower case the runtime
accepts the number in either position; then it is a warning, since the same call elsewhere is refused. Hive's and
Trino's functions take the column first; DuckDB's and Iceberg's own take it last.

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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.argument_swap import number_first_fix
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import transform_help
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_noncanonical_terms,
    category=Category.TEXT,
)
def argument_order(context: Context) -> Findings:
    """A column and a valid number in the wrong order."""
    for facts in context.terms:
        transform, column = facts.transform, facts.source
        if transform is None or column is None or facts.parameter is None:
            continue
        literal = facts.term.literals[0]
        if literal.span[0] < column.span[0] or literal.suffix.upper() in ("S", "Y"):
            continue
        noun = transform.parameter.noun if transform.parameter is not None else "number"
        yield Finding(
            (column.span[0], literal.span[1]),
            f"`{facts.term.transform_name}` takes the {noun} before the column",
            transform_help(facts, transform, column.text, facts.parameter),
            number_first_fix(context, column, literal, literal.text, "put the number first"),
            None if facts.spark_reads else Severity.WARNING,
            early=facts.spark_reads,
        )
