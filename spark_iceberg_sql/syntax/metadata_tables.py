"""Iceberg's metadata tables, `db.t.snapshots` and its kin, as Spark names them."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.syntax.identifiers import qualified_name

METADATA_TABLES = frozenset({
    "entries", "files", "data_files", "delete_files", "history", "metadata_log_entries",
    "snapshots", "refs", "manifests", "partitions", "position_deletes", "changes", "all_entries",
    "all_files", "all_data_files", "all_delete_files", "all_manifests",
})  # fmt: skip
_NAMESPACE = "db"  # of a table whose own is unknown


def metadata_table_name(table: Sequence[str], suffix: str) -> str:
    """The name of a metadata table, for people and for statements.

    table: the parts of the table's name, as far as they are known. Spark takes the first of two parts for a namespace,
    wherever the statement stands, so a single part gets one. suffix: such as `snapshots`.
    """
    namespace = (_NAMESPACE,) if len(table) == 1 else ()
    return qualified_name((*namespace, *table, suffix))
