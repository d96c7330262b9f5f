"""Two time transforms of one column: years and days, days and hours.

## Why
The finer one makes the coarser one redundant: a query over a month prunes by days too. CREATE TABLE refuses the
pair ("Cannot add redundant partition"). ALTER TABLE accepts it, and the table gets longer paths and more
metadata for no benefit.

## Instead
Only the finer one. To change the granularity, REPLACE the field instead of adding one.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (years(ts), days(ts));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events ADD PARTITION FIELD hours(ts);
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP, seen TIMESTAMP) USING iceberg
PARTITIONED BY (days(ts), months(seen));
ALTER TABLE events REPLACE PARTITION FIELD ts_day WITH hours(ts);
```
"""

from __future__ import annotations

from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.facts.target_context import UnknownFactError
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


class TimeField(NamedTuple):
    """A time transform and its column, as messages show it."""

    transform: BoundTransform
    source: str


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_risky_fields,
    category=Category.FIELDS,
)
def redundant_time(context: Context) -> Findings:
    """Every second time transform of a column, in CREATE TABLE or as the result of ALTER TABLE."""
    if isinstance(context.node, nodes.Create):
        yield from _created(context)
        return
    requested_field = context.requested_field
    if (
        requested_field is None
        or requested_field.transform.transform.granularity is None
        or (isinstance(context.node, nodes.ReplaceField) and context.dropped_field is None)
    ):
        return
    for field in context.specs.spec.fields:
        granularity = field.transform.transform.granularity
        if field is context.dropped_field or granularity is None or field.source_id != requested_field.source_id:
            continue
        if field.transform == requested_field.transform:
            return
        yield Finding(
            context.new_terms[0].term.span,
            _message(field, requested_field),
            _change_help(context, field, requested_field, granularity),
            severity=Severity.WARNING,
        )
        return


def _created(context: Context) -> Findings:
    """One finding for each column, at the second of its fields: the finest covers all others."""
    times: dict[object, list[tuple[ResolvedTerm, TimeField]]] = {}
    for facts in context.terms:
        column, time_field = _time_field(facts)
        if time_field is not None:
            times.setdefault(column, []).append((facts, time_field))
    for fields in times.values():
        time_fields = list({time_field.transform: time_field for _, time_field in fields}.values())
        if len(time_fields) < 2:
            continue
        finest = min(time_fields, key=lambda time_field: time_field.transform.transform.granularity or 0)
        source = next(facts.source_text for facts, time_field in fields if time_field is finest)
        second_facts = next(facts for facts, time_field in fields if time_field.transform != fields[0][1].transform)
        covered = [time_field.transform.transform.name for time_field in time_fields if time_field is not finest]
        yield Finding(
            second_facts.term.span,
            _message(*time_fields),
            f"keep only `{finest.transform.clause(source)}`: it already partitions by {' and '.join(covered)}",
        )


def _time_field(facts: ResolvedTerm) -> tuple[object, TimeField | None]:
    """A time transform and the identity of its column: its id, or its name if the columns are unknown."""
    try:
        requested_field = facts.requested_field
    except UnknownFactError:
        if facts.bound is None or facts.source is None:
            return None, None
        column: object = facts.source.parts
        time_field = TimeField(facts.bound, facts.source_text)
    else:
        if requested_field is None:
            return None, None
        column, time_field = (requested_field.source_id, TimeField(requested_field.transform, requested_field.source))
    return column, time_field if time_field.transform.transform.granularity is not None else None


def _message(*fields: PartitionField | RequestedField | TimeField) -> str:
    terms = join_names((w.transform.clause(w.source) for w in fields), "and")
    kept_word, redundant_word = ("finer", "other") if len(fields) == 2 else ("finest", "others")
    return f"{terms} partition by the same column, and the {kept_word} one makes the {redundant_word} redundant"


def _change_help(context: Context, field: PartitionField, requested_field: RequestedField, granularity: float) -> str:
    if granularity < (requested_field.transform.transform.granularity or 0):
        return f"leave out the statement: `{field.name}` also prunes by {requested_field.transform.transform.spelling}"
    new = context.text_at(context.new_terms[0].term.span)
    return f"write `ALTER TABLE {context.target.text} REPLACE PARTITION FIELD {quoted(field.name)} WITH {new}`"
