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
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_FUNCTION, DATE, HASH, IDENTITY, SUGGESTED, TIMES
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.columns import column_of, fitting, quoted_column, to_write
from spark_iceberg_sql.rules.meant_transform import meant, parameter, units
from spark_iceberg_sql.rules.occasions import odd_terms
from spark_iceberg_sql.rules.program_calls import in_words_of_reader
from spark_iceberg_sql.rules.words import listed
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=odd_terms,
    category=Category.TEXT,
    in_programs=in_words_of_reader,
)
def unknown_transform(context: Context) -> Iterator[Finding]:
    """Every call that does not name a transform."""
    for facts in context.terms:
        call = facts.term.call
        if call is None or facts.transform is not None or call.lower() in _VOIDS:
            continue
        found = meant(call, [argument.text for argument in facts.term.arguments])
        record = found.record if found is not None else None
        source = _source(facts, record)
        number = _number(facts, record)
        fix = None
        if record is None:
            help_ = _any(facts, source)
        else:
            help_ = to_write(facts, record, source, number)
        if found is not None and help_ == f"write `{found.record.clause(source, number)}`":
            help_ += f": {found.why}" if found.why else ""
            if found.slip:
                edit = Edit(*facts.term.name_span, found.record.spelling)
                safe = call.lower() in BY_FUNCTION  # our function of that name; all else is a guess
                fix = Fix(f"write `{found.record.spelling}`", (edit,), safe=safe)
        yield Finding(
            facts.term.name_span, f"Iceberg has no partition transform `{call}`", help_, fix
        )


_VOIDS = frozenset({"always_null"})  # SIS106 reports these


# What is offered if the intention is unclear, one of each sort.
_OFFERED = tuple(t for t in SUGGESTED if t is DATE or t.parameter is not None)


def _any(facts: TermFacts, source: str) -> str:
    """The help where no transform can be inferred."""
    column = column_of(facts, source)
    kind = column.field.type if column is not None else None
    if column is not None and (column.in_collection or not IDENTITY.takes(column.field.type)):
        return to_write(facts, IDENTITY, source)
    offered = [t for t in _OFFERED if kind is None or t.takes(kind)]
    if kind is None or not TIMES[-1].takes(kind):  # each moment would be its own partition
        offered = [IDENTITY, *offered]
    return f"write {listed(t.clause(source) for t in offered)}"


def _source(facts: TermFacts, record: Transform | None) -> str:
    """The source column that the term probably intends, as written."""
    texts = [column.text for column in facts.term.columns]
    plain = [text for text in texts if not units([text])]
    named = quoted_column(facts) if not texts else None
    if named is not None and not units([named.text]):
        return quoted(named.text[1:-1])
    return next(iter(plain or texts or fitting(facts.statement, record or HASH)), "...")


def _number(facts: TermFacts, record: Transform | None) -> int | None:
    """The bucket count or width, if the arguments have one."""
    numbers = [literal.value for literal in facts.term.literals if literal.value is not None]
    return parameter(record, numbers) if record is not None else None
