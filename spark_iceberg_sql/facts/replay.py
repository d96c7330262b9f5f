"""Applies the effect of a statement to the catalog state: tables created, altered, renamed, dropped.

What cannot be tracked becomes unknown, so that no later finding depends on it.
"""

from __future__ import annotations

from contextlib import suppress

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.outcome import is_headless, other_table
from spark_iceberg_sql.facts.target import (
    DEFAULT_FORMAT_VERSION,
    AlreadyReportedError,
    NotKnownError,
)
from spark_iceberg_sql.model.evolution import created
from spark_iceberg_sql.model.table import Kind, Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax import nodes, terms

_COLUMN_CHANGES = (
    nodes.AddColumns,
    nodes.DropColumns,
    nodes.RenameColumn,
    nodes.AlterColumn,
    nodes.ReplaceColumns,
)
_TABLE_CHANGES = (
    *_COLUMN_CHANGES,
    nodes.AddField,
    nodes.DropField,
    nodes.ReplaceField,
    nodes.SetProperties,
    nodes.WriteOrder,
    nodes.IdentifierFields,
    nodes.Reference,
)


def replay(context: Context) -> None:
    """Apply a statement to `context.catalog`, as if it had run; what cannot be tracked becomes unknown."""
    node, known = context.node, context.known
    if isinstance(getattr(node, "table", None), terms.Ref) and context.target.computed:
        return
    if isinstance(node, nodes.Create):
        _create(context, node)
    elif isinstance(node, _TABLE_CHANGES):
        _alter(context)
    elif isinstance(node, nodes.RenameTable):
        _rename(known, node)
    elif isinstance(node, nodes.DropTable):
        known.drop(node.table.parts, "an earlier statement dropped it")
    elif isinstance(node, nodes.CreateView | nodes.TemporaryTable):
        if isinstance(node, nodes.TemporaryTable) or node.temporary:
            known.put_temporary_view(node.view.parts)
        else:
            known.put(Table(known.full_name(node.view.parts), kind=Kind.VIEW))
    elif isinstance(node, nodes.DropView):
        if known.is_temporary_view(node.view.parts):
            known.put_temporary_view(node.view.parts, there=False)
        else:
            known.drop(node.view.parts, "an earlier statement dropped it")
    elif isinstance(node, nodes.DropNamespace):
        if node.cascade:
            known.unsettle_below(node.namespace.parts)
    elif isinstance(node, nodes.Call):
        _call(known, node)
    elif isinstance(node, nodes.Insert):
        known.another()
    elif isinstance(node, nodes.Use):
        _use(known, node)
    elif isinstance(node, nodes.SetConfig):
        if node.key.lower() == "spark.sql.casesensitive":
            known.case_sensitive = node.value.lower() == "true"
        elif node.key.lower() == "spark.sql.session.timezone":
            known.time_zone = node.value
    elif isinstance(node, nodes.Compound):
        known.another()  # its other statements may write
        for inside in node.inside:
            _forget(known, inside)
    elif isinstance(node, nodes.Templated):
        known.another()
        _forget(known, node)


def changed(node: nodes.Node) -> list[terms.Name] | None:
    """Names of the tables and views that a statement may create, change or drop, as written; None: any."""
    if isinstance(node, nodes.Compound):
        inside = [changed(each) for each in node.inside]
        return None if None in inside else [name for names in inside for name in names or ()]
    if isinstance(node, nodes.Immediate):
        return changed(node.inside)
    if isinstance(node, nodes.Templated):
        return None if node.anything else changed(node.inside) if node.inside is not None else []
    if isinstance(node, nodes.Call):
        return None if node.tables is None else list(node.tables)
    if isinstance(node, nodes.Use):
        return None  # a name refers to another table after it
    if isinstance(node, nodes.DropNamespace):
        return None if node.cascade else []
    if isinstance(node, nodes.Insert | nodes.Explain | nodes.HivePartition):
        return []
    table = getattr(node, "table", None) or getattr(node, "view", None)
    found = [table.parts] if isinstance(table, terms.Ref) else []
    return [*found, node.new_name.parts] if isinstance(node, nodes.RenameTable) else found


def meant(context: Context) -> None:
    """Record the table that a CREATE with an error intends, so that one error causes only one finding."""
    node, known = context.node, context.known
    if isinstance(node, nodes.Unreadable) and node.begun is not None:
        context = Context(context.text, node.begun, known, context.statement, context.repaired)
        _mean(context, node.begun, readable=False)
    elif isinstance(node, nodes.Create):
        _mean(context, node, readable=True)
    elif isinstance(node, nodes.Compound):
        replay(context)


def _mean(context: Context, node: nodes.Create, *, readable: bool) -> None:
    found = context.table
    if isinstance(found, Table) and not found.meant:
        return  # it already exists and stays as it was
    name = context.known.full_name(context.target_name)
    table = Table(name, meant=True, why_unknown="its CREATE TABLE has an error")
    if not context.makes_iceberg and not any(term.call for term in node.partitioning or ()):
        table = replace(other_table(context, node), meant=True)
    elif node.columns is not None or node.typed_partitions or node.query is not None:
        with suppress(NotKnownError):
            wanted = [term.wanted for term in context.terms]
            asked = [want for want in wanted if want is not None]
            whole = readable and context.makes_iceberg and len(asked) == len(wanted)
            version = context.format_version or DEFAULT_FORMAT_VERSION
            table = replace(
                table,
                schema=context.schema,
                specs=created(asked, version),
                properties=context.properties,
                last_column_id=context.schema.last_column_id,
                has_rows=False,
                partial=not whole,
            )
    context.known.remember(context.target_name, table)


def _create(context: Context, node: nodes.Create) -> None:
    known, parts = context.known, context.target_name
    found = context.table
    if node.if_not_exists and isinstance(found, Table) and not found.meant:
        return
    if not context.makes_iceberg:
        known.remember(parts, other_table(context, node))
        return
    if node.hive and context.of_unsure_kind:
        why = "its CREATE TABLE creates a Hive table in one catalog and an Iceberg table in another"
        known.remember(parts, Table(known.full_name(parts), why_unknown=why, sure=False))
        return
    try:
        made = context.after if node.like is None else None
        why = "its CREATE TABLE could not be followed"
    except NotKnownError as unknown:
        made, why = _partly(context, unknown.why), unknown.why
    if made is not None and context.of_unsure_kind:
        made = replace(made, sure=False)
    known.remember(parts, made or Table(known.full_name(parts), why_unknown=why))


def _partly(context: Context, why: str) -> Table | None:
    """A CREATE OR REPLACE of an unknown table: the columns are new, past specs may exist."""
    try:
        schema = context.schema
    except NotKnownError:
        return None
    node, name = context.node, context.known.full_name(context.target.parts)
    headless = isinstance(node, nodes.Create) and is_headless(context, node)
    count = context.known.others if headless else None
    # Columns that are added later need their own field ids, though these are not the table's.
    return Table(
        name,
        schema=schema,
        why_unknown=why,
        headless=count,
        last_column_id=schema.last_column_id,
    )


def _alter(context: Context) -> None:
    try:
        after = context.after
    except NotKnownError:
        # Not enough was known about it before, so the effect of the statement is unknown, too.
        found = context.table
        if isinstance(found, Table):
            why = found.why_unknown or "an earlier statement changed it"
            # Where columns change in a way that is not tracked, the old ones would be taken for all.
            schema = None if isinstance(context.node, _COLUMN_CHANGES) else found.schema
            context.known.put(replace(found, schema=schema, specs=None, why_unknown=why))
        return
    except AlreadyReportedError:
        return
    if after is None:
        context.known.forget(context.iceberg.name)
    else:
        context.known.put(after)


def _rename(known: Tables, node: nodes.RenameTable) -> None:
    old, new = known.full_name(node.table.parts), known.full_name(_beside(known, node))
    found = known.get(node.table.parts)
    if isinstance(found, Table):
        known.put(replace(found, name=new))
    elif found is None:
        known.put(Table(new, why_unknown="nothing defines it before its new name", sure=False))
    known.drop(old, "an earlier statement renamed it")


def _beside(known: Tables, node: nodes.RenameTable) -> terms.Name:
    """The new name, with the old name's catalog and namespace if it has none."""
    new, old = node.new_name.parts, node.table.parts
    return (*old[:-1], *new) if len(new) == 1 else new


def _call(known: Tables, node: nodes.Call) -> None:
    """Apply a procedure that creates or registers tables."""
    if node.tables is None:
        known.unsettle_below(node.catalog)
    for name in node.tables or ():
        within = name[: len(node.catalog)] == node.catalog
        full = name if within else (*node.catalog, *name)
        if node.procedure == "add_files" and isinstance(known.get(full), Table):
            continue  # its columns and specs stay as they are
        known.unsettle(full)
    known.another()


def _use(known: Tables, node: nodes.Use) -> None:
    parts = node.name.parts
    if node.what == "catalog":
        known.catalog, known.namespace = parts[0], ()
    elif known.catalog is not None and node.what == "" and known.is_catalog(parts[0]):
        known.catalog, known.namespace = parts[0], parts[1:]
    else:
        known.namespace = parts


def _forget(known: Tables, node: nodes.Node) -> None:
    """Make unknown the table of a statement that cannot be tracked, or that may not run."""
    if isinstance(node, nodes.Templated):
        if node.anything:
            known.unsettle_below(())
        if node.inside is None:
            return
        node = node.inside
    table = getattr(node, "table", None) or getattr(node, "view", None)
    if isinstance(table, terms.Ref):
        known.forget(table.parts)
