"""The costs of a workload under every spec: on a sample of the rows, and of the best on a larger one.

Each candidate spec becomes files that were never written; Iceberg's evaluators decide which of them each
query's filters keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.insight.advise import METADATA_ERROR
from spark_iceberg_sql.insight.advise_counted import counted
from spark_iceberg_sql.insight.advise_fields import fields_of
from spark_iceberg_sql.insight.advise_layout import (
    Sample,
    Slices,
    hypothetical,
    layouts,
    middle,
    sliced,
)
from spark_iceberg_sql.insight.hypothetical import Hypothetical
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.spark.bridge import hypothetical as tables
from spark_iceberg_sql.spark.bridge import iceberg_filters
from spark_iceberg_sql.spark.insight.advise_queries import Planned, Queries
from spark_iceberg_sql.spark.insight.advise_sample import assumed_rows, partitions, sampled
from spark_iceberg_sql.spark.insight.hypothetical_source import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Fields = tuple[PartitionField, ...]
_SMALLEST = 32_000_000  # bytes; no spec whose median file is smaller is proposed
# The best specs are laid out again from a larger sample: of many estimates, the lowest is too low.
FINALISTS = 12
_MORE = 5  # times as many rows
_MOST_ROWS = 200_000
_COUNTED = "; each partition of a proposal is counted"
_OPEN = 4 << 20  # read.split.open-file-cost


@dataclass(frozen=True)
class Costs:
    """The files of some specs, and the costs of queries on them.

    sample: the rows. layouts: the files by spec. planned_queries: the queries. costs_by_query: for each of
    them, its cost by spec.
    """

    sample: Sample
    layouts: Mapping[Fields, Slices]
    planned: Sequence[Planned]
    by_query: Sequence[Mapping[Fields, int]]

    @property
    def total(self) -> dict[Fields, int]:
        """The costs of the workload: the sum over its queries, each by its weight."""
        weights = [item.query.weight for item in self.planned]
        pairs = list(zip(weights, self.by_query, strict=True))
        return {spec: round(sum(w * cost[spec] for w, cost in pairs)) for spec in self.layouts}

    def best(self) -> list[Fields]:
        """The specs, the cheapest first; of two that cost the same, the one with fewer fields."""
        total = self.total
        return sorted(self.layouts, key=lambda spec: (total[spec], len(spec)))


class Search:
    """Estimates the costs of a workload.

    spark: the session. source: the rows. queries: the workload. sample_rows: the number to sample. using: as
    `advise` takes it. notes: the list to which remarks are added.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        queries: Queries,
        rows: int,
        using: str,
        notes: list[str],
    ) -> None:
        self._spark = spark
        self._source = source
        self._queries = queries
        self._rows = rows
        self._using = using
        self._notes = notes
        self._smallest = 0
        # The queries that read something of the unpartitioned table.
        self._reading: set[str] = set()
        self._columns: list[int] = []
        self.basis = ""
        self.open_cost = int(source.properties.get("read.split.open-file-cost", _OPEN))

    def all_specs(self) -> Costs:
        """The costs under every spec whose files are not too small."""
        planned, columns = self._queries.filters()
        self._columns = list(columns)
        fields = [f for column, equal in columns.items() for f in self._fields(column, equal=equal)]
        if self._using == "metadata":
            found, settings, files = assumed_rows(
                self._spark, self._source, self._columns, fields, self._rows
            )
            sample, fields = found.sample, list(found.fields)
            self._notes += found.left_out
            self.basis = (
                f"based on the counts and bounds of {files:,} files, with values spread evenly between the "
                "bounds; no row was read"
            )
        else:
            sample = self.sample(self._columns, fields)
            settings = sample.sizes.settings
            self.basis = (
                "based on every row"
                if sample.is_whole
                else f"based on a sample of {sample.seen:,} of {sample.rows:,} rows"
            )
        self._smallest = min(_SMALLEST, settings.target // 16)
        every = layouts(sample, fields, self._smallest)
        # Only the unpartitioned table, which is always tried.
        if len(every) == 1:
            self._notes.append(
                f"every other spec of {len(fields)} fields and their pairs would have files "
                f"below {size(self._smallest)}"
                if fields
                else "the queries filter on no column that a spec could use"
            )
        return self._costs(sample, every, planned)

    def again(self, first: Costs, best: Iterable[Fields]) -> Costs:
        """The costs under the best specs, on a larger sample if there is one. initial: the costs under every
        spec.
        """
        best, sample = list(best), first.sample
        rows = min(_MORE * self._rows, _MOST_ROWS)
        if not best or self._using == "metadata" or sample.is_whole or rows <= self._rows:
            every = {spec: first.layouts[spec] for spec in best}
            costs = [{spec: cost[spec] for spec in best} for cost in first.by_query]
            return Costs(sample, every, first.planned, costs)
        fields = {field.key: field for spec in best for field in spec}
        sample = sampled(
            self._spark, self._source, self._columns, list(fields.values()), rows, sample
        )
        seen = "every row" if sample.is_whole else f"{sample.seen:,} rows"
        self.basis += f", for the best {len(best)} specs on {seen}"
        every = {
            spec: sliced(sample, spec)
            for spec in best
            if not spec or middle(sample, spec) >= self._smallest
        }
        return self._costs(sample, every, first.planned)

    def files(self, sample: Sample, spec: Spec, slices: Slices) -> Hypothetical:
        """The files under a spec; from data, every partition is counted."""
        schema = self._source.schema
        if self._using == "metadata" or sample.is_whole:
            return hypothetical(sample, schema, spec, slices)
        every = partitions(self._source, sample.columns, spec.fields)
        if every is None:
            return hypothetical(sample, schema, spec, slices)
        if not self.basis.endswith(_COUNTED):
            self.basis += _COUNTED
        slices = sliced(sample, spec.fields, {part.values: part.rows for part in every})
        made = hypothetical(sample, schema, spec, slices)
        return counted(made, every, sample.sizes, sample.raw)

    def is_too_small(self, made: Hypothetical) -> bool:
        """True if the median file is too small for the spec to be proposed."""
        return bool(made.files) and median(file.size for file in made.files) < self._smallest

    def error(self, sample: Sample) -> float:
        """The relative error of a cost."""
        return METADATA_ERROR if self._using == "metadata" else sample.error

    def at_least(self, query: str, sample: Sample, slices: Slices) -> tuple[int, int]:
        """The files and bytes that a query is assumed to read if it reads none of the files under a spec.

        That a sample has none of the rows that a query asks for does not prove that the table has none.
        """
        if sample.is_whole or query not in self._reading or not slices.sizes:
            return 0, 0
        return 1, round(slices.middle)

    def sample(self, columns: Sequence[int], fields: Sequence[PartitionField]) -> Sample:
        """A sample of the source's rows. columns: field ids. fields: the candidates."""
        return sampled(self._spark, self._source, columns, fields, self._rows)

    def _fields(self, column: int, *, equal: bool) -> list[PartitionField]:
        """The candidate fields over a column. is_equality: whether a query compares it by equality."""
        return [
            field
            for field in fields_of(self._source.schema, column)
            if equal or field.transform.transform.order_preserving
        ]

    def _costs(
        self, sample: Sample, every: Mapping[Fields, Slices], planned: Sequence[Planned]
    ) -> Costs:
        """The cost of each query under each spec, by Iceberg's evaluators; no manifest is written or read."""
        ids: dict[tuple[int, str], int] = {}
        own = []
        for number, fields in enumerate(every):
            # All specs belong to one table: in it, equal fields need the same id, and different ones need
            # different ids.
            renamed = [replace(f, field_id=ids.setdefault(f.key, 1000 + len(ids))) for f in fields]
            own.append(Spec(number, tuple(renamed)))
        filters = [iceberg_filters.conjunction(one) for item in planned for one in item.filters]
        costs: list[dict[Fields, int]] = [{} for _ in planned]
        with tables.table(self._source.as_table(*own)) as table:
            for spec, (fields, slices) in zip(own, every.items(), strict=True):
                made = hypothetical(sample, self._source.schema, spec, slices)
                # One result for each filter, in the order of `filters`: each query takes as many as it has
                # scans.
                left = iter(tables.kept(table, spec.spec_id, made.packed(), filters))
                scans = [list(islice(left, len(item.filters))) for item in planned]
                if not fields:
                    pairs = zip(planned, scans, strict=True)
                    self._reading = {i.query.text for i, of_query in pairs if self._cost(of_query)}
                for item, of_query, found in zip(planned, scans, costs, strict=True):
                    least = self.at_least(item.query.text, sample, slices)
                    found[fields] = self._cost(of_query) or self._cost([least])
        return Costs(sample, every, planned, costs)

    def _cost(self, reads: Iterable[tuple[int, int]]) -> int:
        return sum(size + files * self.open_cost for files, size in reads)
