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

from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise.candidate_fields import SortOrder, alter_statements
from spark_iceberg_sql.insight.advise.layout import FileSlices, Sample, slice_files
from spark_iceberg_sql.insight.advise.model import Advice, Proposal, RuledOut, median_size, proposal, with_today
from spark_iceberg_sql.insight.advise.spark_costs import FINALISTS, CostEstimator
from spark_iceberg_sql.insight.advise.spark_growth import growth_of
from spark_iceberg_sql.insight.advise.spark_queries import WorkloadQueries
from spark_iceberg_sql.insight.advise.spark_workload_costs import NO_TABLE, Costs, SpecFields, Today
from spark_iceberg_sql.insight.hypothetical.partitions import HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.specs import DROP_DANGLING_DELETES, REWRITE_ALL, candidate_spec, clause, rewrite_call
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables as tables
from spark_iceberg_sql.spark.bridge.tables import rewrites
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.identifiers import dotted, quoted, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_MIN_VERIFIED = 5
_SORTED_SPECS = 3  # so many of the best specs are also tried with sorted rows
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
    `advise` takes it.
    """

    def __init__(
        self, spark: SparkSession, source: Source, queries: Sequence[Query], sample_rows: int, using: str = "data"
    ) -> None:
        self._spark = spark
        self._source = source
        self._notes: list[str] = []
        self._queries = WorkloadQueries(spark, source, queries, self._notes, runs_joins=using == "data")
        self._using = using
        self._refusals: dict[str, str] = {}  # by the text of the spec
        self._table: Java = None
        self._current: SpecFields = ()
        self._today = NO_TABLE
        if source.table is not None:
            self._table = relations.catalog_table(dotted(source.table))
            current_table = SessionTables(spark, intercept.unchecked_sql(spark)).get(source.table)
            if isinstance(current_table, Table) and current_table.specs is not None:
                self._current = current_table.specs.spec.fields
                sizes = tables.file_sizes(self._table)
                self._today = Today(
                    tuple(f for f in self._current if not f.transform.is_void),
                    tuple(takewhile(lambda f: f.transform.transform.is_identity, current_table.order)),
                    median_size(sizes),
                    sum(sizes),
                )
        self._choices: dict[str, Choice] = {}  # by the title of the proposal
        self.costs = CostEstimator(spark, source, self._queries, sample_rows, using, self._notes, self._today)

    def result(self) -> Advice:
        """Rank every spec, the best again on a larger sample, and let Spark plan the best of these."""
        all_costs = self.costs.all_specs()
        today = self._current_proposal(self._table) if self._table is not None else None
        best_specs = [s for s in all_costs.ranked_specs() if not self._is_current(s, all_costs.layouts[s], today)]
        refined = self.costs.refine(all_costs, best_specs[:FINALISTS])
        choices = [Choice(cost, spec, refined) for spec, cost in refined.total_costs.items()]
        if self._using == "data":
            choices += self._sorted_choices(all_costs, best_specs)
        proposals = self._verified_proposals(choices)
        if today is not None:
            proposals, notes = with_today(today, proposals)
            self._notes += notes
        return Advice(
            self._with_current_reads(proposals),
            source=self._source.title,
            basis=self.costs.basis,
            tried=len(all_costs.layouts),
            notes=tuple(self._notes),
            ruled_out=tuple(self._ruled_out(all_costs, proposals)),
            growth=growth_of(self._spark, self._source.table) if self._source.table is not None else None,
        )

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
        max_files = _REWRITE_FACTOR * len(slices.sizes) if self._using == "data" else math.inf
        has_same_fields = {f.key for f in fields} == {f.key for f in self._today.fields}
        return has_same_fields and today.table_files <= max_files

    def reads_after(self, options: Mapping[str, str]) -> Proposal | None:
        """Today's spec after rewrite_data_files with these options, by the bounds of the files; None if these do not
        determine it.
        """
        assert self._source.metadata is not None
        with rewrites.table_after(self._table, self._source.metadata, options) as table:
            return None if table is None else self._current_proposal(table)

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
        return self._hypothetical_proposal(sample, slices, self.costs.table_under(sample, Spec(0, fields), slices))

    def in_larger_files(self, best: Proposal) -> Proposal:
        """A proposal of this search, with files as large as a rewrite may make them."""
        choice = self._choices[best.title]
        sample = choice.costs.sample.in_larger_files()
        slices = slice_files(sample, choice.fields)
        hypothetical = self.costs.table_under(sample, Spec(0, choice.fields), slices)
        return self._hypothetical_proposal(sample, slices, hypothetical, order=choice.order)

    # ---------------------------------------------------------------- proposals

    def _proposal(self, choice: Choice) -> Proposal | None:
        """The proposal of a choice; None if the rules refuse its spec, or if its files are too small."""
        fields, sample = choice.fields, choice.costs.sample
        text = clause(Spec(0, fields), self._source.schema)
        try:
            warnings = candidate_spec(text, self._source.schema, table=self._source.sql_name).warnings
            ddl = self._ddl(fields, choice.order)
        except IcebergSqlError as error:
            reason = " ".join(str(error).splitlines()[:2])
            self._refusals[text] = reason
            self._notes.append(f"{text} is not proposed: {reason}")
            return None
        slices = choice.costs.layouts[fields]
        hypothetical = self.costs.table_under(sample, Spec(0, fields), slices)
        median_file = next(iter(median_size(hypothetical.file_sizes)), 0)
        if not sample.is_complete and self.costs.is_too_small(median_file):
            self._refusals[text] = f"with all partitions counted, its median file would have {size(median_file)}"
            return None
        result = self._hypothetical_proposal(sample, slices, hypothetical, ddl, warnings, choice.order)
        self._choices[result.title] = choice
        return result

    def _hypothetical_proposal(
        self,
        sample: Sample,
        slices: FileSlices,
        hypothetical: HypotheticalTable,
        ddl: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        order: SortOrder | None = None,
    ) -> Proposal:
        source, spec = self._source, hypothetical.spec
        answered = self._answered_under(hypothetical)
        with tables.table(source.as_table(spec)) as table:
            tables.add_files(table, hypothetical.to_bytes())
            reads = self._queries.reads(table, answered)
        for index, query_reads in enumerate(reads):
            if not query_reads.files and self._using == "metadata":
                files, total = self.costs.minimum_reads(query_reads.query, sample, slices)
                reads[index] = replace(query_reads, files=files, bytes=total)
        strategy = ", strategy => 'sort'" if order is not None or self._today.order else ""
        if order is not None and order.is_z_order:  # which a table cannot declare
            strategy += f", sort_order => {string_literal(self._order_text(order))}"
        return proposal(
            clause(spec, source.schema),
            reads,
            self.costs.open_cost,
            hypothetical.file_sizes,
            ddl,
            rewrite_call(source.table, self._rewrite_options, strategy) if source.table is not None else None,
            warnings,
            error=self.costs.cost_error(sample),
            has_estimated_cuts=hypothetical.partition_count < len(hypothetical.files),
            sort_order=self._order_text(order),
        )

    @cached_property
    def _rewrite_options(self) -> dict[str, str]:
        """Of a rewrite of all files; delete files that then belong to no file go, too."""
        return {**REWRITE_ALL, **(DROP_DANGLING_DELETES if tables.has_delete_files(self._table) else {})}

    @cached_property
    def _answered_today(self) -> frozenset[str]:
        """The texts of the queries that the metadata of today's files answers."""
        return self._queries.answered(self._table) if self._table is not None else frozenset()

    def _answered_under(self, hypothetical: HypotheticalTable) -> frozenset[str]:
        """Of these, the queries that a hypothetical table's partition values answer: its bounds are estimates."""
        if not self._answered_today:
            return frozenset()
        with tables.table(self._source.as_table(hypothetical.spec)) as table:
            tables.add_files(table, hypothetical.without_bounds().to_bytes())
            return self._queries.answered(table, self._answered_today)

    def _order_text(self, order: SortOrder | None) -> str:
        schema = self._source.schema
        columns = [schema.by_id(field_id) for field_id in order.field_ids] if order is not None else []
        names = ", ".join(".".join(map(quoted, column.path)) for column in columns if column is not None)
        return f"zorder({names})" if order is not None and order.is_z_order else names

    def _ddl(self, fields: SpecFields, order: SortOrder | None) -> tuple[str, ...]:
        """The ALTER statements that lead to a spec and an order. Raises IcebergSqlError if the rules refuse one."""
        source = self._source
        if source.table is None:
            return ()
        name = ".".join(map(quoted, source.table))
        statements = alter_statements(name, self._current, fields, source.schema)
        if order is not None and not order.is_z_order:
            clustered = "DISTRIBUTED BY PARTITION LOCALLY ORDERED" if fields else "ORDERED"
            statements += (f"ALTER TABLE {name} WRITE {clustered} BY {self._order_text(order)}",)
        catalog = SessionTables(self._spark, intercept.unchecked_sql(self._spark))
        for plan in plans(catalog, ";\n".join(statements)):
            if not plan.report.ok:
                diagnostic = next(iter(plan.report))
                raise IcebergSqlError(f"{diagnostic.code}: {diagnostic.message}")
        return statements

    def _current_proposal(self, table: Java) -> Proposal:
        """Today's spec with the files of a table: the source's, or that table after a statement."""
        text = clause(Spec(0, self._current), self._source.schema)
        answered = self._answered_today
        if table is not self._table:
            answered = self._queries.answered(table, answered)
        reads = self._queries.reads(table, answered)
        sizes = tables.file_sizes(table)
        return proposal(text, reads, self.costs.open_cost, sizes, (), None, (), is_today=True)

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
    return (proposal.per_query, proposal.table_files, proposal.table_bytes, proposal.middle_file) == (
        other.per_query,
        other.table_files,
        other.table_bytes,
        other.middle_file,
    )
