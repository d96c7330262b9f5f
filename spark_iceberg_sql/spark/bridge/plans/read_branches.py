"""The branch and the snapshot that the session reads of a table: decided here, for every view and every count.

A branch in the table's name comes first, then the one that `spark.wap.branch` names, if the table allows it
(`write.wap.enabled`) and has it, then main. Iceberg's metadata tables, `t.files`, know nothing of the setting.
"""

from __future__ import annotations

from spark_iceberg_sql.spark.bridge.jvm import configuration, gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.syntax.identifiers import quoted

_MAIN = "main"
_WAP = "write.wap.enabled"  # write, audit, publish: a setting of the session names the branch
_WAP_BRANCH = "spark.wap.branch"
_METADATA_TABLE = "org.apache.iceberg.BaseMetadataTable"
# How the last part of a name chooses a snapshot of the table that the parts before it name.
_SELECTORS = ("branch_", "tag_", "snapshot_id_", "at_timestamp_")


def read_branch(table: Java, *, is_named: bool = True) -> str:
    """The branch that the active session reads of a table, if nothing in the query chooses one; empty for main.

    table: Iceberg's. is_named: false for a table that is read by its path, of which Iceberg reads main since Spark 4.1.
    """
    if not is_named and shims.TABLES_KNOW_SNAPSHOTS:
        return ""
    branch = _wap_branch(table)
    # Iceberg reads main until the first write creates the branch.
    return branch if branch and bool(table.refs().containsKey(branch)) else ""


def written_branch(table: Java) -> str:
    """The branch that the active session writes to; empty for main. table: Spark's, as a command names it."""
    branch = table.branch()
    return _other_than_main(_wap_branch(table.table()) if branch is None else str(branch))


def scanned_branch(table: Java) -> str:
    """The branch that a scan reads; empty for main, and for a snapshot or a tag. table: Spark's, of the scan."""
    branch = table.branch()
    if branch is not None:
        return _other_than_main(str(branch))
    return _implied_branch(table)


def snapshot_id(table: Java) -> int | None:
    """The snapshot that Spark's table reads; None if it has none."""
    number = table.snapshotId()
    if number is None and not shims.TABLES_KNOW_SNAPSHOTS:
        iceberg_table = table.table()
        branch = table.branch() or _implied_branch(table)
        snapshot = iceberg_table.snapshot(str(branch)) if branch else iceberg_table.currentSnapshot()
        number = None if snapshot is None else snapshot.snapshotId()
    return None if number is None else int(number)


def read_options(table: Java) -> dict[str, str]:
    """Options that make relations differ after a commit, so that CACHE TABLE is not used; since 4.1 they do."""
    if shims.TABLES_KNOW_SNAPSHOTS or shims.is_changelog(table):  # equal to itself only
        return {}
    return {"read-state": f"{snapshot_id(table)} {table.table().schema().schemaId()}"}


def is_selection(table: Java, last_part: str) -> bool:
    """True if the last part of a name chooses a branch, a tag or a snapshot of an Iceberg table, and is not the table's
    own name.
    """
    return last_part.startswith(_SELECTORS) and str(table.name()).rpartition(".")[2] != last_part


def title(name: str, branch: str) -> str:
    """A table's name as a view shows it, with the branch that was read; the name alone for main."""
    return f"{name} (branch {quoted(branch)})" if branch else name


def scan_title(table: Java) -> str:
    """The name of Spark's table of a scan, with its branch."""
    return title(str(table.name()), scanned_branch(table))


def _implied_branch(table: Java) -> str:
    """The branch that a relation reads without having it: before Spark 4.1, Iceberg asks the session for each scan."""
    if shims.TABLES_KNOW_SNAPSHOTS or table.snapshotId() is not None:
        return ""
    is_metadata_table = gateway.java_class(_METADATA_TABLE)._java_lang_class.isInstance(table.table())
    return "" if is_metadata_table else read_branch(table.table())


def _wap_branch(table: Java) -> str:
    """The branch that the session's setting names, if the table allows it."""
    if str(table.properties().get(_WAP)).lower() != "true":
        return ""
    return _other_than_main(configuration.setting(_WAP_BRANCH))


def _other_than_main(branch: str) -> str:
    return "" if branch == _MAIN else branch
