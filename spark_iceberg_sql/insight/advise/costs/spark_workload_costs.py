"""The costs of a workload under specs, as records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spark_iceberg_sql.insight.advise.costs.spark_queries import PlannedQuery
from spark_iceberg_sql.insight.advise.layouts.layout import FileSlices, Sample
from spark_iceberg_sql.insight.advise.model import SHUFFLE_COST
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import SortField

if TYPE_CHECKING:
    from spark_iceberg_sql.insight.advise.costs.spark_shuffles import ShuffleCosts

SpecFields = tuple[PartitionField, ...]
_MIN_GAIN = 0.01  # by one more field: the least error of a cost is five times as much


@dataclass(frozen=True)
class Costs:
    """The files of some specs, and the costs of queries on them.

    sample: the rows. layouts: the files by spec. planned_queries: the queries. costs_by_query: for each of them, the
    cost of what it reads, by spec. shuffles: of the workload. kept: by spec, for each query, the files and bytes that
    the filters of each of its scans keep.
    """

    sample: Sample
    layouts: Mapping[SpecFields, FileSlices]
    planned_queries: Sequence[PlannedQuery]
    costs_by_query: Sequence[Mapping[SpecFields, int]]
    shuffles: ShuffleCosts
    kept: Mapping[SpecFields, Sequence[Sequence[tuple[int, int]]]]

    @property
    def total_costs(self) -> dict[SpecFields, int]:
        """The costs of the workload."""
        return {
            spec: cost + SHUFFLE_COST * self.shuffles.total_bytes(spec) for spec, cost in self.reading_costs.items()
        }

    @property
    def reading_costs(self) -> dict[SpecFields, int]:
        """The costs of what the workload reads: the sum over its queries, each by its weight."""
        weights = [item.query.weight for item in self.planned_queries]
        pairs = list(zip(weights, self.costs_by_query, strict=True))
        return {spec: round(sum(w * cost[spec] for w, cost in pairs)) for spec in self.layouts}

    def with_specs(self, others: Costs) -> Costs:
        """The costs under other specs as well, of the same rows and queries."""
        pairs = zip(self.costs_by_query, others.costs_by_query, strict=True)
        return Costs(
            self.sample,
            {**self.layouts, **others.layouts},
            self.planned_queries,
            [{**costs, **other_costs} for costs, other_costs in pairs],
            self.shuffles,
            {**self.kept, **others.kept},
        )

    def ranked_specs(self) -> list[SpecFields]:
        """The specs, the cheapest first; of two that cost the same, the one with fewer fields."""
        total = self.total_costs
        return sorted(self.layouts, key=lambda spec: (total[spec], len(spec)))

    def useful_specs(self, today: SpecFields) -> list[SpecFields]:
        """The same without those that cost hardly less than with one field less: such as a pair whose second field only
        separates the few nulls of its column, of which there are dozens for each useful field.

        today: the table's spec, which stays among them.
        """
        current_keys = frozenset(f.key for f in today)
        total = self.total_costs
        cost_of = {frozenset(f.key for f in spec): cost for spec, cost in total.items()}

        def is_useful(spec: SpecFields) -> bool:
            keys = frozenset(f.key for f in spec)
            limits = [(1 - _MIN_GAIN) * cost_of.get(keys - {key}, math.inf) for key in keys]
            return keys == current_keys or all(total[spec] <= limit for limit in limits)

        return [spec for spec in self.ranked_specs() if is_useful(spec)]


class Today(NamedTuple):
    """A table's layout today.

    fields: of its spec, without void ones. order: the columns by which it declares its rows sorted, if these are
    columns. median_sizes: the bytes of its median file; empty if it has no files. bytes: of all files.
    """

    fields: SpecFields = ()
    order: tuple[SortField, ...] = ()
    median_sizes: tuple[int, ...] = ()
    bytes: int = 0


NO_TABLE = Today()
