"""Column names that fit a transform or a type, for the clauses that a help suggests."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark_iceberg_sql.facts.target import AlreadyReportedError, NotKnownError, Target
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import SUGGESTED, TIMES
from spark_iceberg_sql.model.types import UNKNOWN, Primitive, Type
from spark_iceberg_sql.rules.words import listed, written
from spark_iceberg_sql.syntax import terms


def fitting(context: Target, record: Transform) -> list[str]:
    """The columns that a transform accepts, as DDL writes them; none if the table is unknown."""
    try:
        known = context.schema.columns
    except (NotKnownError, AlreadyReportedError):
        return []
    return [written(c) for c in known if record.takes(c.field.type) and not c.in_collection]


def there(context: Target, refs: Iterable[terms.Ref]) -> list[terms.Ref]:
    """The names that are columns of the table; all of them if none is, or if the table is unknown."""
    every = list(refs)
    try:
        known = [ref for ref in every if context.schema.find_all(ref.parts)]
    except (NotKnownError, AlreadyReportedError):
        return every
    return known or every


def quoted_column(facts: TermFacts) -> terms.Literal | None:
    """The only string argument that looks like a column's name, if the term has no column; else None."""
    texts = [item for item in facts.term.literals if item.kind == "string"]
    named = [item for item in texts if re.fullmatch(r"""(['"])[A-Za-z_]\w*\1""", item.text)]
    if len(named) != 1 or facts.term.columns:
        return None
    try:
        there = facts.statement.schema.find_all((named[0].text[1:-1],))
    except (NotKnownError, AlreadyReportedError):
        return named[0]
    return named[0] if there else None


def column_of(facts: TermFacts, name: str) -> Column | None:
    """The column that a name in a term refers to; None if the column, or its type, is unknown."""
    parts = next((ref.parts for ref in facts.term.columns if ref.text == name), (name,))
    try:
        found = facts.statement.sources.find(parts)
    except (NotKnownError, AlreadyReportedError):
        return None
    return found if found is not None and found.field.type != UNKNOWN else None


def to_write(facts: TermFacts, record: Transform, name: str, number: int | None = None) -> str:
    """The help that suggests a transform over a column, or another field if the transform does not accept its type.

    name: the column, as written. number: the bucket count or width that the user wrote.
    """
    column = column_of(facts, name)
    if column is None or (record.takes(column.field.type) and not column.in_collection):
        return f"write `{record.clause(name, number)}`"
    if column.in_collection:
        return "use a column that is not inside a list or a map"
    return instead(record, name, column.field.type, number)


def instead(record: Transform | None, name: str, kind: Type, number: int | None = None) -> str:
    """The help for a column whose type the transform does not accept; transform: None for an unknown one.

    name: the column, as written. number: the bucket count or width that the user wrote.
    """
    if not isinstance(kind, Primitive):
        return "use a column of a primitive type"
    if kind.name == "string" and record is not None and record.granularity is not None:
        prefix = next((t for t in SUGGESTED if t.truncates and t.takes(kind)), None)
        if record.iso_width is None or prefix is None:
            return f"write `{name}` itself"
        iso = f"`{prefix.clause(name, record.iso_width)}` if it holds ISO dates"
        return f"write {iso}, or `{name}` itself"
    if kind.name in ("float", "double") and record is not None:
        clause = record.clause("that_column", number)
        return f"add a decimal or bigint column and write `{clause}`"
    others = [other.clause(name) for other in SUGGESTED if other.takes(kind)]
    if record is not None and record.granularity is not None:  # the next coarser unit comes nearest
        coarser = [t for t in TIMES if t.takes(kind)]
        others = [t.clause(name) for t in coarser[-1:]] + others
    return f"write {listed(dict.fromkeys([*others, name]))}"
