"""docs/guide/clickhouse-scenarios.md: what it calls the same is run by a test."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent / "spark"
PAGE = TESTS.parents[1] / "docs" / "guide" / "clickhouse-scenarios.md"
_ROW = re.compile(r"^\| (?P<names>`.+?`) \| (?P<verdict>same|other|not) \| (?P<text>.*?) ?\|$", re.MULTILINE)
OWN = "clickhouse_scenarios"
# A test of another file, or of another name than ClickHouse's, by ClickHouse's names.
HELD_BY = {
    "relations::test_our_functions_prune": "test_bucket_partition_pruning",
    "relations::test_partitions_are_pruned": "test_partition_pruning",
    "relations::test_predicates_columns_and_counts_are_pushed": "test_minmax_pruning",
    "relations::test_a_call": "test_single_iceberg_file test_multiple_iceberg_file",
    "relations::test_the_cache_saves_reads_and_can_be_switched_off": "test_metadata_cache",
    "relations::test_a_table_made_anew_at_the_same_path_is_read_anew": (
        "test_simple_table_recreation test_recreate_stale_snapshot test_table_replaced_in_place "
        "test_table_replaced_with_different_schema"
    ),
    "relations_evolution::test_format_versions_and_partition_evolution": "test_partition_by",
    "relations_evolution::test_position_deletes_and_deletion_vectors": (
        "test_position_deletes test_delete_files test_deletion_vectors test_deletion_vectors_v3"
    ),
    "relations_evolution::test_columns": "test_evolved_schema_simple",
    "relations_evolution::test_nested": (
        "test_evolved_schema_complex test_tuple_evolved_simple test_tuple_evolved_nested"
    ),
    "relations_time::test_by_snapshot": "test_iceberg_snapshot_reads test_correct_column_mapper_is_chosen",
    "relations_time::test_before_the_first_snapshot": "test_time_travel_bug_fix_validation",
    "relations_time::test_by_time": "test_schema_evolution_with_time_travel test_relevant_iceberg_schema_chosen",
    "relations_metadata::test_a_given_file": "test_explicit_metadata_file",
    "relations_metadata::test_the_newest_version": "test_metadata_file_selection",
    "relations_metadata::test_written_by_a_catalog_without_a_version_hint": "test_metadata_file_format_with_uuid",
    "foreign_files::test_every_row": "test_iceberg_inverted_manifest_bounds",
    "moved::test_data_outside_the_location_stays_there": ("test_external_paths_local_files test_external_paths_access"),
    "attach::test_two_writers_lose_nothing": "test_writes_multiple_threads",
    f"{OWN}::test_minmax_pruning_with_null": "test_pruning_nullable_bug",
    f"{OWN}::test_decimal_bounds": "test_writes_statistics_by_minmax_pruning",
    f"{OWN}::test_schema_inference": "test_types",
    f"{OWN}::test_dates": "test_date_reads",
    f"{OWN}::test_iceberg_uuid_manifest_bounds": "test_uuid",
    f"{OWN}::test_identity_partition_backfill": "test_identity_partition_column_projection",
    f"{OWN}::test_dropped_column_still_in_data_file": "test_dropped_column_in_data_file",
    f"{OWN}::test_row_lineage": "test_writes_v3_row_lineage test_writes_v3_row_lineage_partitioned",
    f"{OWN}::test_iceberg_history_summary": "test_iceberg_history_operation_summary",
    f"{OWN}::test_schema_evolution": (
        "test_writes_field_ids_spark_read "
        "test_array_evolved_nested test_array_evolved_with_struct test_array_map_evolved_with_struct "
        "test_array_of_map_evolved_nested test_map_evolved_nested test_nested_containers_evolved "
        "test_struct_with_array_and_map_evolved test_struct_with_nested_array_evolved "
        "test_struct_with_nested_map_evolved"
    ),
    f"{OWN}::test_writes_create_table": "test_writes_drop_table",
    f"{OWN}::test_writes_create_partitioned_table": (
        "test_writes_field_partitioning test_writes_with_partitioned_table"
    ),
    f"{OWN}::test_writes_complex_type": "test_writes_low_cardinality",
    f"{OWN}::test_writes_mutate_update": "test_iceberg_truncate test_writes_mutate_delete",
    f"{OWN}::test_writes_partition_transforms_utc": "test_writes_timestamp_timezone_types",
    f"{OWN}::test_writes_schema_evolution": (
        "test_writes_add_column test_writes_drop_column test_writes_rename_column test_writes_modify_column"
    ),
}


def functions(module: str) -> set[str]:
    tree = ast.parse((TESTS / f"test_{module}.py").read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_what_is_the_same_is_run() -> None:
    text = PAGE.read_text("utf-8")
    rows = list(_ROW.finditer(text))
    assert len(rows) == len(re.findall(r"^\| `", text, re.MULTILINE)) > 40
    for held_by in HELD_BY:
        module, name = held_by.split("::")
        assert name in functions(module), held_by
    held = {name for names in HELD_BY.values() for name in names.split()} | functions(OWN)
    for row in rows:
        names = re.findall(r"`(\w+)`", row["names"])
        if row["verdict"] == "same":
            assert set(names) <= held, names
        else:
            assert row["text"], names


def test_a_scenario_has_one_row_and_is_counted() -> None:
    text = PAGE.read_text("utf-8")
    verdicts = [(name, row["verdict"]) for row in _ROW.finditer(text) for name in re.findall(r"`(\w+)`", row["names"])]
    assert len(verdicts) == len({name for name, _ in verdicts})
    counts = Counter(verdict for _, verdict in verdicts)
    stated = re.search(r"(\d+) names: (\d+) same, (\d+) other, (\d+) not", " ".join(text.split()))
    assert stated is not None
    assert [int(n) for n in stated.groups()] == [len(verdicts), counts["same"], counts["other"], counts["not"]]
