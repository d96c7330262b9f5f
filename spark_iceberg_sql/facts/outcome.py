"""The table after a statement, for rules that check the result and for the statements that follow.

Nothing here changes the catalog state: see replay.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_iceberg_sql.facts.target import as_field
from spark_iceberg_sql.facts.terms import Terms
from spark_iceberg_sql.model.evolution import (
    SpecRefusedError,
    SpecUncertainError,
    created,
    replaced,
    updated,
)
from spark_iceberg_sql.model.schema import Column, Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import Absent, Kind, Table
from spark_iceberg_sql.model.types import Field, Primitive, is_iceberg
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax import nodes, terms

# Properties whose change gives the branch `main` another snapshot.
_HEAD = frozenset({"current-snapshot-id", "cherry-pick-snapshot-id"})
# Shared, because most tables have none.
_NONE: Mapping[str, str] = {}
_NO_COLUMNS: frozenset[int] = frozenset()
# n statements that each add a field make n specs of up to n fields, in memory as in Iceberg's metadata.
_MOST_FIELDS = 100_000  # in all specs of a table together


def outcome(context: Terms) -> Table | None:
    """The table after the statement; None if it is refused, or creates no Iceberg table.

    Specs or columns that cannot be predicted are None in the table, with the reason.
    Raises UnknownFactError and AlreadyReportedError, as the facts do.
    """
    node = context.node
    if isinstance(node, nodes.Create):
        return _created(context, node)
    table = context.iceberg
    if isinstance(node, nodes.AddField | nodes.DropField | nodes.ReplaceField):
        return _respecified(context, node, table)
    if isinstance(node, nodes.SetProperties):
        return _with_properties(context, node, table)
    if isinstance(node, nodes.AddColumns):
        return _grown(table, [(ref.parts, column) for ref, column in node.columns])
    if isinstance(node, nodes.DropColumns):
        return _without(table, node.columns)
    if isinstance(node, nodes.RenameColumn):
        return _renamed(table, node.column, node.new_name.parts[-1])
    if isinstance(node, nodes.AlterColumn):
        return _altered(table, node)
    if isinstance(node, nodes.ReplaceColumns):
        return _replaced_columns(table, node)
    if isinstance(node, nodes.WriteOrder):
        return _sorted(table, node)
    if isinstance(node, nodes.IdentifierFields):
        return _identified(table, node)
    if isinstance(node, nodes.Reference):
        return _referenced(table, node)
    return table


def _sorted(table: Table, node: nodes.WriteOrder) -> Table:
    schema = table.schema
    ids = [one_column(schema, c) for t in node.terms for c in t.columns] if schema else [None]
    known = frozenset(found for found in ids if found is not None)
    return replace(table, order=(), sorted_by=known if None not in ids else None)


def _identified(table: Table, node: nodes.IdentifierFields) -> Table:
    schema = table.schema
    found = [schema.find(ref.parts) for ref in node.columns] if schema else [None]
    ids = frozenset(column.field.field_id or 0 for column in found if column is not None)
    if None in found or (node.dropping and table.identifiers is None):
        return replace(table, identifiers=None)
    return replace(table, identifiers=(table.identifiers or ids) - ids if node.dropping else ids)


def _referenced(table: Table, node: nodes.Reference) -> Table:
    name = node.name.parts[0]
    references = dict(table.references)
    if node.verb == "drop":
        references[name] = ""
    elif not node.lenient:
        references[name] = node.what
    elif not references.get(name):
        references.pop(name, None)  # it may have been a tag instead of a branch, or the reverse
    # A statement about `main` may give it a snapshot.
    headless = None if name == "main" else table.headless
    return replace(table, references=references, fresh=None, headless=headless)


def _created(context: Terms, node: nodes.Create) -> Table | None:
    if not context.makes_iceberg:
        return None
    old = context.replaced
    wanted = [term.wanted for term in context.terms]
    if None in wanted:
        return None
    asked = [want for want in wanted if want is not None]
    schema = context.schema
    version = context.format_version
    if version is None:
        return None
    if old is None:
        specs: Specs | None = created(asked, version)
        last = schema.last_column_id
    else:
        specs = replaced(old.specs, asked).upgraded(version) if old.specs is not None else None
        last = max(old.last_column_id, schema.last_column_id)
    why = old.why_unknown if old is not None else None
    if node.clustered_by is not None:
        specs, why = None, "its CLUSTERED BY creates a bucket field"
    count = context.known.others
    return Table(
        name=context.known.full_name(node.table.parts),
        schema=schema,
        specs=specs,
        properties={**old.properties, **context.properties} if old else context.properties,
        last_column_id=last,
        why_unknown=why,
        has_rows=node.query is not None,
        sorted_by=_NO_COLUMNS,
        identifiers=_NO_COLUMNS,
        references=old.references if old is not None else _NONE,
        fresh=count if _is_fresh(context, node) else None,
        headless=count if is_headless(context, node) else None,
    )


def is_headless(context: Terms, node: nodes.Create) -> bool:
    """True if the branch `main` of a created table has no snapshot until a statement writes rows."""
    without = node.query is None and not context.known.shared
    return without and (node.replace or _is_fresh(context, node))


def _is_fresh(context: Terms, node: nodes.Create) -> bool:
    """True if a created table certainly has no snapshot."""
    if node.query is not None or context.known.shared:
        return False
    if isinstance(context.table, Absent) or not (node.replace or node.if_not_exists):
        return True
    old = context.replaced if node.replace else None
    return old is not None and old.fresh is not None and old.fresh == context.known.others


def _respecified(
    context: Terms, node: nodes.AddField | nodes.DropField | nodes.ReplaceField, table: Table
) -> Table | None:
    dropped = context.dropped
    if not isinstance(node, nodes.AddField) and dropped is None:
        return None
    want = context.new_terms[0].wanted if context.new_terms else None
    if not isinstance(node, nodes.DropField) and want is None:
        return None
    try:
        specs = updated(context.specs, dropped, want, context.schema)
    except SpecRefusedError:
        return None
    except SpecUncertainError as reason:
        return replace(table, specs=None, why_unknown=f"{reason}, and Iceberg may choose either")
    if specs.size > _MOST_FIELDS:
        why = f"together they have more than {_MOST_FIELDS:,} fields, too many to check"
        return replace(table, specs=None, why_unknown=why)
    return replace(table, specs=specs)


def _with_properties(context: Terms, node: nodes.SetProperties, table: Table) -> Table | None:
    properties = {**table.properties, **context.properties}
    for key in node.removed:
        properties.pop(key, None)
    specs = table.specs
    if specs is not None:
        version = context.format_version
        if version is None or version < specs.format_version:
            return None
        specs = specs.upgraded(version)
    if any(key.lower() in _HEAD for key in context.properties):
        table = replace(table, fresh=None, headless=None)
    return replace(table, properties=properties, specs=specs)


def _grown(
    table: Table, columns: Sequence[tuple[tuple[str, ...], terms.ColumnDef]]
) -> Table | None:
    schema, last = table.schema, table.last_column_id
    if schema is None:
        return table
    for parts, column in columns:
        before = schema
        schema, last = schema.with_column(parts, as_field(column), last)
        if schema is before:
            return None
    return replace(table, schema=schema, last_column_id=last)


def _without(table: Table, columns: Sequence[terms.Ref]) -> Table:
    schema = table.schema
    if schema is None:
        return table
    for ref in columns:
        found = one_column(schema, ref)
        if found is not None:
            schema = schema.edited(found, lambda _: None)
    return replace(table, schema=schema)


def _renamed(table: Table, column: terms.Ref, name: str) -> Table:
    found = one_column(table.schema, column) if table.schema is not None else None
    if table.schema is None or found is None:
        return table
    schema = table.schema.edited(found, lambda field: replace(field, name=name))
    return replace(table, schema=schema, specs=_with_sources(table.specs, schema))


def _altered(table: Table, node: nodes.AlterColumn) -> Table:
    for change in (node, *node.more):
        found = one_column(table.schema, change.column) if table.schema is not None else None
        if table.schema is None or found is None:
            continue
        kind, required = change.type, change.required

        # Default arguments, since the loop rebinds these names.
        def edit(field: Field, kind: object = kind, required: bool | None = required) -> Field:
            if isinstance(kind, Primitive):
                field = replace(field, type=kind)
            return field if required is None else replace(field, required=required)

        table = replace(table, schema=table.schema.edited(found, edit))
        if change.new_name is not None:
            table = _renamed(table, change.column, change.new_name.parts[-1])
    return table


def _replaced_columns(table: Table, node: nodes.ReplaceColumns) -> Table | None:
    """Spark drops all columns and adds the new ones, so no column keeps its field id."""
    if table.schema is None:
        return table
    empty = replace(table, schema=Schema(()))
    return _grown(empty, [((column.name,), column) for column in node.columns])


def _with_sources(specs: Specs | None, schema: Schema) -> Specs | None:
    """The specs with the current names of their source columns."""
    if specs is None:
        return None
    names = {field_id: schema.by_id(field_id) for field_id in specs.sources}
    if all(_keeps_name(field, names[field.source_id]) for field in specs.all_fields):
        return specs
    # Each field once, for all specs that share it.
    fields = {id(field): field for spec in specs.every for field in spec.fields}
    for key, field in fields.items():
        column = names[field.source_id]
        if column is not None and not _keeps_name(field, column):
            fields[key] = replace(field, source=column.name)
    every = tuple(
        replace(spec, fields=tuple([fields[id(field)] for field in spec.fields]))
        for spec in specs.every
    )
    return replace(specs, every=every)


def _keeps_name(field: PartitionField, column: Column | None) -> bool:
    return column is None or field.source == column.name


def one_column(schema: Schema, ref: terms.Ref) -> int | None:
    """The field id of the only column that a column statement can mean, by Spark's case rules, not Iceberg's."""
    found = schema.find_all(ref.parts)
    return found[0].field.field_id if len(found) == 1 else None


def other_table(context: Terms, node: nodes.Create) -> Table:
    """The table of another format that a CREATE creates."""
    fields = tuple(as_field(c) for c in (*(node.columns or ()), *node.typed_partitions))
    kinds = [f.type for f in fields if isinstance(f.type, Primitive)]
    plain = all(kind.spark is None and is_iceberg(kind) for kind in kinds)
    return Table(
        context.known.full_name(context.target_name),
        schema=Schema(fields) if fields and plain and node.query is None else None,
        kind=Kind.OTHER,
        provider=node.provider or "parquet",
    )
