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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.facts.target_context import UnknownFactError
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.syntax import nodes

_MAX_BUCKETS = 20_000


@rule(Severity.WARNING, on=(nodes.Create, nodes.AddField, nodes.ReplaceField), category=Category.TEXT)
def pointless_parameter(context: Context) -> Findings:
    """One bucket, far too many buckets, or a width that merges no values."""
    for facts in context.new_terms:
        transform, number, name = facts.transform, facts.parameter, facts.source_text
        if transform is None or number is None or not name:
            continue
        literal = facts.term.literals[0]
        if literal.suffix.upper() in ("S", "Y"):
            continue  # SIS108 reports most of these
        span = literal.span
        if transform.hashes and number == 1:
            help_ = f"write `{transform.clause(name)}`, or leave it out"
            yield Finding(span, "a single bucket holds all rows", help_)
        elif transform.hashes and number > _MAX_BUCKETS:
            message = f"{number} buckets make tiny files with a few rows each"
            help_ = f"write `{transform.clause(name)}`, or a few hundred buckets for a large table"
            yield Finding(span, message, help_)
        elif transform.truncates:
            column = _column(facts)
            if column is not None and _leaves_unchanged(column.field.type, number):
                message = f"`{name}` is {type_with_article(column.field.type)}, which width {number} leaves unchanged"
                yield Finding(span, message, f"write `{name}`")


def _column(facts: ResolvedTerm) -> Column | None:
    try:
        return facts.column
    except UnknownFactError:
        return None  # only this warning depends on the columns


def _leaves_unchanged(data_type: object, width: int) -> bool:
    if not isinstance(data_type, Primitive):
        return False
    if data_type.name in ("int", "long", "decimal"):
        return width == 1
    if data_type.name != "string" or data_type.spark is None:
        return False
    length = re.search(r"\d+", data_type.spark)
    return length is not None and width >= int(length[0])
