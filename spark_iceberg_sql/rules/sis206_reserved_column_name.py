"""A column with the name of a hidden metadata column.

## Why
Every Iceberg table has the hidden columns `_partition`, `_file`, `_pos`, `_spec_id` and `_deleted`, and from
version 3 on `_row_id` and `_last_updated_sequence_number`. The runtime silently accepts a column of such a
name. Afterwards the table cannot be read ("Table column names conflict with names reserved for Iceberg
metadata columns"), or, if the name is in other case, cannot be updated.

## Instead
Any other name. To repair an existing table, `ALTER TABLE t RENAME COLUMN _file TO file`. Inside a struct these
names are harmless.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, _file STRING) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events ADD COLUMN _partition STRING;
```
```sql good
CREATE TABLE events (id BIGINT, file STRING, source STRUCT<_pos: INT>) USING iceberg;
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target_context import UnknownFactError, as_field
from spark_iceberg_sql.model.types import Field, Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_special_columns
from spark_iceberg_sql.syntax import nodes, terms

_LINEAGE = frozenset({"_row_id", "_last_updated_sequence_number"})
_LINEAGE_SINCE = 3
_LONG = Primitive("long")
_HIDDEN_TYPES = {
    "_file": ((Primitive("string"), True),),
    "_pos": ((_LONG, True),),
    "_spec_id": ((Primitive("int"), False), (Primitive("int"), True)),
    **dict.fromkeys(_LINEAGE, ((_LONG, False), (_LONG, True))),
}
RESERVED = _LINEAGE | {"_partition", "_file", "_pos", "_spec_id", "_deleted"}


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddColumns, nodes.RenameColumn, nodes.ReplaceColumns),
    spec="Reserved Field IDs",
    when=has_special_columns,
    category=Category.COLUMNS,
    iceberg_only=True,
)
def reserved_column_name(context: Context) -> Findings:
    """Every new top-level column with a reserved name, ignoring case."""
    for name, span, field in _new_columns(context):
        if name.lower() not in RESERVED:
            continue
        harmless = name not in RESERVED and not _hides(context, name.lower(), field)
        yield Finding(
            span,
            f"`{name}` is the name of a hidden column of every Iceberg table",
            f"name the column `{name.lstrip('_')}`",
            severity=Severity.WARNING if harmless else None,
        )


def _hides(context: Context, lower_name: str, field: Field | None) -> bool:
    """True if updates read the hidden column, so that a column of the same name in other case breaks them."""
    if lower_name == "_deleted" or (lower_name in _LINEAGE and (context.format_version or 1) < _LINEAGE_SINCE):
        return False
    # One of the hidden column's own type, and required where that is, is taken for it and works.
    return field is None or (field.type, field.required) not in _HIDDEN_TYPES.get(lower_name, ())


def _new_columns(context: Context) -> Iterator[tuple[str, terms.Offsets, Field | None]]:
    node = context.node
    if isinstance(node, nodes.Create):
        if not context.creates_iceberg:
            return
        for column in (*(node.columns or ()), *node.typed_partitions):
            yield column.name, column.span, as_field(column)
        if node.query is not None:
            query = context.text[slice(*node.query)]
            query_schema = context.catalog.columns_of(query)
            if query_schema is None and any(name in query.lower() for name in RESERVED):
                raise UnknownFactError("its columns", "they come from a query")
            for field in query_schema.fields if query_schema is not None else ():
                yield field.name, node.query, field
    elif context.is_not_iceberg:
        return
    elif isinstance(node, nodes.ReplaceColumns):
        yield from ((column.name, column.span, as_field(column)) for column in node.columns)
    elif isinstance(node, nodes.AddColumns):
        top_level = ((path, column) for path, column in node.columns if len(path.parts) == 1)
        yield from ((column.name, path.span, as_field(column)) for path, column in top_level)
    elif isinstance(node, nodes.RenameColumn) and len(node.column.parts) == 1:
        yield node.new_name.parts[-1], node.new_name.span, None
