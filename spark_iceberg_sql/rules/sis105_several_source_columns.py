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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.columns import column_of, there, to_write
from spark_iceberg_sql.rules.occasions import odd_terms
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Specs",
    when=odd_terms,
    category=Category.TEXT,
)
def several_source_columns(context: Context) -> Iterator[Finding]:
    """Two or more columns in one call, even if one of them is a misspelt number."""
    for facts in context.terms:
        record, columns = facts.transform, facts.term.columns
        if record is None or not record.in_ddl or len(columns) < 2:
            continue
        bounds = record.parameter
        values = [literal.value for literal in facts.term.literals if literal.value is not None]
        number = next((v for v in values if bounds and bounds.minimum <= v <= bounds.maximum), None)
        names = [column.text for column in columns]
        distinct = list(dict.fromkeys(names))
        fit = list(dict.fromkeys(column.text for column in there(context, columns)))
        takers = [name for name in fit if _taken(facts, record, name)]
        fit = takers or fit[:1]
        clauses = ", ".join(f"`{record.clause(name, number)}`" for name in fit)
        if not takers:
            help_ = to_write(facts, record, fit[0], number)
        elif isinstance(context.node, nodes.Create) or len(fit) == 1:
            help_ = f"write {clauses}"
        else:
            help_ = f"write one of {clauses}, and a separate statement for each of the others"
        yield Finding(
            (columns[0].span[0], columns[-1].span[1]),
            f"`{facts.term.call}` takes one source column, not {len(columns)}: "
            + ", ".join(f"`{name}`" for name in names),
            help_,
            early=facts.spark_reads and (number is None or len(distinct) < len(names)),
        )


def _taken(facts: TermFacts, record: Transform, name: str) -> bool:
    """True if the transform accepts the column, or if the column is unknown."""
    column = column_of(facts, name)
    return column is None or record.takes(column.field.type)
