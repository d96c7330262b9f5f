"""Columns of types that Spark does not support: time, nanosecond timestamps, geometry in some reference systems.

They are skipped and the other columns are read, or they are read as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import read_branches, relations, schemas
from spark_iceberg_sql.spark.bridge.plans.schemas import Json
from spark_iceberg_sql.spark.bridge.tables import text_table
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.warn_once import warn_once

_is_readable = lru_cache(maxsize=256)(schemas.is_readable_type)
# Iceberg's readers of single rows fail on an unreadable column of a file, projected or not.
_BATCH_OPTIONS = {"vectorization-enabled": "true"}


def readable_table(
    function: str, table: Java, values: Mapping[str, Value], *, rows: bool = False
) -> tuple[Java, dict[str, str]]:
    """The Spark table with the columns that Spark can represent, or with those given as `columns`; and read options.

    rows: whether the table's data files are read, not its metadata. Warns about skipped columns, unless the call asks
    to skip them. With `string`, the columns are text. Raises Refusal.
    """
    if schemas.is_readable(table):
        return table, {}
    schema, handling = schemas.schema_of(table), str(values.get("columns") or "").lower()
    if handling == "string":
        if not rows:
            message = "metadata has no text of such columns; write columns => 'skip'"
            raise invalid(function, "columns", message)
        return text_table.text_table(table, schema, _as_text(schema)), {}
    unreadable_list = unreadable_columns(schema)
    nested_names = [field["name"] for field in schema["fields"] if rows and _is_nested(field["type"])]
    batch_fields = [field for field in schema["fields"] if field["name"] not in nested_names]
    readable_schema = _readable_part({**schema, "fields": batch_fields})
    if handling == "error" or readable_schema is None:
        advice = "; write columns => 'string' to read text" if rows else ""
        raise invalid(function, "columns", f"Spark has no type for {unreadable_list}{advice}")
    if rows:
        _refuse_partition_types(function, table)
        _refuse_avro(function, table, unreadable_list)
    if handling != "skip":
        omitted_list = ", ".join(f"`{name}`" for name in nested_names)
        omitted_list = omitted_list and (
            f", and without {omitted_list}: nested columns cannot be read from files with such columns"
        )
        advice = "; write columns => 'string' to read all columns, these as text" if rows else ""
        message = f"`{table.name()}` is read without {unreadable_list}, for which Spark has no type"
        warn_once(message + omitted_list + advice)
    return schemas.with_schema(table, readable_schema), dict(_BATCH_OPTIONS) if rows else {}


def unreadable_columns(schema: Json) -> str:
    """The columns that Spark cannot represent, with their types, as listed in messages; empty if there are none."""
    return ", ".join(f"`{name}` ({type_name})" for name, type_name in _unreadable_parts(schema))


def refuse_without_type(function: str, argument: str, table: Java) -> None:
    """Refuse a Spark table with columns that Spark cannot represent, for an argument that reads all columns."""
    if not schemas.is_readable(table):
        unreadable_list = unreadable_columns(schemas.schema_of(table))
        raise invalid(
            function,
            argument,
            f"Spark has no type for {unreadable_list}; the changes of such a table cannot be read: compare two "
            f"snapshots with "
            f"{function}(..., snapshot_id => ..., columns => 'string')",
        )


def _is_nested(data_type: Json | str) -> bool:
    """True for a column of Parquet files that Iceberg does not read in batches."""
    return not isinstance(data_type, str) or data_type == "variant"


def _refuse_partition_types(function: str, table: Java) -> None:
    """Refuse a table with partition values of such a type: each row has them, in the hidden column `_partition`."""
    for spec in table.table().specs().values():
        for field in spec.partitionType().fields():
            if not _is_readable(str(field.type())):
                message = (
                    f"the table is partitioned by `{field.name()}` ({field.type()}), for which Spark has no type; "
                    "write columns => 'string' to read text"
                )
                raise invalid(function, "columns", message)


def _refuse_avro(function: str, table: Java, unreadable_list: str) -> None:
    """Refuse a table with Avro files, which are read row by row, too."""
    snapshot = read_branches.snapshot_id(table)
    if snapshot is None:
        return
    iceberg_table = table.table()
    files = relations.metadata_table(iceberg_table.operations(), str(iceberg_table.name()), "DATA_FILES")
    # Its columns have bounds of the unreadable ones.
    files_table = relations.spark_table(files, snapshot=snapshot)
    readable_files, _ = readable_table(function, files_table, {"columns": "skip"})
    formats = (
        relations.data_frame(relations.relation(readable_files)).select("file_format", gateway.to_seq([])).distinct()
    )
    if "AVRO" in (name.upper() for name in relations.string_values(formats)):
        raise invalid(
            function,
            "columns",
            f"the table has Avro files, which cannot be read without {unreadable_list}, for which Spark has no type; "
            "write columns => 'string' to read text",
        )


def _as_text(data_type: Any) -> Any:
    """A type with `string` for each part that Spark cannot represent, and for all geometry."""
    if isinstance(data_type, str):
        return data_type if _is_readable(data_type) and not data_type.startswith("geo") else "string"
    text_type = {**data_type, **{part: _as_text(data_type[part]) for part in _parts(data_type)}}
    if "fields" in data_type:
        text_type["fields"] = [
            {**{k: v for k, v in field.items() if not k.endswith("-default")}, "type": _as_text(field["type"])}
            for field in data_type["fields"]
        ]
    return text_type


def _unreadable_parts(data_type: Json | str, name: str = "") -> Iterator[tuple[str, str]]:
    """The parts of a type that Spark cannot represent: name, type."""
    if isinstance(data_type, str):
        if not _is_readable(data_type):
            yield name, data_type
        return
    for part in _parts(data_type):
        yield from _unreadable_parts(data_type[part], f"{name}.{part}")
    for field in data_type.get("fields", ()):
        yield from _unreadable_parts(field["type"], f"{name}.{field['name']}" if name else field["name"])


def _parts(data_type: Json) -> list[str]:
    return [part for part in ("element", "key", "value") if part in data_type]


def _readable_part(data_type: Json) -> Json | None:
    """A type without what Spark cannot represent; None if nothing is left."""
    readable_type = dict(data_type)
    for part in _parts(data_type):
        if any(_unreadable_parts(data_type[part])):
            inner = None if part == "key" or isinstance(data_type[part], str) else _readable_part(data_type[part])
            if inner is None:
                return None
            readable_type[part] = inner
    if "fields" in data_type:
        readable_type["fields"] = []
        for field in data_type["fields"]:
            field_type = field["type"] if not any(_unreadable_parts(field["type"])) else None
            if field_type is None and not isinstance(field["type"], str):
                field_type = _readable_part(field["type"])
            if field_type is not None:
                readable_type["fields"].append({**field, "type": field_type})
        if data_type["fields"] and not readable_type["fields"]:
            return None
        field_ids = {field["id"] for field in readable_type["fields"]}
        if "identifier-field-ids" in readable_type:
            readable_type["identifier-field-ids"] = [
                field_id for field_id in readable_type["identifier-field-ids"] if field_id in field_ids
            ]
    return readable_type
