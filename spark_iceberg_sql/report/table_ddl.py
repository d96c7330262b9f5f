"""A known table as DDL: the statements that create an equal table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, Type
from spark_iceberg_sql.report.sql_text import laid_out
from spark_iceberg_sql.rules.message_format import column_text
from spark_iceberg_sql.rules.sis411_refused_property import RESERVED
from spark_iceberg_sql.safe_output import visible, visible_lines, without_commands
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted, string_literal


def table_ddl(table: Table) -> str:
    """CREATE TABLE, ALTER TABLE for partition fields that CREATE cannot name, and the spec in comments.

    For a table that is not fully known, only a comment.
    """
    lines = [visible(line) if line.startswith("--") else line for line in _lines(table)]
    if any(line != without_commands(visible_lines(line)) for line in lines):
        name = visible(qualified_name(table.name))
        lines = [f"-- {name}: it has names with control characters, which a script cannot show"]
    return "\n".join(lines) + "\n"


def _lines(table: Table) -> Iterator[str]:
    name = qualified_name(table.name)
    if table.kind is not RelationKind.ICEBERG:
        yield f"-- {name}: {table.kind.value}"
        return
    if table.schema is None or table.specs is None or table.is_partial:
        unknown_part = "columns are" if table.schema is None else "partitioning is"
        reason = f": {table.why_unknown}" if table.why_unknown else ""
        yield f"-- {name}: its {unknown_part} unknown{reason}"
        return
    schema, specs = table.schema, table.specs
    columns = ", ".join(f"{quoted(f.name)} {_column(f)}" for f in schema.fields)
    created_fields, added_fields = _split_fields(specs)
    clause = ", ".join(field_clause(field, schema) for field in created_fields)
    properties = {**table.properties, "format-version": str(specs.format_version)}
    property_text = ", ".join(
        f"{string_literal(key)} = {string_literal(value)}"
        for key, value in sorted(properties.items())
        if key not in RESERVED
    )
    partitioned = f" PARTITIONED BY ({clause})" if clause else ""
    create = f"CREATE TABLE {name} ({columns}) USING iceberg{partitioned} TBLPROPERTIES ({property_text});"
    yield laid_out(create, width=0)
    for field in added_fields:
        default_name = field.transform.transform.alter_name(field.source, field.transform.parameter)
        name_clause = "" if field.name == default_name else f" AS {quoted(field.name)}"
        yield f"ALTER TABLE {name} ADD PARTITION FIELD {field_clause(field, schema)}{name_clause};"
    yield from _identifiers(table, name, schema)
    yield from _sort_order(table, name, schema)
    for column in schema.columns:
        if column.field.default is not None:
            yield f"-- {column.name} has the default {column.field.default!r}, which Spark cannot create"
        if isinstance(column.field.type, Primitive) and column.field.type.name in _NOT_IN_SPARK:
            yield f"-- {column.name} is of Iceberg's type {column.field.type}, which Spark cannot create"
    suffix = "" if specs.spec.fields else ", unpartitioned"
    yield f"-- format version {specs.format_version}, spec {specs.current} of {len(specs.all_specs)}{suffix}"
    for field in specs.spec.fields:
        source = f"void({field.source})" if field.transform.is_void else field_clause(field, schema)
        yield f"--   {field.field_id}  {field.name}  {source}"


def columns_ddl(schema: Schema) -> str:
    """The columns of a CREATE TABLE, in one line; a type that Spark cannot read has Iceberg's name."""
    return ", ".join(f"{quoted(f.name)} {_column(f, _READ_AS)}" for f in schema.fields)


def partitioning_ddl(schema: Schema, specs: Specs) -> str:
    """The terms of the current spec, as PARTITIONED BY has them; empty without any."""
    return ", ".join(field_clause(f, schema) for f in specs.spec.fields if not f.transform.is_void)


# Iceberg's types that CREATE TABLE in Spark cannot name -> the nearest that it can.
_NOT_IN_SPARK: Mapping[str, str] = {
    "uuid": "STRING",
    "fixed": "BINARY",
    "time": "BIGINT",
    "timestamp_ns": "TIMESTAMP_NTZ",
    "timestamptz_ns": "TIMESTAMP",
    "geometry": "BINARY",
    "geography": "BINARY",
}


# Those that Spark reads, as another type.
_READ_AS = {name: _NOT_IN_SPARK[name] for name in ("uuid", "fixed")}


def _identifiers(table: Table, name: str, schema: Schema) -> Iterator[str]:
    columns = [c for c in schema.columns if c.field.field_id in (table.identifiers or ())]
    if columns:
        yield f"ALTER TABLE {name} SET IDENTIFIER FIELDS {', '.join(map(column_text, columns))};"


def type_ddl(data_type: Type) -> str:
    """A column's type in SQL; one that Spark cannot read has Iceberg's name."""
    return _type(data_type, _READ_AS)


def sort_order_terms(table: Table, schema: Schema) -> str | None:
    """The table's sort order, as WRITE ORDERED BY has it; empty without one, None if a column of it is dropped."""
    terms = []
    for field in table.order:
        column = schema.by_id(field.source_id)
        if column is None:
            return None
        terms.append(f"{field.transform.clause(column_text(column))} {field.direction} {field.nulls}")
    return ", ".join(terms)


def _sort_order(table: Table, name: str, schema: Schema) -> Iterator[str]:
    """The sort order; its statement also sets a property, which is put back."""
    terms = sort_order_terms(table, schema)
    if terms is None:
        transforms = (f.transform for f in table.order if schema.by_id(f.source_id) is None)
        yield f"-- its sort order is over a dropped column: {next(transforms)}"
    if not terms:
        return
    distribution = table.properties.get(_DISTRIBUTION)
    yield f"ALTER TABLE {name} WRITE ORDERED BY {terms};"
    if distribution is None:
        yield f"ALTER TABLE {name} UNSET TBLPROPERTIES ('{_DISTRIBUTION}');"
    elif distribution != "range":
        yield f"ALTER TABLE {name} SET TBLPROPERTIES ('{_DISTRIBUTION}' = {string_literal(distribution)});"


_DISTRIBUTION = "write.distribution-mode"


def _column(field: Field, type_names: Mapping[str, str] = _NOT_IN_SPARK) -> str:
    comment = "" if field.doc is None else f" COMMENT {string_literal(field.doc)}"
    return f"{_type(field.type, type_names)}{' NOT NULL' if field.required else ''}{comment}"


def _type(data_type: Type, type_names: Mapping[str, str]) -> str:
    """A type in DDL. type_names: Iceberg's names -> those to write."""
    if isinstance(data_type, Struct):
        fields = (f"{quoted(f.name)}: {_column(f, type_names)}" for f in data_type.fields)
        return f"STRUCT<{', '.join(fields)}>"
    if isinstance(data_type, List):
        return f"ARRAY<{_type(data_type.element.type, type_names)}>"
    if isinstance(data_type, Map):
        return f"MAP<{_type(data_type.key.type, type_names)}, {_type(data_type.value.type, type_names)}>"
    type_name = str(data_type) if data_type.name in _NOT_IN_SPARK else str(data_type).upper()
    return type_names.get(data_type.name, type_name)


def field_clause(field: PartitionField, schema: Schema) -> str:
    """A partition field's term as DDL writes it, with its column in backticks where needed."""
    column = schema.by_id(field.source_id)
    return field.transform.clause(quoted(field.source) if column is None else column_text(column))


def _split_fields(specs: Specs) -> tuple[list[PartitionField], list[PartitionField]]:
    """The fields that CREATE TABLE gives the right names, and those that ALTER TABLE must add."""
    fields = [field for field in specs.spec.fields if not field.transform.is_void]
    for number, field in enumerate(fields):
        if field.name != field.transform.transform.create_name(field.source):
            return fields[:number], fields[number:]
    return fields, []
