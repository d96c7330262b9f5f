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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create,),
    spec="Partitioning",
    when=odd_fields,
    category=Category.FIELDS,
)
def field_twice(context: Context) -> Iterator[Finding]:
    """Every field after one with the same source and transform."""
    first: dict[tuple[int, str], tuple[str, str]] = {}
    for facts in context.terms:
        wanted = facts.wanted
        if wanted is None:
            continue
        words, call = context.words(facts.term.span), facts.term.call or str(wanted.transform)
        key = (wanted.source_id, str(wanted.transform))
        earlier, earlier_call = first.get(key, ("", ""))
        if earlier:
            yield Finding(
                facts.term.span,
                f"`{words}` is already in the list"
                if words == earlier
                else f"`{words}` is the same partition field as `{earlier}`",
                f"write `{earlier}` once",
                early=call == earlier_call,
            )
        first.setdefault(key, (words, call))
