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
from spark_iceberg_sql.insight.advise import Advice, Proposal, proposal, with_today
from spark_iceberg_sql.insight.advise_fields import alters
from spark_iceberg_sql.insight.advise_layout import Sample, Slices, sliced
from spark_iceberg_sql.insight.specs import candidate, clause
from spark_iceberg_sql.insight.workload import Query, workload
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge import event_logs, relations, sessions
from spark_iceberg_sql.spark.bridge import hypothetical as tables
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.spark.insight import progress
from spark_iceberg_sql.spark.insight.advise_costs import FINALISTS, Costs, Fields, Search
from spark_iceberg_sql.spark.insight.advise_queries import Queries
from spark_iceberg_sql.spark.insight.hypothetical_source import (
    Source,
    refuse_property,
    refusing,
    source_of,
)
from spark_iceberg_sql.spark.insight.preview_estimates import no_metadata
from spark_iceberg_sql.syntax.identifiers import dotted, quoted, string_literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm import Java

USING = ("data", "metadata")
ROWS = 20_000
_VERIFIED = 5
_REWRITTEN = 2  # today's spec is a proposal only if writing it anew makes clearly fewer files


def advise(
    spark: SparkSession,
    source: str | DataFrame,
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = ROWS,
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
        raise IcebergSqlError(
            f"using must be one of {', '.join(USING)}, not `{using}`", argument="using"
        )
    if not isinstance(sample, int) or sample < 1:
        raise IcebergSqlError(f"sample must be at least 1 row, not {sample}", argument="sample")
    with refusing("queries"), TemporaryDirectory() as folder:
        wanted = workload(
            queries, lambda file: event_logs.plain_copy(file, Path(folder)), writing=True
        )
    found = source_of(spark, source, properties)
    if using == "metadata" and found.table is None:
        raise IcebergSqlError(no_metadata(found), argument="using")
    try:
        with sessions.working_in(spark), progress.shown(spark, f"advice for {found.words}"):
            return _Search(spark, found, wanted, sample, using).result()
    except JVM_ERRORS as error:
        refuse_property(message(error), found.properties)
        raise read_errors.failed(error, f"no advice for {found.words}") from None


class _Search:
    """One search for advice.

    spark: the session. source: the rows. queries: the workload. sample_rows: the number to sample. using: as
    `advise` takes it.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        queries: Sequence[Query],
        rows: int,
        using: str = "data",
    ) -> None:
        self._spark = spark
        self._source = source
        self._notes: list[str] = []
        self._queries = Queries(spark, source, queries, self._notes)
        self._using = using
        self.costs = Search(spark, source, self._queries, rows, using, self._notes)
        self._table: Java = None
        self._current: Fields = ()
        if source.table is not None:
            self._table = relations.catalog_table(dotted(source.table))
            known = SessionTables(spark, intercept.own_sql(spark)).get(source.table)
            if isinstance(known, Table) and known.specs is not None:
                self._current = known.specs.spec.fields

    def result(self) -> Advice:
        """Rank every spec, the best again on a larger sample, and let Spark plan the best of these."""
        every = self.costs.all_specs()
        today = self._today() if self._table is not None else None
        best = [s for s in every.best() if not self._as_today(s, every.layouts[s], today)]
        found = self.costs.again(every, best[:FINALISTS])
        proposals = self._verified(found)
        if today is not None:
            proposals, notes = with_today(today, proposals)
            self._notes += notes
        return Advice(
            self._with_now(proposals),
            source=self._source.words,
            basis=self.costs.basis,
            tried=len(every.layouts),
            notes=tuple(self._notes),
        )

    def _verified(self, found: Costs) -> list[Proposal]:
        """Proposals for the best specs, as Spark plans them, until no other seems to cost less; best first."""
        total = found.total
        proposals: list[Proposal] = []
        for spec in found.best():
            least = min((p.cost for p in proposals), default=math.inf)
            if len(proposals) >= _VERIFIED and total[spec] >= least:
                break
            made = self._proposal(found.sample, spec, found.layouts[spec])
            if made is not None:
                proposals.append(made)
        return sorted(proposals, key=lambda p: p.cost)

    def _as_today(self, fields: Fields, slices: Slices, today: Proposal | None) -> bool:
        """True if a spec is today's and would have as many files, so that there is nothing to rewrite."""
        if today is None:
            return False
        # From metadata, where files end is not known well enough.
        rewritten = _REWRITTEN * len(slices.sizes) if self._using == "data" else math.inf
        same = {f.key for f in fields} == {f.key for f in self._current if not f.transform.is_void}
        return same and today.table_files <= rewritten

    def under(self, fields: Fields) -> Proposal:
        """The proposal for one spec: what the workload reads under it. Raises IcebergSqlError if the rules
        refuse the spec.
        """
        _, columns = self._queries.filters()
        sample = self.costs.sample(list(columns), fields)
        found = self._proposal(sample, fields, sliced(sample, fields))
        if found is None:
            raise IcebergSqlError(self._notes[-1])
        return found

    # ---------------------------------------------------------------- proposals

    def _proposal(self, sample: Sample, fields: Fields, slices: Slices) -> Proposal | None:
        """The proposal of a spec; None if the rules refuse it."""
        source = self._source
        spec = Spec(0, fields)
        text = clause(spec, source.schema)
        try:
            warnings = candidate(text, source.schema).warnings
            ddl = self._ddl(fields)
        except IcebergSqlError as error:
            why = " ".join(str(error).splitlines()[:2])
            self._notes.append(f"{text} is not proposed: {why}")
            return None
        made = self.costs.files(sample, spec, slices)
        if not sample.is_whole and self.costs.is_too_small(made):
            return None
        with tables.table(source.as_table(spec)) as table:
            tables.add_files(table, made.packed())
            reads = self._queries.reads(table)
        for i, one in enumerate(reads):
            if not one.files and self._using == "metadata":
                files, total = self.costs.at_least(one.query, sample, slices)
                reads[i] = replace(one, files=files, bytes=total)
        rewrite = _rewrite(source.table) if source.table is not None else None
        sizes = [file.size for file in made.files]
        return proposal(
            text,
            reads,
            self.costs.open_cost,
            sizes,
            ddl,
            rewrite,
            warnings,
            error=self.costs.error(sample),
            cut=made.partitions < len(made.files) and not sample.is_whole,
        )

    def _ddl(self, fields: Fields) -> tuple[str, ...]:
        """The ALTER statements that lead to a spec. Raises IcebergSqlError if the rules refuse one."""
        source = self._source
        if source.table is None:
            return ()
        name = ".".join(map(quoted, source.table))
        statements = alters(name, self._current, fields, source.schema)
        known = SessionTables(self._spark, intercept.own_sql(self._spark))
        for plan in plans(known, ";\n".join(statements)):
            if not plan.report.ok:
                first = next(iter(plan.report))
                raise IcebergSqlError(f"{first.code}: {first.message}")
        return statements

    def _today(self) -> Proposal:
        text = clause(Spec(0, self._current), self._source.schema)
        reads = self._queries.reads(self._table)
        sizes = tables.file_sizes(self._table)
        return proposal(text, reads, self.costs.open_cost, sizes, (), None, (), is_today=True)

    def _with_now(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The proposals, with what each query reads today, or reads of an unpartitioned table."""
        now = next((p for p in proposals if p.is_today), None)
        now = now or next((p for p in proposals if not p.spec), None)
        if now is None:
            return list(proposals)
        before = {q.query: q for q in now.per_query}
        return [
            replace(
                p,
                per_query=tuple(
                    replace(q, files_now=before[q.query].files, bytes_now=before[q.query].bytes)
                    if q.query in before
                    else q
                    for q in p.per_query
                ),
            )
            for p in proposals
        ]


def _rewrite(table: tuple[str, ...]) -> str:
    catalog, *rest = map(quoted, table)
    return (
        f"CALL {catalog}.system.rewrite_data_files("
        f"table => {string_literal('.'.join(rest))}, options => map('rewrite-all', 'true'))"
    )
