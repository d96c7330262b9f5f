"""advise(spark, source, queries): the specs that make a workload read the least.

`advise_costs` ranks every spec. The best become hypothetical tables, which Spark plans with this package's rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.candidate_fields import alter_statements
from spark_iceberg_sql.insight.advise.layout import FileSlices, Sample, slice_files
from spark_iceberg_sql.insight.advise.model import Advice, Proposal, proposal, with_today
from spark_iceberg_sql.insight.advise.spark_costs import FINALISTS, CostEstimator, Costs, SpecFields
from spark_iceberg_sql.insight.advise.spark_queries import WorkloadQueries
from spark_iceberg_sql.insight.hypothetical.spark_source import Source, naming_argument, refuse_property, resolve_source
from spark_iceberg_sql.insight.preview.spark_estimates import no_metadata_message
from spark_iceberg_sql.insight.specs import candidate_spec, clause, rewrite_call
from spark_iceberg_sql.insight.workload import Query, workload
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge.io import event_logs
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables as tables
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.identifiers import dotted, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

USING = ("data", "metadata")
SAMPLE_ROWS = 20_000
_MIN_VERIFIED = 5
_REWRITE_FACTOR = 2  # today's spec is a proposal only if writing it anew makes clearly fewer files


def advise(
    spark: SparkSession,
    source: str | DataFrame,
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = SAMPLE_ROWS,
    properties: Mapping[str, str] | None = None,
) -> Advice:
    """The partition specs that make queries read the least, best first; the table is never changed.

    source: as for `preview`. queries: SQL texts, pairs of a text and a weight, or paths: of a .sql file, of an event
    log of Spark, or of a folder of them. They refer to the table by its name, to a DataFrame, a query or a path by the
    name `source`. using: `data` reads a sample of the rows; `metadata` reads no row, only the counts and bounds of an
    Iceberg table's files. sample: about how many rows to sample. properties: table properties that override the source
    table's.

    A spec whose median file would be smaller than 32 MB, or than a 16th of the target file size, is not proposed.
    The cost of a proposal is the bytes that the queries read, plus read.split.open-file-cost per file.

    Raises IcebergSqlError if the source cannot be read, if no query reads it, or if the sample has no row.
    """
    if using not in USING:
        raise IcebergSqlError(f"using must be one of {', '.join(USING)}, not `{using}`", argument="using")
    if not isinstance(sample, int) or sample < 1:
        raise IcebergSqlError(f"sample must be at least 1 row, not {sample}", argument="sample")
    with naming_argument("queries"), TemporaryDirectory() as folder:
        weighted_queries = workload(queries, lambda file: event_logs.plain_copy(file, Path(folder)), writing=True)
    resolved_source = resolve_source(spark, source, properties)
    if using == "metadata" and resolved_source.table is None:
        raise IcebergSqlError(no_metadata_message(resolved_source), argument="using")
    try:
        with sessions.working_in(spark), spark_progress.show_progress(spark, f"advice for {resolved_source.title}"):
            return _AdviceSearch(spark, resolved_source, weighted_queries, sample, using).result()
    except JVM_ERRORS as error:
        refuse_property(message(error), resolved_source.properties)
        raise read_errors.read_failure(error, f"no advice for {resolved_source.title}") from None


class _AdviceSearch:
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
        self._queries = WorkloadQueries(spark, source, queries, self._notes)
        self._using = using
        self.costs = CostEstimator(spark, source, self._queries, sample_rows, using, self._notes)
        self._table: Java = None
        self._current: SpecFields = ()
        if source.table is not None:
            self._table = relations.catalog_table(dotted(source.table))
            current_table = SessionTables(spark, intercept.unchecked_sql(spark)).get(source.table)
            if isinstance(current_table, Table) and current_table.specs is not None:
                self._current = current_table.specs.spec.fields

    def result(self) -> Advice:
        """Rank every spec, the best again on a larger sample, and let Spark plan the best of these."""
        all_costs = self.costs.all_specs()
        today = self._current_proposal() if self._table is not None else None
        best_specs = [s for s in all_costs.ranked_specs() if not self._is_current(s, all_costs.layouts[s], today)]
        proposals = self._verified_proposals(self.costs.refine(all_costs, best_specs[:FINALISTS]))
        if today is not None:
            proposals, notes = with_today(today, proposals)
            self._notes += notes
        return Advice(
            self._with_current_reads(proposals),
            source=self._source.title,
            basis=self.costs.basis,
            tried=len(all_costs.layouts),
            notes=tuple(self._notes),
        )

    def _verified_proposals(self, costs: Costs) -> list[Proposal]:
        """Proposals for the best specs, as Spark plans them, until no other seems to cost less; best first."""
        total_costs = costs.total_costs
        proposals: list[Proposal] = []
        for spec in costs.ranked_specs():
            lowest_cost = min((p.cost for p in proposals), default=math.inf)
            if len(proposals) >= _MIN_VERIFIED and total_costs[spec] >= lowest_cost:
                break
            verified = self._proposal(costs.sample, spec, costs.layouts[spec])
            if verified is not None:
                proposals.append(verified)
        return sorted(proposals, key=lambda p: p.cost)

    def _is_current(self, fields: SpecFields, slices: FileSlices, today: Proposal | None) -> bool:
        """True if a spec is today's and would have as many files, so that there is nothing to rewrite."""
        if today is None:
            return False
        # From metadata, where files end is not known well enough.
        max_files = _REWRITE_FACTOR * len(slices.sizes) if self._using == "data" else math.inf
        has_same_fields = {f.key for f in fields} == {f.key for f in self._current if not f.transform.is_void}
        return has_same_fields and today.table_files <= max_files

    def proposal_under(self, fields: SpecFields) -> Proposal:
        """The proposal for one spec: what the workload reads under it. Raises IcebergSqlError if the rules
        refuse the spec.
        """
        _, columns = self._queries.filters()
        sample = self.costs.take_sample(list(columns), fields)
        result = self._proposal(sample, fields, slice_files(sample, fields))
        if result is None:
            raise IcebergSqlError(self._notes[-1])
        return result

    # ---------------------------------------------------------------- proposals

    def _proposal(self, sample: Sample, fields: SpecFields, slices: FileSlices) -> Proposal | None:
        """The proposal of a spec; None if the rules refuse it."""
        source = self._source
        spec = Spec(0, fields)
        text = clause(spec, source.schema)
        try:
            warnings = candidate_spec(text, source.schema).warnings
            ddl = self._ddl(fields)
        except IcebergSqlError as error:
            reason = " ".join(str(error).splitlines()[:2])
            self._notes.append(f"{text} is not proposed: {reason}")
            return None
        hypothetical = self.costs.table_under(sample, spec, slices)
        if not sample.is_complete and self.costs.is_too_small(hypothetical):
            return None
        with tables.table(source.as_table(spec)) as table:
            tables.add_files(table, hypothetical.to_bytes())
            reads = self._queries.reads(table)
        for index, query_reads in enumerate(reads):
            if not query_reads.files and self._using == "metadata":
                files, total = self.costs.minimum_reads(query_reads.query, sample, slices)
                reads[index] = replace(query_reads, files=files, bytes=total)
        rewrite = rewrite_call(source.table, {"rewrite-all": "true"}) if source.table is not None else None
        sizes = [file.size for file in hypothetical.files]
        return proposal(
            text,
            reads,
            self.costs.open_cost,
            sizes,
            ddl,
            rewrite,
            warnings,
            error=self.costs.cost_error(sample),
            has_estimated_cuts=hypothetical.partition_count < len(hypothetical.files) and not sample.is_complete,
        )

    def _ddl(self, fields: SpecFields) -> tuple[str, ...]:
        """The ALTER statements that lead to a spec. Raises IcebergSqlError if the rules refuse one."""
        source = self._source
        if source.table is None:
            return ()
        name = ".".join(map(quoted, source.table))
        statements = alter_statements(name, self._current, fields, source.schema)
        catalog = SessionTables(self._spark, intercept.unchecked_sql(self._spark))
        for plan in plans(catalog, ";\n".join(statements)):
            if not plan.report.ok:
                diagnostic = next(iter(plan.report))
                raise IcebergSqlError(f"{diagnostic.code}: {diagnostic.message}")
        return statements

    def _current_proposal(self) -> Proposal:
        text = clause(Spec(0, self._current), self._source.schema)
        reads = self._queries.reads(self._table)
        sizes = tables.file_sizes(self._table)
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
