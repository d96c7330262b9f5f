"""WRITE ORDERED BY something that Iceberg cannot sort files by.

## Why
Files are sorted by columns of the table, or by transforms over one column each; names are case-insensitive.
An unknown column, a struct, a list, a map, an unknown transform, a bucket count or width that is not a positive
integer, and a type that the transform does not accept are refused. A column inside a list or a map is accepted,
and then every INSERT fails.

## Instead
`WRITE ORDERED BY` with the columns, each optionally with ASC or DESC and NULLS FIRST or LAST.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events WRITE ORDERED BY id, event_ts;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events WRITE LOCALLY ORDERED BY weeks(ts);
```
```sql bad
CREATE TABLE events (id BIGINT, place STRUCT<x: INT, y: INT>) USING iceberg;
ALTER TABLE events WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY place;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY bucket(16, id), ts DESC NULLS LAST;
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import spelled
from spark_iceberg_sql.model.types import Primitive, Struct
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.words import a_type, listed, written
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted

_BIGGEST = 2**31 - 1


@rule(Severity.ERROR, on=(nodes.WriteOrder,), spec="Sorting", category=Category.COLUMNS)
def unsortable(context: Context) -> Iterator[Finding]:
    """Every term that the table cannot be sorted by."""
    assert isinstance(context.node, nodes.WriteOrder)
    readable = []
    for term in context.node.terms:
        fault = _words(term)
        if fault is not None:
            yield fault
        else:
            readable.append(term)
    for term in readable:
        yield from _column(context, term)


def _words(term: terms.Term) -> Finding | None:
    """The finding about a term that is invalid whatever the table is."""
    record = _record(term)
    columns = [column.text for column in term.columns]
    if record is None or not record.in_ddl:
        return Finding(
            term.name_span,
            f"Iceberg has no transform `{term.call}` to sort by",
            f"write {listed(columns) if columns else 'a column'}, or a transform: `days(ts)`, `bucket(16, id)`",
        )
    if len(columns) != 1:
        what = "several" if columns else "none"
        help_ = "write each separately: " + ", ".join(columns) if columns else "write `days(ts)`"
        return Finding(term.span, f"`{term.call}` takes one column, but has {what}", help_)
    if record.parameter is None:
        return None
    numbers = [
        item for item in term.literals if item.kind == "integer" and item.suffix in ("", "L")
    ]
    value = numbers[0].value if numbers else None
    if value is not None and record.parameter.minimum <= value <= _BIGGEST:
        return None
    given = f"not `{numbers[0].text}`" if numbers else "but has none"
    return Finding(
        numbers[0].span if numbers else term.span,
        f"`{term.call}` needs an integer from {record.parameter.minimum} to {_BIGGEST}, {given}",
        f"write `{record.clause(columns[0], 16)}`",
    )


def _record(term: terms.Term) -> Transform | None:
    return spelled(term.call)


def _column(context: Context, term: terms.Term) -> Iterator[Finding]:
    ref, record = term.columns[0], _record(term)
    assert record is not None
    schema, table = context.schema, context.target.text
    found = schema.find_all(ref.parts, case_sensitive=context.known.case_sensitive)
    if not found:
        names = context.instead(schema, ".".join(ref.parts))
        help_ = f"write {listed(names)}" if names else "add the column first"
        yield Finding(ref.span, f"`{table}` has no column `{ref.text}`", help_)
        return
    column, kind = found[0], found[0].field.type
    if column.in_collection:
        yield Finding(
            ref.span,
            f"`{ref.text}` is inside a list or a map, which holds many values per row: every INSERT would fail",
            "write another column",
        )
    elif not isinstance(kind, Primitive):
        inside = [written(c) for c in schema.columns if c.name.startswith(column.name + ".")]
        struct = isinstance(kind, Struct) and inside
        more = f"write a column inside it: {listed(inside)}" if struct else ""
        yield Finding(
            ref.span,
            f"`{ref.text}` is {a_type(kind)}, which cannot be sorted",
            more or "write another column",
        )
    elif not record.takes(kind):
        yield Finding(
            ref.span,
            f"`{term.call or 'identity'}` needs {record.accepts}, but `{ref.text}` is {a_type(kind)}",
            f"write `{quoted(ref.parts[-1]) if len(ref.parts) == 1 else ref.text}` alone",
        )
