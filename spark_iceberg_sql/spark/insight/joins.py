"""spj(spark, text): whether the joins of a query are storage-partitioned, found by planning it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.joins import SETTINGS, Join, Verdict
from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.spark.bridge import iceberg_filters, jvm
from spark_iceberg_sql.spark.bridge.join_plans import PlannedJoin, Side, Trial
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.syntax.identifiers import backticked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Shuffling one side is not a storage-partitioned join, but halves the shuffle: tried if nothing else helps.
_ONE_SIDE = SETTINGS[-1][0]


def spj(spark: SparkSession, text: str) -> Verdict:
    """Whether the joins of a query are storage-partitioned; if not, the settings to change and what else is missing.

    The query is planned with each combination of the settings, in a copy of the session, and does not run.

    spark: the session. text: a query. Raises pyspark's exceptions for one that Spark refuses.
    """
    with jvm.quietly():
        return _verdict(Trial(spark), text)


def _verdict(trial: Trial, text: str) -> Verdict:
    now = trial.joins(text, {})
    best, chosen = now, {}
    missing = {key: value for key, value, _ in SETTINGS if trial.value(key) != value}
    if _shuffles(now):
        for settings in _choices(missing):
            found = trial.joins(text, settings)
            if _shuffles(found) < _shuffles(best):
                best, chosen = found, settings
            if not _shuffles(best):
                break
    joins = [
        Join(
            one.condition,
            tuple(_tables(one)),
            one.shuffles,
            then.shuffles,
            one.is_broadcast,
            _why(then) if then.shuffles else None,
        )
        for one, then in zip(now, best, strict=True)
    ]
    return Verdict(tuple(joins), tuple(_set(key, value) for key, value in chosen.items()))


def _set(key: str, value: str) -> str:
    name = backticked(key) if "-" in key else key  # Spark does not accept a bare hyphen
    return f"SET {name} = {value}"


def _shuffles(joins: tuple[PlannedJoin, ...]) -> int:
    return sum(one.shuffles for one in joins)


def _choices(missing: dict[str, str]) -> Iterator[dict[str, str]]:
    """The combinations of settings, the smallest first; those that shuffle one side last."""
    whole = [key for key in missing if key != _ONE_SIDE]
    for one_side in ([], [_ONE_SIDE] if _ONE_SIDE in missing else None):
        if one_side is None:
            return
        for size in range(len(whole) + 1):
            for keys in combinations(whole, size):
                if keys or one_side:
                    yield {key: missing[key] for key in (*keys, *one_side)}


def _tables(one: PlannedJoin) -> Iterator[str]:
    for scan in (*one.left.scans, *one.right.scans):
        table = _table(scan)
        if table is not None:
            yield str(table.name())


def _table(scan: Java) -> Java | None:
    return scan.table() if scan.getClass().getSimpleName() == "BatchScanExec" else None


def _why(one: PlannedJoin) -> str:
    """What is still missing with the best settings: the first condition that does not hold."""
    if not one.left.keys:
        return "the join has no equality between columns"
    for side in (one.left, one.right):
        if len(side.scans) != 1:
            return "one side is more than a scan of one table"
        table = _iceberg(side)
        if table is None:
            return "one side is not an Iceberg table"
        if not side.plain:
            keys = ", ".join(
                f"{key} as {kind}" for key, kind in zip(side.keys, side.types, strict=True)
            )
            return f"{table.name()} is joined on {keys}, not on columns: only columns have known partitions"
    left, right = one.left.scans[0].table(), one.right.scans[0].table()
    for table, other, side in ((left, right, one.left), (right, left, one.right)):
        own = _clauses(table)
        if not own:
            field = next(iter(_matching(other, side)), None)
            advice = f": ALTER TABLE {table.name()} ADD PARTITION FIELD {field}" if field else ""
            return f"{table.name()} is not partitioned{advice}, then rewrite its files"
        kept = iceberg_filters.kept(table, [])
        current = str(table.table().spec().specId())
        old = {} if kept is None else {k: v for k, v in kept["specs"].items() if k != current}
        if old:
            files = sum(count for count, _ in old.values())
            return f"{files:,} files of {table.name()} belong to an earlier spec: rewrite them"
        if not any(source in side.keys for _, source in own):
            return f"{table.name()} is not partitioned by {' or '.join(side.keys)}"
    if sorted(_clauses(left)) == sorted(_clauses(right)) and _clauses(left) != _clauses(right):
        return "the partition fields of the tables are in a different order"
    ours = ", ".join(clause for clause, _ in _clauses(left))
    theirs = ", ".join(clause for clause, _ in _clauses(right))
    return f"Spark does not match the partitionings ({ours}) and ({theirs}) on these keys"


def _iceberg(side: Side) -> Java | None:
    table = _table(side.scans[0])
    named = table is not None and table.getClass().getSimpleName() == "SparkTable"
    return table if named else None


def _clauses(table: Java) -> list[tuple[str, str]]:
    """The current spec's fields: each clause and its source column."""
    found = []
    for text, source, is_current in iceberg_filters.partition_fields(table):
        transform = bound_transform.from_metadata(text)
        if is_current and not transform.is_void:
            found.append((transform.clause(source), source))
    return found


def _matching(other: Java, side: Side) -> Iterator[str]:
    for clause, source in _clauses(other):
        if source in side.keys:
            yield clause
