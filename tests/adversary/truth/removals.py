"""Small tables with one or two partition fields and a null in each column, and many removals by these fields."""

from __future__ import annotations

from random import Random
from typing import Any

from adversary.harness import FAILS, PLAIN
from adversary.truth import columns, live
from adversary.truth.chase import Chase, drawn_settings
from adversary.truth.columns import Column
from adversary.truth.trials import stored_fault

EACH = 20  # removals of a table


def _null(rng: Random, column: Column) -> Any:
    return None


class Removals(Chase):
    """A run from a seed; a history is one table."""

    ROOM = "removals"

    def history(self, number: int) -> None:
        rng = Random(f"removals/{self.seed}/{number}")
        of = Column("c", rng.choice(columns.TYPES))
        # In a struct, Arrow has dates and times as Python's, which end with the year 9999.
        if rng.random() < 0.2 and of.family not in ("date", "timestamp", "timestamp_ntz"):
            of = Column("st", f"struct<c: {of.type}>", (of,))
        fields = [rng.choice(live.transforms(of.leaves[0])), *(["k"] if rng.random() < 0.25 else [])]
        table_columns = [Column("r", "int"), Column("k", "int"), Column("v", "int"), of]
        name = f"{self.seed}x{number}"
        table = self.created(rng, name, table_columns, fields, self.catalog)
        if table is None:
            return
        settings = {**PLAIN, **drawn_settings(rng)}
        try:
            for make in rng.choice(((columns.value, _null), (_null,), (columns.value, columns.value, _null))):
                table.insert(live.rows_of(rng, table, rng.choice((3, 8)), make))
            if fault := stored_fault(table):
                self.whole(table, table.now, settings, name, fault)
                return
            with self.harness.conf(settings):
                for _ in range(EACH):
                    self.removal(rng, table, settings, name)
        except FAILS as error:
            self.refused(error)
        finally:
            table.drop()
