"""A transform that Iceberg does not have.

## Why
The spec defines identity, bucket, truncate, year, month, day and hour; Spark's DDL accepts these names and
their plurals, `date` and `date_hour`, in any case. Anything else is refused ("Transform is not supported").

## Instead
For weeks and quarters: days or months, which queries over a week or quarter prune by as well. For minutes: hours.
For a hash: bucket. For ranges and prefixes: truncate. For Z-order: bucket, and sort within the files (`WRITE
ORDERED BY`). For expressions such as `date_trunc('day', ts)`: the transform for that unit.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD hash(16, id);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (date_trunc('month', ts));
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), bucket(16, id));
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.model.transforms import (
    BY_FUNCTION,
    BY_OTHER_NAME,
    BY_SPELLING,
    DATE,
    HASH,
    Transform,
)
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.columns import fitting
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
)
def unknown_transform(context: Context) -> Iterator[Finding]:
    """Every call that does not name a transform."""
    for facts in context.terms:
        call = facts.term.call
        if call is None or facts.transform is not None or call.lower() in _VOIDS:
            continue
        record, why, fix = _meant(facts, call)
        source = _source(facts, record)
        if record is None:
            help_ = f"write `{source}`, `bucket(16, {source})`, `truncate(4, {source})` or `days({source})`"
        else:
            help_ = f"write `{record.clause(source, _number(facts, record))}`" + why
        yield Finding(
            facts.term.name_span, f"Iceberg has no partition transform `{call}`", help_, fix
        )


_VOIDS = frozenset({"always_null"})  # SIS106 reports these


def _meant(facts: TermFacts, call: str) -> tuple[Transform | None, str, Fix | None]:
    """The transform that was probably meant, why it serves, and a fix if only the name is wrong."""
    low = call.lower()
    if low in BY_OTHER_NAME:
        meant, why = BY_OTHER_NAME[low]
        return next(_units(facts), meant) if meant is DATE else meant, f": {why}", None
    record = BY_FUNCTION.get(low)
    same = record is not None  # this package's function of that name; anything else is a guess
    if record is None:
        close = near(low, BY_SPELLING)
        record = BY_SPELLING[close[0]] if close else None
    if record is None or not record.in_ddl:
        return None, "", None
    edit = Edit(*facts.term.name_span, record.spelling)
    return record, "", Fix(f"write `{record.spelling}`", (edit,), safe=same)


def _units(facts: TermFacts) -> Iterator[Transform]:
    """The time units among the arguments: `date_trunc('month', ts)`, `TIMESTAMP_TRUNC(ts, MONTH)`."""
    for argument in facts.term.arguments:
        record = BY_SPELLING.get(argument.text.strip("'\"`").lower())
        if record is not None and record.granularity is not None:
            yield record


def _source(facts: TermFacts, record: Transform | None) -> str:
    """The column that was probably meant, as written."""
    units = {unit.name for unit in _units(facts)}
    texts = [column.text for column in facts.term.columns]
    plain = [t for t in texts if getattr(BY_SPELLING.get(t.lower()), "name", None) not in units]
    return next(iter(plain or texts or fitting(facts.statement, record or HASH)), "...")


def _number(facts: TermFacts, record: Transform) -> int | None:
    """The bucket count or width, if the arguments contain one."""
    bounds = record.parameter
    numbers = (literal.value for literal in facts.term.literals if literal.value is not None)
    return next((n for n in numbers if bounds and bounds.minimum <= n <= bounds.maximum), None)
