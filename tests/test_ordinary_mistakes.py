"""Ordinary mistakes in queries and calls: what is reported only where it is certain to be Spark's."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.model.tables import Tables

SPARK = "CREATE TABLE db.t (id BIGINT, kind STRING) USING iceberg;\n"


def codes(text: str) -> list[tuple[str, Severity]]:
    return [(d.code, d.severity) for d in check(text, Tables()) if d.severity is not Severity.NOTE]


@pytest.mark.parametrize(
    "call",
    [
        "CALL iceberg.system.unregister_table(schema_name => 'db', table_name => 't')",
        "CALL iceberg.system.register_table(schema_name => 'db', table_name => 't', table_location => 's3://a/t')",
        "CALL iceberg.system.rewrite_data_files(schema => 'db', table_name => 't')",
        "CALL iceberg.system.unregister_table('db', 't')",
        "CALL iceberg.system.rewrite_datafiles('db', 't')",
        "CALL sys.compact(`table` => 'db.t')",
        "CALL local.system.compact_all('db.t')",
        "CALL lake.system.rewrite_datafiles(folder => 's3://a/b')",
        "CALL lake.system.publish_change('db.t', 'a', 'b')",
        "CALL local.other.rewrite_datafiles('db.t')",
        "CALL rewrite_datafiles('db.t')",
    ],
)
def test_procedures_of_other_engines_and_catalogs(call: str) -> None:
    assert codes(call) == []


def test_a_call_alone_shows_that_it_is_for_spark() -> None:
    assert codes("CALL local.system.rewrite_datafiles('db.t')") == [("SIS605", Severity.ERROR)]


def test_a_procedure_that_the_settings_name(tmp_path: Path) -> None:
    """A catalog may have procedures besides Iceberg's; any other is reported as before."""
    script = tmp_path / "calls.sql"
    script.write_text(
        "CALL lake.system.rewrite_datafiles('db.t');\n"
        "CALL lake.system.expire_snapshots(tables => 'db.t');\n"
        "CALL lake.system.rewrite_manifest('db.t');\n"
    )

    def reported(procedures: tuple[str, ...]) -> list[int]:
        settings, linter = Settings(procedures=procedures), Linter()
        source = linter.source(str(script), script.read_text(), settings)
        return [d.span.row for report in linter.lint(source, settings) for d in report if d.code == "SIS605"]

    assert reported(()) == [1, 2, 3]
    assert reported(("lake.system.Rewrite_DataFiles", "expire_snapshots")) == [3]


def test_a_call_keeps_what_is_known_of_tables() -> None:
    """Only procedures that create tables make them unknown."""
    change = "ALTER TABLE db.t ADD PARTITION FIELD days(kind);"
    assert codes(f"{SPARK}CALL local.system.rewrite_data_files('db.t');\n{change}") == [("SIS202", Severity.ERROR)]


@pytest.mark.parametrize(
    ("query", "severity"),
    [
        ("SELECT kind, count(*) FROM db.t", Severity.ERROR),
        ("SELECT kind, count(*) FROM db.elsewhere", Severity.WARNING),  # it may be a variable of the session
        ("SELECT e.kind, count(*) FROM db.elsewhere e", Severity.ERROR),
    ],
)
def test_group_by_is_missing_for_certain_only_beside_a_column(query: str, severity: Severity) -> None:
    assert codes(SPARK + query) == [("SIS606", severity)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT read_parquet('a.parquet')",
        "SELECT * FROM read_parquet(path)",
        "CREATE FUNCTION read_parquet AS 'a.B'; SELECT * FROM read_parquet('a.parquet')",
        "SELECT a, (SELECT max(x) FROM u) FROM u",
        "SELECT a, agg(b) FROM u",
        "SELECT user, count(*) FROM u",
        "SELECT {{ column }}, count(*) FROM u",
    ],
)
def test_what_spark_may_accept(query: str) -> None:
    assert codes(SPARK + query) == []


def test_queries_of_other_engines() -> None:
    for query in ("kind, count(*) FROM u", "* FROM read_parquet('a.parquet')", "TOP 10 * FROM u", "* FROM 'u.parquet'"):
        assert codes(f"SELECT {query}") == []


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO db.t VALUES (1, 'a')",
        "INSERT INTO db.t VALUES ({{ values }})",
        "INSERT INTO db.t VALUES (${row}), (2, 'b')",
        "INSERT INTO db.elsewhere VALUES (1)",
        "INSERT INTO db.t VALUES (id_and_kind)",
        "INSERT INTO db.t BY NAME SELECT 1 AS id",
        "INSERT INTO db.t REPLACE WHERE id = 1 VALUES (1)",
        "INSERT INTO db.t VALUES (?)",
        "INSERT INTO db.t VALUES (:row)",
    ],
)
def test_rows_that_may_have_as_many_values_as_columns(insert: str) -> None:
    assert codes(SPARK + insert) == []


def test_a_table_that_accepts_any_schema_is_not_counted() -> None:
    any_schema = "ALTER TABLE db.t SET TBLPROPERTIES ('write.spark.accept-any-schema' = 'true');\n"
    assert codes(f"{SPARK}{any_schema}INSERT INTO db.t VALUES (1);") == []


def test_a_table_of_another_script_or_program_is_not_counted() -> None:
    assert codes("INSERT INTO db.t VALUES (1)") == []
    assert codes(f"{SPARK}DROP TABLE db.t;\nINSERT INTO db.t VALUES (1);") == []


def test_an_assignment_of_null_is_no_comparison() -> None:
    """Of MySQL; in the others `=` follows SET."""
    assert "SIS608" not in dict(codes("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE kind = NULL"))
