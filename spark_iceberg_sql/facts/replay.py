"""Applies the effect of a statement to the catalog state: tables created, altered, renamed, dropped.

What cannot be tracked becomes unknown, so that no later finding depends on it.
"""

from __future__ import annotations

from contextlib import suppress

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.ddl_effects import foreign_table, has_no_main_snapshot
from spark_iceberg_sql.facts.target_context import DEFAULT_FORMAT_VERSION, AlreadyReportedError, UnknownFactError
from spark_iceberg_sql.model.evolution import create_specs
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax import nodes, terms

_COLUMN_CHANGES = (nodes.AddColumns, nodes.DropColumns, nodes.RenameColumn, nodes.AlterColumn, nodes.ReplaceColumns)
_TABLE_CHANGES = (
    *_COLUMN_CHANGES,
    nodes.AddField,
    nodes.DropField,
    nodes.ReplaceField,
    nodes.SetProperties,
    nodes.WriteOrder,
    nodes.IdentifierFields,
    nodes.ChangeSnapshotRef,
)


def replay(context: Context) -> None:
    """Apply a statement to `context.catalog`, as if it had run; what cannot be tracked becomes unknown."""
    node, catalog = context.node, context.catalog
    if isinstance(getattr(node, "table", None), terms.NamePath) and context.target.is_computed:
        return
    match node:
        case nodes.Create():
            _apply_create(context, node)
        case _ if isinstance(node, _TABLE_CHANGES):
            _apply_alter(context)
        case nodes.RenameTable():
            _apply_rename(catalog, node)
        case nodes.DropTable():
            catalog.drop(node.table.parts, "an earlier statement dropped it")
        case nodes.CreateView() if not node.temporary:
            catalog.put(Table(catalog.full_name(node.view.parts), kind=RelationKind.VIEW))
        case nodes.CreateView() | nodes.TemporaryTable():
            catalog.put_temporary_view(node.view.parts)
        case nodes.DropView() if catalog.is_temporary_view(node.view.parts):
            catalog.put_temporary_view(node.view.parts, exists=False)
        case nodes.DropView():
            catalog.drop(node.view.parts, "an earlier statement dropped it")
        case nodes.DropNamespace() if node.cascade:
            catalog.unsettle_below(node.namespace.parts)
        case nodes.Call():
            _apply_call(catalog, node)
        case nodes.Insert():
            catalog.another()
        case nodes.Use():
            _apply_use(catalog, node)
        case nodes.SetConfig() if node.key.lower() == "spark.sql.casesensitive":
            catalog.case_sensitive = node.value.lower() == "true"
        case nodes.SetConfig() if node.key.lower() == "spark.sql.session.timezone":
            catalog.time_zone = node.value
        case nodes.Compound():
            catalog.another()  # its other statements may write
            for inner_node in node.inside:
                _invalidate(catalog, inner_node)
        case nodes.Templated():
            catalog.another()
            _invalidate(catalog, node)


def changed_names(node: nodes.Node) -> list[terms.Name] | None:
    """Names of the tables and views that a statement may create, change or drop, as written; None: any."""
    match node:
        case nodes.Compound():
            inner_names = [changed_names(inner_node) for inner_node in node.inside]
            return None if None in inner_names else [name for names in inner_names for name in names or ()]
        case nodes.Immediate():
            return changed_names(node.inside)
        case nodes.Templated():
            return None if node.may_be_any else changed_names(node.inside) if node.inside is not None else []
        case nodes.Call():
            return None if node.tables is None else list(node.tables)
        case nodes.Use():
            return None  # a name refers to another table after it
        case nodes.DropNamespace():
            return None if node.cascade else []
        case nodes.Insert() | nodes.Explain() | nodes.HivePartition():
            return []
    table = getattr(node, "table", None) or getattr(node, "view", None)
    target_names = [table.parts] if isinstance(table, terms.NamePath) else []
    return [*target_names, node.new_name.parts] if isinstance(node, nodes.RenameTable) else target_names


def apply_intent(context: Context) -> None:
    """Record the table that a CREATE with an error intends, so that one error causes only one finding."""
    node, catalog = context.node, context.catalog
    if isinstance(node, nodes.InvalidStatement) and node.partial_create is not None:
        context = Context(context.text, node.partial_create, catalog, context.statement, context.repaired)
        _apply_intended_create(context, node.partial_create, readable=False)
    elif isinstance(node, nodes.Create):
        _apply_intended_create(context, node, readable=True)
    elif isinstance(node, nodes.Compound):
        replay(context)


def _apply_intended_create(context: Context, node: nodes.Create, *, readable: bool) -> None:
    existing_table = context.table
    if isinstance(existing_table, Table) and not existing_table.is_intended:
        return  # it already exists and stays as it was
    name = context.catalog.full_name(context.target_name)
    table = Table(name, is_intended=True, why_unknown="its CREATE TABLE has an error")
    if not context.creates_iceberg and not any(term.transform_name for term in node.partitioning or ()):
        table = replace(foreign_table(context, node), is_intended=True)
    elif node.columns is not None or node.typed_partitions or node.query is not None:
        with suppress(UnknownFactError):
            requests = [term.requested_field for term in context.terms]
            requested_fields = [request for request in requests if request is not None]
            is_complete = readable and context.creates_iceberg and len(requested_fields) == len(requests)
            version = context.format_version or DEFAULT_FORMAT_VERSION
            table = replace(
                table,
                schema=context.schema,
                specs=create_specs(requested_fields, version),
                properties=context.properties,
                last_column_id=context.schema.last_column_id,
                has_rows=False,
                is_partial=not is_complete,
            )
    context.catalog.remember(context.target_name, replace(table, is_certain=not context.has_uncertain_kind))


def _apply_create(context: Context, node: nodes.Create) -> None:
    catalog, parts = context.catalog, context.target_name
    existing_table = context.table
    if node.if_not_exists and isinstance(existing_table, Table) and not existing_table.is_intended:
        return
    if any(column.type is None for column in (*(node.columns or ()), *node.typed_partitions)):
        # Spark may refuse the type in a table of any format, whether or not a rule can report it.
        _apply_intended_create(context, node, readable=True)
        return
    if not context.creates_iceberg:
        catalog.remember(parts, foreign_table(context, node))
        return
    if node.hive and context.has_uncertain_kind:
        reason = "its CREATE TABLE creates a Hive table in one catalog and an Iceberg table in another"
        catalog.remember(parts, Table(catalog.full_name(parts), why_unknown=reason, is_certain=False))
        return
    try:
        new_table = context.table_after if node.like_table is None else None
        reason = "its CREATE TABLE could not be followed"
    except UnknownFactError as unknown:
        new_table, reason = _partial_replacement(context, unknown.reason), unknown.reason
    if new_table is not None and context.has_uncertain_kind:
        new_table = replace(new_table, is_certain=False)
    catalog.remember(parts, new_table or Table(catalog.full_name(parts), why_unknown=reason))


def _partial_replacement(context: Context, reason: str) -> Table | None:
    """A CREATE OR REPLACE of an unknown table: the columns are new, past specs may exist."""
    try:
        schema = context.schema
    except UnknownFactError:
        return None
    node, name = context.node, context.catalog.full_name(context.target.parts)
    lacks_main_snapshot = isinstance(node, nodes.Create) and has_no_main_snapshot(context, node)
    write_epoch = context.catalog.others if lacks_main_snapshot else None
    # Columns that are added later need their own field ids, though these are not the table's.
    return Table(
        name, schema=schema, why_unknown=reason, no_main_epoch=write_epoch, last_column_id=schema.last_column_id
    )


def _apply_alter(context: Context) -> None:
    try:
        table_after = context.table_after
    except UnknownFactError:
        # Not enough was known about it before, so the effect of the statement is unknown, too.
        table = context.table
        if isinstance(table, Table):
            reason = table.why_unknown or "an earlier statement changed it"
            # Where columns change in a way that is not tracked, the old ones would be taken for all.
            schema = None if isinstance(context.node, _COLUMN_CHANGES) else table.schema
            context.catalog.put(replace(table, schema=schema, specs=None, why_unknown=reason))
        return
    except AlreadyReportedError:
        return
    if table_after is None:
        context.catalog.forget(context.iceberg_table.name)
    else:
        context.catalog.put(table_after)


def _apply_rename(catalog: Tables, node: nodes.RenameTable) -> None:
    new_parts, old_parts = node.new_name.parts, node.table.parts
    # Without a catalog and a namespace, the new name has those of the old one.
    new_parts = (*old_parts[:-1], *new_parts) if len(new_parts) == 1 else new_parts
    old, new = catalog.full_name(old_parts), catalog.full_name(new_parts)
    table = catalog.get(node.table.parts)
    if isinstance(table, Table):
        catalog.put(replace(table, name=new))
    elif table is None:
        catalog.put(Table(new, why_unknown="nothing defines it before its new name", is_certain=False))
    catalog.drop(old, "an earlier statement renamed it")


def _apply_call(catalog: Tables, node: nodes.Call) -> None:
    """Apply a procedure that creates or registers tables."""
    if node.tables is None:
        catalog.unsettle_below(node.catalog)
    for name in node.tables or ():
        is_qualified = name[: len(node.catalog)] == node.catalog
        full_name = name if is_qualified else (*node.catalog, *name)
        if node.procedure == "add_files" and isinstance(catalog.get(full_name), Table):
            continue  # its columns and specs stay as they are
        catalog.unsettle(full_name)
    catalog.another()


def _apply_use(catalog: Tables, node: nodes.Use) -> None:
    parts = node.name.parts
    if node.keyword == "catalog":
        catalog.catalog, catalog.namespace = parts[0], ()
    elif catalog.catalog is not None and node.keyword == "" and catalog.is_catalog(parts[0]):
        catalog.catalog, catalog.namespace = parts[0], parts[1:]
    else:
        catalog.namespace = parts


def _invalidate(catalog: Tables, node: nodes.Node) -> None:
    """Make unknown the table of a statement that cannot be tracked, or that may not run."""
    if isinstance(node, nodes.Templated):
        if node.may_be_any:
            catalog.unsettle_below(())
        if node.inside is None:
            return
        node = node.inside
    table = getattr(node, "table", None) or getattr(node, "view", None)
    if isinstance(table, terms.NamePath):
        catalog.forget(table.parts)
