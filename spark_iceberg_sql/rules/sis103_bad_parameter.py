"""A bucket count or truncate width that is not an integer from 1 to 2147483647.

## Why
Iceberg accepts only an integer literal there: no string, decimal or expression. Zero and negative numbers
are refused. A number above 2147483647 is worse: CREATE TABLE silently truncates it to 32 bits, so that
`bucket(4294967312, id)` creates 16 buckets.

## Instead
A plain integer: `bucket(16, id)`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(0, id));
```
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(4294967312, id));
```
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD truncate('4', name);
```
```sql good
CREATE TABLE events (id BIGINT, name STRING) USING iceberg
PARTITIONED BY (bucket(16, id), truncate(4, name));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.transform_record import TransformParameter
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import transform_help
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.syntax import nodes, terms

_MAX_BIGINT = 2**63 - 1


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_noncanonical_terms,
    category=Category.TEXT,
)
def bad_parameter(context: Context) -> Findings:
    """The only literal of a bucket or truncate, if it is not an integer or is out of range."""
    for facts in context.terms:
        transform, literals = facts.transform, facts.term.literals
        if transform is None or transform.parameter is None or facts.source is None or len(literals) != 1:
            continue
        (literal,), bounds = literals, transform.parameter
        if literal.value is not None and bounds.minimum <= literal.value <= bounds.maximum:
            continue
        message = (
            f"the {bounds.noun} of `{facts.term.transform_name}` must be an integer from {bounds.minimum} to "
            f"{bounds.maximum}, not `{literal.text}`"
        )
        if literal.value is not None and facts.spark_reads:
            wrapped = (literal.value + 2**31) % 2**32 - 2**31
            if wrapped >= bounds.minimum:
                message += f", which Spark silently reads as {wrapped}"
        intended_number = _intended_number(literal, bounds)
        help_ = transform_help(facts, transform, facts.source_text, intended_number)
        fix = None
        if intended_number is not None:
            fix = Fix(f"write `{intended_number}`", (Edit(*literal.span, str(intended_number)),), safe=True)
        early = facts.spark_reads and (literal.value is None or abs(literal.value) > _MAX_BIGINT)
        yield Finding(literal.span, message, help_, fix, early=early)


def _intended_number(literal: terms.Literal, bounds: TransformParameter) -> int | None:
    """The integer that a string or a decimal represents: '16', 16.0; None if there is none in range."""
    text = literal.text.strip("'\"").rstrip("0").rstrip(".") if "." in literal.text else ""
    text = text or literal.text.strip("'\"").strip()
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0")
    if len(digits) > len(str(bounds.maximum)):
        return None  # and int() refuses thousands of digits
    number = int(digits or "0")
    return number if bounds.minimum <= number <= bounds.maximum else None
