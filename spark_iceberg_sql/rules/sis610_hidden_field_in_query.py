"""A partition field that is used as a column.

## Why
Partitioning is hidden: `days(ts)` makes the field `ts_day`, which is in the metadata and is no column of the table.
Spark refuses `ts_day` in WHERE, SELECT, GROUP BY or DELETE (UNRESOLVED_COLUMN), and proposes a similar name.
In `db.t.partitions` and `db.t.files`, the fields are in the column `partition`. The rule reads statements over one
known table, in scripts: a program may register a view of the name.

## Instead
Filter on the source column, which prunes; group by the function with the same values, `iceberg_days(ts)`, in a session
with this package. In the metadata tables, write `partition.ts_day`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events WHERE ts_day = DATE '2024-05-17';
```
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT ts_day, file_count FROM db.events.partitions;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events WHERE ts >= TIMESTAMP '2024-05-17 00:00:00' AND ts < TIMESTAMP '2024-05-18 00:00:00';
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(Severity.ERROR, on=(nodes.Expressions,), category=Category.QUERY)
def hidden_field_in_query(context: Context) -> Findings:
    """Every name of a partition field where a column is expected."""
    if context.catalog.shared:
        return
    from spark_iceberg_sql.facts.hidden_fields import (  # the command starts sooner
        hidden_field_help,
        hidden_field_uses,
        value_call,
    )

    for use in hidden_field_uses(context):
        if use.metadata_table is not None:
            path = f"partition.{quoted(use.field.name)}"
            message = (
                f"`.{use.metadata_table}` has no column `{use.name}`: partition fields are in its column `partition`"
            )
            yield Finding(use.span, message, f"write `{path}`", Fix(f"write {path}", (Edit(*use.span, path),)))
            continue
        message = f"`{use.name}` is a partition field, not a column"
        call = value_call(use.field)
        fix = Fix(f"write {call}", (Edit(*use.span, call),), safe=False)
        yield Finding(use.span, message, hidden_field_help(use.field), fix)
