"""spj(spark, text): a report on whether the joins of a query are storage-partitioned, by planning it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from spark_iceberg_sql.insight.joins import SETTINGS, Join, Verdict
from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.spark.bridge import iceberg_filters, jvm, relations
from spark_iceberg_sql.spark.bridge.expressions import kind
from spark_iceberg_sql.spark.bridge.join_plans import PlannedJoin, Side, Trial
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.syntax.identifiers import backticked, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Shuffling one side is not a storage-partitioned join, but halves the shuffle: tried if nothing else helps.
_ONE_SIDE = SETTINGS[-1][0]
# Types of a key that two tables can be bucketed by.
_BUCKETED = ("int", "bigint", "decimal", "date", "timestamp", "timestamp_ntz", "string", "binary")


def spj(spark: SparkSession, text: str) -> Verdict:
    """Whether the joins of a query are storage-partitioned; if not, the settings to change and what else is missing.

    The query is planned with each combination of the settings, in a copy of the session, and does not run.

    spark: the session. text: a query. Raises pyspark's exceptions for one that Spark refuses, and ReadError if a
    table's metadata cannot be read.
    """
    with (
        read_errors.reading("the query cannot be planned"),
        jvm.quietly(),
        relations.own_positions(),
    ):
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
            _is_stored(one),
            None if _happens(then) or then.is_broadcast else _why(then, trial.names),
        )
        for one, then in zip(now, best, strict=True)
    ]
    return Verdict(tuple(joins), tuple(_set(key, value) for key, value in chosen.items()))


def _set(key: str, value: str) -> str:
    name = backticked(key) if "-" in key else key  # Spark does not accept a bare hyphen
    return f"SET {name} = {value}"


def _is_stored(one: PlannedJoin) -> bool:
    return bool(one.left.keys) and one.left.is_stored and one.right.is_stored


def _happens(one: PlannedJoin) -> bool:
    return _is_stored(one) and not one.shuffles and not one.is_broadcast


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
        yield str(scan.nodeName() if table is None else table.name())


def _table(scan: Java) -> Java | None:
    return scan.table() if kind(scan) == "BatchScanExec" else None


def _why(one: PlannedJoin, names: Mapping[str, tuple[str, ...]]) -> str:
    """The first condition that does not hold even with the best settings.

    names: the parts of each catalog table's name.
    """
    if not one.left.keys:
        return "the join has no equality between columns"
    if not one.shuffles:
        return (
            "the rows are already colocated: a join below shuffles them, or one task has them all"
        )
    tables = []
    for side in (one.left, one.right):
        if len(side.scans) != 1:
            return "one side is more than a scan of one table"
        table = _iceberg(side)
        if table is None:
            return "one side is not an Iceberg table"
        if not side.plain:
            keys = ", ".join(
                f"{key} as {type_}" for key, type_ in zip(side.keys, side.types, strict=True)
            )
            return f"{table.name()} is joined on {keys}, not on columns: only columns have known partitions"
        tables.append((table, side))
    (left, _), (right, _) = tables
    first, second = tables
    bare = _not_partitioned(*first, *second, names) | _not_partitioned(*second, *first, names)
    if bare:
        verb, theirs = ("is", "its") if len(bare) == 1 else ("are", "their")
        advice = [text for text in bare.values() if text]
        words = f": {'; '.join(advice)}; then rewrite {theirs} files" if advice else ""
        return f"{' and '.join(bare)} {verb} not partitioned{words}"
    for table, side in tables:
        why = _why_not_by_files(table, side)
        if why is not None:
            return why
    if sorted(_clauses(left)) == sorted(_clauses(right)) and _clauses(left) != _clauses(right):
        return "the partition fields of the tables are in a different order"
    ours, theirs = (", ".join(_clauses(table)) for table in (left, right))
    return f"Spark does not match the partitionings ({ours}) and ({theirs}) on these keys"


def _why_not_by_files(table: Java, side: Side) -> str | None:
    """The problem with one side's partition fields and files, if there is one."""
    name = table.name()
    kept = iceberg_filters.kept(table, [])
    if kept is None or not kept.files:
        return f"{name} has no data files, and Iceberg reports only partitions that files have"
    current = str(table.table().spec().specId())
    old = sum(total.files for spec, total in kept.specs.items() if spec != current)
    if old:
        return f"{old:,} files of {name} belong to an earlier spec: rewrite them"
    if not any(source in side.keys for _, source in _fields(table)):
        return f"{name} is not partitioned by {' or '.join(side.keys)}"
    read = iceberg_filters.scanned(side.scans[0].scan())
    if read is not None and not read["resultDataFiles"]:
        return f"no file of {name} is read, and Iceberg reports only partitions that files have"
    return None


def _not_partitioned(
    table: Java, side: Side, other: Java, others: Side, known: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """A table that is not partitioned, with the statement that partitions it like the other one, if there is one."""
    if _fields(table):
        return {}
    names = dict(zip(others.keys, map(quoted, side.keys), strict=True))
    fields = [made.clause(names[source]) for made, source in _fields(other) if source in names]
    if not _fields(other):  # neither is
        plain = (i for i, type_ in enumerate(side.types) if type_.partition("(")[0] in _BUCKETED)
        fields = [f"bucket(16, {quoted(side.keys[i])})" for i in plain]
    name = str(table.name())
    alter = ""
    if fields and name in known:  # a table by path has no name
        alter = f"ALTER TABLE {'.'.join(map(quoted, known[name]))} ADD PARTITION FIELD {fields[0]}"
    return {name: alter}


def _iceberg(side: Side) -> Java | None:
    table = _table(side.scans[0])
    if table is not None and kind(table) == "RowLevelOperationTable":
        table = table.table()
    named = table is not None and kind(table) == "SparkTable"
    return table if named else None


def _fields(table: Java) -> list[tuple[BoundTransform, str]]:
    """The current spec's fields: each transform and its source column."""
    found = []
    for text, source, is_current in iceberg_filters.partition_fields(table):
        transform = bound_transform.from_metadata(text)
        if is_current and not transform.is_void:
            found.append((transform, source))
    return found


def _clauses(table: Java) -> list[str]:
    return [transform.clause(source) for transform, source in _fields(table)]
