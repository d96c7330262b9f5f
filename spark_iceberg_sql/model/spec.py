"""Partition specs and how they evolve, exactly as Iceberg does it (spec: Partitioning, Partition Evolution).

The source of each step is named beside it: PartitionSpec.Builder for CREATE, BaseUpdatePartitionSpec
for ALTER, TableMetadata.buildReplacement for CREATE OR REPLACE. Nothing here reports findings: the rules do.
If Iceberg refuses a step, the function raises SpecRefusedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.transforms import VOID, BoundTransform

FIRST_FIELD_ID = 1000
_SPEC_ID = attrgetter("spec_id")


class SpecRefusedError(ValueError):
    """A step that Iceberg refuses; `str` gives the reason."""


class SpecUncertainError(ValueError):
    """A step whose outcome depends on the order of a hash set in Iceberg; `str` names the alternatives."""


@dataclass(frozen=True)
class PartitionField:
    """A partition field.

    source_id: the source column's field id. source: its full name. transform: with its parameter.
    name: the partition field's own. field_id: from 1000, kept for good in v2+.
    """

    source_id: int
    source: str
    transform: BoundTransform
    name: str
    field_id: int

    @cached_property
    def key(self) -> tuple[int, str]:
        """What makes two fields the same to Iceberg: source column and transform."""
        return self.source_id, str(self.transform)

    @cached_property
    def mark(self) -> tuple[object, ...]:
        """What tells it from every other field that a table has had."""
        return self.field_id, self.name, self.key, self.source

    @property
    def clause(self) -> str:
        """How DDL writes it."""
        return self.transform.clause(self.source)


@dataclass(frozen=True, slots=True)
class Spec:
    """A partition spec."""

    spec_id: int
    fields: tuple[PartitionField, ...] = ()

    def named(self, name: str) -> PartitionField | None:
        """The field of exactly this name."""
        return next((f for f in self.fields if f.name == name), None)

    def like(self, source_id: int, transform: BoundTransform) -> PartitionField | None:
        """The field of this source column and transform."""
        key = source_id, str(transform)
        return next((f for f in self.fields if f.key == key), None)

    @property
    def outline(self) -> tuple[object, ...]:
        """A key that two specs with the same fields share: their number, and the last field."""
        last = self.fields[-1] if self.fields else None
        return len(self.fields), last and (last.key, last.name)

    def same_fields(self, other: Spec) -> bool:
        """Whether Iceberg treats the two as one spec (PartitionSpec.compatibleWith ignores ids)."""
        return [(f.key, f.name) for f in self.fields] == [(f.key, f.name) for f in other.fields]

    @property
    def last_field_id(self) -> int:
        """The highest partition field id in it; 999 when unpartitioned."""
        return max((f.field_id for f in self.fields), default=FIRST_FIELD_ID - 1)


@dataclass(frozen=True, slots=True)
class RequestedField:
    """A field as a statement asks for it; name: None for Iceberg's default."""

    source_id: int
    source: str
    transform: BoundTransform
    name: str | None = None


@dataclass(frozen=True)
class Specs:
    """All specs that a table has ever had.

    A script of n statements makes n specs of up to n fields: what is asked of all of them (`all_fields`,
    `newest`) is carried on from one to the next, so that no statement looks at all of them again.

    every: by spec id, past ones too. current: the default spec's id. last_field_id: the last
    partition field id assigned. format_version: 1, 2 or 3.
    """

    every: tuple[Spec, ...]
    current: int
    last_field_id: int
    format_version: int

    @cached_property
    def spec(self) -> Spec:
        """The default spec, which new files are written with."""
        return next(s for s in self.every if s.spec_id == self.current)

    @property
    def past(self) -> tuple[Spec, ...]:
        """The specs that are not the default any more."""
        return tuple(s for s in self.every if s.spec_id != self.current)

    @property
    def all_fields(self) -> tuple[PartitionField, ...]:
        """Every field that any spec has, once, oldest spec first."""
        return tuple(self._distinct.values())

    @cached_property
    def last_of_each_id(self) -> tuple[PartitionField, ...]:
        """The last of `all_fields` for each field id."""
        return tuple({f.field_id: f for f in self.all_fields}.values())

    @cached_property
    def last_live_of_each_id(self) -> tuple[PartitionField, ...]:
        """The last of `all_fields` that is not void, for each field id that has one."""
        void = VOID.transform
        live = {f.field_id: f for f in self.all_fields if f.transform.transform is not void}
        return tuple(live.values())

    @cached_property
    def _distinct(self) -> dict[tuple[object, ...], PartitionField]:
        specs = sorted(self.every, key=lambda s: s.spec_id)
        found: dict[tuple[object, ...], PartitionField] = {}
        for spec in specs:
            for field in spec.fields:
                found.setdefault(field.mark, field)
        return found

    @cached_property
    def _by_key(self) -> dict[tuple[int, str], tuple[PartitionField, ...]]:
        found: dict[tuple[int, str], tuple[PartitionField, ...]] = {}
        for field in self._distinct.values():
            found[field.key] = (*found.get(field.key, ()), field)
        return found

    @cached_property
    def newest(self) -> dict[int, PartitionField]:
        """Every field id with the field as the latest spec that has it writes it."""
        specs = sorted(self.every, key=lambda s: s.spec_id)
        found: dict[int, PartitionField] = {}
        for spec in specs:
            # Of two fields of one id in one spec, the first.
            found.update({field.field_id: field for field in reversed(spec.fields)})
        return found

    @cached_property
    def sources(self) -> frozenset[int]:
        """The field ids of the source columns of all fields."""
        return frozenset(field.source_id for field in self._distinct.values())

    @cached_property
    def _low_names(self) -> frozenset[str]:
        return frozenset(field.name.lower() for field in self.newest.values())

    @property
    def names_differ(self) -> bool:
        """Whether no two fields have the same newest name, ignoring case."""
        return len(self._low_names) == len(self.newest)

    @cached_property
    def _alike(self) -> dict[tuple[object, ...], tuple[Spec, ...]]:
        """The specs by what is compared first of them."""
        found: dict[tuple[object, ...], tuple[Spec, ...]] = {}
        for spec in self.every:
            found[spec.outline] = (*found.get(spec.outline, ()), spec)
        return found

    def _followed_by(self, made: Specs, changed: Sequence[PartitionField]) -> Specs:
        """Hand on to the specs made from these what is known of all fields."""
        distinct, by_key, newest = dict(self._distinct), dict(self._by_key), dict(self.newest)
        for field in changed:
            if field.mark not in distinct:
                distinct[field.mark] = field
                by_key[field.key] = (*by_key.get(field.key, ()), field)
        fresh = {field.field_id: field for field in reversed(changed)}
        if fresh.keys().isdisjoint(newest):
            low = self._low_names.union(field.name.lower() for field in fresh.values())
            vars(made).update(_low_names=low)
        newest.update(fresh)
        sources = self.sources.union(field.source_id for field in changed)
        vars(made).update(_distinct=distinct, _by_key=by_key, newest=newest, sources=sources)
        return made

    def upgraded(self, format_version: int) -> Specs:
        """The same specs under a later format version: fields that v1 voided stay."""
        return replace(self, format_version=format_version)

    def updated(
        self, drop: PartitionField | None, add: RequestedField | None, schema: Schema | None = None
    ) -> Specs:
        """ALTER TABLE ADD / DROP / REPLACE PARTITION FIELD as one step (BaseUpdatePartitionSpec).

        drop: a field of the current spec. add: the field to add, if any. schema: the table's columns,
        where names are to be held against theirs. Raises SpecRefusedError, and SpecUncertainError where
        Iceberg's own result hangs on chance.
        """
        deleted = drop.field_id if drop is not None else None
        renames: dict[str, str] = {}
        added: PartitionField | None = None
        if add is not None:
            existing = self.spec.like(add.source_id, add.transform)
            if existing is not None and existing.field_id == deleted:
                # Dropped and added back in one step: the field stays, at most renamed.
                deleted = None
                if add.name is not None and add.name != existing.name:
                    renames = self._yielding(add.name)
                    renames[existing.name] = add.name
            elif existing is not None:
                raise SpecRefusedError(
                    f"`{existing.clause}` is already the partition field `{existing.name}`"
                )
            else:
                added = self.proposed(add)
                clash = self.spec.named(added.name)
                if clash is not None and clash.field_id == deleted:
                    renames = {clash.name: f"{clash.name}_{clash.field_id}"}
                else:
                    renames = self._yielding(added.name)
                    if clash is not None and not renames:
                        raise SpecRefusedError(
                            f"the spec already has a partition field `{clash.name}`"
                        )
        fields = list(self.spec.fields)
        if renames:
            fields = [replace(f, name=renames.get(f.name, f.name)) for f in fields]
        if self.format_version < 2:
            fields = [replace(f, transform=VOID) if f.field_id == deleted else f for f in fields]
        elif deleted is not None:
            fields = [f for f in fields if f.field_id != deleted]
        if added is not None:
            fields.append(added)
        refuse_names(fields, schema)
        return self._with(tuple(fields))

    def _yielding(self, name: str) -> dict[str, str]:
        """The renames by which void fields make room for a name (BaseUpdatePartitionSpec.renameField)."""
        renames: dict[str, str] = {}
        holder = self.spec.named(name)
        while holder is not None and holder.transform.is_void:
            name = f"{holder.name}_{holder.field_id}"
            renames[holder.name] = name
            holder = self.spec.named(name)
        return renames

    def proposed(self, add: RequestedField) -> PartitionField:
        """The field that adding makes: one of any spec with this source and transform, or a new one.

        Raises SpecUncertainError where several past ones fit.
        """
        if self.format_version >= 2:
            key = add.source_id, str(add.transform)
            found = {field for field in self._by_key.get(key, ()) if add.name in (None, field.name)}
            if len(found) > 1:
                raise SpecUncertainError(
                    f"`{add.transform.clause(add.source)}` was a partition field under the names "
                    + " and ".join(f"`{name}`" for name in sorted({f.name for f in found}))
                )
            if found:
                return found.pop()
        name = add.name
        if name is None:
            name = add.transform.transform.alter_name(add.source, add.transform.parameter)
        return PartitionField(
            add.source_id, add.source, add.transform, name, self.last_field_id + 1
        )

    def replaced(self, wanted: Sequence[RequestedField]) -> Specs:
        """CREATE OR REPLACE TABLE over an existing one (TableMetadata.reassignPartitionIds)."""
        counter = self.last_field_id
        fields: list[PartitionField] = []
        if self.format_version >= 2:
            ids: dict[tuple[int, str], int] = {}
            for field in self.all_fields:
                ids[field.key] = max(field.field_id, ids.get(field.key, 0))
            for want in wanted:
                key = (want.source_id, str(want.transform))
                if key not in ids:
                    counter += 1
                    ids[key] = counter
                fields.append(_created(want, ids[key]))
            return self._with(tuple(fields))
        new = {(w.source_id, str(w.transform)): w for w in wanted}
        names = {_created(w, 0).name for w in wanted}
        for field in self.spec.fields:
            carried = new.pop(field.key, None)
            if carried is not None:
                fields.append(_created(carried, field.field_id))
            else:
                name = f"{field.name}_{field.field_id}" if field.name in names else field.name
                fields.append(replace(field, name=name, transform=VOID))
        for want in new.values():
            counter += 1
            fields.append(_created(want, counter))
        return self._with(tuple(fields))

    def _with(self, fields: tuple[PartitionField, ...]) -> Specs:
        """These fields as the default spec: an equal past spec is reused, otherwise a new id is assigned."""
        new = Spec(max(map(_SPEC_ID, self.every)) + 1, fields)
        alike = self._alike.get(new.outline, ())
        for spec in alike:
            if spec.same_fields(new):
                made = replace(self, current=spec.spec_id)
                vars(made).update(_alike=self._alike)
                return self._followed_by(made, ())
        # What the latest spec has is the newest of its id already.
        latest = self.spec.fields if self.current == new.spec_id - 1 else ()
        changed = fields[len(latest) :]
        if fields[: len(latest)] != latest:
            there = set(map(id, latest))
            changed = tuple(field for field in fields if id(field) not in there)
        last = max((field.field_id for field in changed), default=0)
        every = (*self.every, new)
        made = Specs(every, new.spec_id, max(self.last_field_id, last), self.format_version)
        vars(made).update(spec=new, _alike={**self._alike, new.outline: (*alike, new)})
        return self._followed_by(made, changed)


def refuse_names(fields: Sequence[PartitionField], schema: Schema | None = None) -> None:
    """What PartitionSpec.Builder says against the names of fields: SpecRefusedError, or nothing.

    A field's name is its own in the spec, and no other column's while its source column exists.
    """
    if len({field.name for field in fields}) == len(fields):
        if schema is None:
            return
        columns = schema.names
        fields = [f for f in fields if f.name != f.source and f.name in columns]
    seen: set[str] = set()
    for field in fields:
        if schema is not None and schema.by_id(field.source_id) is not None:
            column = schema.find((field.name,))
            if column is not None and column.field.field_id != field.source_id:
                raise SpecRefusedError(f"`{field.name}` is the name of a column")
        if field.name in seen:
            raise SpecRefusedError(f"two partition fields would be named `{field.name}`")
        seen.add(field.name)


def _created(want: RequestedField, field_id: int) -> PartitionField:
    name = want.name or want.transform.transform.create_name(want.source)
    return PartitionField(want.source_id, want.source, want.transform, name, field_id)


def created(wanted: Sequence[RequestedField], format_version: int = 2) -> Specs:
    """CREATE TABLE (PartitionSpec.Builder): spec 0, ids from 1000."""
    fields = tuple(_created(want, FIRST_FIELD_ID + i) for i, want in enumerate(wanted))
    spec = Spec(0, fields)
    return Specs((spec,), 0, spec.last_field_id, format_version)
