"""Partition specs and their fields: all that a table has ever had (spec: Partitioning)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model.bound_transform import VOID, BoundTransform
from spark_iceberg_sql.model.schema import grouped
from spark_iceberg_sql.records import record, replace
from spark_iceberg_sql.safe_output import join_visible

FIRST_FIELD_ID = 1000
_SPEC_ID = attrgetter("spec_id")


@record(frozen=True, slots=True)
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
        """Identity of a field to Iceberg: source column and transform."""
        return self.source_id, self.transform.text

    @property
    def unique_key(self) -> tuple[object, ...]:
        """A key that distinguishes it from every other field that a table has had."""
        return self.field_id, self.name, self.key, self.source

    @property
    def clause(self) -> str:
        """The field as DDL writes it."""
        return self.transform.clause(self.source)


@record(frozen=True, slots=True)
class Spec:
    """A partition spec."""

    spec_id: int
    fields: tuple[PartitionField, ...] = ()

    def field_named(self, name: str) -> PartitionField | None:
        """The field of exactly this name."""
        return next((f for f in self.fields if f.name == name), None)

    def field_for(self, source_id: int, transform: BoundTransform) -> PartitionField | None:
        """The field of this source column and transform."""
        key = source_id, transform.text
        return next((f for f in self.fields if f.key == key), None)

    @property
    def outline(self) -> tuple[object, ...]:
        """A key that two specs with the same fields share: their number, and the last field."""
        last = self.fields[-1] if self.fields else None
        return len(self.fields), last and (last.key, last.name)

    def same_fields(self, other: Spec) -> bool:
        """True if Iceberg treats the two as one spec (PartitionSpec.compatibleWith ignores ids)."""
        return [(f.key, f.name) for f in self.fields] == [(f.key, f.name) for f in other.fields]

    @property
    def last_field_id(self) -> int:
        """The highest partition field id in it; 999 when unpartitioned."""
        return max([f.field_id for f in self.fields], default=FIRST_FIELD_ID - 1)


@record(frozen=True)
class Specs:
    """All specs that a table has ever had.

    A script of n statements makes n specs of up to n fields: indexes over all of them (`all_fields`,
    `newest`) are carried over from one to the next, so that no statement iterates over all specs again.

    all_specs: by spec id, past ones too. current: the default spec's id. last_field_id: the last partition field id
    assigned. format_version: 1, 2 or 3.
    """

    all_specs: tuple[Spec, ...]
    current: int
    last_field_id: int
    format_version: int

    def __str__(self) -> str:
        return join_visible(
            f"spec {spec.spec_id}{' (current)' if spec.spec_id == self.current else ''}: "
            + (", ".join(f"{f.name} = {f.clause}" for f in spec.fields) or "unpartitioned")
            for spec in sorted(self.all_specs, key=_SPEC_ID)
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        rows = [
            [str(spec.spec_id) + (" (current)" if spec.spec_id == self.current else ""), *field]
            for spec in sorted(self.all_specs, key=_SPEC_ID)
            for field in [[str(f.field_id), f.name, f.source, str(f.transform)] for f in spec.fields]
            or [["", "unpartitioned", "", ""]]
        ]
        header = ["spec", "field id", "name", "source column", "transform"]
        return markup.box(markup.table(header, [list(map(markup.html_text, row)) for row in rows]))

    @cached_property
    def spec(self) -> Spec:
        """The default spec, which new files are written with."""
        return next(s for s in self.all_specs if s.spec_id == self.current)

    @property
    def past(self) -> tuple[Spec, ...]:
        """The specs that are not the default any more."""
        return tuple(s for s in self.all_specs if s.spec_id != self.current)

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
        live = {f.field_id: f for f in self.all_fields if f.transform.transform is not VOID.transform}
        return tuple(live.values())

    @cached_property
    def size(self) -> int:
        """The number of fields in all specs together."""
        return sum(len(spec.fields) for spec in self.all_specs)

    @cached_property
    def _distinct(self) -> dict[tuple[object, ...], PartitionField]:
        specs = sorted(self.all_specs, key=_SPEC_ID)
        fields = {id(field): field for spec in specs for field in spec.fields}  # which specs share
        fields_by_key: dict[tuple[object, ...], PartitionField] = {}
        for field in fields.values():
            fields_by_key.setdefault(field.unique_key, field)
        return fields_by_key

    @cached_property
    def _by_key(self) -> dict[tuple[int, str], tuple[PartitionField, ...]]:
        return grouped(self._distinct.values(), lambda field: field.key)

    def of_key(self, key: tuple[int, str]) -> tuple[PartitionField, ...]:
        """The fields that any spec has of a source column and transform."""
        return self._by_key.get(key, ())

    @cached_property
    def newest(self) -> dict[int, PartitionField]:
        """The field of each field id, as the latest spec that has it writes it."""
        newest_fields: dict[int, PartitionField] = {}
        for spec in sorted(self.all_specs, key=_SPEC_ID):
            # Of two fields of one id in one spec, the first.
            newest_fields.update({field.field_id: field for field in reversed(spec.fields)})
        return newest_fields

    @cached_property
    def sources(self) -> frozenset[int]:
        """The field ids of the source columns of all fields."""
        return frozenset(field.source_id for field in self._distinct.values())

    @cached_property
    def _low_names(self) -> frozenset[str]:
        return frozenset(field.name.lower() for field in self.newest.values())

    @property
    def names_differ(self) -> bool:
        """True if no two fields have the same newest name, ignoring case."""
        return len(self._low_names) == len(self.newest)

    def has_name(self, name: str) -> bool:
        """True if the newest name of any field is this one, ignoring case."""
        return name.lower() in self._low_names

    @cached_property
    def dotted(self) -> bool:
        """True if any field has, or had, a name with a dot."""
        return any("." in field.name for field in self._distinct.values())

    @cached_property
    def _by_outline(self) -> dict[tuple[object, ...], tuple[Spec, ...]]:
        """The specs by outline: only specs with equal outlines can have the same fields."""
        return grouped(self.all_specs, lambda spec: spec.outline)

    def _carry_over(self, new_specs: Specs, changed: Sequence[PartitionField]) -> Specs:
        """Carry the indexes over all fields to the specs that follow these."""
        distinct, by_key, newest = dict(self._distinct), dict(self._by_key), dict(self.newest)
        for field in changed:
            if field.unique_key not in distinct:
                distinct[field.unique_key] = field
                by_key[field.key] = (*by_key.get(field.key, ()), field)
        changed_by_id = {field.field_id: field for field in reversed(changed)}
        if changed_by_id.keys().isdisjoint(newest):
            lower_names = self._low_names.union(field.name.lower() for field in changed_by_id.values())
            vars(new_specs).update(_low_names=lower_names)
        newest.update(changed_by_id)
        sources = self.sources.union(field.source_id for field in changed)
        dotted = self.dotted or any("." in field.name for field in changed)
        vars(new_specs).update(_distinct=distinct, _by_key=by_key, newest=newest, sources=sources, dotted=dotted)
        return new_specs

    def upgraded(self, format_version: int) -> Specs:
        """The same specs under a later format version: fields that v1 voided stay."""
        return replace(self, format_version=format_version)

    def with_fields(self, fields: tuple[PartitionField, ...]) -> Specs:
        """These fields as the default spec: an equal past spec is reused, otherwise a new id is assigned."""
        new_spec = Spec(max(map(_SPEC_ID, self.all_specs)) + 1, fields)
        similar_specs = self._by_outline.get(new_spec.outline, ())
        for spec in similar_specs:
            if spec.same_fields(new_spec):
                new_specs = replace(self, current=spec.spec_id)
                vars(new_specs).update(size=self.size, _by_outline=self._by_outline)
                return self._carry_over(new_specs, ())
        # The latest spec's fields are the newest of their ids already.
        latest = self.spec.fields if self.current == new_spec.spec_id - 1 else ()
        changed = fields[len(latest) :]
        if fields[: len(latest)] != latest:
            latest_ids = set(map(id, latest))
            changed = tuple(field for field in fields if id(field) not in latest_ids)
        last_id = max((field.field_id for field in changed), default=0)
        all_specs = (*self.all_specs, new_spec)
        new_specs = Specs(all_specs, new_spec.spec_id, max(self.last_field_id, last_id), self.format_version)
        vars(new_specs).update(
            spec=new_spec,
            size=self.size + len(fields),
            _by_outline={**self._by_outline, new_spec.outline: (*similar_specs, new_spec)},
        )
        return self._carry_over(new_specs, changed)
