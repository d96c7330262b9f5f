"""Identity partitioning on a timestamp.

## Why
Each distinct timestamp becomes a partition, often with a single row: thousands of tiny files, and planning
that takes longer than the query.

## Instead
The unit that queries filter by: `days(ts)`, or `hours(ts)` for very large tables. Predicates on `ts` itself prune
by it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (ts);
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
"""

from __future__ import annotations

from contextlib import suppress

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.facts.target_context import AlreadyReportedError, UnknownFactError
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.transforms import DATE, TIMES
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_identity_fields, identity_terms
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    when=has_identity_fields,
    category=Category.ADVICE,
)
def identity_on_timestamp(context: Context) -> Findings:
    """Identity on a column that the finest time transform takes: a timestamp."""
    for facts, column in identity_terms(context):
        data_type = column.field.type
        if not TIMES[-1].takes(data_type) or (isinstance(data_type, Primitive) and data_type.rounded):
            continue
        name = facts.source_text
        times = (w.transform for w in _other_fields(context, facts) if w.source_id == column.field.field_id)
        time = next((t for t in times if t.transform.granularity is not None), None)
        yield Finding(
            facts.term.span,
            f"`{name}` is a timestamp: each distinct value would be a separate partition",
            f"leave it out: `{time.clause(name)}` already partitions by it" if time else f"write `{DATE.clause(name)}`",
        )


def _other_fields(context: Context, facts: ResolvedTerm) -> list[RequestedField | PartitionField]:
    """The other fields that the table has or the statement adds."""
    fields: list[RequestedField | PartitionField] = [
        term.requested_field for term in context.new_terms if term is not facts and term.requested_field is not None
    ]
    if not isinstance(context.node, nodes.Create):
        with suppress(UnknownFactError, AlreadyReportedError):
            fields += [field for field in context.specs.spec.fields if field is not context.dropped_field]
    return fields
