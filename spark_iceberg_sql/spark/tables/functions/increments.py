"""The changes between two snapshots: the appended rows, or all changes.

The plans are those of Iceberg's incremental reads and of its `changes` table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.functions.unsupported_columns import refuse_without_type
from spark_iceberg_sql.syntax.identifiers import backticked

_BOUNDS = {"start_snapshot_id": "start-snapshot-id", "end_snapshot_id": "end-snapshot-id"}
ARGUMENTS = (*_BOUNDS, "changes")


def is_requested(values: Mapping[str, Value]) -> bool:
    """True if a call asks for the changes between two snapshots."""
    return any(values.get(name) not in (None, False) for name in ARGUMENTS)


def plan(function: str, table: Java, values: Mapping[str, Value], travel_arguments: tuple[str, ...]) -> Java:
    """The leaf of the plan that reads the changes. travel_arguments: those of time travel. Raises Refusal."""
    argument = next(name for name in ARGUMENTS if values.get(name) not in (None, False))
    for name in travel_arguments:
        if values.get(name) is not None:
            raise invalid(function, name, f"`{name}` and `{argument}` cannot be combined; leave one out")
    changes = bool(values.get("changes"))
    bounds = {name: int(str(values[name])) for name in _BOUNDS if values.get(name) is not None}
    for name, snapshot in bounds.items():
        if table.snapshot(snapshot) is None:
            raise invalid(function, name, f"there is no snapshot {snapshot}")
    refuse_without_type(function, argument, relations.spark_table(table))
    start, end = (bounds.get(name) for name in _BOUNDS)
    if start is None and not changes:
        message = "without `start_snapshot_id` the range covers the whole table; write snapshot_id, or add the start"
        raise invalid(function, "end_snapshot_id", message)
    if start is None and end is not None and not shims.CHANGES_UP_TO:
        message = "before Spark 4.1 changes need `start_snapshot_id` with it; leave it out, or add the start"
        raise invalid(function, "end_snapshot_id", message)
    current = table.currentSnapshot()
    last = end if end is not None else (None if current is None else current.snapshotId())
    _refuse_other_branch(function, table, start, last)
    if start is not None and start == last:  # no changes: Iceberg refuses this
        rows = relations.data_frame(relations.relation(_source(table, changes=changes)))
        return rows.limit(0).queryExecution().analyzed()
    options = {_BOUNDS[name]: str(snapshot) for name, snapshot in bounds.items()}
    if not changes:
        return relations.relation(_source(table, changes=False), options)
    for snapshot in _between(table, start, last):
        if str(snapshot.summary().get("total-delete-files") or "0") != "0":
            message = (
                f"snapshot {snapshot.snapshotId()} has delete files, for which Iceberg cannot compute changes; the "
                f"inserted rows are SELECT * FROM {function}(..., snapshot_id => {last}) EXCEPT ALL SELECT * "
                f"FROM {function}(..., snapshot_id => {'FIRST' if start is None else start}); swap the two for the "
                "deleted rows"
            )
            raise invalid(function, "changes", message)
    # Before Spark 4.1, Iceberg cannot build the scan of changes of which it has taken a count over.
    options["aggregate-push-down-enabled"] = "false"
    return _with_computed_columns(relations.relation(_source(table, changes=True), options))


def _source(table: Java, *, changes: bool) -> Java:
    """Spark's table over the rows, or over the changes."""
    return relations.changelog_table(table) if changes else relations.spark_table(table)


# Each is computed from all three: Iceberg's reader fills them by position, and fails if a query needs only one of
# them. This also keeps filters on them from being pushed down, where Iceberg would not find them among the columns.
_ALL_THREE = "split(concat_ws(' ', _change_type, _change_ordinal, _commit_snapshot_id), ' ')"
_COMPUTED_COLUMNS = {
    "_change_type": f"{_ALL_THREE}[0]",
    "_change_ordinal": f"CAST({_ALL_THREE}[1] AS INT)",
    "_commit_snapshot_id": f"CAST({_ALL_THREE}[2] AS BIGINT)",
}


def _with_computed_columns(leaf: Java) -> Java:
    names = relations.column_names(leaf)
    columns = [f"{_COMPUTED_COLUMNS[n]} AS {n}" if n in _COMPUTED_COLUMNS else backticked(n) for n in names]
    return table_metadata.projection(relations.data_frame(leaf), *columns)


def _refuse_other_branch(function: str, table: Java, start: int | None, last: int | None) -> None:
    if start is None or last is None or start == last:
        return
    if not java_class("org.apache.iceberg.util.SnapshotUtil").isAncestorOf(table, last, start):
        raise invalid(function, "start_snapshot_id", f"snapshot {start} is not an ancestor of snapshot {last}")


def _between(table: Java, start: int | None, last: int | None) -> Iterator[Java]:
    """The snapshots after one, up to another, newest first; without those that only rewrite files."""
    newest = None if last is None else table.snapshot(last)
    ancestors = table_metadata.ancestors(table, newest, start)
    return (snapshot for snapshot in ancestors if str(snapshot.operation()) != "replace")
