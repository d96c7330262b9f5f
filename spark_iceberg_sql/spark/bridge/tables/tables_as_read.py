"""A table as the session reads it: with a branch, its snapshot is the current one."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.plans import read_branches, relations

_MAIN = "main"


@dataclass(frozen=True)
class TableAsRead:
    """A table as the session reads it.

    table: Iceberg's, whose current snapshot is the one that is read. branch: its name; empty for main.
    """

    table: Java
    branch: str = ""

    @property
    def read_snapshot(self) -> int | None:
        """The snapshot of a branch, for the metadata tables, which are main's otherwise; None for main."""
        return int(self.table.currentSnapshot().snapshotId()) if self.branch else None


def as_read(table: Java, *, is_named: bool = True) -> TableAsRead:
    """A table as the active session reads it.

    table: Iceberg's; it stays as it is. is_named: whether it is read by a name in a catalog, and not by its path.
    """
    branch = read_branches.read_branch(table, is_named=is_named)
    if not branch:
        return TableAsRead(table)
    metadata = table.operations().current()
    main = java_class("org.apache.iceberg.SnapshotRef").branchBuilder(metadata.ref(branch).snapshotId()).build()
    builder = java_class("org.apache.iceberg.TableMetadata").buildFrom(metadata)
    # It has no metadata file, so nothing that is remembered by the file's name is mistaken for main's.
    as_main = builder.setRef(_MAIN, main).discardChanges().build()
    return TableAsRead(relations.base_table(relations.operations(as_main, table.io()), str(table.name())), branch)


def metadata_table(name: str, snapshot: int | None) -> str:
    """A metadata table in SQL. name: such as `t.files`. snapshot: None for main's current one."""
    return name if snapshot is None else f"{name} VERSION AS OF {snapshot}"
