"""A transform with too few or too many arguments.

## Why
Every transform takes one source column; bucket and truncate also take an integer, first. If an argument is
missing, the runtime refuses the statement. If there are too many, it mostly ignores the rest without a warning:
`bucket(16, 32, id)` becomes bucket[16], `days(ts, 'UTC')` becomes day.

## Instead
One column, and for bucket and truncate one integer before it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD bucket(16, 32, id);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts, 'UTC');
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id), days(ts));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import accepted_columns, quoted_column, transform_help
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_noncanonical_terms,
    category=Category.TEXT,
)
def wrong_number_of_arguments(context: Context) -> Findings:
    """No column, no integer where one is needed, or literals beyond it."""
    for facts in context.terms:
        transform, call = facts.transform, facts.term.transform_name
        if transform is None or call is None or not transform.in_ddl or len(facts.term.columns) > 1:
            continue
        extra = _extra(facts, transform)
        span = facts.term.span
        if not facts.term.columns:
            message = f"`{call}` needs a source column"
            if (text := quoted_column(facts)) is not None:
                span = text.span
                message = f"`{text.text}` is a string, not a column: names are unquoted or in backticks"
        elif transform.parameter is not None and not facts.term.literals:
            message = f"`{call}` needs a {transform.parameter.noun}"
        elif extra:
            takes = "one column" if transform.parameter is None else f"one {transform.parameter.noun} and one column"
            consequence = "is one argument too many" if facts.spark_reads else "would be ignored"
            message = f"`{call}` takes {takes}, so `{extra[0].text}` {consequence}"
            span = extra[0].span
        else:
            continue
        # Spark's parser refuses these, but Iceberg refuses a bucket without columns.
        early = facts.spark_reads and (bool(facts.term.columns) or transform.parameter is None)
        yield Finding(span, message, _help(facts, transform), early=early)


def _extra(facts: ResolvedTerm, transform: Transform) -> list[terms.Literal]:
    """The literals that the transform does not take: all except the first integer of bucket and truncate."""
    literals = list(facts.term.literals)
    if transform.parameter is not None and literals:
        literals.remove(next((item for item in literals if item.value is not None), literals[0]))
    return literals


def _help(facts: ResolvedTerm, transform: Transform) -> str:
    bounds = transform.parameter
    values = [item.value for item in facts.term.literals if item.value is not None]
    number = next((v for v in values if bounds and bounds.minimum <= v <= bounds.maximum), None)
    text = quoted_column(facts)
    columns = [column.text for column in facts.term.columns] or accepted_columns(facts.context, transform)
    if text is not None:
        columns = [quoted(text.text[1:-1])]
    return transform_help(facts, transform, columns[0] if columns else "...", number)
