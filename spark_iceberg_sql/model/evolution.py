"""How partition specs evolve, exactly as Iceberg does it (spec: Partition Evolution).

The source of each step is named beside it: PartitionSpec.Builder for CREATE, BaseUpdatePartitionSpec for ALTER,
TableMetadata.buildReplacement for CREATE OR REPLACE. Nothing here reports findings: the rules do.
If Iceberg refuses a step, the function raises SpecRefusedError.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.model.bound_transform import VOID, BoundTransform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import FIRST_FIELD_ID, PartitionField, Spec, Specs
from spark_iceberg_sql.records import record, replace


class SpecRefusedError(ValueError):
    """A step that Iceberg refuses; `str` gives the reason."""


class SpecUncertainError(ValueError):
    """A step whose outcome depends on the order of a hash set in Iceberg; `str` names the alternatives."""


@record(frozen=True, slots=True)
class RequestedField:
    """A field as a statement requests it; name: None for Iceberg's default."""

    source_id: int
    source: str
    transform: BoundTransform
    name: str | None = None


def create_specs(requested_fields: Sequence[RequestedField], format_version: int = 2) -> Specs:
    """CREATE TABLE (PartitionSpec.Builder): spec 0, ids from 1000."""
    fields = tuple(
        _create_field(requested_field, FIRST_FIELD_ID + i) for i, requested_field in enumerate(requested_fields)
    )
    spec = Spec(0, fields)
    return Specs((spec,), 0, spec.last_field_id, format_version)


def update_specs(
    specs: Specs, drop: PartitionField | None, add: RequestedField | None, schema: Schema | None = None
) -> Specs:
    """ALTER TABLE ADD / DROP / REPLACE PARTITION FIELD as one step (BaseUpdatePartitionSpec).

    specs: the table's. drop: a field of the current spec. add: the field to add, if any. schema: the columns, if names
    are to be compared with theirs. Raises SpecRefusedError, and SpecUncertainError if Iceberg's own result is not
    deterministic.
    """
    deleted_id = drop.field_id if drop is not None else None
    renames: dict[str, str] = {}
    new_field: PartitionField | None = None
    if add is not None:
        existing_field = specs.spec.field_for(add.source_id, add.transform)
        if existing_field is not None and existing_field.field_id == deleted_id:
            # Dropped and added back in one step: the field stays, at most renamed.
            deleted_id = None
            if add.name is not None and add.name != existing_field.name:
                renames = _void_field_renames(specs, add.name)
                renames[existing_field.name] = add.name
        elif existing_field is not None:
            raise SpecRefusedError(f"`{existing_field.clause}` is already the partition field `{existing_field.name}`")
        else:
            new_field = added_field(specs, add)
            clash = specs.spec.field_named(new_field.name)
            if clash is not None and clash.field_id == deleted_id:
                renames = {clash.name: f"{clash.name}_{clash.field_id}"}
            else:
                renames = _void_field_renames(specs, new_field.name)
                if clash is not None and not renames:
                    raise SpecRefusedError(f"the spec already has a partition field `{clash.name}`")
    fields = list(specs.spec.fields)
    if renames:
        fields = [replace(f, name=renames.get(f.name, f.name)) for f in fields]
    if specs.format_version < 2:
        fields = [replace(f, transform=VOID) if f.field_id == deleted_id else f for f in fields]
    elif deleted_id is not None:
        fields = [f for f in fields if f.field_id != deleted_id]
    if new_field is not None:
        fields.append(new_field)
    check_names(fields, schema)
    return specs.with_fields(tuple(fields))


def _void_field_renames(specs: Specs, name: str) -> dict[str, str]:
    """The renames of void fields that free a name (BaseUpdatePartitionSpec.renameField)."""
    renames: dict[str, str] = {}
    holder = specs.spec.field_named(name)
    # The name that a void field gets may be another void field's, which is then renamed, too.
    while holder is not None and holder.transform.is_void:
        name = f"{holder.name}_{holder.field_id}"
        renames[holder.name] = name
        holder = specs.spec.field_named(name)
    return renames


def added_field(specs: Specs, add: RequestedField) -> PartitionField:
    """The field that an ADD creates: an existing one of any spec with this source and transform, or a new one.

    Raises SpecUncertainError if several past ones match.
    """
    if specs.format_version >= 2:
        key = add.source_id, add.transform.text
        matches = {field for field in specs.of_key(key) if add.name in (None, field.name)}
        if len(matches) > 1:
            raise SpecUncertainError(
                f"`{add.transform.clause(add.source)}` was a partition field under the names "
                + " and ".join(f"`{name}`" for name in sorted({f.name for f in matches}))
            )
        if matches:
            return matches.pop()
    name = add.name
    if name is None:
        name = add.transform.transform.alter_name(add.source, add.transform.parameter)
    return PartitionField(add.source_id, add.source, add.transform, name, specs.last_field_id + 1)


def replace_specs(specs: Specs, requested_fields: Sequence[RequestedField]) -> Specs:
    """CREATE OR REPLACE TABLE over an existing one (TableMetadata.reassignPartitionIds)."""
    counter = specs.last_field_id
    fields: list[PartitionField] = []
    if specs.format_version >= 2:
        ids: dict[tuple[int, str], int] = {}
        for field in specs.all_fields:
            ids[field.key] = max(field.field_id, ids.get(field.key, 0))
        for requested_field in requested_fields:
            key = (requested_field.source_id, str(requested_field.transform))
            if key not in ids:
                counter += 1
                ids[key] = counter
            fields.append(_create_field(requested_field, ids[key]))
        return specs.with_fields(tuple(fields))
    # Version 1 removes no field from a spec: one that is not requested again becomes void.
    requests_by_key = {(w.source_id, str(w.transform)): w for w in requested_fields}
    names = {_create_field(w, 0).name for w in requested_fields}
    for field in specs.spec.fields:
        if (kept_request := requests_by_key.pop(field.key, None)) is not None:
            fields.append(_create_field(kept_request, field.field_id))
        else:
            name = f"{field.name}_{field.field_id}" if field.name in names else field.name
            fields.append(replace(field, name=name, transform=VOID))
    for requested_field in requests_by_key.values():
        counter += 1
        fields.append(_create_field(requested_field, counter))
    return specs.with_fields(tuple(fields))


def check_names(fields: Sequence[PartitionField], schema: Schema | None = None) -> None:
    """Raise SpecRefusedError for field names that PartitionSpec.Builder refuses.

    A field's name is unique in the spec and, while its source column exists, is not the name of another column.
    """
    if len({field.name for field in fields}) == len(fields):
        if schema is None:
            return
        columns = schema.names
        fields = [f for f in fields if f.name != f.source and f.name in columns]
    seen_names: set[str] = set()
    for field in fields:
        if schema is not None and schema.by_id(field.source_id) is not None:
            column = schema.find((field.name,))
            if column is not None and column.field.field_id != field.source_id:
                raise SpecRefusedError(f"`{field.name}` is the name of a column")
        if field.name in seen_names:
            raise SpecRefusedError(f"two partition fields would be named `{field.name}`")
        seen_names.add(field.name)


def _create_field(requested_field: RequestedField, field_id: int) -> PartitionField:
    name = requested_field.name or requested_field.transform.transform.create_name(requested_field.source)
    return PartitionField(requested_field.source_id, requested_field.source, requested_field.transform, name, field_id)
