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

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_FUNCTION, DATE, HASH, IDENTITY, SUGGESTED, TIMES
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_suggestions import accepted_columns, find_column, quoted_column, transform_help
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.rules.preconditions import has_noncanonical_terms
from spark_iceberg_sql.rules.program_calls import with_reader_message
from spark_iceberg_sql.rules.transform_inference import infer_transform, pick_parameter, time_units
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.DropField, nodes.ReplaceField),
    spec="Partition Transforms",
    when=has_noncanonical_terms,
    category=Category.TEXT,
    in_programs=with_reader_message,
)
def unknown_transform(context: Context) -> Findings:
    """Every call that does not name a transform."""
    for facts in context.terms:
        call = facts.term.transform_name
        if call is None or facts.transform is not None or call.lower() in _VOIDS:
            continue
        inference = infer_transform(call, [argument.text for argument in facts.term.arguments])
        transform = inference.transform if inference is not None else None
        source = _source_text(facts, transform)
        number = _number(facts, transform)
        fix = None
        help_ = transform_help(facts, transform, source, number) if transform else _fallback_help(facts, source)
        if inference is not None and help_ == f"write `{inference.transform.clause(source, number)}`":
            help_ += f": {inference.reason}" if inference.reason else ""
            if inference.is_misspelling:
                edit = Edit(*facts.term.name_span, inference.transform.spelling)
                safe = call.lower() in BY_FUNCTION  # our function of that name; all else is a guess
                fix = Fix(f"write `{inference.transform.spelling}`", (edit,), safe=safe)
        yield Finding(facts.term.name_span, f"Iceberg has no partition transform `{call}`", help_, fix)


_VOIDS = frozenset({"always_null"})  # SIS106 reports these


# What is offered if the intention is unclear, one of each sort.
_FALLBACK_TRANSFORMS = tuple(t for t in SUGGESTED if t is DATE or t.parameter is not None)


def _fallback_help(facts: ResolvedTerm, source: str) -> str:
    """The help where no transform can be inferred."""
    column = find_column(facts, source)
    data_type = column.field.type if column is not None else None
    if column is not None and (column.in_collection or not IDENTITY.takes(column.field.type)):
        return transform_help(facts, IDENTITY, source)
    transforms = [t for t in _FALLBACK_TRANSFORMS if data_type is None or t.takes(data_type)]
    if data_type is None or not TIMES[-1].takes(data_type):  # each moment would be its own partition
        transforms = [IDENTITY, *transforms]
    return f"write {join_names(t.clause(source) for t in transforms)}"


def _source_text(facts: ResolvedTerm, transform: Transform | None) -> str:
    """The source column that the term probably intends, as written."""
    texts = [column.text for column in facts.term.columns]
    non_units = [text for text in texts if not time_units([text])]
    string_literal = quoted_column(facts) if not texts else None
    if string_literal is not None and not time_units([string_literal.text]):
        return quoted(string_literal.text[1:-1])
    return next(iter(non_units or texts or accepted_columns(facts.context, transform or HASH)), "...")


def _number(facts: ResolvedTerm, transform: Transform | None) -> int | None:
    """The bucket count or width, if the arguments have one."""
    numbers = [literal.value for literal in facts.term.literals if literal.value is not None]
    return pick_parameter(transform, numbers) if transform is not None else None
