"""Column names that fit a transform or a type, for the clauses that a help suggests."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.facts.target_context import TargetContext, known_or_none
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import SUGGESTED, TIMES
from spark_iceberg_sql.model.types import UNKNOWN, Primitive, Type
from spark_iceberg_sql.rules.message_format import column_text, join_names
from spark_iceberg_sql.syntax import terms


def accepted_columns(context: TargetContext, transform: Transform) -> list[str]:
    """The columns that a transform accepts, as DDL writes them; none if the table is unknown."""
    schema = known_or_none(lambda: context.schema)
    columns = schema.columns if schema is not None else ()
    return [column_text(c) for c in columns if transform.takes(c.field.type) and not c.in_collection]


def existing_columns(context: TargetContext, refs: Iterable[terms.NamePath]) -> list[terms.NamePath]:
    """The names that are columns of the table; all of them if none is, or if the table is unknown."""
    all_refs = list(refs)
    schema = known_or_none(lambda: context.schema)
    return [ref for ref in all_refs if schema is not None and schema.find_all(ref.parts)] or all_refs


def quoted_column(facts: ResolvedTerm) -> terms.Literal | None:
    """The only string argument that looks like a column's name, if the term has no column; else None."""
    string_literals = [item for item in facts.term.literals if item.kind == "string"]
    identifiers = [item for item in string_literals if re.fullmatch(r"""(['"])[A-Za-z_]\w*\1""", item.text)]
    if len(identifiers) != 1 or facts.term.columns:
        return None
    schema = known_or_none(lambda: facts.context.schema)
    return identifiers[0] if schema is None or schema.find_all((identifiers[0].text[1:-1],)) else None


def find_column(facts: ResolvedTerm, name: str) -> Column | None:
    """The column that a name in a term refers to; None if the column, or its type, is unknown."""
    parts = next((ref.parts for ref in facts.term.columns if ref.text == name), (name,))
    column = known_or_none(lambda: facts.context.source_schema.find(parts))
    return column if column is not None and column.field.type != UNKNOWN else None


def transform_help(facts: ResolvedTerm, transform: Transform, name: str, number: int | None = None) -> str:
    """The help that suggests a transform over a column, or another field if the transform does not accept its type.

    name: the column, as written. number: the bucket count or width that the user wrote.
    """
    column = find_column(facts, name)
    if column is None or (transform.takes(column.field.type) and not column.in_collection):
        return f"write `{transform.clause(name, number)}`"
    if column.in_collection:
        return "use a column that is not inside a list or a map"
    return alternative_help(transform, name, column.field.type, number)


def alternative_help(transform: Transform | None, name: str, data_type: Type, number: int | None = None) -> str:
    """The help for a column whose type the transform does not accept; transform: None for an unknown one.

    name: the column, as written. number: the bucket count or width that the user wrote.
    """
    if not isinstance(data_type, Primitive):
        return "use a column of a primitive type"
    if data_type.name == "string" and transform is not None and transform.granularity is not None:
        prefix = next((t for t in SUGGESTED if t.truncates and t.takes(data_type)), None)
        if transform.iso_width is None or prefix is None:
            return f"write `{name}` itself"
        iso = f"`{prefix.clause(name, transform.iso_width)}` if it holds ISO dates"
        return f"write {iso}, or `{name}` itself"
    if data_type.name in ("float", "double") and transform is not None:
        clause = transform.clause("that_column", number)
        return f"add a decimal or bigint column and write `{clause}`"
    clauses = [other.clause(name) for other in SUGGESTED if other.takes(data_type)]
    if transform is not None and transform.granularity is not None:  # the next coarser unit comes nearest
        coarser = [t for t in TIMES if t.takes(data_type)]
        clauses = [t.clause(name) for t in coarser[-1:]] + clauses
    return f"write {join_names(dict.fromkeys([*clauses, name]))}"
