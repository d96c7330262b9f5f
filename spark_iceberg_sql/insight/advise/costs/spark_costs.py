"""The costs of a workload under every spec: on a sample of the rows, and of the best on a larger one.

Each candidate spec becomes files that were never written; Iceberg's evaluators decide which of them each
query's filters keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.costs.spark_queries import PlannedQuery, WorkloadQueries
from spark_iceberg_sql.insight.advise.costs.spark_shuffles import ShuffleCosts
from spark_iceberg_sql.insight.advise.costs.spark_workload_costs import NO_TABLE, Costs, SpecFields, Today
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import (
    SortOrder,
    ascending,
    candidate_fields,
    candidate_specs,
    larger_specs,
    orders_of,
    spec_variants,
)
from spark_iceberg_sql.insight.advise.layouts.candidate_layouts import (
    MAX_PAIRED_FIELDS,
    candidates,
    median_file_size,
    of_specs,
    paired_fields,
)
from spark_iceberg_sql.insight.advise.layouts.counted_files import CountedPartition, rolled_up, with_counted_partitions
from spark_iceberg_sql.insight.advise.layouts.layout import (
    FieldKey,
    FileSlices,
    Sample,
    file_columns,
    hypothetical_table,
    slice_files,
)
from spark_iceberg_sql.insight.advise.layouts.spark_sample import (
    assumed_rows,
    bounded_columns,
    count_partitions,
    take_sample,
)
from spark_iceberg_sql.insight.advise.model import METADATA_ERROR
from spark_iceberg_sql.insight.hypothetical.partitions import HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.spark_source import DEFAULT_TARGET_SIZE, TARGET_SIZE, Source
from spark_iceberg_sql.insight.preview.existing_files import ManifestStats
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables as tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MIN_MEDIAN_FILE = 32_000_000  # bytes; no spec whose median file is smaller is proposed
# The best specs are laid out again from a larger sample: of many estimates, the lowest is too low.
FINALISTS = 12
_LARGER_PAIRS = 3  # specs of two fields that are tried with a third one
_ORDER_COLUMNS = 3  # orders of two columns are tried of so many that are best alone
_REFINE_FACTOR = 5  # times as many rows
_MAX_SAMPLE_ROWS = 200_000
_MIN_NULL_SHARE = 0.05  # the least error of a cost
_COUNTED_NOTE = "; each partition of a proposal is counted"
_MAX_KEPT_PARTITIONS = 20_000  # counted once for all orders of their rows, and for all specs of some of their fields
_ROWS_OF_FINEST = 20  # sampled rows per partition, on average, by the fields of several specs
_DEFAULT_OPEN_COST = 4 << 20  # read.split.open-file-cost


class CostEstimator:
    """Estimates the costs of a workload.

    spark: the session. source: the rows. queries: the workload. sample_rows: the number to sample. using: as
    `advise` takes it. notes: the list to which remarks are added. shuffles: of the workload. today: the layout of the
    source's table. manifests: of that, with the bounds of the filtered columns, if no row is to be read.

    ruled_out: the specs that were not laid out, with the reason. basis: what the figures are based on.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        queries: WorkloadQueries,
        sample_rows: int,
        using: str,
        notes: list[str],
        shuffles: ShuffleCosts,
        today: Today = NO_TABLE,
        manifests: Iterable[ManifestStats] = (),
    ) -> None:
        self._spark = spark
        self._source = source
        self._queries = queries
        self._rows = sample_rows
        self.using = using
        self._notes = notes
        self.shuffles = shuffles
        self._today = today
        self._manifests = manifests
        self._min_file_size = 0
        # The queries that read something of the unpartitioned table.
        self._reading_queries: set[str] = set()
        self._columns: list[int] = []
        self._compared_columns: list[int] = []
        # By the columns whose bounds they have, and the keys of the fields.
        self._counted_partitions: dict[tuple[tuple[int, ...], tuple[FieldKey, ...]], list[CountedPartition]] = {}
        self._finalists: Sequence[SpecFields] = ()
        self._larger_sample: Sample | None = None
        self._basis = ""
        self.basis = ""
        self.ruled_out: Mapping[SpecFields, str] = {}
        self.open_cost = int(source.properties.get("read.split.open-file-cost", _DEFAULT_OPEN_COST))

    def all_specs(self) -> Costs:
        """The costs under every spec whose files are not too small."""
        planned_queries, columns = self._queries.filters
        spark_progress.begin_step(f"specs of {self._source.short_title}")
        self._columns = list(columns)
        target_size = int(self._source.properties.get(TARGET_SIZE, DEFAULT_TARGET_SIZE))
        # From metadata, rows are only assumed to fill the buckets evenly.
        max_buckets = self._today.bytes / max(1, _min_file_size(target_size)) if self.using == "data" else 0
        fields = [
            f
            for column, filtered in columns.items()
            for f in candidate_fields(self._source.schema, column, filtered.prefixes, filtered.widths, max_buckets)
            if filtered.is_equality or f.transform.transform.order_preserving
        ]
        fields = list({f.key: f for f in (*fields, *self.shuffles.fields)}.values())
        sampled_fields = list({f.key: f for f in (*fields, *self._today.fields)}.values())
        if self.using == "metadata":
            bounded = bounded_columns(self._source, columns)
            assumed, settings = assumed_rows(
                self._spark, self._source, bounded, sampled_fields, self._rows, self._manifests
            )
            sample = self._as_stored(assumed.sample)
            fields = [f for f in fields if f in assumed.fields]
            self._notes += assumed.left_out
            self._basis = (
                f"based on the counts and bounds of {assumed.files:,} files, with values spread evenly between the "
                "bounds; no row was read"
            )
        else:
            sample = self.take_sample(self._columns, sampled_fields)
            settings = sample.size_model.settings
            self._basis = (
                "based on every row"
                if sample.is_complete
                else f"based on a sample of {sample.sampled_rows:,} of {sample.rows:,} rows"
            )
        # A filter that only excludes nulls, as every join does, prunes where there are many.
        useless = {i for i, column in columns.items() if not column.is_compared and not _has_many_nulls(sample, i)}
        self._columns = [i for i in self._columns if i not in useless]
        sample = replace(sample, columns={i: v for i, v in sample.columns.items() if i not in useless})
        kept = {f.key for f in self.shuffles.fields}
        fields = [f for f in fields if f.source_id not in useless or f.key in kept]
        self._compared_columns = [i for i, column in columns.items() if column.is_compared]
        self._min_file_size = min([_min_file_size(settings.target_size), *self._today.median_sizes])
        today_fields = [f for f in self._today.fields if f.key in sample.field_values]
        variants = spec_variants(today_fields, fields) if len(today_fields) == len(self._today.fields) else []
        specs = candidates(sample, fields, self._min_file_size, variants)
        self.ruled_out = specs.ruled_out
        if not fields:
            self._notes.append(self._no_fields([i for i in columns if i not in useless]))
        elif len(specs.layouts) == 1:  # only the unpartitioned table, which is always tried
            self._notes.append(
                f"every other spec of {plural(len(fields), 'field')} and their pairs would have files "
                f"below {size(self._min_file_size)}: `ruled_out` lists them"
            )
        costs = self._estimate(sample, specs.layouts, planned_queries)
        if len(specs.fields) > MAX_PAIRED_FIELDS:
            paired = paired_fields(specs.fields, costs.ranked_specs())
            pairs = (spec for spec in candidate_specs(paired) if len(spec) == 2)
            costs = self._with_specs(costs, pairs)
            self._notes.append(f"of {len(specs.fields)} fields, the best {len(paired)} are tried in pairs")
        return self._with_third_field(costs, specs.fields)

    def _with_specs(self, costs: Costs, specs: Iterable[SpecFields]) -> Costs:
        """The costs under more specs as well, whose files are not too small."""
        tried = {frozenset(f.key for f in spec) for spec in (*costs.layouts, *self.ruled_out)}
        untried = [spec for spec in specs if frozenset(f.key for f in spec) not in tried]
        more = of_specs(costs.sample, untried, self._min_file_size)
        self.ruled_out = {**self.ruled_out, **more.ruled_out}
        if not more.layouts:
            return costs
        return costs.with_specs(self._estimate(costs.sample, more.layouts, costs.planned_queries))

    def _with_third_field(self, costs: Costs, fields: Sequence[PartitionField]) -> Costs:
        """The costs under the best specs of two fields with one more field as well. fields: the candidates."""
        pairs = [spec for spec in costs.ranked_specs() if len(spec) == 2][:_LARGER_PAIRS]
        return self._with_specs(costs, (spec for pair in pairs for spec in larger_specs(pair, fields)))

    def _no_fields(self, columns: Iterable[int]) -> str:
        """The reason why the filters give no candidate field."""
        schema = self._source.schema
        names = [f"`{column.name}` ({column.field.type})" for i in columns if (column := schema.by_id(i)) is not None]
        if not names:
            return "the queries have no filter on a column"
        return f"no transform helps the filters of the queries, which are on {', '.join(names)}"

    def refine(self, initial: Costs, best: Iterable[SpecFields]) -> Costs:
        """The costs under the best specs, on a larger sample if there is one. initial: the costs under every
        spec.
        """
        best, sample = list(best), initial.sample
        self._finalists, self.basis = best, self._basis
        rows = min(_REFINE_FACTOR * self._rows, _MAX_SAMPLE_ROWS)
        if not best or self.using == "metadata" or sample.is_complete or rows <= self._rows:
            layouts_by_spec = {spec: initial.layouts[spec] for spec in best}
            costs = [{spec: cost[spec] for spec in best} for cost in initial.costs_by_query]
            return Costs(sample, layouts_by_spec, initial.planned_queries, costs, self.shuffles, initial.kept)
        fields = {field.key: field for spec in best for field in spec}
        if self._larger_sample is None or not fields.keys() <= self._larger_sample.field_values.keys():
            self._larger_sample = self.take_sample(self._columns, list(fields.values()), rows, sample)
        sample = self._larger_sample
        sample_text = "every row" if sample.is_complete else f"{sample.sampled_rows:,} rows"
        self.basis += f", for the best {len(best)} specs on {sample_text}"
        layouts_by_spec = {
            spec: slice_files(sample, spec)
            for spec in best
            if not spec or median_file_size(sample, spec) >= self._min_file_size
        }
        return self._estimate(sample, layouts_by_spec, initial.planned_queries)

    def sorted_layouts(self, costs: Costs, specs: Sequence[SpecFields]) -> Iterator[tuple[SortOrder, Costs]]:
        """The costs under some specs if the rows of each partition were written in another order.

        costs: those of the specs as they are. Yields each column that queries compare, then orders of two of the best
        of them, each with the costs.
        """
        columns = [
            field_id
            for field_id in self._compared_columns
            if field_id in costs.sample.columns
            and (column := self._source.schema.by_id(field_id)) is not None
            and not column.parents
        ]
        lowest: dict[int, int] = {}
        for field_id in columns if specs else ():
            order = SortOrder((ascending(field_id),))
            sorted_costs = self._in_order(costs, specs, order)
            if sorted_costs is not None:
                lowest[field_id] = min(sorted_costs.total_costs.values())
                yield order, sorted_costs
        for order in orders_of(sorted(lowest, key=lowest.__getitem__)[:_ORDER_COLUMNS]):
            sorted_costs = self._in_order(costs, specs, order)
            if sorted_costs is not None:
                yield order, sorted_costs

    def _in_order(self, costs: Costs, specs: Iterable[SpecFields], order: SortOrder) -> Costs | None:
        """The costs under specs with sorted rows; None for a z-order of values whose bits are not known here."""
        sample = costs.sample
        ordered = sample.z_ordered(order.field_ids) if order.is_z_order else sample.sorted_by(order.fields)
        if ordered is None:
            return None
        return self._estimate(ordered, {spec: slice_files(ordered, spec) for spec in specs}, costs.planned_queries)

    def is_laid_out(self, sample: Sample) -> bool:
        """True if the files of a spec are those of its estimate, since no partition is counted anew."""
        return self.using == "metadata" or sample.is_complete

    def table_under(self, sample: Sample, spec: Spec, slices: FileSlices) -> HypotheticalTable:
        """The files under a spec; from data, every partition is counted."""
        schema, counted_partitions = self._source.schema, None
        if not self.is_laid_out(sample):
            counted_partitions = self._partitions_under(sample, spec.fields)
        if counted_partitions is None:
            return hypothetical_table(sample, schema, spec, slices)
        if not self.basis.endswith(_COUNTED_NOTE):
            self.basis += _COUNTED_NOTE
        slices = slice_files(sample, spec.fields, {part.values: part.rows for part in counted_partitions})
        sampled_table = hypothetical_table(sample, schema, spec, slices)
        return with_counted_partitions(sampled_table, counted_partitions, sample)

    def _partitions_under(self, sample: Sample, fields: SpecFields) -> list[CountedPartition] | None:
        """Every partition under a spec, with the bounds of the sample's columns; None if there are too many."""
        columns, keys = tuple(sample.columns), tuple(f.key for f in fields)
        for (counted_columns, counted_keys), partitions in self._counted_partitions.items():
            if counted_columns == columns and set(keys) <= set(counted_keys):
                return rolled_up(partitions, [counted_keys.index(key) for key in keys])
        finest = self._finest(sample, fields)
        counted = count_partitions(self._source, columns, finest)
        if counted is not None and len(counted) <= _MAX_KEPT_PARTITIONS:
            self._counted_partitions[columns, tuple(f.key for f in finest)] = counted
            return self._partitions_under(sample, fields)
        return counted if len(finest) == len(fields) else count_partitions(self._source, columns, fields)

    def _finest(self, sample: Sample, fields: SpecFields) -> SpecFields:
        """A spec's fields and those of other finalists, of which one pass counts all: as long as partitions are few."""
        finest = fields
        for field in (field for spec in self._finalists for field in spec):
            if field.key in sample.field_values and field.key not in {f.key for f in finest}:
                with_field = (*finest, field)
                if len(set(sample.partition_numbers(with_field))) <= sample.sampled_rows // _ROWS_OF_FINEST:
                    finest = with_field
        return finest

    def is_too_small(self, median_file: int) -> bool:
        """True if the median file, of this many bytes, is too small for its spec to be proposed."""
        return 0 < median_file < self._min_file_size

    def cost_error(self, sample: Sample) -> float:
        """The relative error of a cost."""
        return METADATA_ERROR if self.using == "metadata" else sample.error

    def minimum_reads(self, query: str, sample: Sample, slices: FileSlices) -> tuple[int, int]:
        """The files and bytes that a query is assumed to read if it reads none of the files under a spec.

        That a sample has none of the rows that a query asks for does not prove that the table has none.
        """
        if sample.is_complete or query not in self._reading_queries or not slices.sizes:
            return 0, 0
        return 1, round(median(slices.sizes))

    def take_sample(
        self,
        columns: Sequence[int],
        fields: Sequence[PartitionField],
        rows: int | None = None,
        earlier: Sample | None = None,
        *,
        is_sorted: bool = True,
    ) -> Sample:
        """A sample of the source's rows.

        columns: field ids. fields: the candidates. rows: about how many. earlier: a smaller one. is_sorted: in the
        order that the table declares, if any; otherwise in that of today's files.
        """
        order = self._today.order if is_sorted else ()
        all_columns = list(dict.fromkeys([*columns, *(f.source_id for f in order)]))
        sample = take_sample(self._spark, self._source, all_columns, fields, rows or self._rows, earlier)
        sample = self._as_stored(sample)
        return sample.sorted_by(order) if order else sample

    def _as_stored(self, sample: Sample) -> Sample:
        """A sample with what is known of today's files, if the source is a table."""
        if self._source.table is None:
            return sample
        fields = frozenset(f.key for f in self._today.fields)
        return replace(sample, stored_row_bytes=self._today.bytes / max(1, sample.rows), stored_fields=fields)

    def _estimate(
        self, sample: Sample, layouts_by_spec: Mapping[SpecFields, FileSlices], planned_queries: Sequence[PlannedQuery]
    ) -> Costs:
        """The cost of each query under each spec, by Iceberg's evaluators; no manifest is written or read."""
        field_ids: dict[tuple[int, str], int] = {}
        specs = []
        for spec_id, fields in enumerate(layouts_by_spec):
            # All specs belong to one table: in it, equal fields need the same id, and different ones need
            # different ids.
            numbered_fields = [replace(f, field_id=field_ids.setdefault(f.key, 1000 + len(field_ids))) for f in fields]
            specs.append(Spec(spec_id, tuple(numbered_fields)))
        filters = self._queries.scan_filters
        costs: list[dict[SpecFields, int]] = [{} for _ in planned_queries]
        kept: dict[SpecFields, list[list[tuple[int, int]]]] = {}
        with tables.table(self._source.as_table(*specs)) as table:
            packed = (
                (spec.spec_id, file_columns(sample, self._source.schema, spec, slices).to_bytes())
                for spec, slices in zip(specs, layouts_by_spec.values(), strict=True)
            )
            totals = tables.kept_files(table, packed, filters.expressions)
            laid_out = zip(layouts_by_spec.items(), totals, strict=True)
            for number, ((fields, slices), kept_files) in enumerate(laid_out, 1):
                spark_progress.count(number, len(layouts_by_spec))
                kept[fields] = scans = filters.by_query(kept_files)
                if not fields:
                    pairs = zip(planned_queries, scans, strict=True)
                    self._reading_queries = {
                        query_item.query.text for query_item, query_scans in pairs if self._cost(query_scans)
                    }
                for planned_query, query_scans, query_costs in zip(planned_queries, scans, costs, strict=True):
                    minimum = self.minimum_reads(planned_query.query.text, sample, slices)
                    query_costs[fields] = self._cost(query_scans) or self._cost([minimum])
        return Costs(sample, layouts_by_spec, planned_queries, costs, self.shuffles, kept)

    def _cost(self, reads: Iterable[tuple[int, int]]) -> int:
        return sum(size + files * self.open_cost for files, size in reads)


def _min_file_size(target_size: int) -> int:
    """The bytes of the median file below which no spec is proposed. target_size: of files."""
    return min(_MIN_MEDIAN_FILE, target_size // 16)


def _has_many_nulls(sample: Sample, field_id: int) -> bool:
    """False if no spec could leave out enough nulls to be clearly better."""
    values = sample.columns.get(field_id)
    return values is None or sum(v is None for v in values) >= _MIN_NULL_SHARE * len(values) > 0
