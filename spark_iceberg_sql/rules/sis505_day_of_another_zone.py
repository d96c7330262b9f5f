"""Days of a timestamp in a session whose time zone is not UTC.

## Why
In Iceberg, years, months and days begin at midnight UTC, whatever the session's time zone. Queries on the column
still return correct results, but a local day spans two partitions: INSERT OVERWRITE of "yesterday" overwrites
parts of two days. This rule applies only if the script itself sets the time zone.

## Instead
`SET TIME ZONE 'UTC'` for jobs that write by day; or a DATE column with the local day, with identity partitioning
on it; or TIMESTAMP_NTZ, whose days begin at local midnight.

## Examples
```sql bad
SET TIME ZONE 'Europe/Berlin';
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
```sql good
SET TIME ZONE 'UTC';
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
```sql good
SET TIME ZONE 'Europe/Berlin';
CREATE TABLE events (id BIGINT, ts TIMESTAMP, local_day DATE) USING iceberg PARTITIONED BY (local_day);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes

_UTC = regex(r"(?i)(?:etc/)?(?:utc|gmt|uct|zulu|universal|greenwich)?(?:[+-]?0?0(?::?00)?)?|z|local")


@rule(Severity.WARNING, on=(nodes.Create, nodes.AddField, nodes.ReplaceField), category=Category.ADVICE)
def day_of_another_zone(context: Context) -> Findings:
    """Years, months or days of a timestamp with time zone, after SET TIME ZONE to a zone other than UTC."""
    zone = context.catalog.time_zone
    if zone is None or _UTC.fullmatch(zone):
        return
    for facts in context.new_terms:
        bound, column = facts.bound, facts.column
        if bound is None or column is None or not bound.transform.begins_at_midnight:
            continue
        if not isinstance(column.field.type, Primitive) or not column.field.type.name.startswith("timestamptz"):
            continue
        yield Finding(
            facts.term.span,
            f"{bound.transform.spelling} of `{facts.source_text}` begin at midnight UTC, not at midnight in {zone}",
            "write `SET TIME ZONE 'UTC'`, or add a DATE column with the local day and partition by that",
        )
