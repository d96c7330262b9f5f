"""The language server reads what the command reads: functions that settings name, models, their YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls")

from pygls.workspace import PositionCodec

from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.open_files import Notebook, OpenFiles

ADD = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"


def codes(path: Path, text: str, language: str) -> list[str]:
    files = OpenFiles()
    files.put(Document(path.as_uri(), text, PositionCodec(), language))
    report = files.report_of(path.as_uri())
    assert report is not None
    return [diagnostic.code for diagnostic in report if str(diagnostic.severity) != "note"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".iceberg-sql.toml").write_text('callables = ["own.run"]\nddl = ["tables.py"]\n')
    (tmp_path / "tables.py").write_text(
        'import own\nown.run("CREATE TABLE u (a INT) USING iceberg")\n'
    )
    (tmp_path / "dbt_project.yml").write_text(
        "name: p\nmodels:\n  +file_format: iceberg\n  +materialized: table\n"
    )
    (tmp_path / "models").mkdir()
    return tmp_path


def test_callables(project: Path) -> None:
    program = f'import own\nown.run("{ADD}")\n'
    assert codes(project / "a.py", program, "python") == ["SIS101"]
    assert codes(project / "a", program, "python") == ["SIS101"]
    assert codes(project / "a.py", program.replace("own", "other"), "python") == []


def test_callables_in_cells(project: Path) -> None:
    files = OpenFiles()
    cells = []
    for number, text in enumerate(("import own\n", f'own.run("{ADD}")')):
        uri = f"vscode-notebook-cell:{(project / 'a.ipynb').as_posix()}#{number}"
        files.put(Document(uri, text, PositionCodec(), "python"))
        cells.append((uri, True))
    unit = (project / "a.ipynb").as_uri()
    files.notebooks[unit] = Notebook(unit, cells)
    report = files.report_of(cells[1][0])
    assert report is not None
    assert "SIS101" in [diagnostic.code for diagnostic in report]


def test_callables_in_a_ddl_file(project: Path) -> None:
    """The table that it creates is known."""
    text = "ALTER TABLE u ADD PARTITION FIELD days(a)"
    assert codes(project / "b.sql", text, "sql") == ["SIS202"]


def test_a_model_and_its_yaml(project: Path) -> None:
    model = "{{ config(partition_by=['weeks(a)']) }}\nSELECT a FROM t\n"
    assert codes(project / "models" / "m.sql", model, "sql") == ["SIS101"]
    assert codes(project / "models" / "m.sql", model, "jinja-sql") == ["SIS101"]
    assert codes(project / "m.sql", model, "sql") == []
    (project / "models" / "m.sql").write_text("SELECT a FROM t\n")
    entry = "models:\n- name: m\n  config:\n    partition_by: ['weeks(a)']\n"
    (project / "models" / "s.yml").write_text(entry.replace("weeks", "days"))
    assert codes(project / "models" / "s.yml", entry, "yaml") == ["SIS101"]
