"""SQL that is a value of a YAML file: Airflow, SQLMesh, Soda; positions, fixes, and what is no SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import extract_source, find_files

WRONG = "CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts))"


def findings(text: str, name: str = "dag.yml") -> list[tuple[int, str, str]]:
    """Line, code and the file's text of each finding."""
    reports = Linter().lint(extract_source(name, text), Settings())
    return [(d.span.row, d.code, report.text[d.span.start : d.span.end]) for report in reports for d in report]


VALUES = {
    "dag-factory": f"job:\n  tasks:\n    make:\n      operator: SparkSqlOperator\n      sql: {WRONG}\n",
    "a block": "sql: |\n  -- c\n\n  CREATE TABLE t (ts TIMESTAMP)\n    USING iceberg PARTITIONED BY (weeks(ts));\n",
    "a block without the last line end": "a:\n  - sql: |-\n      CREATE TABLE t (ts TIMESTAMP)\n\n      USING iceberg\n"
    "      PARTITIONED BY (weeks(ts))",
    "in quotes": f"# iceberg\na: b\nc: d\ne: f\nquery: '{WRONG}'\n",
    "a list": f"a: b\n\nbefore_all:\n  - SELECT 1\n  - {WRONG}\n",
    "Soda": f"checks for t:\n  - failed rows:\n      name: a\n      fail query: |\n        {WRONG}\n",
    "a second document": f"---\na: b\n---\nc: d\nsql: {WRONG}\n",
    "Jinja in it": "#\nsql: |\n  CREATE TABLE {{ t }} (ts TIMESTAMP)\n  USING iceberg\n  PARTITIONED BY (weeks(ts))\n",
}


@pytest.mark.parametrize("text", VALUES.values(), ids=VALUES)
def test_values(text: str) -> None:
    assert findings(text) == [(6 if "a:\n  - sql" in text else 5, "SIS101", "weeks")]
    crlf = text.replace("\n", "\r\n")
    assert findings(crlf) == findings(text)


def test_a_folded_value_is_found_at_its_place() -> None:
    (finding,) = findings("a: b\nsql: >\n  CREATE TABLE t (ts TIMESTAMP) USING iceberg\n  PARTITIONED BY (weeks(ts))\n")
    assert finding[:2] == (2, "SIS101")


def test_values_do_not_run_one_after_the_other() -> None:
    create = "CREATE TABLE t (id BIGINT) USING iceberg"
    assert findings(f"a:\n  sql: {create}\nb:\n  sql: {create}\n") == []


LEFT_OUT = {
    "prose": "sql: the iceberg table of the spark job\n",
    "another language": 'query: "sum(rate(iceberg_select_total[5m])) by (from)"\n',
    "GraphQL": "query: |\n  query { iceberg { id } }\n",
    "a file's name": "sql: sql/create_iceberg.sql\n",
    "another key": f"description: {WRONG}\n",
    "a template": f"{{% if x %}}\nsql: {WRONG}\n{{% endif %}}\n",
    "a mapping": f"sql:\n  description: {WRONG}\n",
}


@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=LEFT_OUT)
def test_left_out(text: str) -> None:
    assert {code for _, code, _ in findings(text)} <= {"SIS002"}  # a named file without SQL


def test_a_fix(tmp_path: Path) -> None:
    path = tmp_path / "dag.yaml"
    text = "a:\n  sql: |\n    CREATE TABLE t (id BIGINT) USING iceberg\n    PARTITIONED BY (bucket(id, 16))\n"
    path.write_text(text, "utf-8")
    assert main(["check", "--fix", str(path)]) == 0
    assert path.read_text("utf-8") == text.replace("id, 16", "16, id")


def test_only_files_with_such_values_are_searched(tmp_path: Path) -> None:
    for name, text in {"a.yml": f"sql: {WRONG}", "b.yaml": "kind: Pod\nimage: spark", "c.yml": "sql: SELECT 1"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    paths = find_files([str(tmp_path)], lambda path: False)
    assert [Path(name).name for name in paths] == ["a.yml"]
