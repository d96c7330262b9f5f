"""What a statement that ran leaves behind in what is known: tables made, altered, renamed, dropped."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from spark_iceberg_sql import nodes
from spark_iceberg_sql.model.spec import created
from spark_iceberg_sql.model.table import Kind, Known, Table
from spark_iceberg_sql.rules.case import (
    DEFAULT_FORMAT_VERSION,
    Case,
    NotKnownError,
    SettledError,
)
from spark_iceberg_sql.rules.outcome import other_table

_TABLE_CHANGES = (
    nodes.AddField,
    nodes.DropField,
    nodes.ReplaceField,
    nodes.AddColumns,
    nodes.DropColumns,
    nodes.RenameColumn,
    nodes.AlterColumn,
    nodes.ReplaceColumns,
    nodes.SetProperties,
    nodes.WriteOrder,
    nodes.IdentifierFields,
    nodes.Reference,
)


def replay(case: Case) -> None:
    """Carry a statement over into `case.known`, as if it had run. What cannot be followed is forgotten."""
    node, known = case.node, case.known
    if isinstance(getattr(node, "table", None), nodes.Ref) and case.target.computed:
        return
    if isinstance(node, nodes.Create):
        _create(case, node)
    elif isinstance(node, _TABLE_CHANGES):
        _alter(case)
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
        known.others += 1
    elif isinstance(node, nodes.Use):
        _use(known, node)
    elif isinstance(node, nodes.SetConfig):
        if node.key.lower() == "spark.sql.casesensitive":
            known.case_sensitive = node.value.lower() == "true"
        elif node.key.lower() == "spark.sql.session.timezone":
            known.time_zone = node.value
    elif isinstance(node, nodes.Compound):
        known.others += 1  # its other statements may write
        for inside in node.inside:
            _forget(known, inside)
    elif isinstance(node, nodes.Templated):
        known.others += 1
        _forget(known, node)


def meant(case: Case) -> None:
    """Remember the table of a CREATE with an error as its author meant it, so that one fault is not many."""
    node, known = case.node, case.known
    if isinstance(node, nodes.Unreadable) and node.begun is not None:
        case = Case(case.text, node.begun, known, case.statement, case.repaired)
        _mean(case, node.begun, readable=False)
    elif isinstance(node, nodes.Create):
        _mean(case, node, readable=True)
    elif isinstance(node, nodes.Compound):
        replay(case)


def _mean(case: Case, node: nodes.Create, *, readable: bool) -> None:
    found = case.table
    if isinstance(found, Table) and not found.meant:
        return  # it is there already, and stays as it was
    name = case.known.full_name(case.target_name)
    table = Table(name, meant=True, why_unknown="its CREATE TABLE has an error")
    if not case.makes_iceberg and not any(term.call for term in node.partitioning or ()):
        table = replace(other_table(case, node), meant=True)
    elif node.columns is not None or node.typed_partitions or node.query is not None:
        with suppress(NotKnownError):
            wanted = [term.wanted for term in case.terms]
            asked = [want for want in wanted if want is not None]
            whole = readable and case.makes_iceberg and len(asked) == len(wanted)
            version = case.format_version or DEFAULT_FORMAT_VERSION
            table = replace(
                table,
                schema=case.schema,
                specs=created(asked, version),
                properties=case.properties,
                last_column_id=case.schema.last_column_id,
                has_rows=False,
                partial=not whole,
            )
    case.known.remember(case.target_name, table)


def _create(case: Case, node: nodes.Create) -> None:
    known, parts = case.known, case.target_name
    found = case.table
    if node.if_not_exists and isinstance(found, Table) and not found.meant:
        return
    if not case.makes_iceberg:
        known.remember(parts, other_table(case, node))
        return
    if node.hive and case.of_unsure_kind:
        why = "its CREATE TABLE is Hive's in one catalog and Iceberg's in another"
        known.remember(parts, Table(known.full_name(parts), why_unknown=why, sure=False))
        return
    try:
        made = case.after if node.like is None else None
        why = "its CREATE TABLE could not be followed"
    except NotKnownError as unknown:
        made, why = _partly(case, unknown.why), unknown.why
    if made is not None and case.of_unsure_kind:
        made = replace(made, sure=False)
    known.remember(parts, made or Table(known.full_name(parts), why_unknown=why))


def _partly(case: Case, why: str) -> Table | None:
    """A CREATE OR REPLACE over nobody knows what: the columns are new, past specs may be there."""
    try:
        schema = case.schema
    except NotKnownError:
        return None
    return Table(case.known.full_name(case.target.parts), schema=schema, why_unknown=why)


def _alter(case: Case) -> None:
    try:
        after = case.after
    except NotKnownError:
        # Nothing was known of it before, or not enough: what the statement did is not known either.
        found = case.table
        if isinstance(found, Table):
            why = found.why_unknown or "an earlier statement changed it"
            case.known.put(replace(found, specs=None, why_unknown=why))
        return
    except SettledError:
        return
    if after is None:
        case.known.forget(case.iceberg.name)
    else:
        case.known.put(after)


def _rename(known: Known, node: nodes.RenameTable) -> None:
    old, new = known.full_name(node.table.parts), known.full_name(_beside(known, node))
    found = known.get(node.table.parts)
    if isinstance(found, Table):
        known.put(replace(found, name=new))
    elif found is None:
        known.forget(new)
    known.drop(old, "an earlier statement renamed it")


def _beside(known: Known, node: nodes.RenameTable) -> nodes.Name:
    """The new name with what the old one says of its catalog and namespace."""
    new, old = node.new_name.parts, node.table.parts
    return (*old[:-1], *new) if len(new) == 1 else new


def _call(known: Known, node: nodes.Call) -> None:
    """A procedure that makes tables, or takes them over."""
    if node.tables is None:
        known.unsettle_below(node.catalog)
    for name in node.tables or ():
        within = name[: len(node.catalog)] == node.catalog
        full = name if within else (*node.catalog, *name)
        if node.procedure == "add_files" and isinstance(known.get(full), Table):
            continue  # its columns and specs stay as they are
        known.unsettle(full)
    known.others += 1


def _use(known: Known, node: nodes.Use) -> None:
    parts = node.name.parts
    if node.what == "catalog":
        known.catalog, known.namespace = parts[0], ()
    elif known.catalog is not None and node.what == "" and known.is_catalog(parts[0]):
        known.catalog, known.namespace = parts[0], parts[1:]
    else:
        known.namespace = parts


def _forget(known: Known, node: nodes.Node) -> None:
    """A statement that cannot be followed, or that perhaps does not run."""
    if isinstance(node, nodes.Templated):
        if node.anything:
            known.unsettle_below(())
        if node.inside is None:
            return
        node = node.inside
    table = getattr(node, "table", None) or getattr(node, "view", None)
    if isinstance(table, nodes.Ref):
        known.forget(table.parts)
