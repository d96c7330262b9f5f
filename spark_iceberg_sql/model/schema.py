"""A table's columns: nested look-up, near-miss names, field ids (spec: Schemas and Data Types)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from sys import intern
from typing import NamedTuple

from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, Type, children
from spark_iceberg_sql.records import record, replace

LISTED = 4  # columns in a message, at most


class Column(NamedTuple):
    """A field found in a schema.

    name: its full dotted name, as the schema writes it. field: the field. parents: the types it lies
    in, outermost first.
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
        rest, item, found = self.name, self.field, []
        for at in range(len(self.parents) - 1, -1, -1):
            found.append(item.name)
            # Names may contain dots, so the full name cannot be split: each parent is found by its type and
            # name.
            rest = rest[: -len(item.name) - 1]
            if at:
                around = children(self.parents[at - 1])
                fits = (f for f in around if f.type is self.parents[at] and rest.endswith(f.name))
                item = next(fits)
        return (rest, *reversed(found))


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
        index: dict[str, tuple[Column, ...]] = {}
        for column in self.columns:
            index[column.name] = (*index.get(column.name, ()), column)
        return index

    @cached_property
    def _by_folded_name(self) -> Mapping[str, tuple[Column, ...]]:
        index: dict[str, tuple[Column, ...]] = {}
        for column in self.columns:
            key = folded(column.name)
            index[key] = (*index.get(key, ()), column)
        return index

    def find(self, parts: Iterable[str]) -> Column | None:
        """The column with exactly this name, in the same case; None if there is none or several."""
        found = self._by_name.get(".".join(parts), ())
        return found[0] if len(found) == 1 else None

    def find_all(self, parts: Iterable[str], *, case_sensitive: bool = False) -> tuple[Column, ...]:
        """Every column that the dotted name may mean (`a.b` may be a column or a struct's field)."""
        name = ".".join(parts)
        if case_sensitive:
            return self._by_name.get(name, ())
        return self._by_folded_name.get(folded(name), ())

    def around(self, parts: Sequence[str]) -> Iterator[Column]:
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

    def inside(self, parts: Sequence[str]) -> tuple[Field, ...] | None:
        """The fields directly in the struct at a path; the table's for an empty path; None without a struct."""
        if not parts:
            return self.fields
        found = self.find_all(parts)
        kind = found[0].field.type if len(found) == 1 else None
        return kind.fields if isinstance(kind, Struct) else None

    def by_id(self, field_id: int) -> Column | None:
        """The column with a field id."""
        return self._by_id.get(field_id)

    @cached_property
    def first_of_each_type(self) -> tuple[Column, ...]:
        """As many columns of each type as a message lists, in order, without those inside a list or a map."""
        count = Counter[Type]()
        found = []
        for column in self.columns:
            if count[column.field.type] < LISTED and not column.in_collection:
                count[column.field.type] += 1
                found.append(column)
        return tuple(found)

    @cached_property
    def length(self) -> int:
        """The number of characters in all names."""
        return sum(len(column.name) for column in self.columns)

    def near(self, name: str) -> tuple[str, ...]:
        """Names of this schema that are similar to `name`, best first."""
        return near(name, [column.name for column in self.columns])

    def with_fresh_ids(self, base: Schema | None = None, last_id: int = 0) -> tuple[Schema, int]:
        """The schema with field ids as Iceberg assigns them, and the last id assigned.

        base: the schema being replaced: columns of the same full name keep their ids
        (TypeUtil.assignFreshIds: a struct's own fields first, then their nested fields).
        """
        ids = _Ids(base, last_id)
        return Schema(ids.assign(self.fields, ())), ids.last

    def edited(self, field_id: int, edit: Callable[[Field], Field | None]) -> Schema:
        """The schema with one field, at any depth, replaced by the result of `edit`; None drops it.

        A list's element and a map's key and value cannot be dropped: they stay.
        """

        def over(fields: tuple[Field, ...]) -> tuple[Field, ...]:
            new = (edit(f) if f.field_id == field_id else inside(f) for f in fields)
            return tuple(f for f in new if f is not None)

        def inside(item: Field) -> Field:
            kind = item.type
            if isinstance(kind, Struct):
                return replace(item, type=Struct(over(kind.fields)))
            if isinstance(kind, List):
                kept = over((kind.element,))
                return replace(item, type=List(*kept)) if kept else item
            if isinstance(kind, Map):
                kept = over((kind.key, kind.value))
                return replace(item, type=Map(*kept)) if len(kept) > 1 else item
            return item

        return Schema(over(self.fields))

    def with_column(self, parts: Sequence[str], new: Field, last_id: int) -> tuple[Schema, int]:
        """The schema with a column added at the end of the table or of a struct, and the last id assigned.

        parts: the column's path; a list or a map on the way stands for its element or value. Returns the
        schema unchanged if there is no such struct.
        """
        (fresh,), last = _fresh((new,), last_id)
        if len(parts) == 1:
            return self._grown(fresh), last
        parent = self.find(parts[:-1])
        if parent is None or parent.field.field_id is None:
            return self, last_id

        def grown(item: Field) -> Field:
            kind = item.type
            if isinstance(kind, Struct):
                return replace(item, type=Struct((*kind.fields, fresh)))
            if isinstance(kind, List):
                return replace(item, type=List(grown(kind.element)))
            if isinstance(kind, Map):
                return replace(item, type=Map(kind.key, grown(kind.value)))
            return item

        return self.edited(parent.field.field_id, grown), last

    def _grown(self, fresh: Field) -> Schema:
        """The schema with one more column; the indexes of the other columns are carried over."""
        made = Schema((*self.fields, fresh))
        new = tuple(_walk((fresh,), (), ()))
        by_id = dict(self._by_id)
        by_name, by_folded_name = dict(self._by_name), dict(self._by_folded_name)
        for column in new:
            if column.field.field_id is not None:
                by_id[column.field.field_id] = column
            for index, key in ((by_name, column.name), (by_folded_name, folded(column.name))):
                index[key] = (*index.get(key, ()), column)
        vars(made).update(
            columns=(*self.columns, *new),
            ids=self.ids.union(by_id) if len(new) > 1 else self.ids | {fresh.field_id},
            _by_id=by_id,
            _by_name=by_name,
            _by_folded_name=by_folded_name,
        )
        return made

    @property
    def last_column_id(self) -> int:
        """The highest field id in it; 0 without ids."""
        return max([c.field.field_id or 0 for c in self.columns], default=0)


def _fresh(fields: tuple[Field, ...], last_id: int) -> tuple[tuple[Field, ...], int]:
    schema, last = Schema(fields).with_fresh_ids(last_id=last_id)
    return schema.fields, last


def _walk(
    fields: Iterable[Field], prefix: tuple[str, ...], parents: tuple[Type, ...]
) -> Iterator[Column]:
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


class _Ids:
    """Assigns field ids.

    A class, because nested functions that refer to each other are only freed by garbage collection.

    base: the schema whose columns keep their ids. last: the last id assigned.
    """

    def __init__(self, base: Schema | None, last: int) -> None:
        self._base = base
        self.last = last

    def assign(self, fields: tuple[Field, ...], prefix: tuple[str, ...]) -> tuple[Field, ...]:
        """The fields with ids. prefix: the names of the fields around them."""
        out = []
        flat = True
        for item in fields:
            name, kind = item.name, item.type
            old = self._base.find((*prefix, name)) if self._base is not None else None
            number = old.field.field_id if old is not None else None
            if number is None:
                self.last += 1
                number = self.last
            # The tables of a script have many columns of few names.
            out.append(Field(intern(name), kind, item.required, number))
            flat = flat and type(kind) is Primitive
        if not flat:  # what lies inside comes after
            for i, item in enumerate(out):
                if not isinstance(item.type, Primitive):
                    inside = self._inside(item.type, (*prefix, item.name))
                    out[i] = replace(item, type=inside)
        return tuple(out)

    def _inside(self, kind: Type, prefix: tuple[str, ...]) -> Type:
        if isinstance(kind, Struct):
            return Struct(self.assign(kind.fields, prefix))
        if isinstance(kind, List):
            return List(self.assign((kind.element,), prefix)[0])
        if isinstance(kind, Map):
            key, value = self.assign((kind.key, kind.value), prefix)
            return Map(key, value)
        return kind


def near(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Up to three names similar to `name`, best first, ignoring case."""
    folded: dict[str, str] = {}
    for candidate in names:
        folded.setdefault(candidate.lower(), candidate)
    low = name.lower()
    from difflib import get_close_matches  # imported only for an error: the command starts sooner

    matches = get_close_matches(low, list(folded))
    return tuple(folded[match] for match in matches)
