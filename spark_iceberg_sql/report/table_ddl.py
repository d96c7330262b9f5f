"""A known table as DDL: the statements that make one like it."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import Kind, Table
from spark_iceberg_sql.syntax.identifiers import quoted


def table_ddl(table: Table) -> str:
    """CREATE TABLE, and ALTER TABLE for the partition fields that CREATE cannot name; then the spec, in comments.

    What is unknown of the table is said in a comment.
    """
    return "\n".join(_lines(table)) + "\n"


def _lines(table: Table) -> Iterator[str]:
    name = ".".join(map(quoted, table.name))
    if table.kind is not Kind.ICEBERG:
        yield f"-- {name}: {table.kind.value}"
        return
    if table.schema is None or table.specs is None or table.partial:
        what = "columns" if table.schema is None else "partitioning"
        yield (
            f"-- {name}: its {what} are unknown"
            if what == "columns"
            else f"-- {name}: its {what} is unknown"
        )
        if table.why_unknown:
            yield f"-- {table.why_unknown}"
        return
    columns = [
        f"  {quoted(f.name)} {str(f.type).upper() if str(f.type).isalnum() else f.type}"
        + (" NOT NULL" if f.required else "")
        for f in table.schema.fields
    ]
    yield f"CREATE TABLE {name} ("
    yield ",\n".join(columns)
    first, rest = _split(table.specs)
    clause = f"\nPARTITIONED BY ({', '.join(f.clause for f in first)})" if first else ""
    version = table.specs.format_version
    properties = {**table.properties, "format-version": str(version)}
    shown = ", ".join(f"{_text(key)} = {_text(value)}" for key, value in sorted(properties.items()))
    yield f") USING iceberg{clause}\nTBLPROPERTIES ({shown});"
    for field in rest:
        own = field.transform.transform.alter_name(field.source, field.transform.parameter)
        named = "" if field.name == own else f" AS {quoted(field.name)}"
        yield f"ALTER TABLE {name} ADD PARTITION FIELD {field.clause}{named};"
    yield f"-- format version {version}, spec {table.specs.current} of {len(table.specs.every)}" + (
        "" if table.specs.spec.fields else ", unpartitioned"
    )
    for field in table.specs.spec.fields:
        shown = f"void({field.source})" if field.transform.is_void else field.clause
        yield f"--   {field.field_id}  {field.name}  {shown}"


def _split(specs: Specs) -> tuple[list[PartitionField], list[PartitionField]]:
    """The fields that CREATE TABLE makes as they are, and those that have to be added under their names."""
    fields = [field for field in specs.spec.fields if not field.transform.is_void]
    for number, field in enumerate(fields):
        if field.name != field.transform.transform.create_name(field.source):
            return fields[:number], fields[number:]
    return fields, []


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
