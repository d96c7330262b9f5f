"""A column type that the table's file format cannot write.

## Why
The runtime accepts a struct without fields and, in version 3, void inside an array or a map, or as the only type
in a struct or a table. Parquet, the default format, can store none of these, and ORC only some: the table is
created, and every INSERT fails ("Cannot write a schema with an empty group", "Cannot convert element Parquet:
unknown"). Dropping the last field of a struct has the same effect. Void holds only nulls, so it can be neither
NOT NULL nor a map's key; that is refused ("Cannot create required field with unknown type").

## Instead
A type that holds values, or add the column once there is one; Avro files (`write.format.default`) can store all
of these except the required ones.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, extra STRUCT<>) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, tags ARRAY<VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3');
```
```sql bad
CREATE TABLE events (id BIGINT, point STRUCT<x: INT>) USING iceberg;
ALTER TABLE events DROP COLUMN point.x;
```
```sql good
CREATE TABLE events (id BIGINT, later VOID, point STRUCT<x: INT, later: VOID>) USING iceberg
TBLPROPERTIES ('format-version' = '3');
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, Type, children
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_special_columns
from spark_iceberg_sql.syntax import nodes, terms

_COLUMNS = (nodes.AddColumns, nodes.ReplaceColumns, nodes.DropColumns)
_FORMAT = "write.format.default"
_WHOLE_TABLE = ""  # the table as a whole, instead of a column's name


@rule(
    Severity.ERROR,
    on=(nodes.Create, *_COLUMNS),
    spec="Schemas and Data Types",
    when=has_special_columns,
    category=Category.COLUMNS,
    iceberg_only=True,
    spark_only=True,
)
def unwritable_type(context: Context) -> Findings:
    """Every column that the statement creates and that files of the table's format cannot store."""
    node = context.node
    if isinstance(node, nodes.Create):
        table_before = None
        if not context.creates_iceberg or (node.query is not None and context.schema_if_known is None):
            return
    elif context.schema_if_known is None:
        return
    else:
        table_before = context.iceberg_table
    table_after = context.table_after
    if table_after is None or table_after.schema is None:
        return
    changed_names: list[str] | None = None  # few columns of a wide table change
    if isinstance(node, nodes.AddColumns | nodes.DropColumns):
        refs = node.columns if isinstance(node, nodes.DropColumns) else [r for r, _ in node.columns]
        changed_names = list(dict.fromkeys(ref.parts[0] for ref in refs))
    old_faults: dict[str, str] = {}
    if table_before and table_before.schema:
        old_faults = dict(_faults(table_before.schema, _format(table_before), changed_names))
    for name, reason in _faults(table_after.schema, _format(table_after), changed_names):
        if old_faults.get(name) != reason:
            yield Finding(_column_span(context, name), reason, _help(context, name, reason))


def _format(table: Table) -> str:
    return table.properties.get(_FORMAT, "parquet").lower()


def _faults(schema: Schema, file_format: str, changed_names: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """The invalid top-level columns, each with the first reason. changed_names: if given, only these are checked."""
    fields: Iterable[Field] = schema.fields
    if changed_names is not None:
        columns = (column for name in changed_names for column in schema.find_all((name,)))
        fields = (column.field for column in columns if not column.parents)
    for column in fields:
        if isinstance(column.type, Primitive) and not _is_void(column.type):
            continue
        if reason := _required(column) or _unwritable(column.name, column.type, file_format):
            yield column.name, reason
    if file_format == "parquet" and schema.fields and all(_is_void(f.type) for f in schema.fields):
        yield _WHOLE_TABLE, "Parquet cannot store the table: all its columns are void"


def _is_void(data_type: Type) -> bool:
    return isinstance(data_type, Primitive) and data_type.name == "unknown"


def _required(field: Field, path: str = "") -> str | None:
    """A void that is not optional, which no format and no catalog accepts."""
    name = f"{path}.{field.name}" if path else field.name
    if field.required and _is_void(field.type):
        return f"`{name}` is required, but void holds only nulls"
    return next((w for child in children(field.type) if (w := _required(child, name))), None)


def _unwritable(name: str, data_type: Type, file_format: str) -> str | None:
    """The reason why files of this format cannot store a type, at any depth; None if they can."""
    if file_format not in ("parquet", "orc"):
        return None
    format_name = "Parquet" if file_format == "parquet" else "ORC"
    if isinstance(data_type, Struct):
        if not data_type.fields:
            return f"{format_name} cannot store `{name}`: the struct has no fields"
        if file_format == "parquet" and all(_is_void(f.type) for f in data_type.fields):
            return f"{format_name} cannot store `{name}`: all fields of the struct are void"
    if isinstance(data_type, List) and _is_void(data_type.element.type):
        return f"{format_name} cannot store `{name}`: its elements are void"
    if isinstance(data_type, Map) and _is_void(data_type.value.type):
        return f"{format_name} cannot store `{name}`: its values are void"
    inner_faults = (_unwritable(f"{name}.{f.name}", f.type, file_format) for f in children(data_type))
    return next(filter(None, inner_faults), None)


def _column_span(context: Context, name: str) -> terms.Offsets:
    node = context.node
    if isinstance(node, nodes.DropColumns):
        spans = {ref.parts[0].lower(): ref.span for ref in node.columns}
        return spans.get(name.lower(), node.columns[0].span)
    if isinstance(node, nodes.AddColumns):
        spans = {path.parts[0].lower(): column.type_span for path, column in node.columns}
    else:
        assert isinstance(node, nodes.Create | nodes.ReplaceColumns)
        columns = node.columns or ()
        spans = {column.name.lower(): column.type_span for column in columns}
        if name == _WHOLE_TABLE and columns:
            return columns[0].type_span
    return spans.get(name.lower(), context.target.span)


def _help(context: Context, name: str, reason: str) -> str:
    if isinstance(context.node, nodes.DropColumns):
        if name == _WHOLE_TABLE:
            return f"add another column first: `ALTER TABLE {context.target.text} ADD COLUMN ...`"
        return f"drop the whole column: `ALTER TABLE {context.target.text} DROP COLUMN {name}`"
    if "required" in reason:
        return "leave out NOT NULL, or give it a type that holds values; a map's key cannot be void"
    return "give it a type that holds values, such as `STRING`, or add the column later"
