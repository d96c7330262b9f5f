"""The queries of a workload over one source: the filters of each, and its reads of a table."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import field_per_column
from spark_iceberg_sql.insight.advise.model import QueryReads
from spark_iceberg_sql.insight.hypothetical.spark_source import SOURCE_NAME, Source
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message, refused_scan
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans as planning
from spark_iceberg_sql.spark.bridge.plans import iceberg_filters, relations
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables as tables
from spark_iceberg_sql.syntax.identifiers import dotted
from spark_iceberg_sql.syntax.lexer import tokenize

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java


@dataclass(frozen=True)
class PlannedQuery:
    """A query that reads the source, and the filters of each of its scans; also as texts.

    is_plain: whether the filters are these under every spec: Spark then has to plan the query only once.
    """

    query: Query
    filters: tuple[tuple[Java, ...], ...]
    texts: tuple[tuple[Any, ...], ...]
    is_plain: bool


class ScanFilters:
    """The filter of each scan of queries as one Iceberg expression.

    expressions: of scans with equal filters, one.
    """

    def __init__(self, planned_queries: Iterable[PlannedQuery]) -> None:
        self.expressions: list[Java] = []
        numbers: dict[str, int] = {}
        self._numbers: list[list[int]] = []
        for query in planned_queries:
            keys = [json.dumps(texts) for texts in query.texts]
            for key, filters in zip(keys, query.filters, strict=True):
                if key not in numbers:
                    numbers[key] = len(numbers)
                    self.expressions.append(iceberg_filters.conjunction(filters))
            self._numbers.append([numbers[key] for key in keys])

    def by_query(self, kept: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
        """The files and bytes that each expression keeps, of each query those of its scans."""
        return [[kept[number] for number in of_query] for of_query in self._numbers]


class WorkloadQueries:
    """The queries of a workload, planned by Spark over one source.

    spark: the session. source: the rows. queries: the workload. notes: the list to which skipped queries are
    added. planned: what the scans of queries read today with all rules, by the query's text. read_tables: the uuids of
    the tables that queries refer to, by the query's text. runs_joins: whether the keys of small tables that queries
    join are read, by which Spark prunes at run time. known_keys: those that other tables' queries have read; None for
    none.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        queries: Sequence[Query],
        notes: list[str],
        planned: Mapping[str, Sequence[planning.ScanRead]],
        read_tables: Mapping[str, Collection[str]],
        *,
        runs_joins: bool,
        known_keys: Java = None,
    ) -> None:
        self._spark = spark
        self._source = source
        self._queries = queries
        self._notes = notes
        self._planned = planned
        self._read_tables = read_tables
        self._runs_joins = runs_joins
        self._known_keys = planning.no_keys() if known_keys is None else known_keys
        self._join_keys: dict[str, list[Java]] = {}  # by the query's text
        # By the query's text: the files and bytes of today's table that the filters of each scan keep.
        self._kept_today: dict[str, list[tuple[int, int]]] = {}

    def _names(self, text: str) -> list[tuple[str, ...]]:
        """All spellings of the source's name that a query may use."""
        full_names = [name for name in (self._source.table or self._source.name,) if name is not None]
        if self._source.table is None:
            full_names.append(tuple(relations.full_name(SOURCE_NAME)))
        token_texts = {token.text.strip("`") for token in tokenize(text)}
        spellings = [
            spelling
            for full_name in full_names
            for spelling in product(
                *(
                    {part, *(token_text for token_text in token_texts if token_text.lower() == part.lower())}
                    for part in full_name
                )
            )
        ]
        return spellings if self._source.table is not None else [*spellings, (SOURCE_NAME,)]

    def _scans(self, query: Query, table: Java) -> list[planning.PlannedScan]:
        names = self._names(query.text)
        if query.text not in self._join_keys:
            self._join_keys[query.text] = self._keys(query, table, names) if self._runs_joins else []
        return planning.scans(self._spark, query.text, table, names, self._join_keys[query.text])

    def _keys(self, query: Query, table: Java, names: list[tuple[str, ...]]) -> list[Java]:
        try:
            return planning.join_keys(self._spark, query.text, table, names, self._known_keys)
        except JVM_ERRORS:  # without them, less is pruned than at run time
            return []

    @cached_property
    def filters(self) -> tuple[list[PlannedQuery], dict[int, planning.FilteredColumn]]:
        """The queries that read the source, and the columns that they filter on, by field id; planned once."""
        source = self._source
        planned_queries: list[PlannedQuery] = []
        columns: dict[int, planning.FilteredColumn] = {}
        with (
            tables.table(source.as_table(Spec(0, field_per_column(source.schema)))) as table,
            planning.counting_by_files(self._spark),
        ):
            spark_progress.begin_step(f"queries of {source.short_title}")
            for position, query in enumerate(self._queries, 1):
                spark_progress.count(position, len(self._queries))
                number = query.number
                if query.write_keyword == "":
                    reason = planning.parse_error(self._spark, query.text)
                    if reason is not None:
                        self._notes.append(f"query {number} is skipped: {reason}")
                    continue
                if query.write_keyword is not None:
                    self._notes.append(
                        f"query {number} is skipped: what {query.write_keyword} reads is not counted, "
                        "only what queries read"
                    )
                    continue
                if not self._may_read(query):
                    self._notes.append(f"query {number} is skipped: {self._not_read}")
                    continue
                try:
                    scans = self._scans(query, table)
                except JVM_ERRORS as error:
                    self._notes.append(f"query {number} is skipped: {message(error)}")
                    continue
                if not scans:
                    self._notes.append(f"query {number} is skipped: {self._skip_reason(query, table)}")
                    continue
                filters, texts = tuple(s.filters for s in scans), tuple(s.texts for s in scans)
                planned_queries.append(PlannedQuery(query, filters, texts, all(s.is_plain for s in scans)))
                for scan in scans:
                    for name, filtered in planning.columns_in(scan.texts).items():
                        column = source.schema.find(name.split("."))
                        if column is not None and column.field.field_id is not None:
                            earlier = columns.get(column.field.field_id, planning.FilteredColumn())
                            columns[column.field.field_id] = earlier | filtered
        if not planned_queries:
            raise IcebergSqlError(f"no query reads {source.title}", help=self._notes, argument="queries")
        return planned_queries, columns

    @cached_property
    def scan_filters(self) -> ScanFilters:
        """Of the queries that read the source."""
        return ScanFilters(self.filters[0])

    def set_kept_today(self, kept: Sequence[tuple[int, int]]) -> None:
        """The files and bytes of today's table that each of `scan_filters` keeps."""
        pairs = zip(self.filters[0], self.scan_filters.by_query(kept), strict=True)
        self._kept_today = {planned_query.query.text: scans for planned_query, scans in pairs}

    @property
    def _reading(self) -> list[Query]:
        """The queries that read the source: it takes long to plan them all for each proposal."""
        return [planned_query.query for planned_query in self.filters[0]]

    def _skip_reason(self, query: Query, table: Java) -> str:
        """The reason why the plan of a query has no scan of the source."""
        source, name = self._source, self._name
        source_table = relations.catalog_table(dotted(source.table)) if source.table is not None else None
        mention = planning.referenced_kind(self._spark, query.text, table, source_table, self._names(query.text))
        if mention == "table":
            return f"Spark plans no scan of {name}, for example because a condition is never true"
        if mention == "snapshot":
            return f"it reads a snapshot or branch of {name} by its name, which no rewrite changes"
        return self._not_read

    def _may_read(self, query: Query) -> bool:
        """False if a query's analysis has other tables: it is not analysed again with another table for the source."""
        table = self._source.iceberg_table if self._source.table is not None else None
        return table is None or str(table.uuid()) in self._read_tables.get(query.text, (str(table.uuid()),))

    @property
    def _name(self) -> str:
        return self._source.title if self._source.table or self._source.name else f"`{SOURCE_NAME}`"

    @property
    def _not_read(self) -> str:
        return f"it does not read {self._name}"

    def _planned_today(self, text: str, table: Java) -> list[planning.ScanRead] | None:
        """What the scans of a table in a query's plan with all rules read; None if that is not known of the table."""
        reads = self._planned.get(text) if table is self._source.iceberg_table else None
        return None if reads is None else [read for read in reads if read.table == str(table.uuid())]

    def answered(self, table: Java, texts: Collection[str] | None = None) -> frozenset[str]:
        """The texts of the queries that a table's metadata answers. texts: of those to consider; None for all."""
        answered = set()
        for query in self._reading:
            if texts is not None and query.text not in texts:
                continue
            planned = self._planned_today(query.text, table)
            if planned is not None:
                answered |= set() if planned else {query.text}
            else:
                with suppress(*JVM_ERRORS):  # `filters` has reported it
                    if planning.is_answered_by_metadata(self._spark, query.text, table, self._names(query.text)):
                        answered.add(query.text)
        return frozenset(answered)

    def _reads_today(self, planned_query: PlannedQuery, table: Java) -> list[tuple[int, int]] | None:
        """The files and bytes of each scan, from the plan with all rules; None if those that conclude from metadata may
        have changed it, or if keys of joins decide, too.
        """
        planned = self._planned_today(planned_query.query.text, table)
        if not planned or any(read.is_by_rule for read in planned) or self._join_keys[planned_query.query.text]:
            return None
        if tuple(read.texts for read in planned) != planned_query.texts:
            return None
        return self._kept_today.get(planned_query.query.text)

    def estimated_reads(self, table: Java, kept: Sequence[Sequence[tuple[int, int]]]) -> list[QueryReads] | None:
        """What `reads` would return of a table, if the estimate had its files; None if Spark plans other scans of it.

        table: an empty one, with the spec. kept: by query, the files and bytes that the filters of each scan keep.
        """
        query_reads = []
        for planned_query, scans in zip(self.filters[0], kept, strict=True):
            query = planned_query.query
            if not planned_query.is_plain:
                try:
                    planned = self._scans(query, table)
                except JVM_ERRORS:
                    return None
                if tuple(scan.texts for scan in planned) != planned_query.texts:
                    return None
                if any(iceberg_filters.is_of_metadata(scan.scan) for scan in planned):
                    return None
            files, total = sum(f for f, _ in scans), sum(b for _, b in scans)
            query_reads.append(QueryReads(query.text, query.weight, files, total, files, total))
        return query_reads

    def kept_of_plain(self, table: Java, files: bytes) -> dict[str, list[tuple[int, int]]]:
        """By the text of each query that Spark plans alike under every spec: the files and bytes its scans keep.

        table: a hypothetical one. files: `Hypothetical.packed` ones, under its spec.
        """
        filters = self.scan_filters
        (kept,) = tables.kept_files(table, [(int(table.spec().specId()), files)], filters.expressions)
        pairs = zip(self.filters[0], filters.by_query(kept), strict=True)
        return {planned_query.query.text: scans for planned_query, scans in pairs if planned_query.is_plain}

    def reads(
        self,
        table: Java,
        answered: Collection[str] = (),
        kept: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({}),
    ) -> list[QueryReads]:
        """The reads of each query of a table, as planned by Spark.

        answered: the texts of queries that read nothing. kept: what is known already, as of `kept_of_plain`.
        """
        query_reads = []
        for planned_query in self.filters[0]:
            query = planned_query.query
            if query.text in answered:
                query_reads.append(QueryReads(query.text, query.weight, 0, 0, 0, 0))
                continue
            try:
                read = kept.get(query.text) or self._reads_today(planned_query, table)
                if read is None:
                    read = [planning.read_by(scan.scan) for scan in self._scans(query, table)]
            except JVM_ERRORS as error:
                if refused_scan(error) is not None:
                    raise  # of this table alone, such as one with a manifest that is cut off
                continue  # `filters` has reported it
            files, total = sum(f for f, _ in read), sum(b for _, b in read)
            if read:
                query_reads.append(QueryReads(query.text, query.weight, files, total, files, total))
        return query_reads
