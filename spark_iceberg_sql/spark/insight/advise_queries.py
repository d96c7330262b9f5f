"""The queries of a workload over one source: the filters of each, and its reads of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise import QueryReads
from spark_iceberg_sql.insight.advise_fields import wide
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.spark.bridge import hypothetical as tables
from spark_iceberg_sql.spark.bridge import hypothetical_plans as planning
from spark_iceberg_sql.spark.bridge import relations
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.insight.hypothetical_source import Source
from spark_iceberg_sql.syntax.identifiers import dotted
from spark_iceberg_sql.syntax.lexer import tokenize

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.spark.bridge.jvm import Java

NAME = "source"  # what the queries call a DataFrame, a query or a path


@dataclass(frozen=True)
class Planned:
    """A query that reads the source, and the filters of each of its scans."""

    query: Query
    filters: tuple[tuple[Java, ...], ...]


class Queries:
    """The queries of a workload, planned by Spark over one source.

    spark: the session. source: the rows. queries: the workload. notes: the list to which skipped queries are
    added.
    """

    def __init__(
        self, spark: SparkSession, source: Source, queries: Sequence[Query], notes: list[str]
    ) -> None:
        self._spark = spark
        self._source = source
        self._queries = queries
        self._notes = notes

    def _names(self, text: str) -> list[tuple[str, ...]]:
        """All spellings of the source's name that a query may use."""
        every = [name for name in (self._source.table or self._source.name,) if name is not None]
        if self._source.table is None:
            every.append(tuple(relations.full_name(NAME)))
        words = {token.text.strip("`") for token in tokenize(text)}
        return [
            way
            for full in every
            for way in product(
                *({part, *(w for w in words if w.lower() == part.lower())} for part in full)
            )
        ]

    def _scans(self, query: Query, table: Java) -> list[planning.Scan]:
        return planning.scans(self._spark, query.text, table, self._names(query.text))

    def filters(self) -> tuple[list[Planned], dict[int, bool]]:
        """The queries that read the source, and the columns they filter on, each with whether by equality."""
        source = self._source
        found: list[Planned] = []
        columns: dict[int, bool] = {}
        with (
            tables.table(source.as_table(Spec(0, wide(source.schema)))) as table,
            planning.counting_by_files(self._spark),
        ):
            for query in self._queries:
                number = query.number
                if query.written_by == "":
                    why = planning.unreadable(self._spark, query.text)
                    if why is not None:
                        self._notes.append(f"query {number} is skipped: {why}")
                    continue
                if query.written_by is not None:
                    self._notes.append(
                        f"query {number} is skipped: what {query.written_by} reads is not counted, "
                        "only what queries read"
                    )
                    continue
                try:
                    scans = self._scans(query, table)
                except JVM_ERRORS as error:
                    self._notes.append(f"query {number} is skipped: {message(error)}")
                    continue
                if not scans:
                    self._notes.append(f"query {number} is skipped: {self._why_not(query, table)}")
                    continue
                found.append(Planned(query, tuple(scan.filters for scan in scans)))
                for scan in scans:
                    for name, equal in planning.columns_in(scan.texts).items():
                        column = source.schema.find(name.split("."))
                        if column is not None and column.field.field_id is not None:
                            before = columns.get(column.field.field_id, False)
                            columns[column.field.field_id] = before or equal
        if not found:
            raise IcebergSqlError(
                f"no query reads {source.words}",
                help=self._notes,
                argument="queries",
            )
        return found, columns

    def _why_not(self, query: Query, table: Java) -> str:
        """The reason why the plan of a query has no scan of the source."""
        source = self._source
        name = source.words if source.table or source.name else f"`{NAME}`"
        own = relations.catalog_table(dotted(source.table)) if source.table is not None else None
        found = planning.named(self._spark, query.text, table, own, self._names(query.text))
        if found == "table":
            return f"Spark plans no scan of {name}, for example because a condition is never true"
        if found == "snapshot":
            return f"it reads a snapshot or branch of {name} by its name, which no rewrite changes"
        return f"it does not read {name}"

    def reads(self, table: Java) -> list[QueryReads]:
        """The reads of each query of a table, as planned by Spark."""
        out = []
        for query in self._queries:
            if query.written_by is not None:
                continue
            try:
                read = [planning.read_by(scan.scan) for scan in self._scans(query, table)]
            except JVM_ERRORS:
                continue  # `filters` has reported it
            files, total = sum(f for f, _ in read), sum(b for _, b in read)
            if read:
                out.append(QueryReads(query.text, query.weight, files, total, files, total))
        return out
