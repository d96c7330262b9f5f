"""Candidate partition fields and specs, derived from the columns that queries filter on.

A spec has at most two fields, over two columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from spark_iceberg_sql.insight.specs import column_text
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import FIRST_FIELD_ID, PartitionField
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.model.types import Primitive

_BUCKETS = (4, 8, 16, 32, 64, 128, 256)
_WIDTHS = (10, 100, 1000, 10_000, 100_000, 1_000_000)
_PREFIXES = (1, 2, 3)
_NOT_AS_VALUES = ("float", "double", "date", "timestamp", "timestamptz")  # SIS501, SIS503; days


def fields_of(schema: Schema, field_id: int) -> tuple[PartitionField, ...]:
    """All candidate fields over one column. field_id: of the column."""
    column = schema.by_id(field_id)
    if column is None or column.in_collection or not isinstance(column.field.type, Primitive):
        return ()
    kind = column.field.type
    found = []
    for transform in TRANSFORMS:
        if not transform.in_ddl or not transform.takes(kind):
            continue
        if transform.is_identity and kind.name in _NOT_AS_VALUES:
            continue
        if transform.hashes:
            numbers: Sequence[int | None] = _BUCKETS
        elif transform.truncates:
            numbers = _PREFIXES if kind.name in ("string", "binary") else _WIDTHS
        else:
            numbers = (None,)
        for number in numbers:
            bound = BoundTransform(transform, number)
            name = transform.alter_name(column.name.replace(".", "_"), number)
            if transform.is_identity:
                name = column.name
            found.append(PartitionField(field_id, column.name, bound, name, FIRST_FIELD_ID))
    return tuple(found)


def wide(schema: Schema) -> tuple[PartitionField, ...]:
    """One field over each column: with all of them in one spec, the rules add every predicate that any spec
    could use.
    """
    found = []
    for column in schema.columns:
        fields = fields_of(schema, column.field.field_id or 0) if column.field.field_id else ()
        days = [f for f in fields if f.transform.transform.begins_at_midnight][-1:]
        hashed = [f for f in fields if f.transform.transform.hashes]
        found += (days or hashed)[:1]
    return numbered(found)


def specs(fields: Iterable[PartitionField]) -> Iterator[tuple[PartitionField, ...]]:
    """Candidate specs: the unpartitioned one, each field, and each pair of fields over two columns."""
    fields = tuple(fields)
    yield ()
    for field in fields:
        yield numbered([field])
    for first, second in combinations(fields, 2):
        if first.source_id != second.source_id:
            yield numbered([first, second])


def numbered(fields: Sequence[PartitionField]) -> tuple[PartitionField, ...]:
    """The fields of one spec, with the ids that a new table assigns and with distinct names."""
    out: list[PartitionField] = []
    for number, field in enumerate(fields):
        name = field.name
        while name in {f.name for f in out}:
            name += "_"
        out.append(
            PartitionField(
                field.source_id, field.source, field.transform, name, FIRST_FIELD_ID + number
            )
        )
    return tuple(out)


def alters(
    table: str, current: Sequence[PartitionField], wanted: Sequence[PartitionField], schema: Schema
) -> tuple[str, ...]:
    """The ALTER statements from one spec to another. table: its name in SQL."""
    keep = {f.key for f in wanted}
    there = {f.key for f in current}
    gone = [f for f in current if f.key not in keep and not f.transform.is_void]
    new = [f for f in wanted if f.key not in there]
    out = []
    for field in gone:
        other = next((f for f in new if f.source_id == field.source_id), None)
        before = _term(field, schema)
        if other is None:
            out.append(f"ALTER TABLE {table} DROP PARTITION FIELD {before}")
        else:
            new.remove(other)
            after = _term(other, schema)
            out.append(f"ALTER TABLE {table} REPLACE PARTITION FIELD {before} WITH {after}")
    out += [f"ALTER TABLE {table} ADD PARTITION FIELD {_term(f, schema)}" for f in new]
    return tuple(out)


def _term(field: PartitionField, schema: Schema) -> str:
    return field.transform.clause(column_text(field, schema))
