"""What the joins and groups of a workload shuffle, and the buckets with which tables that are joined need no shuffle.

The rule `colocate` says what it would move. All advice on one workload takes the same number of buckets for tables that
are joined, since it follows from the rows of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.costs.moves import NONE, Fields, Move, Way
from spark_iceberg_sql.insight.advise.costs.spark_workload_costs import SpecFields
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import candidate_fields
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.spark.bridge.jvm import logs
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ShuffleRow, ShuffleSideRow
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, query_plans, shuffles
from spark_iceberg_sql.spark.bridge.plans.hypothetical_plans import ScanRead
from spark_iceberg_sql.syntax.identifiers import qualified_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITION_BYTES = 256 << 20  # of all tables, in one task: half of what the rule accepts
_TASKS_PER_CORE = 2  # so that the cores are about equally busy
_MAX_BUCKETS = 4096

Column = tuple[str, str]  # a table's name and the path of its column


@dataclass(frozen=True, slots=True)
class JoinKey:
    """Columns that are joined with each other, or grouped by.

    count: of the buckets that all of them get. rows: the operators that compare them.
    """

    columns: frozenset[Column]
    count: int
    rows: tuple[ShuffleRow, ...]

    def field(self, path: str) -> str:
        """The partition field over a column."""
        return f"bucket({self.count}, {qualified_name(path.split('.'))})"

    @property
    def bytes(self) -> int:
        """Of the largest operator."""
        return max(row.bytes for row in self.rows)

    @property
    def fields(self) -> dict[str, Fields]:
        """The partition fields, by table."""
        tables = {table for table, _ in self.columns}
        return {name: frozenset(self.field(path) for table, path in self.columns if table == name) for name in tables}

    def way(self, row: ShuffleRow) -> Way | None:
        """By which an operator does not shuffle if all columns have these buckets; None if it has other keys."""
        for paths in zip(*(side.columns for side in row.sides), strict=False):
            columns = [(side.table, path) for side, path in zip(row.sides, paths, strict=True)]
            if self.columns.issuperset(columns):
                return tuple((table, frozenset({self.field(path)})) for table, path in columns)
        return None


class WorkloadShuffles:
    """What a workload shuffles with today's specs.

    reads_rows: whether the values of columns are counted. keys: the columns with the buckets for which it would not.
    reads: of each query that could be planned, by its text, what its scans read with all rules. tables: the uuids
    of the tables that such a query refers to. join_keys: of small tables, that the searches for tables have read.
    """

    def __init__(self, spark: SparkSession, queries: Iterable[Query], *, reads_rows: bool = True) -> None:
        self.reads: dict[str, list[ScanRead]] = {}
        self.tables: dict[str, frozenset[str]] = {}
        self.join_keys = hypothetical_plans.no_keys()
        rows = list(self._rows(spark, queries))
        if reads_rows:
            rows = list(_without_few_groups(spark, rows))
        cores = max(1, int(spark.sparkContext.defaultParallelism))
        self.keys: list[JoinKey] = []
        for columns in _components([row for _, row in rows]):
            joined = tuple(row for _, row in rows if any(c in columns for s in row.sides for c in _columns(s)))
            if count := _bucket_count(joined, columns, cores):
                self.keys.append(JoinKey(frozenset(columns), count, joined))
        self.moves = [
            Move(query, row.bytes, ways, row.fields is None) for query, row in rows if (ways := self._ways(row))
        ]
        self.today: dict[str, Fields] = {}
        for side in (side for _, row in rows for side in row.sides):
            self.today[side.table] = self.today.get(side.table, NONE) | frozenset(side.fields)

    def _rows(self, spark: SparkSession, queries: Iterable[Query]) -> Iterator[tuple[Query, ShuffleRow]]:
        """What each query does with its tables today, without what is broadcast or too small to matter."""
        queries = list(queries)
        spark_progress.begin_step("what queries shuffle")
        for number, query in enumerate(queries, 1):
            spark_progress.count(number, len(queries))
            if query.write_keyword is not None:
                continue
            with suppress(*JVM_ERRORS, IcebergSqlError):  # the search reports it
                plans = query_plans.plan_statement(spark, query.text)
                optimized = plans.optimized
                self.tables[query.text] = hypothetical_plans.tables_read(plans.analyzed)
                if (reads := hypothetical_plans.scan_reads(optimized)) is not None:
                    self.reads[query.text] = reads
                for row in shuffles.decisions(optimized) or ():
                    is_whole = row.operator != "join" or len(row.sides) > 1
                    if is_whole and not row.is_broadcast and row.bytes >= shuffles.SMALL:
                        yield query, row

    def _ways(self, row: ShuffleRow) -> tuple[Way, ...]:
        ways = [way for key in self.keys if (way := key.way(row)) is not None]
        if row.fields is not None:
            ways.append(tuple((side.table, frozenset(side.fields)) for side in row.sides))
        return tuple(ways)


class ShuffleCosts:
    """What a workload shuffles under the specs of one table.

    fields: the buckets with which it shuffles less. others: the partition fields of the other tables, by name; None for
    those that save most.
    """

    def __init__(self, workload: WorkloadShuffles | None, source: Source) -> None:
        self._source = source
        self._name = qualified_name(source.table) if source.table is not None else ""
        self.others: Mapping[str, Fields] | None = None
        self._keys = [key for key in workload.keys if self._name in key.fields] if workload is not None else []
        self._moves = [move for move in (workload.moves if workload is not None else ()) if self._name in move.tables]
        self.fields = tuple({field.key: field for key in self._keys for field in self._buckets(key)}.values())

    def total_bytes(self, spec: SpecFields) -> int:
        """The bytes that the workload shuffles of the table and what is joined with it, each query by its weight."""
        fields = frozenset(map(as_sql, spec))
        return round(sum(move.total_bytes for move in self._moves if not self._is_saved(move, fields)))

    def _is_saved(self, move: Move, fields: Fields) -> bool:
        if self.others is not None:
            return move.way({**self.others, self._name: fields}) is not None
        return any(all(one_of & fields for table, one_of in way if table == self._name) for way in move.ways)

    def notes(self, spec: SpecFields) -> Iterator[str]:
        """What else is to do, so that a spec saves its shuffles: the same buckets in the tables that are joined."""
        for field in map(as_sql, spec) if self.others is None else ():
            moves = [m for m in self._moves if any(field in one_of for way in m.ways for _, one_of in way)]
            saved = sum(move.total_bytes for move in moves if move.is_today)
            if not saved:
                continue  # with the numbers of buckets that the tables have
            for key in (key for key in self._keys if field in key.fields[self._name]):
                for table, statement in _statements(key, self._name).items():
                    yield (
                        f"`{table}` needs the same buckets, so that {size(round(saved))} are not shuffled: "
                        f"{statement}; then rewrite its files"
                    )

    def _buckets(self, key: JoinKey) -> Iterator[PartitionField]:
        for table, path in sorted(key.columns):
            column = self._source.schema.find(path.split(".")) if table == self._name else None
            if column is not None and column.field.field_id is not None:
                for field in candidate_fields(self._source.schema, column.field.field_id, max_buckets=_MAX_BUCKETS):
                    if field.transform.transform.hashes and field.transform.parameter == key.count:
                        yield field


def as_sql(field: PartitionField) -> str:
    """A partition field as a row of the rule `colocate` has it."""
    return field.transform.clause(qualified_name(field.source.split(".")))


def _without_few_groups(
    spark: SparkSession, rows: Sequence[tuple[Query, ShuffleRow]]
) -> Iterator[tuple[Query, ShuffleRow]]:
    """The rows without groups of so few values that hardly anything is shuffled: a task sends a row of each value."""
    grouped: dict[str, set[str]] = {}
    for row in (row for _, row in rows if _is_by_columns(row)):
        grouped.setdefault(row.sides[0].table, set()).update(row.sides[0].columns)
    counts = {table: _counts(spark, table, sorted(paths)) for table, paths in grouped.items()}
    tasks = _TASKS_PER_CORE * max(1, int(spark.sparkContext.defaultParallelism))
    for query, row in rows:
        counted = counts[row.sides[0].table] if _is_by_columns(row) else {}
        share = 1.0
        if counted:
            share = tasks * math.prod(counted[path] for path in row.sides[0].columns) / max(1, counted[""])
        if share * row.bytes >= shuffles.SMALL:
            yield query, row


def _is_by_columns(row: ShuffleRow) -> bool:
    """True for groups by columns of one table."""
    return row.operator == "group" and len(row.sides) == 1 and all(row.sides[0].columns)


def _counts(spark: SparkSession, table: str, paths: Sequence[str]) -> dict[str, int]:
    """How many values columns have, about, and at an empty path the table's rows; empty if it has no such name."""
    values = [fn.approx_count_distinct(fn.col(qualified_name(path.split(".")))) for path in paths]
    with suppress(PySparkException), logs.without_error_logs():
        row = spark.table(table).agg(fn.count(fn.lit(1)), *values).first()
        assert row is not None
        return dict(zip(("", *paths), row, strict=True))
    return {}


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


def _statements(key: JoinKey, name: str) -> dict[str, str]:
    """By another table than the named one that lacks a key's buckets: the statement with which it gets them."""
    fields = {side.table: side.fields for row in key.rows for side in row.sides if side.table != name}
    statements: dict[str, str] = {}
    for table, path in sorted(key.columns):
        if table not in fields or key.field(path) in fields[table]:
            continue
        old = [field for field in fields[table] if field.startswith("bucket(")]
        change = f"REPLACE PARTITION FIELD {old[0]} WITH" if old else "ADD PARTITION FIELD"
        statements[table] = f"ALTER TABLE {table} {change} {key.field(path)}"
    return statements
