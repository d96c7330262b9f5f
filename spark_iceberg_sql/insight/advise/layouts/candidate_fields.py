"""Candidate partition fields and specs, derived from the columns that queries filter on.

A spec has one field or two, over two columns; the best pair is tried with a third.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from spark_iceberg_sql.insight.specs import column_text
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import FIRST_FIELD_ID, PartitionField
from spark_iceberg_sql.model.table import SortField
from spark_iceberg_sql.model.transforms import IDENTITY, TRANSFORMS
from spark_iceberg_sql.model.types import Primitive

_BUCKETS = tuple(2**power for power in range(2, 13))  # 4 to 4096
_DEFAULT_BUCKETS = 256  # the most, if the size of the table does not ask for more
_WIDTHS = (10, 100, 1000, 10_000, 100_000, 1_000_000)
_PREFIXES = (1, 2, 3)
_MAX_PREFIX = 16  # from there on, Iceberg's writers cut the bounds of strings
_NO_IDENTITY_TYPES = ("float", "double", "date", "timestamp", "timestamptz")  # SIS501, SIS503; days


def candidate_fields(
    schema: Schema, field_id: int, prefixes: Iterable[int] = (), widths: Iterable[int] = (), max_buckets: float = 0
) -> tuple[PartitionField, ...]:
    """All candidate fields over one column.

    field_id: of the column. prefixes: of a string, the lengths of prefixes that queries compare, in characters.
    widths: of a number, those of the ranges that they ask for. max_buckets: so many leave files of the least size that
    is proposed.
    """
    column = schema.by_id(field_id)
    if column is None or column.in_collection or not isinstance(column.field.type, Primitive):
        return ()
    data_type = column.field.type
    fields = []
    for transform in TRANSFORMS:
        is_refused = transform.is_identity and data_type.name in _NO_IDENTITY_TYPES
        if not transform.in_ddl or not transform.takes(data_type) or is_refused:
            continue
        parameters: Sequence[int | None] = (None,)
        if transform.hashes:
            parameters = [count for count in _BUCKETS if count <= max(_DEFAULT_BUCKETS, max_buckets)]
        elif transform.truncates:
            lengths = sorted({*_PREFIXES, *(length for length in prefixes if 0 < length <= _MAX_PREFIX)})
            is_text = data_type.name in ("string", "binary")
            parameters = lengths if is_text else sorted({*_WIDTHS, *widths})
        source = column.name if transform.is_identity else column.name.replace(".", "_")
        fields += [
            PartitionField(
                field_id,
                column.name,
                BoundTransform(transform, parameter),
                transform.alter_name(source, parameter),
                FIRST_FIELD_ID,
            )
            for parameter in parameters
        ]
    return tuple(fields)


def field_per_column(schema: Schema) -> tuple[PartitionField, ...]:
    """One field over each column: with all of them in one spec, the rules add every predicate that any spec
    could use.
    """
    spec_fields = []
    for column in schema.columns:
        fields = candidate_fields(schema, column.field.field_id or 0) if column.field.field_id else ()
        days = [f for f in fields if f.transform.transform.begins_at_midnight][-1:]
        hashed = [f for f in fields if f.transform.transform.hashes]
        spec_fields += (days or hashed)[:1]
    return with_field_ids(spec_fields)


def candidate_specs(fields: Iterable[PartitionField]) -> Iterator[tuple[PartitionField, ...]]:
    """Candidate specs: the unpartitioned one, each field, and each pair of fields over two columns."""
    fields = tuple(fields)
    yield ()
    for field in fields:
        yield with_field_ids([field])
    for first, second in combinations(fields, 2):
        if first.source_id != second.source_id:
            yield with_field_ids([first, second])


def spec_variants(
    current: Sequence[PartitionField], fields: Iterable[PartitionField]
) -> list[tuple[PartitionField, ...]]:
    """Today's spec without one of its fields, and with one more.

    current: its fields. fields: the candidates.
    """
    fewer = [[f for f in current if f is not removed] for removed in current]
    specs = [with_field_ids(spec) for spec in (current, *fewer) if spec]
    return specs + larger_specs(current, fields) if current else specs


def larger_specs(spec: Sequence[PartitionField], fields: Iterable[PartitionField]) -> list[tuple[PartitionField, ...]]:
    """A spec with each of the fields over another column. spec: its fields."""
    sources = {f.source_id for f in spec}
    return [with_field_ids([*spec, f]) for f in fields if f.source_id not in sources]


class SortOrder(NamedTuple):
    """An order of the rows of each partition.

    fields: columns, without a transform. is_z_order: whether the bits of the columns' values alternate, so that rows
    that are near in each column are near each other; otherwise the rows are sorted by the first, then the next.
    """

    fields: tuple[SortField, ...]
    is_z_order: bool = False

    @property
    def field_ids(self) -> tuple[int, ...]:
        """Of the columns, in order."""
        return tuple(f.source_id for f in self.fields)


def orders_of(field_ids: Sequence[int]) -> Iterator[SortOrder]:
    """The orders of two columns: by one and then the other, and by both alike. field_ids: of the columns."""
    for first, second in permutations(field_ids, 2):
        yield SortOrder((ascending(first), ascending(second)))
    for first, second in combinations(field_ids, 2):
        yield SortOrder((ascending(first), ascending(second)), is_z_order=True)


def ascending(field_id: int) -> SortField:
    """A column of a sort order as `ORDERED BY c` declares it. field_id: the column's."""
    return SortField(field_id, BoundTransform(IDENTITY, None), "ASC", "NULLS FIRST")


def with_field_ids(fields: Sequence[PartitionField]) -> tuple[PartitionField, ...]:
    """The fields of one spec, with the ids that a new table assigns and with distinct names."""
    result: list[PartitionField] = []
    for number, field in enumerate(fields):
        name = field.name
        while name in {f.name for f in result}:
            name += "_"
        result.append(PartitionField(field.source_id, field.source, field.transform, name, FIRST_FIELD_ID + number))
    return tuple(result)


def alter_statements(
    table: str, current: Sequence[PartitionField], target: Sequence[PartitionField], schema: Schema
) -> tuple[str, ...]:
    """The ALTER statements from one spec to another. table: its name in SQL."""
    target_keys = {f.key for f in target}
    current_keys = {f.key for f in current}
    removed = [f for f in current if f.key not in target_keys and not f.transform.is_void]
    added = [f for f in target if f.key not in current_keys]
    statements = []
    for field in removed:
        replacement = next((f for f in added if f.source_id == field.source_id), None)
        old_term = _term(field, schema)
        if replacement is None:
            statements.append(f"ALTER TABLE {table} DROP PARTITION FIELD {old_term}")
        else:
            added.remove(replacement)
            new_term = _term(replacement, schema)
            statements.append(f"ALTER TABLE {table} REPLACE PARTITION FIELD {old_term} WITH {new_term}")
    statements += [f"ALTER TABLE {table} ADD PARTITION FIELD {_term(f, schema)}" for f in added]
    return tuple(statements)


def _term(field: PartitionField, schema: Schema) -> str:
    return field.transform.clause(column_text(field, schema))
