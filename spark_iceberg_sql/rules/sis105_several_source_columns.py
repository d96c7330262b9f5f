"""A transform over several columns.

## Why
In Spark's DDL a partition field has one source column; the runtime refuses more. (From format version 3 on,
the spec allows transforms over several columns, but defines none.)

## Instead
One partition field for each column.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, region STRING) USING iceberg PARTITIONED BY (bucket(16, id, region));
```
```sql bad
CREATE TABLE events (id BIGINT, region STRING) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD bucket(16, id, region);
```
```sql good
CREATE TABLE events (id BIGINT, region STRING) USING iceberg PARTITIONED BY (bucket(16, id), region);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import existing_columns, find_column, transform_help
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Specs",
    when=has_noncanonical_terms,
    category=Category.TEXT,
)
def several_source_columns(context: Context) -> Findings:
    """Two or more columns in one call, even if one of them is a misspelt number."""
    for facts in context.terms:
        transform, columns = facts.transform, facts.term.columns
        if transform is None or not transform.in_ddl or len(columns) < 2:
            continue
        bounds = transform.parameter
        values = [literal.value for literal in facts.term.literals if literal.value is not None]
        number = next((v for v in values if bounds and bounds.minimum <= v <= bounds.maximum), None)
        names = [column.text for column in columns]

        candidates = list(dict.fromkeys(column.text for column in existing_columns(context, columns)))
        accepted_names = [name for name in candidates if _accepts(facts, transform, name)]
        candidates = accepted_names or candidates[:1]
        clauses = ", ".join(f"`{transform.clause(name, number)}`" for name in candidates)
        if not accepted_names:
            help_ = transform_help(facts, transform, candidates[0], number)
        elif isinstance(context.node, nodes.Create) or len(candidates) == 1:
            help_ = f"write {clauses}"
        else:
            help_ = f"write one of {clauses}, and a separate statement for each of the others"
        yield Finding(
            (columns[0].span[0], columns[-1].span[1]),
            f"`{facts.term.transform_name}` takes one source column, not {len(columns)}: "
            + ", ".join(f"`{name}`" for name in names),
            help_,
            early=facts.spark_reads and (number is None or len(set(names)) < len(names)),
        )


def _accepts(facts: ResolvedTerm, transform: Transform, name: str) -> bool:
    """True if the transform accepts the column, or if the column is unknown."""
    column = find_column(facts, name)
    return column is None or transform.takes(column.field.type)
