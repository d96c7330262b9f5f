"""Partition specs and how they evolve, exactly as Iceberg does it (spec: Partitioning, Partition Evolution).

The source of each step is named beside it: PartitionSpec.Builder for CREATE, BaseUpdatePartitionSpec
for ALTER, TableMetadata.buildReplacement for CREATE OR REPLACE. Nothing here judges: rules do, before.
Where Iceberg refuses a step, so does the function, with SpecRefusedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.transforms import VOID, BoundTransform

FIRST_FIELD_ID = 1000


class SpecRefusedError(ValueError):
    """A step that Iceberg refuses; `str` says why, in our words."""


class SpecUncertainError(ValueError):
    """A step whose outcome Iceberg leaves to the order of a hash set; `str` says between what."""


@dataclass(frozen=True, slots=True)
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

    @property
    def key(self) -> tuple[int, str]:
        """What makes two fields the same to Iceberg: source column and transform."""
        return self.source_id, str(self.transform)

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
        return next((f for f in self.fields if f.key == (source_id, str(transform))), None)

    def same_fields(self, other: Spec) -> bool:
        """Whether Iceberg takes the two for one spec (PartitionSpec.compatibleWith: ids do not count)."""
        return [(f.key, f.name) for f in self.fields] == [(f.key, f.name) for f in other.fields]

    @property
    def last_field_id(self) -> int:
        """The highest partition field id in it; 999 when unpartitioned."""
        return max((f.field_id for f in self.fields), default=FIRST_FIELD_ID - 1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A field as a statement asks for it; name: None for Iceberg's default."""

    source_id: int
    source: str
    transform: BoundTransform
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Specs:
    """All specs that a table has ever had.

    every: by spec id, past ones too. current: the default spec's id. last_field_id: the last
    partition field id assigned. format_version: 1, 2 or 3.
    """

    every: tuple[Spec, ...]
    current: int
    last_field_id: int
    format_version: int

    @property
    def spec(self) -> Spec:
        """The default spec, which new files are written with."""
        return next(s for s in self.every if s.spec_id == self.current)

    @property
    def past(self) -> tuple[Spec, ...]:
        """The specs that are not the default any more."""
        return tuple(s for s in self.every if s.spec_id != self.current)

    @property
    def all_fields(self) -> tuple[PartitionField, ...]:
        """Every field of every spec, oldest spec first."""
        return tuple(f for s in sorted(self.every, key=lambda s: s.spec_id) for f in s.fields)

    def upgraded(self, format_version: int) -> Specs:
        """The same specs under a later format version: fields that v1 voided stay."""
        return replace(self, format_version=format_version)

    def updated(
        self, drop: PartitionField | None, add: Wanted | None, schema: Schema | None = None
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
        fields: list[PartitionField] = []
        for field in self.spec.fields:
            kept = replace(field, name=renames.get(field.name, field.name))
            if field.field_id != deleted:
                fields.append(kept)
            elif self.format_version < 2:
                fields.append(replace(kept, transform=VOID))
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

    def proposed(self, add: Wanted) -> PartitionField:
        """The field that adding makes: one of any spec with this source and transform, or a new one.

        Raises SpecUncertainError where several past ones fit.
        """
        if self.format_version >= 2:
            found = {
                field
                for field in self.all_fields
                if field.key == (add.source_id, str(add.transform))
                and add.name in (None, field.name)
            }
            if len(found) > 1:
                raise SpecUncertainError(
                    f"`{add.transform.clause(add.source)}` has been a partition field under the names "
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

    def replaced(self, wanted: Sequence[Wanted]) -> Specs:
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
        """These fields as the default spec: an equal past spec is taken again, else a new id."""
        new = Spec(max(s.spec_id for s in self.every) + 1, fields)
        for spec in self.every:
            if spec.same_fields(new):
                return replace(self, current=spec.spec_id)
        return Specs(
            every=(*self.every, new),
            current=new.spec_id,
            last_field_id=max(self.last_field_id, new.last_field_id),
            format_version=self.format_version,
        )


def refuse_names(fields: Sequence[PartitionField], schema: Schema | None = None) -> None:
    """What PartitionSpec.Builder says against the names of fields: SpecRefusedError, or nothing.

    A field's name is its own in the spec, and no other column's while its source column exists.
    """
    seen: set[str] = set()
    for field in fields:
        if schema is not None and schema.by_id(field.source_id) is not None:
            column = schema.find((field.name,))
            if column is not None and column.field.field_id != field.source_id:
                raise SpecRefusedError(f"`{field.name}` is a column's name")
        if field.name in seen:
            raise SpecRefusedError(f"two partition fields would be named `{field.name}`")
        seen.add(field.name)


def _created(want: Wanted, field_id: int) -> PartitionField:
    name = want.name or want.transform.transform.create_name(want.source)
    return PartitionField(want.source_id, want.source, want.transform, name, field_id)


def created(wanted: Sequence[Wanted], format_version: int = 2) -> Specs:
    """CREATE TABLE (PartitionSpec.Builder): spec 0, ids from 1000."""
    fields = tuple(_created(want, FIRST_FIELD_ID + i) for i, want in enumerate(wanted))
    spec = Spec(0, fields)
    return Specs((spec,), 0, spec.last_field_id, format_version)
