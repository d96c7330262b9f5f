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

from collections.abc import Iterator
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target import NotKnownError
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.rules.words import listed
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


class Time(NamedTuple):
    """A time transform and its column, as messages show it."""

    transform: BoundTransform
    source: str


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=odd_fields,
    category=Category.FIELDS,
)
def redundant_time(context: Context) -> Iterator[Finding]:
    """Every second time transform of a column, in CREATE TABLE or as the result of ALTER TABLE."""
    if isinstance(context.node, nodes.Create):
        yield from _created(context)
        return
    wanted = context.wanted
    if wanted is None or wanted.transform.transform.granularity is None:
        return
    if isinstance(context.node, nodes.ReplaceField) and context.dropped is None:
        return
    for field in context.specs.spec.fields:
        rank = field.transform.transform.granularity
        if field is context.dropped or rank is None or field.source_id != wanted.source_id:
            continue
        if field.transform == wanted.transform:
            return
        yield Finding(
            context.new_terms[0].term.span,
            _message(field, wanted),
            _change(context, field, wanted, rank),
            severity=Severity.WARNING,
        )
        return


def _created(context: Context) -> Iterator[Finding]:
    """One finding for each column, at the second of its fields: the finest covers all others."""
    times: dict[object, list[tuple[TermFacts, Time]]] = {}
    for facts in context.terms:
        column, time = _time(facts)
        if time is not None:
            times.setdefault(column, []).append((facts, time))
    for fields in times.values():
        different = list({time.transform: time for _, time in fields}.values())
        if len(different) < 2:
            continue
        finest = max(different, key=lambda time: time.transform.transform.granularity or 0)
        source = next(facts.source_text for facts, time in fields if time is finest)
        at = next(facts for facts, time in fields if time.transform != fields[0][1].transform)
        covered = [time.transform.transform.name for time in different if time is not finest]
        yield Finding(
            at.term.span,
            _message(*different),
            f"keep only `{finest.transform.clause(source)}`: it already partitions by {' and '.join(covered)}",
        )


def _time(facts: TermFacts) -> tuple[object, Time | None]:
    """A time transform and the identity of its column: its id, or its name if the columns are unknown."""
    try:
        wanted = facts.wanted
    except NotKnownError:
        if facts.bound is None or facts.source is None:
            return None, None
        column: object = facts.source.parts
        time = Time(facts.bound, facts.source_text)
    else:
        if wanted is None:
            return None, None
        column, time = wanted.source_id, Time(wanted.transform, wanted.source)
    return column, time if time.transform.transform.granularity is not None else None


def _message(*wanted: PartitionField | RequestedField | Time) -> str:
    terms = listed((w.transform.clause(w.source) for w in wanted), "and")
    best, rest = ("finer", "other") if len(wanted) == 2 else ("finest", "others")
    return f"{terms} partition by the same column, and the {best} one makes the {rest} redundant"


def _change(context: Context, field: PartitionField, wanted: RequestedField, rank: int) -> str:
    if rank > (wanted.transform.transform.granularity or 0):
        return f"leave out the statement: `{field.name}` also prunes by {wanted.transform.transform.spelling}"
    new = context.words(context.new_terms[0].term.span)
    return f"write `ALTER TABLE {context.target.text} REPLACE PARTITION FIELD {quoted(field.name)} WITH {new}`"
