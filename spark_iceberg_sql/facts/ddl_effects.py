"""The table after a statement, for rules that check the result and for the statements that follow.

Nothing here changes the catalog state: see replay.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_iceberg_sql.facts.resolved_terms import TermsContext
from spark_iceberg_sql.facts.target_context import as_field
from spark_iceberg_sql.model.evolution import (
    SpecRefusedError,
    SpecUncertainError,
    create_specs,
    replace_specs,
    update_specs,
)
from spark_iceberg_sql.model.schema import Column, Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import MissingTable, RelationKind, Table
from spark_iceberg_sql.model.types import Field, Primitive, is_iceberg
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax import nodes, terms

# Properties whose change gives the branch `main` another snapshot.
_SNAPSHOT_PROPERTIES = frozenset({"current-snapshot-id", "cherry-pick-snapshot-id"})
# Shared, because most tables have none.
_NO_PROPERTIES: Mapping[str, str] = {}
_NO_COLUMNS: frozenset[int] = frozenset()
# n statements that each add a field make n specs of up to n fields, in memory as in Iceberg's metadata.
_MAX_FIELDS = 100_000  # in all specs of a table together


def resulting_table(context: TermsContext) -> Table | None:
    """The table after the statement; None if it is refused, or creates no Iceberg table.

    Specs or columns that cannot be predicted are None in the table, with the reason.
    Raises UnknownFactError and AlreadyReportedError, as the facts do.
    """
    node = context.node
    if isinstance(node, nodes.Create):
        return _created_table(context, node)
    table = context.iceberg_table
    match node:
        case nodes.AddField() | nodes.DropField() | nodes.ReplaceField():
            return _with_changed_spec(context, node, table)
        case nodes.SetProperties():
            return _with_properties(context, node, table)
        case nodes.AddColumns():
            return _with_columns(table, [(ref.parts, column) for ref, column in node.columns])
        case nodes.DropColumns():
            return _without_columns(table, node.columns)
        case nodes.RenameColumn():
            return _with_renamed_column(table, node.column, node.new_name.parts[-1])
        case nodes.AlterColumn():
            return _with_altered_columns(table, node)
        case nodes.ReplaceColumns():
            return _with_replaced_columns(table, node)
        case nodes.WriteOrder():
            return _with_write_order(table, node)
        case nodes.IdentifierFields():
            return _with_identifier_fields(table, node)
        case nodes.ChangeSnapshotRef():
            return _with_reference(table, node)
    return table


def _with_write_order(table: Table, node: nodes.WriteOrder) -> Table:
    schema = table.schema
    ids = [single_field_id(schema, c) for t in node.terms for c in t.columns] if schema else [None]
    sort_ids = frozenset(field_id for field_id in ids if field_id is not None)
    return replace(table, order=(), sorted_by=sort_ids if None not in ids else None)


def _with_identifier_fields(table: Table, node: nodes.IdentifierFields) -> Table:
    schema = table.schema
    columns = [schema.find(ref.parts) for ref in node.columns] if schema else [None]
    ids = frozenset(column.field.field_id or 0 for column in columns if column is not None)
    if None in columns or (node.dropping and table.identifiers is None):
        return replace(table, identifiers=None)
    return replace(table, identifiers=(table.identifiers or ids) - ids if node.dropping else ids)


def _with_reference(table: Table, node: nodes.ChangeSnapshotRef) -> Table:
    name = node.name.parts[0]
    references = dict(table.references)
    if node.verb == "drop":
        references[name] = ""
    elif not node.lenient:
        references[name] = node.ref_type
    elif not references.get(name):
        references.pop(name, None)  # it may have been a tag instead of a branch, or the reverse
    # A statement about `main` may give it a snapshot.
    no_main_epoch = None if name == "main" else table.no_main_epoch
    return replace(table, references=references, no_snapshot_epoch=None, no_main_epoch=no_main_epoch)


def _created_table(context: TermsContext, node: nodes.Create) -> Table | None:
    if not context.creates_iceberg:
        return None
    replaced_table = context.replaced_table
    requests = [term.requested_field for term in context.terms]
    if None in requests:
        return None
    requested_fields = [request for request in requests if request is not None]
    schema = context.schema
    version = context.format_version
    if version is None:
        return None
    if replaced_table is None:
        specs: Specs | None = create_specs(requested_fields, version)
        last_column_id = schema.last_column_id
    else:
        specs = (
            replace_specs(replaced_table.specs, requested_fields).upgraded(version)
            if replaced_table.specs is not None
            else None
        )
        last_column_id = max(replaced_table.last_column_id, schema.last_column_id)
    reason = replaced_table.why_unknown if replaced_table is not None else None
    if node.clustered_by is not None:
        specs, reason = None, "its CLUSTERED BY creates a bucket field"
    write_epoch = context.catalog.others
    return Table(
        name=context.catalog.full_name(node.table.parts),
        schema=schema,
        specs=specs,
        properties={**replaced_table.properties, **context.properties} if replaced_table else context.properties,
        last_column_id=last_column_id,
        why_unknown=reason,
        has_rows=node.query is not None,
        sorted_by=_NO_COLUMNS,
        identifiers=_NO_COLUMNS,
        references=replaced_table.references if replaced_table is not None else _NO_PROPERTIES,
        no_snapshot_epoch=write_epoch if _has_no_snapshot(context, node) else None,
        no_main_epoch=write_epoch if has_no_main_snapshot(context, node) else None,
    )


def has_no_main_snapshot(context: TermsContext, node: nodes.Create) -> bool:
    """True if the branch `main` of a created table has no snapshot until a statement writes rows."""
    writes_nothing = node.query is None and not context.catalog.shared
    return writes_nothing and (node.replace or _has_no_snapshot(context, node))


def _has_no_snapshot(context: TermsContext, node: nodes.Create) -> bool:
    """True if a created table certainly has no snapshot."""
    if node.query is not None or context.catalog.shared:
        return False
    if isinstance(context.table, MissingTable) or not (node.replace or node.if_not_exists):
        return True
    replaced_table = context.replaced_table if node.replace else None
    return (
        replaced_table is not None
        and replaced_table.no_snapshot_epoch is not None
        and replaced_table.no_snapshot_epoch == context.catalog.others
    )


def _with_changed_spec(
    context: TermsContext, node: nodes.AddField | nodes.DropField | nodes.ReplaceField, table: Table
) -> Table | None:
    dropped_field = context.dropped_field
    if not isinstance(node, nodes.AddField) and dropped_field is None:
        return None
    requested_field = context.new_terms[0].requested_field if context.new_terms else None
    if not isinstance(node, nodes.DropField) and requested_field is None:
        return None
    try:
        specs = update_specs(context.specs, dropped_field, requested_field, context.schema)
    except SpecRefusedError:
        return None
    except SpecUncertainError as reason:
        return replace(table, specs=None, why_unknown=f"{reason}, and Iceberg may choose either")
    if specs.size > _MAX_FIELDS:
        limit_reason = f"together they have more than {_MAX_FIELDS:,} fields, too many to check"
        return replace(table, specs=None, why_unknown=limit_reason)
    return replace(table, specs=specs)


def _with_properties(context: TermsContext, node: nodes.SetProperties, table: Table) -> Table | None:
    properties = {**table.properties, **context.properties}
    for key in node.removed:
        properties.pop(key, None)
    specs = table.specs
    if specs is not None:
        version = context.format_version
        if version is None or version < specs.format_version:
            return None
        specs = specs.upgraded(version)
    if any(key.lower() in _SNAPSHOT_PROPERTIES for key in context.properties):
        table = replace(table, no_snapshot_epoch=None, no_main_epoch=None)
    return replace(table, properties=properties, specs=specs)


def _with_columns(table: Table, columns: Sequence[tuple[tuple[str, ...], terms.ColumnDef]]) -> Table | None:
    schema, last_column_id = table.schema, table.last_column_id
    if schema is None:
        return table
    for parts, column in columns:
        previous_schema = schema
        schema, last_column_id = schema.with_column(parts, as_field(column), last_column_id)
        if schema is previous_schema:
            return None
    return replace(table, schema=schema, last_column_id=last_column_id)


def _without_columns(table: Table, columns: Sequence[terms.NamePath]) -> Table:
    schema = table.schema
    if schema is None:
        return table
    for ref in columns:
        if (field_id := single_field_id(schema, ref)) is not None:
            schema = schema.with_edited_field(field_id, lambda _: None)
    return replace(table, schema=schema)


def _with_renamed_column(table: Table, column: terms.NamePath, name: str) -> Table:
    field_id = single_field_id(table.schema, column) if table.schema is not None else None
    if table.schema is None or field_id is None:
        return table
    schema = table.schema.with_edited_field(field_id, lambda field: replace(field, name=name))
    return replace(table, schema=schema, specs=_with_source_names(table.specs, schema))


def _with_altered_columns(table: Table, node: nodes.AlterColumn) -> Table:
    for change in (node, *node.other_changes):
        field_id = single_field_id(table.schema, change.column) if table.schema is not None else None
        if table.schema is None or field_id is None:
            continue
        data_type, required = change.type, change.required

        # Default arguments, since the loop rebinds these names.
        def edit(field: Field, data_type: object = data_type, required: bool | None = required) -> Field:
            if isinstance(data_type, Primitive):
                field = replace(field, type=data_type)
            return field if required is None else replace(field, required=required)

        table = replace(table, schema=table.schema.with_edited_field(field_id, edit))
        if change.new_name is not None:
            table = _with_renamed_column(table, change.column, change.new_name.parts[-1])
    return table


def _with_replaced_columns(table: Table, node: nodes.ReplaceColumns) -> Table | None:
    """Spark drops all columns and adds the new ones, so no column keeps its field id."""
    if table.schema is None:
        return table
    empty_table = replace(table, schema=Schema(()))
    return _with_columns(empty_table, [((column.name,), column) for column in node.columns])


def _with_source_names(specs: Specs | None, schema: Schema) -> Specs | None:
    """The specs with the current names of their source columns."""
    if specs is None:
        return None
    names = {field_id: schema.by_id(field_id) for field_id in specs.sources}
    if all(_keeps_name(field, names[field.source_id]) for field in specs.all_fields):
        return specs
    # Each field once, for all specs that share it.
    fields = {id(field): field for spec in specs.all_specs for field in spec.fields}
    for key, field in fields.items():
        column = names[field.source_id]
        if column is not None and not _keeps_name(field, column):
            fields[key] = replace(field, source=column.name)
    renamed_specs = tuple(
        replace(spec, fields=tuple([fields[id(field)] for field in spec.fields])) for spec in specs.all_specs
    )
    return replace(specs, all_specs=renamed_specs)


def _keeps_name(field: PartitionField, column: Column | None) -> bool:
    return column is None or field.source == column.name


def single_field_id(schema: Schema, ref: terms.NamePath) -> int | None:
    """The field id of the only column that a column statement can mean, by Spark's case rules, not Iceberg's."""
    columns = schema.find_all(ref.parts)
    return columns[0].field.field_id if len(columns) == 1 else None


def foreign_table(context: TermsContext, node: nodes.Create) -> Table:
    """The table of another format that a CREATE creates."""
    fields = tuple(as_field(c) for c in (*(node.columns or ()), *node.typed_partitions))
    data_types = [f.type for f in fields if isinstance(f.type, Primitive)]
    has_iceberg_types = all(data_type.spark is None and is_iceberg(data_type) for data_type in data_types)
    return Table(
        context.catalog.full_name(context.target_name),
        schema=Schema(fields) if fields and has_iceberg_types and node.query is None else None,
        kind=RelationKind.OTHER,
        provider=node.provider or "parquet",
    )
