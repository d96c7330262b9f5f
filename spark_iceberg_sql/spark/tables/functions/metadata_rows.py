"""Rows about a table's metadata for which Iceberg has no metadata table: specs, schemas, statistics, ..."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.model.types import field_from_metadata
from spark_iceberg_sql.report.table_ddl import table_ddl
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.spark.tables.functions import file_rows
from spark_iceberg_sql.spark.tables.functions.subject import Subject


def _partition_specs(subject: Subject) -> Java:
    specs = subject.table().specs
    assert specs is not None  # every metadata file has them
    rows: list[dict[str, Any]] = []
    for spec in specs.all_specs:
        spec_values = {"spec_id": spec.spec_id, "is_current": spec.spec_id == specs.current}
        fields = [
            {
                "position": position,
                "field_id": field.field_id,
                "field_name": field.name,
                "source_column": field.source,
                "transform": str(field.transform),
            }
            for position, field in enumerate(spec.fields)
        ]
        rows.extend({**spec_values, **field} for field in fields or [{}])
    columns = (
        "spec_id int, is_current boolean, position int, field_id int, field_name string, "
        "source_column string, transform string"
    )
    return table_metadata.rows(columns, rows)


def _schemas(subject: Subject) -> Java:
    content = subject.content()
    rows = []
    for schema in content["schemas"]:
        identifiers = schema.get("identifier-field-ids", ())
        rows += [
            {
                "schema_id": schema["schema-id"],
                "is_current": schema["schema-id"] == content["current-schema-id"],
                "position": position,
                "field_id": field["id"],
                "column_name": name,
                "data_type": str(field_from_metadata(field).type),
                "required": field["required"],
                "is_identifier": field["id"] in identifiers,
                "comment": field.get("doc"),
                "initial_default": _text(field.get("initial-default")),
                "write_default": _text(field.get("write-default")),
            }
            for position, (name, field) in enumerate(_columns(schema["fields"], ""))
        ]
    columns = (
        "schema_id int, is_current boolean, position int, field_id int, column_name string, "
        "data_type string, required boolean, is_identifier boolean, comment string, "
        "initial_default string, write_default string"
    )
    return table_metadata.rows(columns, rows)


def _columns(fields: list[dict[str, Any]], prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field of a schema in metadata.json with its full name, parents first."""
    for field in fields:
        name = f"{prefix}{field['name']}"
        yield name, field
        data_type = field["type"]
        if not isinstance(data_type, dict):
            continue
        inner_fields = data_type.get("fields") or [
            {
                "name": part,
                "id": data_type[f"{part}-id"],
                "type": data_type[part],
                "required": data_type.get(f"{part}-required", True),
            }
            for part in ("element", "key", "value")
            if part in data_type
        ]
        yield from _columns(inner_fields, f"{name}.")


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _sort_orders(subject: Subject) -> Java:
    content = subject.content()
    schemas = [Schema(tuple(map(field_from_metadata, s["fields"]))) for s in content["schemas"]]
    rows: list[dict[str, Any]] = []
    for order in content["sort-orders"]:
        order_id = order["order-id"]
        order_values = {"order_id": order_id, "is_default": order_id == content["default-sort-order-id"]}
        fields = []
        for position, field in enumerate(order["fields"]):
            source = field["source-id"]
            column = next((c for c in (s.by_id(source) for s in schemas[::-1]) if c), None)
            fields.append(
                {
                    "position": position,
                    "source_column": column.name if column else f"dropped column {source}",
                    "transform": field["transform"],
                    "direction": field["direction"],
                    "null_order": field["null-order"],
                }
            )
        rows.extend({**order_values, **field} for field in fields or [{}])
    columns = (
        "order_id int, is_default boolean, position int, source_column string, transform string, "
        "direction string, null_order string"
    )
    return table_metadata.rows(columns, rows)


def _properties(subject: Subject) -> Java:
    rows = table_metadata.properties(subject.spark_table(), subject.name)
    return table_metadata.rows("key string, value string", rows)


def _statistics(subject: Subject) -> Java:
    rows: list[dict[str, Any]] = []
    for file in table_metadata.statistics(subject.metadata):
        file_values = {
            "snapshot_id": file["snapshot-id"],
            "path": file["statistics-path"],
            "file_size_in_bytes": file["file-size-in-bytes"],
        }
        rows.extend(
            {
                **file_values,
                "blob_type": blob["type"],
                "blob_snapshot_id": blob["snapshot-id"],
                "blob_sequence_number": blob["sequence-number"],
                "field_ids": blob["fields"],
                "properties": blob.get("properties"),
            }
            for blob in file["blob-metadata"]
        )
        if not file["blob-metadata"]:
            rows.append(file_values)
    rows.extend(
        {
            "snapshot_id": file["snapshot-id"],
            "path": file["statistics-path"],
            "file_size_in_bytes": file["file-size-in-bytes"],
            "blob_type": "partition statistics",
        }
        for file in table_metadata.partition_statistics(subject.metadata)
    )
    columns = (
        "snapshot_id bigint, path string, file_size_in_bytes bigint, blob_type string, "
        "blob_snapshot_id bigint, blob_sequence_number bigint, field_ids array<int>, "
        "properties map<string, string>"
    )
    return table_metadata.rows(columns, rows)


def _shown_columns(subject: Subject) -> Java:
    rows = [
        {
            "col_name": field["name"],
            "data_type": field["type"],
            "comment": field.get("metadata", {}).get("comment"),
            "nullable": field["nullable"],
        }
        for field in table_metadata.spark_columns(subject.spark_table())
    ]
    return table_metadata.rows("col_name string, data_type string, comment string, nullable boolean", rows)


def _describe(subject: Subject) -> Java:
    """Spark's own rows, and the details of an Iceberg table that Spark does not show."""
    metadata = subject.metadata
    details = {
        "Table UUID": metadata.uuid(),
        "Format Version": metadata.formatVersion(),
        "Metadata File": metadata.metadataFileLocation(),
    }
    rows = table_metadata.describe_rows(subject.spark_table(), subject.name)
    rows += [{"col_name": name, "data_type": str(value), "comment": None} for name, value in details.items()]
    return table_metadata.rows("col_name string, data_type string, comment string", rows)


def _ddl(subject: Subject) -> Java:
    name = subject.values.get("name")
    if name is not None:
        parts = split_name(str(name))
    elif subject.folder is None:
        parts = tuple(relations.full_name(subject.name))
    else:
        parts = (subject.folder.rstrip("/").rpartition("/")[2],)
    return table_metadata.rows("createtab_stmt string", [{"createtab_stmt": table_ddl(subject.table(parts))}])


ROW_BUILDERS: Mapping[str, Callable[[Subject], Java]] = {
    "iceberg_snapshots": lambda subject: table_metadata.snapshots(subject.metadata),
    "iceberg_metadata": file_rows.entries,
    "iceberg_column_stats": file_rows.column_stats,
    "iceberg_partition_specs": _partition_specs,
    "iceberg_schemas": _schemas,
    "iceberg_sort_orders": _sort_orders,
    "iceberg_properties": _properties,
    "iceberg_statistics": _statistics,
    "iceberg_columns": _shown_columns,
    "iceberg_describe": _describe,
    "iceberg_ddl": _ddl,
}
