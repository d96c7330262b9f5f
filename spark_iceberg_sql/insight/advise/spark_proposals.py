"""The proposals of advice: what Spark plans to read of a hypothetical table, or of a table's files as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise.costs.spark_costs import CostEstimator
from spark_iceberg_sql.insight.advise.costs.spark_queries import WorkloadQueries
from spark_iceberg_sql.insight.advise.costs.spark_workload_costs import Costs, SpecFields, Today
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import SortOrder, alter_statements
from spark_iceberg_sql.insight.advise.layouts.layout import FileSlices, Sample
from spark_iceberg_sql.insight.advise.model import Proposal, QueryReads, proposal
from spark_iceberg_sql.insight.hypothetical.partitions import HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.specs import REWRITE_ALL, clause, delete_file_options, rewrite_call
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.spark.bridge.tables import file_statistics
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables as tables
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.identifiers import qualified_name, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java


class _Layout(NamedTuple):
    """The files that a proposal is about. slices: of the sample, by file. partitions: how many there are."""

    spec: Spec
    sample: Sample
    slices: FileSlices
    file_sizes: Sequence[int]
    partitions: int


class Proposals:
    """Makes proposals.

    spark: the session. source: the rows. queries: the workload. costs: what estimates the files. table: Iceberg's, if
    the source is one in a catalog. current: the fields of its spec, void ones, too. today: its layout. sizes: of
    its files, in bytes.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        queries: WorkloadQueries,
        costs: CostEstimator,
        table: Java,
        current: SpecFields,
        today: Today,
        sizes: Sequence[int],
    ) -> None:
        self._spark = spark
        self._source = source
        self._queries = queries
        self._costs = costs
        self._table = table
        self._current = current
        self._today = today
        self._sizes = sizes

    def under(
        self,
        sample: Sample,
        slices: FileSlices,
        hypothetical: HypotheticalTable,
        ddl: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        order: SortOrder | None = None,
    ) -> Proposal:
        """A hypothetical table.

        sample: its rows. slices: of the sample, by file. hypothetical: its files. ddl: the statements that lead to it.
        warnings: the rules' about it. order: of the rows of each partition; None for the order that they have.
        """
        answered = self._answered_under(hypothetical)
        with tables.table(self._source.as_table(hypothetical.spec)) as table:
            files = hypothetical.to_bytes()
            tables.add_files(table, files)
            reads = self._queries.reads(table, answered, self._queries.kept_of_plain(table, files))
        layout = _Layout(hypothetical.spec, sample, slices, hypothetical.file_sizes, hypothetical.partition_count)
        return self._proposal(layout, reads, ddl, warnings, order)

    def as_estimated(
        self, costs: Costs, fields: SpecFields, ddl: tuple[str, ...], warnings: tuple[str, ...], order: SortOrder | None
    ) -> Proposal | None:
        """The same from the estimate of a spec's files; None if Spark must plan the queries on these.

        Spark plans the queries on an empty table. If their filters are those of the estimate, Iceberg's evaluators have
        already decided which files they keep, and no table of these has to be made: there may be as many files as rows
        in the sample. costs: with the estimate. Other arguments as for `under`.
        """
        if self._answered_today:
            return None
        spec, slices = Spec(0, fields), costs.layouts[fields]
        with tables.table(self._source.as_table(spec)) as table:
            reads = self._queries.estimated_reads(table, costs.kept[fields])
        if reads is None:
            return None
        partitions = len(set(costs.sample.partition_numbers(fields))) if fields else 1
        layout = _Layout(spec, costs.sample, slices, slices.sizes, partitions)
        return self._proposal(layout, reads, ddl, warnings, order)

    def _proposal(
        self,
        layout: _Layout,
        reads: list[QueryReads],
        ddl: tuple[str, ...],
        warnings: tuple[str, ...],
        order: SortOrder | None,
    ) -> Proposal:
        sample, spec = layout.sample, layout.spec
        for index, query_reads in enumerate(reads):
            if not query_reads.files and self._costs.using == "metadata":
                files, total = self._costs.minimum_reads(query_reads.query, sample, layout.slices)
                reads[index] = replace(query_reads, files=files, bytes=total)
        strategy = ", strategy => 'sort'" if order is not None or self._today.order else ""
        if order is not None and order.is_z_order:  # which a table cannot declare
            strategy += f", sort_order => {string_literal(self.order_text(order))}"
        return proposal(
            clause(spec, self._source.schema),
            reads,
            self._costs.open_cost,
            layout.file_sizes,
            ddl,
            self._rewrite(strategy),
            warnings,
            error=self._costs.cost_error(sample),
            has_estimated_cuts=layout.partitions < len(layout.file_sizes),
            sort_order=self.order_text(order),
            shuffled=self._costs.shuffles.total_bytes(spec.fields),
        )

    def _rewrite(self, strategy: str) -> str | None:
        """The call that rewrites all files of a table in a catalog; of a branch there is none."""
        if self._source.table is None or self._source.branch:
            return None
        return rewrite_call(self._source.table, self._rewrite_options, strategy)

    @cached_property
    def _rewrite_options(self) -> dict[str, str]:
        """Of a rewrite of all files; delete files that then belong to no file go, too."""
        if not tables.may_have(self._table, "total-delete-files"):
            return REWRITE_ALL
        has_equality_deletes = tables.may_have(self._table, "total-equality-deletes")
        return {**REWRITE_ALL, **delete_file_options(has_equality_deletes=has_equality_deletes)}

    @cached_property
    def _answered_today(self) -> frozenset[str]:
        """The texts of the queries that the metadata of today's files answers."""
        return self._queries.answered(self._table) if self._table is not None else frozenset()

    @cached_property
    def _reads_today(self) -> list[QueryReads]:
        return self._queries.reads(self._table, self._answered_today)

    def _answered_under(self, hypothetical: HypotheticalTable) -> frozenset[str]:
        """Of these, the queries that a hypothetical table's partition values answer: its bounds are estimates."""
        if not self._answered_today:
            return frozenset()
        with tables.table(self._source.as_table(hypothetical.spec)) as table:
            tables.add_files(table, hypothetical.without_bounds().to_bytes())
            return self._queries.answered(table, self._answered_today)

    def order_text(self, order: SortOrder | None) -> str:
        """An order as a proposal has it; empty for None."""
        schema = self._source.schema
        columns = [schema.by_id(field_id) for field_id in order.field_ids] if order is not None else []
        names = ", ".join(qualified_name(column.path) for column in columns if column is not None)
        return f"zorder({names})" if order is not None and order.is_z_order else names

    def ddl(self, fields: SpecFields, order: SortOrder | None) -> tuple[str, ...]:
        """The ALTER statements that lead to a spec and an order. Raises IcebergSqlError if the rules refuse one."""
        source = self._source
        if source.table is None:
            return ()
        name = qualified_name(source.table)
        statements = alter_statements(name, self._current, fields, source.schema)
        if order is not None and not order.is_z_order:
            clustered = "DISTRIBUTED BY PARTITION LOCALLY ORDERED" if fields else "ORDERED"
            statements += (f"ALTER TABLE {name} WRITE {clustered} BY {self.order_text(order)}",)
        for plan in plans(self._session_tables, ";\n".join(statements)):
            if not plan.report.ok:
                diagnostic = next(iter(plan.report))
                raise IcebergSqlError(f"{diagnostic.code}: {diagnostic.message}")
        return statements

    @cached_property
    def _session_tables(self) -> SessionTables:
        """The session's tables, of which the search changes none: each is loaded once for all proposals."""
        return SessionTables(self._spark, intercept.unchecked_sql(self._spark))

    def of_table(self, table: Java) -> Proposal:
        """Today's spec with the files of a table: the source's, or that table after a statement."""
        text = clause(Spec(0, self._current), self._source.schema)
        if table is self._table:
            reads = self._reads_today
        else:
            reads = self._queries.reads(table, self._queries.answered(table, self._answered_today))
        sizes = self._sizes if table is self._table else file_statistics.file_sizes(table)
        shuffled = self._costs.shuffles.total_bytes(self._today.fields)
        return proposal(text, reads, self._costs.open_cost, sizes, (), None, (), is_today=True, shuffled=shuffled)
