"""Iceberg's procedures for Spark, `CALL catalog.system.NAME(...)`: one record each.

They are those of the newest Iceberg; tests/spark/test_oracle.py compares them with the runtime's.
"""

from __future__ import annotations

from spark_iceberg_sql.records import record


@record(frozen=True, slots=True)
class Procedure:
    """A procedure. name: in lower case. parameters: their names, in order. creates_table: whether it creates the table
    that its parameter `table` names, or may change its columns and specs.
    """

    name: str
    parameters: tuple[str, ...]
    creates_table: bool = False


_MIN_SIMILARITY = 0.8


def _procedure(name: str, parameters: str, *, creates_table: bool = False) -> Procedure:
    return Procedure(name, tuple(parameters.split()), creates_table)


# The version whose procedures these are.
ICEBERG_VERSION = "1.12"
PROCEDURES = (
    _procedure(
        "add_files", "table source_table partition_filter check_duplicate_files parallelism", creates_table=True
    ),
    _procedure("ancestors_of", "table snapshot_id"),
    _procedure("cherrypick_snapshot", "table snapshot_id"),
    _procedure("compute_partition_stats", "table snapshot_id"),
    _procedure("compute_table_stats", "table snapshot_id columns"),
    _procedure("create_changelog_view", "table changelog_view options compute_updates identifier_columns net_changes"),
    _procedure(
        "expire_snapshots",
        "table older_than retain_last max_concurrent_deletes stream_results snapshot_ids clean_expired_metadata",
    ),
    _procedure("fast_forward", "table branch to"),
    _procedure(
        "migrate", "table properties drop_backup backup_table_name parallelism ignore_missing_files", creates_table=True
    ),
    _procedure("publish_changes", "table wap_id"),
    _procedure("register_table", "table metadata_file", creates_table=True),
    _procedure(
        "remove_orphan_files",
        "table older_than location dry_run max_concurrent_deletes file_list_view equal_schemes "
        "equal_authorities prefix_mismatch_mode prefix_listing stream_results",
    ),
    _procedure("rewrite_data_files", "table strategy sort_order options where branch"),
    _procedure("rewrite_manifests", "table use_caching spec_id sort_by"),
    _procedure("rewrite_position_delete_files", "table options where"),
    _procedure(
        "rewrite_table_path",
        "table source_prefix target_prefix start_version end_version staging_location create_file_list",
    ),
    _procedure("rollback_to_snapshot", "table snapshot_id"),
    _procedure("rollback_to_timestamp", "table timestamp"),
    _procedure("set_current_snapshot", "table snapshot_id ref"),
    _procedure(
        "snapshot", "source_table table location properties parallelism ignore_missing_files", creates_table=True
    ),
)
BY_NAME = {procedure.name: procedure for procedure in PROCEDURES}
# Procedures of the same namespace in Trino and Presto that Iceberg does not have for Spark, and parameters of theirs.
OTHER_ENGINES_PROCEDURES = frozenset(
    {"add_files_from_table", "fast_forward_branch", "set_table_property", "unregister_table"}
)
OTHER_ENGINES_PARAMETERS = frozenset({"schema", "schema_name"})


def similar_procedure(name: str) -> str | None:
    """The procedure with a name similar to one that does not exist; None if there is none. name: in lower case."""
    if name in OTHER_ENGINES_PROCEDURES:
        return None
    from difflib import get_close_matches  # imported only for an error: the command starts sooner

    return next(iter(get_close_matches(name, BY_NAME, 1, _MIN_SIMILARITY)), None)
