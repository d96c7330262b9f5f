"""A table's columns: nested look-up, near-miss names, field ids (spec: Schemas and Data Types)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from sys import intern
from typing import NamedTuple, TypeVar

from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, Type, children, with_children
from spark_iceberg_sql.records import record, replace
from spark_iceberg_sql.similar_names import similar_names

LISTED = 4  # columns in a message, at most
Item = TypeVar("Item")
Key = TypeVar("Key")


class Column(NamedTuple):
    """A field found in a schema.

    name: its full dotted name, as the schema writes it. field: the field. parents: the types it lies in, outermost
    first.
    """

    name: str
    field: Field
    parents: tuple[Type, ...] = ()

    @property
    def in_collection(self) -> bool:
        """True if it is inside a list or a map, where no partition source may be."""
        return any(isinstance(parent, List | Map) for parent in self.parents)

    @property
    def path(self) -> tuple[str, ...]:
        """Its name's parts, outermost first; a part may have dots itself."""
        prefix, item, names = self.name, self.field, []
        for index in range(len(self.parents) - 1, -1, -1):
            names.append(item.name)
            # Names may contain dots, so the full name cannot be split: each parent is found by its type and name.
            prefix = prefix[: -len(item.name) - 1]
            if index:
                siblings = children(self.parents[index - 1])
                item = next(f for f in siblings if f.type is self.parents[index] and prefix.endswith(f.name))
        return (prefix, *reversed(names))


@record(frozen=True)
class Schema:
    """Columns in order."""

    fields: tuple[Field, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Every field at any depth, parents before children, in schema order."""
        if all(type(item.type) is Primitive for item in self.fields):
            return tuple([Column(item.name, item) for item in self.fields])
        return tuple(_walk(self.fields, (), ()))

    @cached_property
    def _by_id(self) -> Mapping[int, Column]:
        return {c.field.field_id: c for c in self.columns if c.field.field_id is not None}

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Column, ...]]:
        return grouped(self.columns, lambda column: column.name)

    @cached_property
    def _by_folded_name(self) -> Mapping[str, tuple[Column, ...]]:
        return grouped(self.columns, lambda column: folded(column.name))

    def find(self, parts: Iterable[str]) -> Column | None:
        """The column with exactly this name, in the same case; None if there is none or several."""
        columns = self._by_name.get(".".join(parts), ())
        return columns[0] if len(columns) == 1 else None

    def find_all(self, parts: Iterable[str], *, case_sensitive: bool = False) -> tuple[Column, ...]:
        """Every column that the dotted name may mean (`a.b` may be a column or a struct's field)."""
        name = ".".join(parts)
        return self._by_name.get(name, ()) if case_sensitive else self._by_folded_name.get(folded(name), ())

    def enclosing_columns(self, parts: Sequence[str]) -> Iterator[Column]:
        """Every column that a dotted name leads through, from the outermost to the innermost."""
        for end in range(1, len(parts)):
            yield from self.find_all(parts[:end])

    @property
    def names(self) -> Set[str]:
        """The full names of all columns."""
        return self._by_name.keys()

    @cached_property
    def types(self) -> Mapping[int, Type]:
        """The types of all columns by field id."""
        return {field_id: column.field.type for field_id, column in self._by_id.items()}

    @cached_property
    def ids(self) -> frozenset[int]:
        """The field ids of all columns."""
        return frozenset(self._by_id)

    def struct_fields(self, parts: Sequence[str]) -> tuple[Field, ...] | None:
        """The fields directly in the struct at a path; the table's for an empty path; None without a struct."""
        if not parts:
            return self.fields
        columns = self.find_all(parts)
        data_type = columns[0].field.type if len(columns) == 1 else None
        return data_type.fields if isinstance(data_type, Struct) else None

    def by_id(self, field_id: int) -> Column | None:
        """The column with a field id."""
        return self._by_id.get(field_id)

    @cached_property
    def first_of_each_type(self) -> tuple[Column, ...]:
        """As many columns of each type as a message lists, in order, without those inside a list or a map."""
        count = Counter[Type]()
        columns = []
        for column in self.columns:
            if count[column.field.type] < LISTED and not column.in_collection:
                count[column.field.type] += 1
                columns.append(column)
        return tuple(columns)

    @cached_property
    def name_length(self) -> int:
        """The number of characters in all names."""
        return sum(len(column.name) for column in self.columns)

    def similar_names(self, name: str) -> tuple[str, ...]:
        """Names of this schema that are similar to `name`, best first."""
        return similar_names(name, [column.name for column in self.columns])

    def with_fresh_ids(self, base: Schema | None = None, last_id: int = 0) -> tuple[Schema, int]:
        """The schema with field ids as Iceberg assigns them, and the last id assigned.

        base: the schema being replaced: columns of the same full name keep their ids (TypeUtil.assignFreshIds: a
        struct's own fields first, then their nested fields).
        """
        ids = _IdAssigner(base, last_id)
        return Schema(ids.assign(self.fields, ())), ids.last

    def with_edited_field(self, field_id: int, edit: Callable[[Field], Field | None]) -> Schema:
        """The schema with one field, at any depth, replaced by the result of `edit`; None drops it.

        A list's element and a map's key and value cannot be dropped: they stay.
        """

        def over(fields: tuple[Field, ...]) -> tuple[Field, ...]:
            new = (edit(f) if f.field_id == field_id else inside(f) for f in fields)
            return tuple(f for f in new if f is not None)

        def inside(item: Field) -> Field:
            kept = over(children(item.type))
            is_whole = isinstance(item.type, Struct) or len(kept) == len(children(item.type))
            return replace(item, type=with_children(item.type, kept)) if is_whole else item

        return Schema(over(self.fields))

    def with_column(self, parts: Sequence[str], new: Field, last_id: int) -> tuple[Schema, int]:
        """The schema with a column added at the end of the table or of a struct, and the last id assigned.

        parts: the column's path; a list or a map on the way stands for its element or value. Returns the schema
        unchanged if there is no such struct.
        """
        fresh, last_assigned_id = Schema((new,)).with_fresh_ids(last_id=last_id)
        (new_field,) = fresh.fields
        if len(parts) == 1:
            return self._append(new_field), last_assigned_id
        parent = self.find(parts[:-1])
        if parent is None or parent.field.field_id is None:
            return self, last_id

        def grown(item: Field) -> Field:
            fields = children(item.type)
            if isinstance(item.type, Struct):
                return replace(item, type=Struct((*fields, new_field)))
            return replace(item, type=with_children(item.type, (*fields[:-1], *map(grown, fields[-1:]))))

        return self.with_edited_field(parent.field.field_id, grown), last_assigned_id

    def _append(self, new_field: Field) -> Schema:
        """The schema with one more column; the indexes of the other columns are carried over."""
        new_schema = Schema((*self.fields, new_field))
        new_columns = tuple(_walk((new_field,), (), ()))
        by_id = dict(self._by_id)
        by_name, by_folded_name = dict(self._by_name), dict(self._by_folded_name)
        for column in new_columns:
            if column.field.field_id is not None:
                by_id[column.field.field_id] = column
            for index, key in ((by_name, column.name), (by_folded_name, folded(column.name))):
                index[key] = (*index.get(key, ()), column)
        vars(new_schema).update(
            columns=(*self.columns, *new_columns),
            ids=self.ids.union(by_id) if len(new_columns) > 1 else self.ids | {new_field.field_id},
            _by_id=by_id,
            _by_name=by_name,
            _by_folded_name=by_folded_name,
        )
        return new_schema

    @property
    def last_column_id(self) -> int:
        """The highest field id in it; 0 without ids."""
        return max([c.field.field_id or 0 for c in self.columns], default=0)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, tuple[Item, ...]]:
    """Items by a key that several of them may share, in order."""
    index: dict[Key, tuple[Item, ...]] = {}
    for item in items:
        index[key(item)] = (*index.get(key(item), ()), item)
    return index


def _walk(fields: Iterable[Field], prefix: tuple[str, ...], parents: tuple[Type, ...]) -> Iterator[Column]:
    for item in fields:
        if isinstance(item.type, Primitive) and not prefix:
            yield Column(item.name, item, parents)
            continue
        path = (*prefix, item.name)
        yield Column(".".join(path), item, parents)
        if not isinstance(item.type, Primitive):
            yield from _walk(children(item.type), path, (*parents, item.type))


def folded(name: str) -> str:
    """A case-folded name, as Spark compares names: Java's equalsIgnoreCase, character by character."""
    return name.lower() if name.isascii() else "".join(map(_folded, name))


def _folded(character: str) -> str:
    upper = character.upper()
    return (upper if len(upper) == 1 else character).lower()[0]


class _IdAssigner:
    """Assigns field ids.

    A class, because nested functions that refer to each other are only freed by garbage collection.

    base: the schema whose columns keep their ids. last: the last id assigned.
    """

    def __init__(self, base: Schema | None, last: int) -> None:
        self._base = base
        self.last = last

    def assign(self, fields: tuple[Field, ...], prefix: tuple[str, ...]) -> tuple[Field, ...]:
        """The fields with ids. prefix: the names of the fields around them."""
        assigned_fields = []
        is_flat = True
        for item in fields:
            name, data_type = item.name, item.type
            old_column = self._base.find((*prefix, name)) if self._base is not None else None
            number = old_column.field.field_id if old_column is not None else None
            if number is None:
                self.last += 1
                number = self.last
            # The tables of a script have many columns of few names.
            assigned_fields.append(Field(intern(name), data_type, item.required, number))
            is_flat = is_flat and type(data_type) is Primitive
        if not is_flat:  # what lies inside comes after
            for i, item in enumerate(assigned_fields):
                if not isinstance(item.type, Primitive):
                    nested_fields = self.assign(children(item.type), (*prefix, item.name))
                    assigned_fields[i] = replace(item, type=with_children(item.type, nested_fields))
        return tuple(assigned_fields)
