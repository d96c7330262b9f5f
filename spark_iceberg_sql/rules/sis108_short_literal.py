"""A bucket count or width with the suffix S or Y.

## Why
Iceberg accepts int and bigint literals: `16` and `16L`. Smallint and tinyint literals are refused ("Cannot
find width for transform"), except for `bucket(16S, id)` in CREATE TABLE, which Spark itself parses.

## Instead
`bucket(16, id)`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(16Y, id));
```
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD bucket(16S, id);
```
```sql good
CREATE TABLE events (id BIGINT, name STRING) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD bucket(16, id);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.argument_swap import number_first_fix
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import transform_help
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.syntax import nodes, terms

_MAX_SMALLINT = 2**15 - 1


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    when=has_noncanonical_terms,
    category=Category.TEXT,
)
def short_literal(context: Context) -> Findings:
    """The only literal of a bucket or truncate, in range, with a suffix that Iceberg does not accept."""
    for facts in context.terms:
        transform = facts.transform
        if transform is None or facts.parameter is None or facts.source is None:
            continue
        literal = facts.term.literals[0]
        is_first = literal.span[0] < facts.source.span[0]
        suffix = literal.suffix.upper()
        spark_accepts = facts.spark_reads and is_first and facts.parameter <= _MAX_SMALLINT
        if suffix not in ("S", "Y") or (suffix == "S" and spark_accepts):
            continue
        type_name = {"S": "smallint", "Y": "tinyint"}[suffix]
        value = str(facts.parameter)
        yield Finding(
            literal.span,
            f"`{literal.text}` is a {type_name} literal, which Iceberg does not accept here",
            transform_help(facts, transform, facts.source_text, facts.parameter),
            _fix(context, facts.source, literal, value) if facts.parameter <= _MAX_SMALLINT else None,
            early=facts.spark_reads,
        )


def _fix(context: Context, column: terms.NamePath, literal: terms.Literal, value: str) -> Fix:
    """The plain integer, before the column."""
    if literal.span < column.span:
        return Fix(f"write `{value}`", (Edit(*literal.span, value),), safe=True)
    return number_first_fix(context, column, literal, value, f"write `{value}` before the column")
