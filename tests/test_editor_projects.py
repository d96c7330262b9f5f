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
    (tmp_path / "tables.py").write_text('import own\nown.run("CREATE TABLE u (a INT) USING iceberg")\n')
    (tmp_path / "dbt_project.yml").write_text("name: p\nmodels:\n  +file_format: iceberg\n  +materialized: table\n")
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


def opened(files: OpenFiles, path: Path, text: str, language: str = "sql") -> str:
    files.put(Document(path.as_uri(), text, PositionCodec(), language))
    return path.as_uri()


def of(files: OpenFiles, uri: str) -> list[str]:
    report = files.report_of(uri)
    assert report is not None
    return [diagnostic.code for diagnostic in report if str(diagnostic.severity) != "note"]


ENTRY = "models:\n- name: m\n  config:\n    partition_by: ['{}(a)']\n"


def test_yaml_that_was_never_saved(project: Path) -> None:
    (project / "models" / "m.sql").write_text("SELECT a FROM t\n")
    files = OpenFiles()
    uri = opened(files, project / "models" / "new" / "s.yml", ENTRY.format("weeks"), "yaml")
    assert of(files, uri) == ["SIS101"]
    opened(files, project / "models" / "new" / "s.yml", ENTRY.format("days"), "yaml")
    assert of(files, uri) == []


def test_a_model_and_its_unsaved_yaml(project: Path) -> None:
    """The model follows each change of the YAML file, up to its end."""
    path = project / "models" / "s.yml"
    path.write_text("models:\n- name: m\n  config: {file_format: parquet}\n")
    model = "{{ config(partition_by=['weeks(a)']) }}\nSELECT a FROM t\n"
    files = OpenFiles()
    uri = opened(files, project / "models" / "m.sql", model)
    assert of(files, uri) == []
    opened(files, path, "models:\n- name: m\n  config: {file_format: iceberg}\n", "yaml")
    assert files.project_siblings(path.as_uri()) == [uri]
    assert of(files, uri) == ["SIS101"]
    files.forget()
    assert of(files, uri) == ["SIS101"]
    files.close(path.as_uri())
    assert of(files, uri) == []


def test_an_unsaved_model_and_its_yaml(project: Path) -> None:
    path = project / "models" / "s.yml"
    path.write_text(ENTRY.format("weeks"))
    files = OpenFiles()
    uri = opened(files, path, path.read_text(), "yaml")
    assert of(files, uri) == []  # there is no model
    model = project / "models" / "m.sql"
    opened(files, model, "SELECT a FROM t\n")
    assert of(files, uri) == ["SIS101"]
    opened(files, model, "{{ config(partition_by=['days(a)']) }}\nSELECT a FROM t\n")
    assert of(files, uri) == []  # the model's own value counts
    files.close(model.as_uri())
    assert of(files, uri) == []


def test_an_unsaved_project_file(project: Path) -> None:
    path = project / "dbt_project.yml"
    files = OpenFiles()
    model = "{{ config(partition_by=['weeks(a)']) }}\nSELECT a FROM t\n"
    uri = opened(files, project / "models" / "m.sql", model)
    assert of(files, uri) == ["SIS101"]
    opened(files, path, path.read_text().replace("iceberg", "delta"), "yaml")
    assert of(files, uri) == []


def test_a_text_that_is_only_tried(project: Path) -> None:
    """Fixes are tried on a text, which other files never see."""
    path = project / "models" / "s.yml"
    files = OpenFiles()
    (project / "models" / "m.sql").write_text("SELECT a FROM t\n")
    uri = opened(files, path, ENTRY.format("weeks"), "yaml")
    assert of(files, uri) == ["SIS101"]
    other = opened(files, project / "models" / "m.sql", "SELECT a FROM t\n")
    files.report_of(other)
    tried = files.analyze_with(uri, ENTRY.format("days"))
    assert tried is not None
    assert [d.code for d in tried[1] if str(d.severity) != "note"] == []
    files.put(files.documents[other].with_text("SELECT a, 1 AS b FROM t\n"))
    assert of(files, uri) == ["SIS101"]


def test_yaml_of_others(project: Path, tmp_path: Path) -> None:
    files = OpenFiles()
    for path in (project / "docker-compose.yml", project.parent / "ci.yaml"):
        uri = opened(files, path, "a: weeks(b)\npartition_by: x\n", "yaml")
        report = files.report_of(uri)
        assert report is not None
        assert list(report) == []


def test_files_that_change_outside_of_the_editor(project: Path) -> None:
    files = OpenFiles()
    model = opened(files, project / "models" / "m.sql", "SELECT a FROM t\n")
    files.report_of(model)
    for name in ("models/x/s.yml", "dbt_project.yml", "macros/m.sql", "target/manifest.json"):
        assert files.affects_checks(project / name), name
    for name in ("README.md", "target/run_results.json"):
        assert not files.affects_checks(project / name), name
    assert not files.affects_checks(project.parent / "other" / "s.yml")
