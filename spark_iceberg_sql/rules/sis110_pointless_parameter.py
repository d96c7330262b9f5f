"""A bucket count or width that is accepted but has no useful effect.

## Why
One bucket puts all rows into one partition. Tens of thousands of buckets make tiny files with a few rows
each. A truncate width that never shortens a value, `truncate(1, id)` on an integer or `truncate(10, code)` on
VARCHAR(5), changes nothing: it is identity under a longer name.

## Instead
A handful to a few thousand buckets; a width that merges values; or the column itself.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, code VARCHAR(5)) USING iceberg PARTITIONED BY (bucket(1, id));
```
```sql bad
CREATE TABLE events (id BIGINT, code VARCHAR(5)) USING iceberg PARTITIONED BY (truncate(10, code));
```
```sql good
CREATE TABLE events (id BIGINT, code VARCHAR(5)) USING iceberg
PARTITIONED BY (bucket(16, id), truncate(2, code));
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target import NotKnownError
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.words import a_type
from spark_iceberg_sql.syntax import nodes

_MOST_BUCKETS = 20_000


@rule(
    Severity.WARNING, on=(nodes.Create, nodes.AddField, nodes.ReplaceField), category=Category.TEXT
)
def pointless_parameter(context: Context) -> Iterator[Finding]:
    """One bucket, far too many buckets, or a width that merges no values."""
    for facts in context.new_terms:
        record, number, name = facts.transform, facts.parameter, facts.source_text
        if record is None or number is None or not name:
            continue
        literal = facts.term.literals[0]
        if literal.suffix.upper() in ("S", "Y"):
            continue  # SIS108 reports most of these
        span = literal.span
        if record.hashes and number == 1:
            help_ = f"write `{record.clause(name)}`, or leave it out"
            yield Finding(span, "a single bucket holds all rows", help_)
        elif record.hashes and number > _MOST_BUCKETS:
            what = f"{number} buckets make tiny files with a few rows each"
            help_ = f"write `{record.clause(name)}`, or a few hundred buckets for a large table"
            yield Finding(span, what, help_)
        elif record.truncates:
            column = _column(facts)
            if column is not None and _keeps_all(column.field.type, number):
                what = f"`{name}` is {a_type(column.field.type)}, which width {number} leaves unchanged"
                yield Finding(span, what, f"write `{name}`")


def _column(facts: TermFacts) -> Column | None:
    try:
        return facts.column
    except NotKnownError:
        return None  # only this warning depends on the columns


def _keeps_all(kind: object, width: int) -> bool:
    if not isinstance(kind, Primitive):
        return False
    if kind.name in ("int", "long", "decimal"):
        return width == 1
    if kind.name != "string" or kind.spark is None:
        return False
    length = re.search(r"\d+", kind.spark)
    return length is not None and width >= int(length[0])
