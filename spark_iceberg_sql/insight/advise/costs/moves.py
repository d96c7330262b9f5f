"""What a workload shuffles, and the partition fields with which it would not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spark_iceberg_sql.insight.workload import Query

Fields = frozenset[str]  # of a table's spec, as SQL
Way = tuple[tuple[str, Fields], ...]
NONE: Fields = frozenset()


@dataclass(frozen=True, slots=True)
class Move:
    """What an operator of a query shuffles.

    ways: by which it does not, each as tables and the partition fields of which the table must have one. is_today:
    whether it shuffles with today's specs of all tables.
    """

    query: Query
    bytes: int
    ways: tuple[Way, ...]
    is_today: bool

    @property
    def total_bytes(self) -> float:
        """By the query's weight."""
        return self.query.weight * self.bytes

    @property
    def tables(self) -> set[str]:
        """Those on whose partition fields it depends."""
        return {table for way in self.ways for table, _ in way}

    def way(self, fields: Mapping[str, Fields]) -> Way | None:
        """By which it does not shuffle; None if it does. fields: of the tables, by name."""
        return next((w for w in self.ways if all(one_of & fields.get(table, NONE) for table, one_of in w)), None)
