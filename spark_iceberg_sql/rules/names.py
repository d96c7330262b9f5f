"""Names for partition fields: an unused name, and the clause and the edit that assign it."""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


def free_name(specs: Specs, schema: Schema, wanted: RequestedField) -> str:
    """A name for the requested field that no column has and no field has ever had, ignoring case."""
    record = wanted.transform.transform
    base = record.alter_name(wanted.source, wanted.transform.parameter).replace(".", "_")
    taken = {field.name.lower() for field in specs.all_fields}
    taken |= {column.name.lower() for column in schema.columns}
    name, number = base, 1
    while name.lower() in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def with_name(context: Context, name: str) -> tuple[str, Fix]:
    """ADD or REPLACE under another name: the clause to write, and the edit that produces it."""
    node = context.node
    assert isinstance(node, nodes.AddField | nodes.ReplaceField)
    term = node.term if isinstance(node, nodes.AddField) else node.new
    verb = context.words((node.table.span[1], term.span[1]))
    clause = " ".join(f"{verb} AS {quoted(name)}".split())
    if node.name is not None:
        edit = Edit(*node.name.span, quoted(name))
    else:
        edit = Edit(term.span[1], term.span[1], f" AS {quoted(name)}")
    return clause, Fix(f"name it {quoted(name)}", (edit,))


def shown(field: PartitionField) -> str:
    """A partition field as messages show it: `ts_day` (days(ts)), or the name alone for identity."""
    if field.name == field.clause:
        return f"`{field.name}`"
    return f"`{field.name}` ({'void' if field.transform.is_void else field.clause})"


def all_shown(fields: tuple[PartitionField, ...], limit: int = 6) -> str:
    """Partition fields as a comma-separated list."""
    words = [shown(field) for field in fields[:limit]]
    more = len(fields) - limit
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")
