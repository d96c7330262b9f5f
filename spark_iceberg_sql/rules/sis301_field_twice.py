"""The same partition field twice in one PARTITIONED BY.

## Why
A spec can have each combination of column and transform only once. Spark or Iceberg refuses the second one.

## Instead
Write it once.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), day(ts));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (id, days(ts), id);
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), id);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.Create,), spec="Partitioning", when=has_risky_fields, category=Category.FIELDS)
def field_twice(context: Context) -> Findings:
    """Every field after one with the same source and transform."""
    first_uses: dict[tuple[int, str], tuple[str, str]] = {}
    for facts in context.terms:
        requested_field = facts.requested_field
        if requested_field is None:
            continue
        term_text, call = (
            context.text_at(facts.term.span),
            facts.term.transform_name or str(requested_field.transform),
        )
        key = (requested_field.source_id, str(requested_field.transform))
        earlier_text, earlier_call = first_uses.get(key, ("", ""))
        if earlier_text:
            yield Finding(
                facts.term.span,
                f"`{term_text}` is already in the list"
                if term_text == earlier_text
                else f"`{term_text}` is the same partition field as `{earlier_text}`",
                f"write `{earlier_text}` once",
                early=call == earlier_call,
            )
        first_uses.setdefault(key, (term_text, call))
