"""Table states that Iceberg's Spark runtime accepts although they break the table.

Its metadata tables, merge-on-read deletes and rewrites merge all specs into one struct (Partitioning.partitionType), by
field id, each field with its newest name. This module finds specs that cannot be merged, from metadata alone.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from enum import Enum

from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.records import record

DELETES_VERSION = 2
VECTORS_VERSION = 3


class CorruptionKind(Enum):
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
class CorruptField:
    """One corrupt partition field. field: the newer field of the two, or the only one. other: the older one."""

    kind: CorruptionKind
    field: PartitionField
    other: PartitionField | None = None


def union_fields(specs: Specs, schema: Schema) -> tuple[PartitionField, ...]:
    """All fields of all specs whose source column exists, by field id, each with its newest name.

    Iceberg's metadata tables and merge-on-read deletes use the same (Partitioning.partitionType).
    """
    has_all_sources = schema.ids.issuperset(specs.sources)
    newest = specs.newest if has_all_sources else _newest(specs, specs.sources & schema.ids)
    return tuple(newest[field_id] for field_id in sorted(newest))


def _newest(specs: Specs, sources: frozenset[int]) -> dict[int, PartitionField]:
    """The last field of each field id, of those whose source columns are among `sources`."""
    fields = {f.field_id: f for f in specs.all_fields if f.source_id in sources}
    return fields | {i: f for i, f in specs.newest.items() if f.source_id in sources}


def corrupt_fields(specs: Specs, schema: Schema, *, case_sensitive: bool = False) -> tuple[CorruptField, ...]:
    """All corrupt fields of a table with these specs and columns.

    case_sensitive: true if Spark's names are case-sensitive.
    """
    for entry in _CACHE:
        if entry[0] is specs and entry[1] is schema and entry[2] == case_sensitive:
            return entry[3]
    result = tuple(_find_corrupt_fields(specs, schema, case_sensitive))
    _CACHE.append((specs, schema, case_sensitive, result))
    return result


# A cache: each statement starts from the state that the previous one left.
_CACHE: deque[tuple[Specs, Schema, bool, tuple[CorruptField, ...]]] = deque(maxlen=4)


def _find_corrupt_fields(specs: Specs, schema: Schema, case_sensitive: bool) -> Iterator[CorruptField]:
    current = specs.spec.fields
    if len({field.field_id for field in current}) < len(current):
        ids = Counter(field.field_id for field in current)
        for field in current:
            if ids[field.field_id] > 1 and not field.transform.is_void:
                other = next(f for f in current if f.field_id == field.field_id and f is not field)
                yield CorruptField(CorruptionKind.ID_TWICE, field, other)
    has_all_sources = schema.ids.issuperset(specs.sources)
    if not (specs.names_differ and has_all_sources):
        yield from _same_names(specs, schema, case_sensitive)
    yield from _types(specs, schema)
    yield from _in_position_deletes(specs, schema)
    if has_all_sources:
        return
    has_live_fields = not all(field.transform.is_void for field in current)
    for field in _newest(specs, specs.sources - schema.ids).values():
        is_void = has_live_fields and any(f.field_id == field.field_id and f.transform.is_void for f in current)
        yield CorruptField(CorruptionKind.VOID_WITHOUT_SOURCE if is_void else CorruptionKind.PAST_WITHOUT_SOURCE, field)


def _same_names(specs: Specs, schema: Schema, case_sensitive: bool) -> Iterator[CorruptField]:
    current_ids = {field.field_id for field in specs.spec.fields}
    first_by_name: dict[str, PartitionField] = {}
    # Older fields first, so that the newer one of two is reported.
    for field in union_fields(specs, schema):
        other = first_by_name.setdefault(field.name if case_sensitive else field.name.lower(), field)
        if other is not field:
            are_current = {field.field_id, other.field_id} <= current_ids
            yield CorruptField(CorruptionKind.SAME_NAME_NOW if are_current else CorruptionKind.SAME_NAME, field, other)


def _types(specs: Specs, schema: Schema) -> Iterator[CorruptField]:
    types, fields = schema.types, specs.last_live_of_each_id
    fields_by_key = {(field.source_id, field.transform.transform.name): field for field in fields}
    refused_keys = {
        key
        for key, field in fields_by_key.items()
        if (data_type := types.get(field.source_id)) is not None and not field.transform.transform.takes(data_type)
    }
    for field in fields if refused_keys else ():
        if (field.source_id, field.transform.transform.name) in refused_keys:
            yield CorruptField(CorruptionKind.TYPE_NOT_TAKEN, field)


# The columns of `.position_deletes` (PositionDeletesTable.calculateSchema), those of version 3 after the others.
_DELETE_COLUMNS = ("file_path", "pos", "row", "partition", "spec_id", "delete_file_path")
_DELETE_COLUMNS_V3 = ("content_offset", "content_size_in_bytes")
_ALL_DELETE_COLUMNS = frozenset(_DELETE_COLUMNS + _DELETE_COLUMNS_V3)


def may_hide_deletes(name: str) -> bool:
    """True if a partition field's name may make delete files unreadable, in any format version."""
    return name in _ALL_DELETE_COLUMNS or "." in name or "`" in name


def _in_position_deletes(specs: Specs, schema: Schema) -> Iterator[CorruptField]:
    """Fields named like a column of `.position_deletes`: the readers bind every spec to these columns."""
    if specs.format_version < DELETES_VERSION:
        return
    reserved_names = {*_DELETE_COLUMNS, *(_DELETE_COLUMNS_V3 if specs.format_version >= VECTORS_VERSION else ())}
    # Version 3 has deletion vectors, which the procedure that fails for a backtick does not rewrite.
    backticks = specs.format_version < VECTORS_VERSION
    for field in specs.last_of_each_id:
        name = field.name
        if not may_hide_deletes(name):
            continue
        prefix, dot, suffix = name.partition(".")
        if (
            name in reserved_names
            or (dot and prefix == "row" and suffix in schema.names)
            or (dot and prefix == "partition" and any(suffix == f.name for f in union_fields(specs, schema)))
            or (backticks and "`" in name)
        ):
            yield CorruptField(CorruptionKind.DELETES_UNREADABLE, field)
