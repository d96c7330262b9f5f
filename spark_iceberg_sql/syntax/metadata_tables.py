"""Iceberg's metadata tables, `db.t.snapshots` and its kin, as Spark names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_iceberg_sql.syntax.identifiers import qualified_name

METADATA_TABLES = frozenset({
    "entries", "files", "data_files", "delete_files", "history", "metadata_log_entries",
    "snapshots", "refs", "manifests", "partitions", "position_deletes", "changes", "all_entries",
    "all_files", "all_data_files", "all_delete_files", "all_manifests",
})  # fmt: skip
_NAMESPACE = "db"  # of a table whose own is unknown


def metadata_table_name(
    table: tuple[str, ...], suffix: str, full_name: Callable[[tuple[str, ...]], Sequence[str]] | None = None
) -> str:
    """The name of a metadata table, for people and for statements.

    Spark takes the first of two parts for a namespace, whichever is the current one, so a single part gets its own.

    table: the parts of the table's name as written. suffix: such as `snapshots`. full_name: the full name of a table,
    as far as it is known.
    """
    parts = full_name(table) if full_name is not None and len(table) == 1 else table
    return qualified_name((*((_NAMESPACE,) if len(parts) == 1 else ()), *parts, suffix))
