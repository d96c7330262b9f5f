"""Preconditions that several rules share: each is evaluated at most once per statement.

A precondition may be true too often, never false for a statement in which a rule finds something. One that raises
counts as true: the rule then meets the unknown fact itself, and the engine makes a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.corruption import may_hide_deletes
from spark_iceberg_sql.model.schema import Column, folded
from spark_iceberg_sql.model.types import V3_TYPES, Primitive
from spark_iceberg_sql.syntax import nodes


def has_noncanonical_terms(context: Context) -> bool:
    """True if any term is not in canonical form."""
    return not all(facts.is_canonical for facts in context.terms)


def has_nonstandard_types(context: Context) -> bool:
    """True unless each new column has a primitive type that every format version has."""
    return any(not isinstance(column.type, Primitive) or column.type.name in V3_TYPES for column in context.new_columns)


def has_special_columns(context: Context) -> bool:
    """True unless this is a CREATE TABLE whose columns have distinct, ordinary names and primitive types."""
    node = context.node
    if not isinstance(node, nodes.Create) or node.replace or node.query is not None:
        return True
    columns = context.new_columns
    names = {folded(column.name) for column in columns}
    has_odd_names = len(names) < len(columns) or any(name[:1] in ("", "_") for name in names)
    return has_odd_names or has_nonstandard_types(context)


def has_special_clauses(context: Context) -> bool:
    """True unless this is a CREATE TABLE with only columns, USING iceberg and PARTITIONED BY."""
    node = context.node
    if not isinstance(node, nodes.Create) or node.provider != "iceberg" or node.table.is_computed:
        return True
    other_clauses = (node.replace, node.query, node.like_table, node.location, node.hive, node.properties)
    return any((*other_clauses, node.options, node.clustered_by, node.cluster_by))


def has_risky_fields(context: Context) -> bool:
    """True if a new field may be refused, be redundant, or clash with a column or a field, even a past one.

    No clash is possible if every field has its own source column, and a name that nothing else has or had.
    """
    if has_noncanonical_terms(context) or not all(map(_is_simple_term, context.terms)):
        return True
    if isinstance(context.node, nodes.Create):
        has_unknown_fields = context.node.clustered_by is not None  # which fields that makes is unknown
        return has_unknown_fields or has_special_columns(context) or _created_fields_clash(context)
    return _added_field_clashes(context)


def has_identity_fields(context: Context) -> bool:
    """True if a new field is an identity field. An unknown column raises, which counts as true."""
    return any(True for _ in identity_terms(context))


def identity_terms(context: Context) -> Iterator[tuple[ResolvedTerm, Column]]:
    """The terms that request an identity field, each with its column."""
    for facts in context.new_terms:
        bound, column = facts.bound, facts.column
        if bound is not None and bound.transform.is_identity and column is not None:
            yield facts, column


def _is_simple_term(facts: ResolvedTerm) -> bool:
    """True if a term is over a top-level column with an ASCII name, and has no AS."""
    ref = facts.source
    return facts.name is None and ref is not None and len(ref.parts) == 1 and ref.text.isascii()


def _created_fields_clash(context: Context) -> bool:
    used_names = {folded(column.name) for column in context.new_columns}
    sources = set()
    for facts in context.terms:
        requested_field = facts.requested_field
        if requested_field is None or requested_field.source_id in sources:
            return True
        sources.add(requested_field.source_id)
        name = requested_field.transform.transform.create_name(requested_field.source)
        if may_hide_deletes(name):
            return True
        if not requested_field.transform.transform.is_identity:  # which has its column's name
            if folded(name) in used_names:
                return True
            used_names.add(folded(name))
    return False


def _added_field_clashes(context: Context) -> bool:
    specs, added_field, dropped_field = context.specs, context.added_field, context.dropped_field
    return (
        added_field is None
        or (dropped_field is None and isinstance(context.node, nodes.ReplaceField))
        or specs.format_version < 2  # dropped fields stay as void
        or added_field.field_id <= specs.last_field_id  # an old field comes back
        or not context.schema.ids.issuperset(specs.sources)
        or not specs.names_differ
        or specs.dotted
        or bool(context.schema.find_all((added_field.name,)))
        or specs.has_name(added_field.name)
        or may_hide_deletes(added_field.name)
        or any(f.source_id == added_field.source_id and f is not dropped_field for f in specs.spec.fields)
    )
