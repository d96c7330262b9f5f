"""metadata.json -> Table (spec: Table Metadata). Unknown types and transforms of a later spec still load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.model.metadata.metadata_values import wrong_value
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import FIRST_FIELD_ID, PartitionField, Spec, Specs
from spark_iceberg_sql.model.table import Name, SortField, Table
from spark_iceberg_sql.model.types import field_from_metadata

# The exceptions that a structure other than the spec's causes.
_WRONG_STRUCTURE =(
    TypeError, AttributeError, ValueError, IndexError, StopIteration, OverflowError,
)  # fmt: skip


class MetadataError(ValueError):
    """Not a valid metadata file; `str` is the reason."""


def table_from_metadata(name: Name, metadata: Mapping[str, Any]) -> Table:
    """The table that a metadata.json describes: its columns and all its partition specs.

    name: the table's full name. metadata: the parsed JSON object, of format version 1, 2 or 3.
    Raises MetadataError if a required part is missing or has the wrong structure.
    """
    try:
        if (wrong_kind := wrong_value(metadata)) is not None:
            raise MetadataError(wrong_kind)
        schemas = _schemas(metadata)
        schema = schemas[metadata["current-schema-id"]] if "schemas" in metadata else schemas[0]
        return Table(
            name=name,
            schema=schema,
            specs=_specs(metadata, [schema, *reversed(schemas.values())]),
            properties=dict(metadata.get("properties", {})),
            last_column_id=metadata["last-column-id"],
            has_rows=(metadata.get("current-snapshot-id") or -1) != -1,
            order=_order(metadata),
            sorted_by=frozenset(field.source_id for field in _order(metadata)),
            identifiers=_identifiers(metadata),
            references={name: ref["type"] for name, ref in metadata.get("refs", {}).items()},
        )
    except MetadataError:
        raise
    except KeyError as missing:
        raise MetadataError(f"the metadata has no {missing}") from None
    except RecursionError:
        raise MetadataError("it is nested too deeply") from None
    except _WRONG_STRUCTURE as wrong:
        raise MetadataError(f"the metadata does not have the structure in the spec: {wrong}") from None


def _schemas(metadata: Mapping[str, Any]) -> dict[int, Schema]:
    if "schemas" not in metadata:  # v1 without schema ids
        return {0: _schema(metadata["schema"])}
    return {schema["schema-id"]: _schema(schema) for schema in metadata["schemas"]}


def _order(metadata: Mapping[str, Any]) -> tuple[SortField, ...]:
    """The default sort order."""
    default = metadata.get("default-sort-order-id", 0)
    orders = [o for o in metadata.get("sort-orders", ()) if o["order-id"] == default]
    return tuple(
        SortField(
            f["source-id"] if "source-id" in f else f["source-ids"][0],
            bound_transform.from_metadata(f.get("transform", "identity")),
            str(f.get("direction", "asc")).upper(),
            str(f.get("null-order", "nulls-first")).upper().replace("-", " "),
        )
        for order in orders
        for f in order["fields"]
    )


def _identifiers(metadata: Mapping[str, Any]) -> frozenset[int]:
    if "schemas" not in metadata:
        return frozenset(metadata["schema"].get("identifier-field-ids", ()))
    schema = next(s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"])
    return frozenset(schema.get("identifier-field-ids", ()))


def _schema(value: Mapping[str, Any]) -> Schema:
    return Schema(tuple(field_from_metadata(field) for field in value["fields"]))


def _specs(metadata: Mapping[str, Any], schemas: Sequence[Schema]) -> Specs:
    if "partition-specs" in metadata:
        specs = tuple(_spec(spec["spec-id"], spec["fields"], schemas) for spec in metadata["partition-specs"])
        current = metadata["default-spec-id"]
    else:  # v1 as first written
        specs, current = (_spec(0, metadata["partition-spec"], schemas),), 0
    if all(spec.spec_id != current for spec in specs):
        raise MetadataError(f"the default spec {current} is not among the partition specs")
    return Specs(
        all_specs=specs,
        current=current,
        last_field_id=metadata.get("last-partition-id", max(spec.last_field_id for spec in specs)),
        format_version=metadata["format-version"],
    )


def _spec(spec_id: int, fields: Sequence[Mapping[str, Any]], schemas: Sequence[Schema]) -> Spec:
    return Spec(
        spec_id,
        tuple(_field(field, field.get("field-id", FIRST_FIELD_ID + i), schemas) for i, field in enumerate(fields)),
    )


def _field(value: Mapping[str, Any], field_id: int, schemas: Sequence[Schema]) -> PartitionField:
    source_id = value["source-id"] if "source-id" in value else value["source-ids"][0]
    column = next((c for c in (s.by_id(source_id) for s in schemas) if c is not None), None)
    return PartitionField(
        source_id=source_id,
        source=column.name if column is not None else f"dropped column {source_id}",
        transform=bound_transform.from_metadata(value["transform"]),
        name=value["name"],
        field_id=field_id,
    )
