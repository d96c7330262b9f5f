# ruff: noqa: E501 - a case is a line
"""CALL as Iceberg's documentation has it, as templates and programs have it, and by the version of Iceberg."""

from __future__ import annotations

import pytest
from test_writers import lint

import spark_iceberg_sql as sis
from tests import failing_calls

DOCUMENTED = """
CALL {{ catalog }}.system.expire_snapshots(table => '{{ t }}', retain_last => {{ n }})
CALL ${cat}.system.rewrite_data_files(table => '${db}.t', where => 'ds = "${ds}"')
CALL spark_catalog.system.rewrite_data_files('db.sample')
CALL catalog_name.system.rewrite_data_files(table => 'db.sample', strategy => 'sort', sort_order => 'zorder(c1,c2)')
CALL catalog_name.system.rewrite_data_files(table => 'db.sample', options => map('min-input-files','2'))
CALL catalog_name.system.rewrite_data_files(table => 'db.sample', options => map('remove-dangling-deletes', 'true'))
CALL catalog_name.system.rewrite_data_files(table => 'db.sample', where => 'id = 3 and name = "foo"')
CALL catalog_name.system.remove_orphan_files(table => 'db.sample', location => 'tablelocation/data')
CALL catalog_name.system.remove_orphan_files(table => 'db.sample', equal_schemes => map('file', 'file1'))
CALL catalog_name.system.expire_snapshots('hive_prod.db.sample', TIMESTAMP '2021-06-30 00:00:00.000', 100)
CALL hive_prod.system.expire_snapshots(table => 'db.sample', snapshot_ids => ARRAY(123))
CALL catalog_name.system.add_files(table => 'db.tbl', source_table => 'db.src_tbl', partition_filter => map('part_col_1', 'A'))
CALL catalog_name.system.add_files(table => 'db.tbl', source_table => '`parquet`.`path/to/table`')
CALL catalog_name.system.snapshot('db.sample', 'db.snap', '/tmp/temptable/')
CALL catalog_name.system.migrate('spark_catalog.db.sample', map('foo', 'bar'))
CALL catalog_name.system.register_table(table => 'db.tbl', metadata_file => 'path/to/metadata/file.json')
CALL spark_catalog.system.ancestors_of('db.tbl', 1)
CALL spark_catalog.system.create_changelog_view(table => 'db.tbl', options => map('start-snapshot-id','1','end-snapshot-id', '2'))
CALL spark_catalog.system.create_changelog_view(table => 'db.tbl', options => map('start-timestamp','1678335750489','end-timestamp', '1678992105265'))
CALL spark_catalog.system.create_changelog_view(table => 'db.tbl', options => map('start-snapshot-id','1','end-snapshot-id', '2'), identifier_columns => array('id', 'name'))
CALL catalog_name.system.set_current_snapshot('db.sample', 1)
CALL catalog_name.system.set_current_snapshot(table => 'db.sample', ref => 's1')
CALL catalog_name.system.cherrypick_snapshot(snapshot_id => 1, table => 'my_table' )
CALL catalog_name.system.rollback_to_timestamp('db.sample', TIMESTAMP '2021-06-30 00:00:00.000')
CALL catalog_name.system.compute_table_stats(table => 'my_table', snapshot_id => 1, columns => array('col1', 'col2'))
CALL catalog_name.system.rewrite_table_path(table => 'db.my_table', source_prefix => 'hdfs://nn:8020/path/to/source_table', target_prefix => 's3a://bucket/prefix/db.db/my_table')
CALL catalog_name.system.rewrite_position_delete_files('db.sample')
CALL catalog_name.system.rewrite_position_delete_files(table => 'db.sample', options => map('min-input-files','2'))
CALL catalog_name.system.rewrite_manifests('db.sample', false)
CALL catalog_name.system.fast_forward('my_table', 'main', 'audit-branch')
CALL catalog_name.system.publish_changes(table => 'my_table', wap_id => 'wap_id_1')
"""
PROGRAM = """
spark.sql(f"CALL cat.system.expire_snapshots(table => '{t}', retain_last => {n}, older_than => TIMESTAMP '{x}')")
spark.sql(f"CALL cat.system.rewrite_data_files(table => '{t}', options => map('{a}', '{b}', 'min-input-files', {c}), where => '{w}')")
spark.sql("CALL cat.system.rewrite_data_files(table => '%s', where => 'a = %d')" % (t, d))
spark.sql("CALL {}.system.rollback_to_snapshot('{}', {})".format(c, t, s))
spark.sql(f"CALL {cat}.system.set_current_snapshot('{t}', {s})")
spark.sql(f"CALL {cat}.system.rewrite_data_files({args})")
spark.sql("CALL cat.system.expire_snapshots(table => :t, retain_last => ?)", args={})
"""


@pytest.mark.parametrize("statement", DOCUMENTED.strip().splitlines())
def test_a_right_call_is_silent(statement: str) -> None:
    tables = sis.Tables(catalog="local", namespace=("db",))
    assert not [d for d in sis.check(statement, tables) if str(d.severity) != "note"]


def test_a_misspelt_parameter_does_not_hide_a_misspelt_procedure() -> None:
    (finding,) = sis.check("CALL c.system.expire_snapshot(tabel => 'db.t')")
    assert finding.help == "write `expire_snapshots`"


def test_programs_fill_in_the_rest() -> None:
    assert not [d for d, _ in lint(PROGRAM) if d.code in ("SIS605", "SIS609")]


@pytest.mark.parametrize(
    ("iceberg", "call", "message"),
    [
        ((1, 10), "rewrite_data_files(table => 'db.t', branch => 'b')", "the parameter `branch` needs Iceberg 1.11"),
        ((1, 11), "rewrite_data_files(table => 'db.t', branch => 'b')", ""),
        ((1, 5), "migrate(table => 'db.t', parallelism => 2)", "the parameter `parallelism` needs Iceberg 1.6"),
        (
            (1, 5),
            "expire_snapshots('db.t', NULL, 5, 4, true, array(1), true)",
            "the procedure `expire_snapshots` has only 6",
        ),
        ((1, 10), "expire_snapshots('db.t', NULL, 5, 4, true, array(1), true)", ""),
        ((1, 13), "expire_snapshots(table => 'db.t', anything => 5)", ""),  # newer than the records
        (None, "expire_snapshots('db.t', NULL, 5, 4, true, array(1), true)", ""),
    ],
)
def test_the_parameters_of_a_version(iceberg: tuple[int, int] | None, call: str, message: str) -> None:
    tables = sis.Tables(catalog="local", namespace=("db",))
    tables.iceberg = iceberg
    messages = [d.message for d in sis.check(f"CALL local.system.{call}", tables) if str(d.severity) != "note"]
    assert len(messages) == bool(message)
    assert all(text.startswith(message) for text in messages)


def _findings(call: str) -> list[str]:
    """The errors and warnings of a CALL behind the statements that create its tables."""
    text = ";\n".join((*failing_calls.TABLES, f"CALL local.system.{call.replace('{folder}', '/tmp/x')}"))
    report = sis.check(text, sis.Tables(catalog="local", namespace=("calls",)))
    return [d.message for d in report if str(d.severity) != "note"]


@pytest.mark.parametrize("call", failing_calls.DECIDED)
def test_a_call_that_fails_is_reported(call: str) -> None:
    assert len(_findings(call)) == 1


@pytest.mark.parametrize("call", [*failing_calls.RIGHT, *sum(failing_calls.UNDECIDED.values(), ())])
def test_a_call_that_may_run_is_not(call: str) -> None:
    assert [text for text in _findings(call) if not text.startswith("Iceberg reads")] == []


CONDITIONS = (
    "id = 1 AND s = 'a' OR NOT (ts IS NULL)", "`id` = 1", "t.`id` = 1", "id = 1 -- all", "id /* a */ = 1", "n.a IN (1, 2)",
    "ts < current_date()", "id = most", "ts > timestamp_seconds(0)", "s LIKE 'a%'", "local.system.bucket(4, id) = 1",
    "id BETWEEN 1 AND 3 AND ts >= DATE '2024-01-01'", "ts >= '2024-01-01' AND ts < '2024-02-01'", "id = 1 and", "true",
)  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_that_may_be_right_is_not_reported(condition: str) -> None:
    call = f"rewrite_data_files(table => 'calls.t', where => \"{condition}\")"
    declared = "DECLARE VARIABLE most INT DEFAULT 3;\n" if "most" in condition else ""
    text = ";\n".join((*failing_calls.TABLES, f"{declared}CALL local.system.{call}"))
    assert [d for d in sis.check(text) if str(d.severity) != "note"] == []


def test_a_text_that_spark_reads_in_another_script_s_letters_is_a_name() -> None:
    assert _findings("rollback_to_snapshot('calls.größe', 1)") == []
