"""The engine that a comment or a setting names: what is not checked there, and what is."""

from __future__ import annotations

from pathlib import Path

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.model.engines import ENGINES

CLUSTERED = "CREATE TABLE c.db.t (id BIGINT) USING iceberg CLUSTER BY (id);\n"
RENAMED = "CREATE TABLE c.db.t (a BIGINT) USING iceberg;\nALTER TABLE c.db.t CHANGE COLUMN a b BIGINT;\n"


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in sis.check(text)]


@pytest.mark.parametrize("engine", [e for e in ENGINES if not e.is_spark], ids=lambda e: e.name)
def test_another_engine_s_statements_are_not_checked(engine):
    (note,) = sis.check(f"-- dialect: {engine.name}\n{RENAMED}{CLUSTERED}")
    assert (note.code, note.message) == ("SIS002", f"not checked: the statements are for {engine.name}")


def test_databricks_has_cluster_by_and_nothing_else_of_its_own():
    assert codes(CLUSTERED) == ["SIS413"]
    assert codes(f"-- dialect: databricks\n{CLUSTERED}") == []
    assert codes(f"-- dialect: spark\n{CLUSTERED}") == ["SIS413"]
    for comment in ("-- dialect: databricks", "-- sqlfluff:dialect:databricks", "  --Dialect:DATABRICKS\r"):
        assert codes(f"/* a head */\n{comment}\n{RENAMED}") == ["SIS210"]


@pytest.mark.parametrize(
    "text",
    [
        f"{CLUSTERED}-- dialect: databricks\n",  # behind the first statement
        f"-- dialect: snowflake\n{CLUSTERED}",
        f"-- the dialect: databricks\n{CLUSTERED}",
        f"SELECT '\n-- dialect: databricks\n';\n{CLUSTERED}",
    ],
)
def test_what_names_no_engine(text):
    assert "SIS413" in codes(text)


def test_what_is_about_to_run_in_spark_is_checked():
    assert [d.code for d in check(f"-- dialect: hive\n{CLUSTERED}", before_execution=True).errors] == ["SIS413"]


def test_spark_needs_no_other_evidence():
    text = "ALTER TABLE t CHANGE COLUMN a b INT"
    assert codes(text) == ["SIS002"]
    assert "SIS210" in codes(f"-- dialect: spark\n{text}")


def test_the_setting_is_for_files_without_a_comment(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(".iceberg-sql.toml").write_text('engine = "databricks"\n', "utf-8")
    Path("a.sql").write_text(CLUSTERED, "utf-8")
    Path("b.sql").write_text(f"-- dialect: spark\n{CLUSTERED}", "utf-8")
    assert main(["check", "--output-format", "concise", "a.sql", "b.sql"]) == 1
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()[:-1]] == ["b.sql"]
