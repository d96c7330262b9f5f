"""The facts about one statement that rules may ask for: its table, its terms, and the table after it."""

from __future__ import annotations

from spark_iceberg_sql.facts.outcome import outcome
from spark_iceberg_sql.facts.target import NotKnownError
from spark_iceberg_sql.facts.terms import Terms
from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model.corruption import Damage, damage
from spark_iceberg_sql.model.schema import LISTED, Schema
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax import nodes

# Pairs of characters that are compared in the searches for similar names in one text, which takes some seconds.
_MOST_COMPARED = 10_000_000


@record(eq=False, slots=True)
class Compared:
    """Cost of the searches for similar names in one text. pairs: pairs of characters compared."""

    pairs: int = 0


@record(frozen=True, eq=False)
class Context(Terms):
    """One statement with all facts about it. search_cost: shared by all statements of its text."""

    compared: Compared = field(default_factory=Compared)

    @cached_property
    def after(self) -> Table | None:
        """The table after the statement; None if a more basic rule refuses the statement."""
        return outcome(self)

    @cached_property
    def new_damage(self) -> tuple[Damage, ...]:
        """Partition fields that the statement would newly corrupt."""
        after = self.after
        if after is None:
            return ()
        if after.specs is None or after.schema is None:
            raise NotKnownError("its partition specs", after.why_unknown or "nothing defines them")
        before = self.replaced if isinstance(self.node, nodes.Create) else self.iceberg
        old: set[tuple[object, ...]] = set()
        if before is not None and before.specs is not None and before.schema is not None:
            old = {_mark(item) for item in self._damage(before.specs, before.schema)}
        new = self._damage(after.specs, after.schema)
        return tuple(d for d in new if _mark(d) not in old)

    @cached_property
    def damage_to_row_changes(self) -> tuple[tuple[Damage, ...], bool]:
        """Corrupt fields that matter with merge-on-read, and whether the table then uses merge-on-read.

        For a statement that enables merge-on-read, these include the corrupt fields that exist already.
        """
        after = self.after
        before = self.replaced if isinstance(self.node, nodes.Create) else self.iceberg
        on = after is not None and after.merges_on_read
        if after is None or before is None or not on or before.merges_on_read:
            return self.new_damage, on
        if after.specs is None or after.schema is None:
            raise NotKnownError("its partition specs", after.why_unknown or "nothing defines them")
        return self._damage(after.specs, after.schema), on

    def near(self, schema: Schema, name: str) -> tuple[str, ...]:
        """Column names similar to `name`, best first; none if the search would take too long.

        Only suggestions depend on it: in a text with thousands of misspelled columns, the later ones get
        none.
        """
        pairs = len(name) * schema.length
        if self.compared.pairs + pairs > _MOST_COMPARED:
            return ()
        self.compared.pairs += pairs
        return schema.near(name)

    def instead(self, schema: Schema, name: str) -> list[str]:
        """Column names to suggest for `name`: similar ones, or else the first few."""
        return list(self.near(schema, name)) or [column.name for column in schema.columns[:LISTED]]

    def _damage(self, specs: Specs, schema: Schema) -> tuple[Damage, ...]:
        return damage(specs, schema, case_sensitive=self.known.case_sensitive)


def _mark(item: Damage) -> tuple[object, ...]:
    other = item.other.field_id if item.other is not None else None
    return item.kind, item.field.field_id, other
