"""A search for the specs that make a workload read the least.

`spark_costs` ranks every spec on a sample of the rows, whose pruning it computes itself. The best become hypothetical
tables, which Spark plans with this package's rules: what a proposal reads is always the second figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.costs.spark_costs import FINALISTS, CostEstimator
from spark_iceberg_sql.insight.advise.costs.spark_queries import WorkloadQueries
from spark_iceberg_sql.insight.advise.costs.spark_shuffles import ShuffleCosts, WorkloadShuffles
from spark_iceberg_sql.insight.advise.costs.spark_workload_costs import NO_TABLE, Costs, SpecFields, Today
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import SortOrder
from spark_iceberg_sql.insight.advise.layouts.layout import FileSlices, slice_files
from spark_iceberg_sql.insight.advise.layouts.spark_sample import bounded_columns
from spark_iceberg_sql.insight.advise.model import Advice, Proposal, RuledOut, median_size, with_today
from spark_iceberg_sql.insight.advise.spark_growth import growth_of
from spark_iceberg_sql.insight.advise.spark_proposals import Proposals
from spark_iceberg_sql.insight.hypothetical.spark_source import Source, branch_note
from spark_iceberg_sql.insight.preview.spark_files import NO_FILES, table_files
from spark_iceberg_sql.insight.specs import candidate_spec, clause
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.spark.bridge.tables import rewrites
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

STEPS = 3  # of a search, as its progress counts them
_MIN_VERIFIED = 5
_SORTED_SPECS = 6  # so many of the best specs are also tried with sorted rows
_REWRITE_FACTOR = 2  # today's spec is a proposal only if writing it anew makes clearly fewer files


class Choice(NamedTuple):
    """A layout to be verified.

    cost: of the workload, estimated. fields: of the spec. costs: those among which it was estimated. order: of the rows
    of each partition; None for the order that they have.
    """

    cost: int
    fields: SpecFields
    costs: Costs
    order: SortOrder | None = None


class AdviceSearch:
    """One search for advice.

    spark: the session. source: the rows. queries: the workload. sample_rows: the number to sample. using: as
    `advise` takes it. workload: what the queries shuffle, if it is known.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        queries: Sequence[Query],
        sample_rows: int,
        using: str = "data",
        workload: WorkloadShuffles | None = None,
    ) -> None:
        self._spark = spark
        self._source = source
        self._notes: list[str] = []
        self._proposal_notes: list[str] = []
        self._refusals: dict[str, str] = {}  # by the text of the spec
        self._table: Java = None
        self._current: SpecFields = ()
        self._today = NO_TABLE
        if workload is None and source.table is not None:
            workload = WorkloadShuffles(spark, queries, reads_rows=using == "data")
        self._queries = WorkloadQueries(
            spark,
            source,
            queries,
            self._notes,
            workload.reads if workload is not None else {},
            workload.tables if workload is not None else {},
            runs_joins=using == "data",
            known_keys=workload.join_keys if workload is not None else None,
        )
        files = NO_FILES
        if source.table is not None:
            self._table = source.iceberg_table
            _, columns = self._queries.filters
            ids = bounded_columns(source, columns) if using == "metadata" else []
            files = table_files(source, ids, self._queries.scan_filters.expressions)
            self._queries.set_kept_today(files.kept)
            current_table = SessionTables(spark, intercept.unchecked_sql(spark)).get(source.table)
            if isinstance(current_table, Table) and current_table.specs is not None:
                self._current = current_table.specs.spec.fields
                self._today = Today(
                    tuple(f for f in self._current if not f.transform.is_void),
                    tuple(takewhile(lambda f: f.transform.transform.is_identity, current_table.order)),
                    median_size(files.sizes),
                    sum(files.sizes),
                )
        self._choices: dict[str, Choice] = {}  # by the title of the proposal
        self.shuffles = ShuffleCosts(workload, source)
        self.costs = CostEstimator(
            spark, source, self._queries, sample_rows, using, self._notes, self.shuffles, self._today, files.manifests
        )
        self._proposals = Proposals(
            spark, source, self._queries, self.costs, self._table, self._current, self._today, files.sizes
        )

    @cached_property
    def all_costs(self) -> Costs:
        """The costs under every spec, on the first sample."""
        return self.costs.all_specs()

    def result(self) -> Advice:
        """Rank every spec, the best again on a larger sample, and let Spark plan the best of these.

        May be called again once `shuffles` has other partition fields of the other tables.
        """
        all_costs = self.all_costs
        self._refusals, self._choices, self._proposal_notes = {}, {}, []
        spark_progress.begin_step(f"proposals for {self._source.short_title}")
        today = self._proposals.of_table(self._table) if self._table is not None else None
        useful_specs = all_costs.useful_specs(self._today.fields)
        best_specs = [s for s in useful_specs if not self._is_current(s, all_costs.layouts[s], today)]
        refined = self.costs.refine(all_costs, best_specs[:FINALISTS])
        choices = [Choice(cost, spec, refined) for spec, cost in refined.total_costs.items()]
        if self.costs.using == "data":
            choices += self._sorted_choices(all_costs, best_specs)
        proposals = self._verified_proposals(choices)
        if today is not None:
            proposals, notes = with_today(today, proposals)
            self._proposal_notes += notes
        return Advice(
            self._with_current_reads(proposals),
            source=self._source.title,
            basis=self.costs.basis,
            tried=len(all_costs.layouts),
            notes=(
                *self._notes,
                *self._proposal_notes,
                *self._branch_notes(proposals),
                *self._shuffle_notes(proposals),
            ),
            ruled_out=tuple(self._ruled_out(all_costs, proposals)),
            growth=growth_of(self._spark, self._table) if self._table is not None else None,
        )

    def _shuffle_notes(self, proposals: Sequence[Proposal]) -> Iterator[str]:
        """What other tables need, so that the best proposal saves its shuffles."""
        for best in proposals[:1]:
            yield from self.shuffles.notes(self.fields_of(best))

    def fields_of(self, proposal: Proposal) -> SpecFields:
        """The partition fields of a proposal of this search."""
        choice = self._choices.get(proposal.title)
        return self._today.fields if choice is None else choice.fields

    def _branch_notes(self, proposals: Sequence[Proposal]) -> Iterator[str]:
        """Why the proposals for a branch have no statement that rewrites its files."""
        if self._source.branch and proposals and not proposals[0].is_today:
            yield branch_note(self._source.branch)

    def _sorted_choices(self, all_costs: Costs, best_specs: Sequence[SpecFields]) -> Iterator[Choice]:
        """The best specs, today's and the unpartitioned table with sorted rows, where that clearly helps."""
        current_keys = {f.key for f in self._today.fields}
        current = [s for s in all_costs.layouts if {f.key for f in s} == current_keys]
        specs = dict.fromkeys([*best_specs[:_SORTED_SPECS], *current, ()])
        unsorted_costs = all_costs.total_costs
        for order, costs in self.costs.sorted_layouts(all_costs, [*specs]):
            for spec, cost in costs.total_costs.items():
                todays_order = [f.source_id for f in self._today.order[: len(order.fields)]]
                is_todays_order = spec in current and list(order.field_ids) == todays_order and not order.is_z_order
                if not is_todays_order and cost < (1 - costs.sample.error) * unsorted_costs[spec]:
                    yield Choice(cost, spec, costs, order)

    def _ruled_out(self, costs: Costs, proposals: Sequence[Proposal]) -> Iterator[RuledOut]:
        """The specs that are not among the proposals. costs: of all specs, on the first sample."""
        schema, total = self._source.schema, costs.total_costs
        proposed = {p.spec for p in proposals if not p.sort_order}
        for fields in costs.ranked_specs():
            text = clause(Spec(0, fields), schema)
            if text not in proposed:
                reason = self._refusals.get(text, "the proposals cost less, or not clearly more")
                yield RuledOut(text, reason, total[fields])
        for fields, reason in self.costs.ruled_out.items():
            yield RuledOut(clause(Spec(0, fields), schema), reason)

    def _verified_proposals(self, choices: Iterable[Choice]) -> list[Proposal]:
        """Proposals for the best choices, as Spark plans them, until no other seems to cost less; best first."""
        proposals: list[Proposal] = []
        for choice in sorted(choices, key=lambda c: (c.cost, len(c.fields))):
            lowest_cost = min((p.cost for p in proposals), default=math.inf)
            if len(proposals) >= _MIN_VERIFIED and choice.cost >= lowest_cost:
                break
            verified = self._proposal(choice)
            if verified is None:
                continue
            same = next((p for p in proposals if _has_same_files(p, verified)), None)
            if same is None:
                proposals.append(verified)
            elif not verified.sort_order:
                self._refusals[verified.spec] = f"its files are those of {same.title}"
        return sorted(proposals, key=lambda p: p.cost)

    def _is_current(self, fields: SpecFields, slices: FileSlices, today: Proposal | None) -> bool:
        """True if a spec is today's and would have as many files, so that there is nothing to rewrite."""
        if today is None:
            return False
        # From metadata, where files end is not known well enough.
        max_files = _REWRITE_FACTOR * len(slices.sizes) if self.costs.using == "data" else math.inf
        has_same_fields = {f.key for f in fields} == {f.key for f in self._today.fields}
        return has_same_fields and today.table_files <= max_files

    def reads_after(self, options: Mapping[str, str]) -> Proposal | None:
        """Today's spec after rewrite_data_files with these options, by the bounds of the files; None if these do not
        determine it.
        """
        assert self._source.metadata is not None
        with rewrites.table_after(self._table, self._source.metadata, options) as table:
            return None if table is None else self._proposals.of_table(table)

    def proposal_under(self, fields: SpecFields | None = None, *, is_sorted: bool = True) -> Proposal:
        """What the queries read if all rows are written anew, from a sample of them.

        fields: of the spec; None for today's. is_sorted: in the order that the table declares, if any; otherwise in
        that of today's files.
        """
        if fields is None:
            fields = self._today.fields
        _, columns = self._queries.filters
        sample = self.costs.take_sample(list(columns), fields, is_sorted=is_sorted)
        slices = slice_files(sample, fields)
        return self._proposals.under(sample, slices, self.costs.table_under(sample, Spec(0, fields), slices))

    def in_larger_files(self, best: Proposal) -> Proposal:
        """A proposal of this search, with files as large as a rewrite may make them."""
        choice = self._choices[best.title]
        sample = choice.costs.sample.in_larger_files()
        slices = slice_files(sample, choice.fields)
        hypothetical = self.costs.table_under(sample, Spec(0, choice.fields), slices)
        return self._proposals.under(sample, slices, hypothetical, order=choice.order)

    # ---------------------------------------------------------------- proposals

    def _proposal(self, choice: Choice) -> Proposal | None:
        """The proposal of a choice; None if the rules refuse its spec, or if its files are too small."""
        fields, sample = choice.fields, choice.costs.sample
        text = clause(Spec(0, fields), self._source.schema)
        try:
            warnings = candidate_spec(text, self._source.schema, table=self._source.sql_name).warnings
            ddl = self._proposals.ddl(fields, choice.order)
        except IcebergSqlError as error:
            reason = " ".join(str(error).splitlines()[:2])
            self._refusals[text] = reason
            self._proposal_notes.append(f"{text} is not proposed: {reason}")
            return None
        slices = choice.costs.layouts[fields]
        hypothetical = None
        if not self.costs.is_laid_out(sample):
            hypothetical = self.costs.table_under(sample, Spec(0, fields), slices)
        median_file = next(iter(median_size(hypothetical.file_sizes if hypothetical else slices.sizes)), 0)
        if not sample.is_complete and self.costs.is_too_small(median_file):
            self._refusals[text] = f"with all partitions counted, its median file would have {size(median_file)}"
            return None
        result = None
        if hypothetical is None:
            result = self._proposals.as_estimated(choice.costs, fields, ddl, warnings, choice.order)
        if result is None:
            hypothetical = hypothetical or self.costs.table_under(sample, Spec(0, fields), slices)
            result = self._proposals.under(sample, slices, hypothetical, ddl, warnings, choice.order)
        self._choices[result.title] = choice
        return result

    def _with_current_reads(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The proposals, with what each query reads today, or reads of an unpartitioned table."""
        current = sorted((p for p in proposals if p.is_today or not p.spec), key=lambda p: not p.is_today)
        current_reads = {q.query: q for q in current[0].per_query} if current else {}
        return [
            replace(
                p,
                per_query=tuple(
                    replace(q, files_now=current_reads[q.query].files, bytes_now=current_reads[q.query].bytes)
                    if q.query in current_reads
                    else q
                    for q in p.per_query
                ),
            )
            for p in proposals
        ]


def _has_same_files(proposal: Proposal, other: Proposal) -> bool:
    """True if two layouts have the same files, such as `d` and `days(d)` of a date, as far as any query shows."""
    figures = ("per_query", "table_files", "table_bytes", "middle_file", "shuffled")
    return all(getattr(proposal, name) == getattr(other, name) for name in figures)
