"""spj(spark, text): a report on whether the joins of a query are storage-partitioned, by planning it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.spj.model import SETTINGS, Join, JoinReport
from spark_iceberg_sql.insight.spj.spark_issues import SparkIssue, issue_of
from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.spark.bridge.jvm import logs, sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, internal_error, message
from spark_iceberg_sql.spark.bridge.plans import iceberg_filters, read_branches, relations
from spark_iceberg_sql.spark.bridge.plans.expressions import node_class
from spark_iceberg_sql.spark.bridge.plans.join_plans import JoinSide, PlannedJoin, PlannedQuery, SessionCopy
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.syntax.identifiers import backticked, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Shuffling one side is not a storage-partitioned join, but halves the shuffle: tried if nothing else helps.
_ONE_SIDE = SETTINGS[-1][0]
# Types of a key that two tables can be bucketed by.
_BUCKET_TYPES = ("int", "bigint", "decimal", "date", "timestamp", "timestamp_ntz", "string", "binary")


def spj(spark: SparkSession, text: str) -> JoinReport:
    """Whether the joins of a query are storage-partitioned; if not, the settings to change and what else is missing.

    The query is planned with each combination of the settings, in a copy of the session, and does not run.

    spark: the session. text: a query. Raises pyspark's exceptions for one that Spark refuses, and ReadError if a
    table's metadata cannot be read.
    """
    planning = read_errors.reading("the query cannot be planned")
    with planning, sessions.working_in(spark), logs.without_error_logs(), relations.separate_origin():
        return _report(SessionCopy(spark), text)


def _report(trial: SessionCopy, text: str) -> JoinReport:
    planned = trial.planned(text, {})
    issue = _issue(trial, planned, {})
    fault = None if issue is None else f"{_fault(issue)}: SET {issue.setting} = false"
    best = _best(trial, text, planned.joins)
    joins = [
        Join(
            join.condition,
            tuple(_tables(join)),
            join.shuffles,
            best_join.shuffles,
            join.is_broadcast,
            _is_stored(join),
            fault or _why(best_join, best.withheld if shuffles < best_join.shuffles else "", trial.names),
        )
        for join, best_join, shuffles in zip(planned.joins, best.joins, best.withheld_shuffles, strict=True)
    ]
    return JoinReport(tuple(joins), tuple(_set(key, value) for key, value in best.settings.items()))


@dataclass(slots=True)
class _Best:
    """The settings with the fewest shuffles that return the same rows, and the joins of their plan.

    withheld: why settings that shuffle less are not proposed. withheld_shuffles: how many sides of each join these
    shuffle.
    """

    joins: tuple[PlannedJoin, ...]
    settings: Mapping[str, str]
    withheld: str
    withheld_shuffles: tuple[int, ...]


def _best(trial: SessionCopy, text: str, current: tuple[PlannedJoin, ...]) -> _Best:
    best = _Best(current, {}, "", tuple(join.shuffles for join in current))
    if not _shuffles(current):
        return best
    issue = None
    for settings in _choices({key: value for key, value, _ in SETTINGS if trial.value(key) != value}):
        try:
            planned = trial.planned(text, settings)
        except JVM_ERRORS as error:  # due to these settings: the session has just planned the query
            if not best.withheld:  # how many sides the plan would have shuffled is not known
                statements = "; ".join(_set(key, value) for key, value in settings.items())
                best.withheld = f"with {statements}: {internal_error(error) or message(error)}"
                best.withheld_shuffles = (0,) * len(current)
            continue
        if _shuffles(planned.joins) >= _shuffles(best.joins):
            continue
        if (fault := _issue(trial, planned, settings)) is None:
            best.joins, best.settings = planned.joins, settings
            if not _shuffles(best.joins):
                break
        elif issue is None:
            issue = fault
            is_tried = fault.setting in settings  # otherwise the session has it
            best.withheld = f"{_fault(fault)}: " + (
                f"{fault.setting} is not proposed" if is_tried else f"SET {fault.setting} = false first"
            )
            best.withheld_shuffles = tuple(join.shuffles for join in planned.joins)
    return best


def _issue(trial: SessionCopy, planned: PlannedQuery, settings: Mapping[str, str]) -> SparkIssue | None:
    """The fault of Spark that a plan under some settings may have."""
    types = frozenset(type_ for join in planned.joins for type_ in (*join.left.types, *join.right.types))
    return issue_of(trial.value, settings, planned.reuses_partitions, types)


def _fault(issue: SparkIssue) -> str:
    return f"{issue.cost} ({issue.reference})"


def _why(best_join: PlannedJoin, withheld: str, names: Mapping[str, tuple[str, ...]]) -> str | None:
    if _happens(best_join) or best_join.is_broadcast:
        return None
    return withheld or _obstacle(best_join, names)


def _set(key: str, value: str) -> str:
    name = backticked(key) if "-" in key else key  # Spark does not accept a bare hyphen
    return f"SET {name} = {value}"


def _is_stored(join: PlannedJoin) -> bool:
    return bool(join.left.keys) and join.left.is_stored and join.right.is_stored


def _happens(join: PlannedJoin) -> bool:
    return _is_stored(join) and not join.shuffles and not join.is_broadcast


def _shuffles(joins: tuple[PlannedJoin, ...]) -> int:
    return sum(join.shuffles for join in joins)


def _choices(missing: dict[str, str]) -> Iterator[dict[str, str]]:
    """The combinations of settings, the smallest first; those that shuffle one side last."""
    other_keys = [key for key in missing if key != _ONE_SIDE]
    for one_side in ([], [_ONE_SIDE]) if _ONE_SIDE in missing else ([],):
        for size in range(len(other_keys) + 1):
            for keys in combinations(other_keys, size):
                if keys or one_side:
                    yield {key: missing[key] for key in (*keys, *one_side)}


def _tables(join: PlannedJoin) -> Iterator[str]:
    for scan in (*join.left.scans, *join.right.scans):
        table = _table(scan)
        yield str(scan.nodeName()) if table is None else _title(table)


def _title(table: Java) -> str:
    return read_branches.scan_title(table) if node_class(table) == "SparkTable" else str(table.name())


def _table(scan: Java) -> Java | None:
    return scan.table() if node_class(scan) == "BatchScanExec" else None


def _obstacle(join: PlannedJoin, names: Mapping[str, tuple[str, ...]]) -> str:
    """The first condition that does not hold even with the best settings.

    names: the parts of each catalog table's name.
    """
    if not join.left.keys:
        return "the join has no equality between columns"
    if not join.shuffles:
        return "the rows are already colocated: a join below shuffles them, or one task has them all"
    tables = []
    for side in (join.left, join.right):
        if len(side.scans) != 1:
            return "one side is more than a scan of one table"
        table = _iceberg_table(side)
        if table is None:
            return "one side is not an Iceberg table"
        if not side.keys_are_columns:
            keys = ", ".join(f"{key} as {type_}" for key, type_ in zip(side.keys, side.types, strict=True))
            return f"{_title(table)} is joined on {keys}, not on columns: only columns have known partitions"
        tables.append((table, side))
    (left, _), (right, _) = tables
    first, second = tables
    unpartitioned = _unpartitioned_tables(*first, *second, names) | _unpartitioned_tables(*second, *first, names)
    if unpartitioned:
        verb, theirs = ("is", "its") if len(unpartitioned) == 1 else ("are", "their")
        alter_statements = [text for text in unpartitioned.values() if text]
        extent = ", which concerns all branches" if any(map(read_branches.scanned_branch, (left, right))) else ""
        remedy = f": {'; '.join(alter_statements)}{extent}; then rewrite {theirs} files" if alter_statements else ""
        return f"{' and '.join(unpartitioned)} {verb} not partitioned{remedy}"
    for table, side in tables:
        if (reason := _why_not_by_files(table, side)) is not None:
            return reason
    if sorted(_clauses(left)) == sorted(_clauses(right)) and _clauses(left) != _clauses(right):
        return "the partition fields of the tables are in a different order"
    truncated = [clause for clause in _clauses(left) if clause.startswith("truncate(")]
    if truncated and _clauses(left) == _clauses(right):
        return f"Spark has no partitioning by `{truncated[0]}`: it knows columns, buckets and times"
    left_clauses, theirs = (", ".join(_clauses(table)) for table in (left, right))
    return f"Spark does not match the partitionings ({left_clauses}) and ({theirs}) on these keys"


def _why_not_by_files(table: Java, side: JoinSide) -> str | None:
    """The problem with one side's partition fields and files, if there is one."""
    name = _title(table)
    kept_files = iceberg_filters.kept_files(table, [])
    if kept_files is None or not kept_files.files:
        return f"{name} has no data files, and Iceberg reports only partitions that files have"
    current = str(table.table().spec().specId())
    old_files = sum(total.files for spec, total in kept_files.specs.items() if spec != current)
    if old_files:
        return f"{old_files:,} files of {name} belong to an earlier spec: rewrite them"
    if not any(source in side.keys for _, source in _fields(table)):
        return f"{name} is not partitioned by {' or '.join(side.keys)}"
    scan_metrics = iceberg_filters.planning_metrics(side.scans[0].scan())
    if scan_metrics is not None and not scan_metrics["resultDataFiles"]:
        return f"no file of {name} is read, and Iceberg reports only partitions that files have"
    return None


def _unpartitioned_tables(
    table: Java, side: JoinSide, other_table: Java, other_side: JoinSide, catalog_names: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """A table that is not partitioned, with the statement that partitions it like the other one, if there is one."""
    if _fields(table):
        return {}
    names = dict(zip(other_side.keys, map(quoted, side.keys), strict=True))
    fields = [transform.clause(names[source]) for transform, source in _fields(other_table) if source in names]
    if not _fields(other_table):  # neither is
        bucketable = (i for i, type_ in enumerate(side.types) if type_.partition("(")[0] in _BUCKET_TYPES)
        fields = [f"bucket(16, {quoted(side.keys[i])})" for i in bucketable]
    name = str(table.name())
    alter = ""
    if fields and name in catalog_names:  # a table by path has no name
        alter = f"ALTER TABLE {'.'.join(map(quoted, catalog_names[name]))} ADD PARTITION FIELD {fields[0]}"
    return {_title(table): alter}


def _iceberg_table(side: JoinSide) -> Java | None:
    table = _table(side.scans[0])
    if table is not None and node_class(table) == "RowLevelOperationTable":
        table = table.table()
    return table if table is not None and node_class(table) == "SparkTable" else None


def _fields(table: Java) -> list[tuple[BoundTransform, str]]:
    """The current spec's fields: each transform and its source column."""
    return [
        (transform, source)
        for text, source, is_current in iceberg_filters.partition_fields(table)
        if is_current and not (transform := bound_transform.from_metadata(text)).is_void
    ]


def _clauses(table: Java) -> list[str]:
    return [transform.clause(source) for transform, source in _fields(table)]
