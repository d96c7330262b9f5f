"""advise(spark, source, queries): the specs that make a workload read the least.

Each candidate spec becomes files that were never written, derived from a sample of the rows; Iceberg's evaluators
decide which of them each query's filters keep. The best specs become hypothetical tables, which Spark plans with this
package's rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise import Advice, Proposal, proposal, with_today_first
from spark_iceberg_sql.insight.advise_fields import alters, fields_of
from spark_iceberg_sql.insight.advise_layout import Sample, Slices, hypothetical, layouts, sliced
from spark_iceberg_sql.insight.specs import candidate, clause
from spark_iceberg_sql.insight.workload import Query, workload
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge import event_logs, iceberg_filters, relations, sessions
from spark_iceberg_sql.spark.bridge import hypothetical as tables
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.spark.insight import progress
from spark_iceberg_sql.spark.insight.advise_queries import Planned, Queries
from spark_iceberg_sql.spark.insight.advise_sample import assumed_rows, sampled
from spark_iceberg_sql.spark.insight.hypothetical_source import (
    Source,
    refuse_property,
    refusing,
    source_of,
)
from spark_iceberg_sql.spark.insight.preview_estimates import no_metadata
from spark_iceberg_sql.syntax.identifiers import dotted, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm import Java

Fields = tuple[PartitionField, ...]
USING = ("data", "metadata")
ROWS = 20_000
_SMALLEST = 32_000_000  # bytes; no spec whose median file is smaller is proposed
_VERIFIED = 5
_OPEN = 4 << 20  # read.split.open-file-cost


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
    """One search. spark: the session. source: the rows. queries: the workload. rows: to sample. using: as given."""

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
        self._rows = rows
        self._using = using
        self._basis = ""
        self._open = int(source.properties.get("read.split.open-file-cost", _OPEN))
        self._table: Java = None
        self._current: Fields = ()
        if source.table is not None:
            self._table = relations.catalog_table(dotted(source.table))
            known = SessionTables(spark, intercept.own_sql(spark)).get(source.table)
            if isinstance(known, Table) and known.specs is not None:
                self._current = known.specs.spec.fields

    def costs(self) -> dict[Fields, int]:
        """The cost of the workload under every spec whose files are not too small."""
        return self._total(*self._ranked()[2:])

    def costs_by_query(self) -> dict[str, dict[Fields, int]]:
        """The cost of each query, by its text, under every such spec; weights do not count."""
        _, _, planned, costs = self._ranked()
        return {item.query.text: cost for item, cost in zip(planned, costs, strict=True)}

    @staticmethod
    def _total(
        planned: Sequence[Planned], costs: Sequence[Mapping[Fields, int]]
    ) -> dict[Fields, int]:
        """The costs of the workload: the sum over its queries, each by its weight."""
        return {
            spec: round(
                sum(
                    item.query.weight * cost[spec]
                    for item, cost in zip(planned, costs, strict=True)
                )
            )
            for spec in costs[0]
        }

    def _ranked(
        self,
    ) -> tuple[Sample, dict[Fields, Slices], list[Planned], list[dict[Fields, int]]]:
        """Find the filters, lay out every spec's files, and let Iceberg plan over them."""
        planned, columns = self._queries.filters()
        fields = [f for column, equal in columns.items() for f in self._fields(column, equal=equal)]
        if self._using == "metadata":
            found, settings, files = assumed_rows(
                self._spark, self._source, list(columns), fields, self._rows
            )
            sample, fields = found.sample, list(found.fields)
            self._notes += found.left_out
            self._basis = (
                f"based on the counts and bounds of {files:,} files, with values spread evenly between the "
                "bounds; no row was read"
            )
        else:
            sample, settings = sampled(self._spark, self._source, list(columns), fields, self._rows)
            self._basis = (
                "based on every row"
                if sample.is_whole
                else f"based on a sample of {sample.seen:,} of {sample.rows:,} rows"
            )
        smallest = min(_SMALLEST, settings.target // 16)
        every = layouts(sample, fields, smallest)
        if len(every) == 1:
            self._notes.append(
                f"every other spec of {len(fields)} fields and their pairs would have files "
                f"below {size(smallest)}"
                if fields
                else "the queries filter on no column that a spec could use"
            )
        return sample, every, planned, self._costs(sample, every, planned)

    def result(self) -> Advice:
        """Rank every spec, and plan the best again."""
        sample, every, planned, by_query = self._ranked()
        costs = self._total(planned, by_query)
        best = sorted(every, key=lambda spec: (costs[spec], len(spec)))[:_VERIFIED]
        proposals = [p for spec in best if (p := self._proposal(sample, spec, every[spec]))]
        if self._table is not None:
            today = self._today()
            if not today.table_files:  # nothing can be written anew
                proposals = [one for one in proposals if one.spec != today.spec]
            proposals.insert(0, today)
        proposals.sort(key=lambda p: p.cost)
        if self._using == "metadata":
            proposals, notes = with_today_first(proposals)
            self._notes += notes
        return Advice(
            self._with_now(proposals),
            source=self._source.words,
            basis=self._basis,
            tried=len(every),
            notes=tuple(self._notes),
        )

    def under(self, fields: Fields) -> Proposal:
        """What the workload reads under one spec. Raises IcebergSqlError if the rules refuse the spec."""
        _, columns = self._queries.filters()
        sample, _ = sampled(self._spark, self._source, list(columns), fields, self._rows)
        found = self._proposal(sample, fields, sliced(sample, fields))
        if found is None:
            raise IcebergSqlError(self._notes[-1])
        return found

    # ---------------------------------------------------------------- costs

    def _fields(self, column: int, *, equal: bool) -> list[PartitionField]:
        """The candidate fields over a column. equal: whether a query compares it by equality."""
        return [
            field
            for field in fields_of(self._source.schema, column)
            if equal or field.transform.transform.order_preserving
        ]

    def _costs(
        self, sample: Sample, every: Mapping[Fields, Slices], planned: Sequence[Planned]
    ) -> list[dict[Fields, int]]:
        """The cost of each query under each spec, by Iceberg's evaluators; no manifest is written or read."""
        ids: dict[tuple[int, str], int] = {}
        own = []
        for number, fields in enumerate(every):
            renamed = tuple(_with_id(f, ids.setdefault(f.key, 1000 + len(ids))) for f in fields)
            own.append(Spec(number, renamed))
        filters = [iceberg_filters.conjunction(one) for item in planned for one in item.filters]
        costs: list[dict[Fields, int]] = [{} for _ in planned]
        with tables.table(self._source.as_table(*own)) as table:
            for spec, (fields, slices) in zip(own, every.items(), strict=True):
                made = hypothetical(sample, self._source.schema, spec, slices)
                left = iter(tables.kept(table, spec.spec_id, made.packed(), filters))
                for item, found in zip(planned, costs, strict=True):
                    scans = islice(left, len(item.filters))
                    found[fields] = sum(read + files * self._open for files, read in scans)
        return costs

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
        made = hypothetical(sample, source.schema, spec, slices)
        with tables.table(source.as_table(spec)) as table:
            tables.add_files(table, made.packed())
            reads = self._queries.reads(table)
        rewrite = _rewrite(source.table) if source.table is not None else None
        sizes = [file.size for file in made.files]
        return proposal(text, reads, self._open, sizes, ddl, rewrite, warnings)

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
        return proposal(text, reads, self._open, sizes, (), None, (), is_today=True)

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


def _with_id(field: PartitionField, field_id: int) -> PartitionField:
    return replace(field, field_id=field_id)


def _rewrite(table: tuple[str, ...]) -> str:
    catalog, *rest = map(quoted, table)
    name = ".".join(rest).replace("\\", "\\\\").replace("'", "\\'")
    return (
        f"CALL {catalog}.system.rewrite_data_files("
        f"table => '{name}', options => map('rewrite-all', 'true'))"
    )
