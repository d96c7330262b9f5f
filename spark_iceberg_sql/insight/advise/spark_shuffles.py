"""What the joins and groups of a workload shuffle, and the buckets with which tables that are joined need no shuffle.

The rule `colocate` says what it would move. All advice on one workload takes the same number of buckets for tables that
are joined, since it follows from the rows of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise.candidate_fields import candidate_fields
from spark_iceberg_sql.insight.advise.model import SHUFFLE_COST
from spark_iceberg_sql.insight.advise.spark_workload_costs import SpecFields
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ShuffleRow, ShuffleSideRow
from spark_iceberg_sql.spark.bridge.plans import query_plans, shuffles
from spark_iceberg_sql.syntax.identifiers import qualified_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITION_BYTES = 256 << 20  # of all tables, in one task: half of what the rule accepts
_TASKS_PER_CORE = 2  # so that the cores are about equally busy
_MAX_BUCKETS = 4096

Column = tuple[str, str]  # a table's name and the path of its column


@dataclass(frozen=True, slots=True)
class _Move:
    """What an operator of a query shuffles. kept: the keys of the fields, with one of which it does not.

    is_today: whether it shuffles with today's specs of all tables.
    """

    query: Query
    bytes: int
    kept: frozenset[tuple[int, str]]
    is_today: bool


class ShuffleCosts:
    """What a workload shuffles under the specs of one table.

    fields: the buckets with which it shuffles less.
    """

    def __init__(self, spark: SparkSession, source: Source, queries: Sequence[Query], today: SpecFields) -> None:
        self._source = source
        self._name = qualified_name(source.table) if source.table is not None else ""
        self._statements: dict[tuple[int, str], dict[str, str]] = {}
        fields: dict[tuple[int, str], PartitionField] = {}
        rows = list(_rows(spark, queries)) if self._name else []
        cores = max(1, int(spark.sparkContext.defaultParallelism)) if rows else 1
        for columns in _components([row for _, row in rows]):
            joined = [row for _, row in rows if any(column in columns for s in row.sides for column in _columns(s))]
            count = _bucket_count(joined, columns, cores)
            for field in self._buckets(columns, count) if count else ():
                fields[field.key] = field
                self._statements[field.key] = _statements(joined, columns, count, self._name)
        self.fields = tuple(fields.values())
        self._moves = [
            _Move(query, row.bytes, frozenset(kept), row.fields is None)
            for query, row in rows
            if (kept := self._kept(row, self.fields) | (self._kept(row, today) if row.fields is not None else set()))
        ]

    def _kept(self, row: ShuffleRow, fields: Iterable[PartitionField]) -> set[tuple[int, str]]:
        """The keys of those fields that are over a key of a row."""
        paths = {path for side in row.sides if side.table == self._name for path in side.columns}
        return {field.key for field in fields if field.source in paths}

    def cost(self, text: str, spec: SpecFields) -> int:
        """The cost of the shuffles of a query under a spec, in bytes. text: the query's."""
        return SHUFFLE_COST * sum(move.bytes for move in self._moves if move.query.text == text and _moves(move, spec))

    def total_bytes(self, spec: SpecFields) -> int:
        """The bytes that the workload shuffles of the table and what is joined with it, each query by its weight."""
        return round(sum(move.query.weight * move.bytes for move in self._moves if _moves(move, spec)))

    def notes(self, spec: SpecFields) -> Iterator[str]:
        """What else is to do, so that a spec saves its shuffles: the same buckets in the tables that are joined."""
        for field in spec:
            saved = sum(m.query.weight * m.bytes for m in self._moves if m.is_today and field.key in m.kept)
            if not saved:
                continue  # with the numbers of buckets that the tables have
            for table, statement in self._statements.get(field.key, {}).items():
                yield (
                    f"`{table}` needs the same buckets, so that {size(round(saved))} are not shuffled: {statement}; "
                    "then rewrite its files"
                )

    def _buckets(self, columns: Iterable[Column], count: int) -> Iterator[PartitionField]:
        for table, path in columns:
            column = self._source.schema.find(path.split(".")) if table == self._name else None
            if column is not None and column.field.field_id is not None:
                for field in candidate_fields(self._source.schema, column.field.field_id, max_buckets=_MAX_BUCKETS):
                    if field.transform.transform.hashes and field.transform.parameter == count:
                        yield field


def _moves(move: _Move, spec: SpecFields) -> bool:
    return not any(field.key in move.kept for field in spec)


def _rows(spark: SparkSession, queries: Iterable[Query]) -> Iterator[tuple[Query, ShuffleRow]]:
    """What each query does with its tables today, without what is broadcast or too small to matter."""
    for query in queries:
        if query.write_keyword is not None:
            continue
        with suppress(*JVM_ERRORS, IcebergSqlError):  # the search reports it
            for row in shuffles.decisions(query_plans.plan_statement(spark, query.text).optimized) or ():
                is_whole = row.operator != "join" or len(row.sides) > 1
                if is_whole and not row.is_broadcast and row.bytes >= shuffles.SMALL:
                    yield query, row


def _columns(side: ShuffleSideRow) -> list[Column]:
    return [(side.table, path) for path in side.columns if path]


def _components(rows: Iterable[ShuffleRow]) -> list[set[Column]]:
    """The columns that are joined with each other, or grouped by."""
    components: list[set[Column]] = []
    for row in rows:
        for paths in zip(*(side.columns for side in row.sides), strict=False):
            if all(paths):
                columns = {(side.table, path) for side, path in zip(row.sides, paths, strict=True)}
                apart = [c for c in components if not c & columns]
                components = [*apart, columns.union(*(c for c in components if c & columns))]
    return components


def _bucket_count(rows: Sequence[ShuffleRow], columns: Iterable[Column], cores: int) -> int:
    """The buckets that one of the tables has; else by the bytes and the cores. 0 if they would be too small."""
    sides = sorted((side for row in rows for side in row.sides), key=lambda side: (-side.bytes, side.table))
    for side in sides:
        for table, path in columns:
            for field in side.fields:
                if table == side.table and field.startswith("bucket(") and field.endswith(f", {path})"):
                    return int(field[len("bucket(") :].partition(",")[0])
    total = max((row.bytes for row in rows), default=0)
    count = 1
    while count < _MAX_BUCKETS and (count < _TASKS_PER_CORE * cores or total / count > _PARTITION_BYTES):
        count *= 2
    return count if total / count >= shuffles.SMALL else 0


def _statements(rows: Iterable[ShuffleRow], columns: Iterable[Column], count: int, name: str) -> dict[str, str]:
    """By another table that lacks the buckets: the statement with which it gets them."""
    fields = {side.table: side.fields for row in rows for side in row.sides if side.table != name}
    statements: dict[str, str] = {}
    for table, path in sorted(columns):
        clause = f"bucket({count}, {qualified_name(path.split('.'))})"
        if table not in fields or clause in fields[table]:
            continue
        old = [field for field in fields[table] if field.startswith("bucket(")]
        change = f"REPLACE PARTITION FIELD {old[0]} WITH" if old else "ADD PARTITION FIELD"
        statements[table] = f"ALTER TABLE {table} {change} {clause}"
    return statements
