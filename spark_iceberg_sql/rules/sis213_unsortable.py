"""WRITE ORDERED BY something that Iceberg cannot sort files by.

## Why
Files are sorted by columns of the table, or by transforms over one column each; names are case-insensitive.
An unknown column, a struct, a list, a map, an unknown transform, a bucket count or width that is not a positive
integer, and a type that the transform does not accept are refused. A column inside a list or a map is accepted,
and then every INSERT fails, except that Spark takes `m.value` of a map with strings as keys for `m['value']`, and sorts
by that entry.

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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.transforms import find_transform
from spark_iceberg_sql.model.types import List, Map, Primitive, Struct
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import column_text, join_names, type_with_article
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted

_MAX_INT = 2**31 - 1


@rule(Severity.ERROR, on=(nodes.WriteOrder,), spec="Sorting", category=Category.COLUMNS)
def unsortable(context: Context) -> Findings:
    """Every term that the table cannot be sorted by."""
    assert isinstance(context.node, nodes.WriteOrder)
    valid_terms = []
    for term in context.node.terms:
        finding = _transform_finding(term)
        if finding is not None:
            yield finding
        else:
            valid_terms.append(term)
    for term in valid_terms:
        yield from _column_findings(context, term)


def _transform_finding(term: terms.Term) -> Finding | None:
    """The finding about a term that is invalid whatever the table is."""
    transform = find_transform(term.transform_name)
    columns = [column.text for column in term.columns]
    if transform is None or not transform.in_ddl:
        return Finding(
            term.name_span,
            f"Iceberg has no transform `{term.transform_name}` to sort by",
            f"write {join_names(columns) if columns else 'a column'}, or a transform: `days(ts)`, `bucket(16, id)`",
        )
    if len(columns) != 1:
        count_text = "several" if columns else "none"
        help_ = "write each separately: " + ", ".join(columns) if columns else "write `days(ts)`"
        return Finding(term.span, f"`{term.transform_name}` takes one column, but has {count_text}", help_)
    if transform.parameter is None:
        return None
    numbers = [item for item in term.literals if item.kind == "integer" and item.suffix in ("", "L")]
    value = numbers[0].value if numbers else None
    if value is not None and transform.parameter.minimum <= value <= _MAX_INT:
        return None
    actual_text = f"not `{numbers[0].text}`" if numbers else "but has none"
    return Finding(
        numbers[0].span if numbers else term.span,
        f"`{term.transform_name}` needs an integer from {transform.parameter.minimum} to {_MAX_INT}, {actual_text}",
        f"write `{transform.clause(columns[0], 16)}`",
    )


def _column_findings(context: Context, term: terms.Term) -> Findings:
    ref, transform = term.columns[0], find_transform(term.transform_name)
    assert transform is not None
    schema, table = context.schema, context.target.text
    columns = schema.find_all(ref.parts, case_sensitive=context.catalog.case_sensitive)
    if not columns:
        names = context.suggested_names(schema, ".".join(ref.parts))
        help_ = f"write {join_names(names)}" if names else "add the column first"
        yield Finding(ref.span, f"`{table}` has no column `{ref.text}`", help_)
        return
    column, data_type = columns[0], columns[0].field.type
    if column.in_collection:
        yield Finding(
            ref.span,
            f"`{ref.text}` is inside a list or a map, which holds many values per row: {_effect_on_inserts(column)}",
            "write another column",
        )
    elif not isinstance(data_type, Primitive):
        nested_names = [column_text(c) for c in schema.columns if c.name.startswith(column.name + ".")]
        struct = isinstance(data_type, Struct) and nested_names
        nested_help = f"write a column inside it: {join_names(nested_names)}" if struct else ""
        yield Finding(
            ref.span,
            f"`{ref.text}` is {type_with_article(data_type)}, which cannot be sorted",
            nested_help or "write another column",
        )
    elif not transform.takes(data_type):
        yield Finding(
            ref.span,
            f"`{term.transform_name or 'identity'}` needs {transform.accepts}, but `{ref.text}` is "
            f"{type_with_article(data_type)}",
            f"write `{quoted(ref.parts[-1]) if len(ref.parts) == 1 else ref.text}` alone",
        )


def _effect_on_inserts(column: Column) -> str:
    """What every INSERT does if the table is sorted by a column inside a list or a map."""
    index, collection = next((i, p) for i, p in enumerate(column.parents) if isinstance(p, List | Map))
    if isinstance(collection, List) or str(collection.key.type) != "string":
        return "every INSERT would fail"
    *outer, key = column.path[: index + 2]
    return f"every INSERT would sort by the entry `{'.'.join(outer)}['{key}']`"
