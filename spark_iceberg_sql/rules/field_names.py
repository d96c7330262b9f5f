"""Names for partition fields: an unused name, and the clause and the edit that assign it."""

from __future__ import annotations

from itertools import count

from spark_iceberg_sql.diagnostics import Edit, Fix
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.evolution import RequestedField
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


def unused_field_name(specs: Specs, schema: Schema, requested_field: RequestedField) -> str:
    """A name for the requested field that no column has and no field has ever had, ignoring case."""
    transform = requested_field.transform.transform
    base = transform.alter_name(requested_field.source, requested_field.transform.parameter).replace(".", "_")
    used_names = {field.name.lower() for field in specs.all_fields} | {c.name.lower() for c in schema.columns}
    names = (base if number == 1 else f"{base}_{number}" for number in count(1))
    return next(name for name in names if name.lower() not in used_names)


def renamed_clause(context: Context, name: str) -> tuple[str, Fix]:
    """ADD or REPLACE under another name: the clause to write, and the edit that produces it."""
    node = context.node
    assert isinstance(node, nodes.AddField | nodes.ReplaceField)
    term = node.term if isinstance(node, nodes.AddField) else node.new
    verb = context.text_at((node.table.span[1], term.span[1]))
    clause = " ".join(f"{verb} AS {quoted(name)}".split())
    alias_span = node.name.span if node.name is not None else (term.span[1], term.span[1])
    edit = Edit(*alias_span, quoted(name) if node.name is not None else f" AS {quoted(name)}")
    return clause, Fix(f"name it {quoted(name)}", (edit,))


def display_field(field: PartitionField) -> str:
    """A partition field as messages show it: `ts_day` (days(ts)), or the name alone for identity."""
    if field.name == field.clause:
        return f"`{field.name}`"
    return f"`{field.name}` ({'void' if field.transform.is_void else field.clause})"


def display_fields(fields: tuple[PartitionField, ...], limit: int = 6) -> str:
    """Partition fields as a comma-separated list."""
    field_texts = [display_field(field) for field in fields[:limit]]
    omitted_count = len(fields) - limit
    return ", ".join(field_texts) + (f" and {omitted_count} more" if omitted_count > 0 else "")
