"""Table states that Iceberg's Spark runtime accepts although they break the table.

Its metadata tables, merge-on-read deletes and rewrites merge all specs into one struct
(Partitioning.partitionType), by field id, each field with its newest name. This module finds specs that cannot
be merged, from metadata alone.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from enum import Enum

from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.records import record

FIRST_WITH_DELETES = 2
FIRST_WITH_VECTORS = 3


class Kind(Enum):
    """The ways in which a table is broken.

    ID_TWICE: two fields of the default spec have the same field id: reads and writes fail. SAME_NAME: two
    fields of different specs have the same name, ignoring case. SAME_NAME_NOW: two fields of the default
    spec have names that differ only in case: reads fail. VOID_WITHOUT_SOURCE: a void field, besides live ones,
    whose source column is dropped: INSERT fails. PAST_WITHOUT_SOURCE: another field whose source column is
    dropped: merge-on-read fails. TYPE_NOT_TAKEN: a field whose source column has a type that its transform
    does not accept: the table cannot be loaded. DELETES_UNREADABLE: a field with the name of a column of
    `.position_deletes`, or with a backtick: delete files cannot be rewritten.
    """

    ID_TWICE = "id twice"
    SAME_NAME = "same name"
    SAME_NAME_NOW = "same name now"
    VOID_WITHOUT_SOURCE = "void without source"
    PAST_WITHOUT_SOURCE = "past without source"
    TYPE_NOT_TAKEN = "type not taken"
    DELETES_UNREADABLE = "deletes unreadable"


@record(frozen=True, slots=True)
class Damage:
    """One corrupt partition field. field: the newer field of the two, or the only one. other: the older one."""

    kind: Kind
    field: PartitionField
    other: PartitionField | None = None


def united(specs: Specs, schema: Schema) -> tuple[PartitionField, ...]:
    """All fields of all specs whose source column exists, by field id, each with its newest name.

    Iceberg's metadata tables and merge-on-read deletes use the same (Partitioning.partitionType).
    """
    newest = specs.newest
    if not schema.ids.issuperset(specs.sources):
        newest = {f.field_id: f for f in specs.all_fields if f.source_id in schema.ids}
        newest |= {i: f for i, f in specs.newest.items() if f.source_id in schema.ids}
    return tuple(newest[field_id] for field_id in sorted(newest))


def damage(specs: Specs, schema: Schema, *, case_sensitive: bool = False) -> tuple[Damage, ...]:
    """All corrupt fields of a table with these specs and columns.

    case_sensitive: true if Spark's names are case-sensitive.
    """
    for found in _LAST:
        if found[0] is specs and found[1] is schema and found[2] == case_sensitive:
            return found[3]
    every = tuple(_damage(specs, schema, case_sensitive))
    _LAST.append((specs, schema, case_sensitive, every))
    return every


# A cache: each statement starts from the state that the previous one left.
_LAST: deque[tuple[Specs, Schema, bool, tuple[Damage, ...]]] = deque(maxlen=4)


def _damage(specs: Specs, schema: Schema, case_sensitive: bool) -> Iterator[Damage]:
    current = specs.spec.fields
    if len({field.field_id for field in current}) < len(current):
        ids = Counter(field.field_id for field in current)
        for field in current:
            if ids[field.field_id] > 1 and not field.transform.is_void:
                other = next(f for f in current if f.field_id == field.field_id and f is not field)
                yield Damage(Kind.ID_TWICE, field, other)
    sources_there = schema.ids.issuperset(specs.sources)
    if not (specs.names_differ and sources_there):
        yield from _same_names(specs, schema, case_sensitive)
    yield from _types(specs, schema)
    yield from _in_position_deletes(specs, schema)
    if sources_there:
        return
    live = not all(field.transform.is_void for field in current)
    gone = {f.field_id: f for f in specs.all_fields if f.source_id not in schema.ids}
    gone |= {i: f for i, f in specs.newest.items() if f.source_id not in schema.ids}
    for field in gone.values():
        void = live and any(f.field_id == field.field_id and f.transform.is_void for f in current)
        yield Damage(Kind.VOID_WITHOUT_SOURCE if void else Kind.PAST_WITHOUT_SOURCE, field)


def _same_names(specs: Specs, schema: Schema, case_sensitive: bool) -> Iterator[Damage]:
    now = {field.field_id for field in specs.spec.fields}
    first: dict[str, PartitionField] = {}
    # Older fields first, so that the newer one of two is reported.
    for field in united(specs, schema):
        other = first.setdefault(field.name if case_sensitive else field.name.lower(), field)
        if other is not field:
            both = {field.field_id, other.field_id} <= now
            yield Damage(Kind.SAME_NAME_NOW if both else Kind.SAME_NAME, field, other)


def _types(specs: Specs, schema: Schema) -> Iterator[Damage]:
    types, fields = schema.types, specs.last_live_of_each_id
    once = {(field.source_id, field.transform.transform.name): field for field in fields}
    refused = {
        key
        for key, field in once.items()
        if (kind := types.get(field.source_id)) is not None
        and not field.transform.transform.takes(kind)
    }
    for field in fields if refused else ():
        if (field.source_id, field.transform.transform.name) in refused:
            yield Damage(Kind.TYPE_NOT_TAKEN, field)


# The columns of `.position_deletes` (PositionDeletesTable.calculateSchema), those of version 3
# after the others.
_DELETES = ("file_path", "pos", "row", "partition", "spec_id", "delete_file_path")
_DELETES_3 = ("content_offset", "content_size_in_bytes")
_EVER = frozenset(_DELETES + _DELETES_3)


def may_hide_deletes(name: str) -> bool:
    """True if a partition field's name may make delete files unreadable, in any format version."""
    return name in _EVER or "." in name or "`" in name


def _in_position_deletes(specs: Specs, schema: Schema) -> Iterator[Damage]:
    """Fields named like a column of `.position_deletes`: the readers bind every spec to these columns."""
    if specs.format_version < FIRST_WITH_DELETES:
        return
    taken = {*_DELETES, *(_DELETES_3 if specs.format_version >= FIRST_WITH_VECTORS else ())}
    # Version 3 has deletion vectors, which the procedure that fails for a backtick does not rewrite.
    backticks = specs.format_version < FIRST_WITH_VECTORS
    for field in specs.last_of_each_id:
        name = field.name
        if not may_hide_deletes(name):
            continue
        inside, dot, rest = name.partition(".")
        if (
            name in taken
            or (dot and inside == "row" and rest in schema.names)
            or (
                dot and inside == "partition" and any(rest == f.name for f in united(specs, schema))
            )
            or (backticks and "`" in name)
        ):
            yield Damage(Kind.DELETES_UNREADABLE, field)
