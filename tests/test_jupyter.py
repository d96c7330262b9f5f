"""JupyterLab: the entry point by which it finds the language server, and the extension that finds SQL in cells."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.notebooks.cells import read_cell

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
EXTENSION = PROJECT.parent / "editors" / "jupyterlab" / "static" / "extension.js"


@pytest.mark.tier("quick")
def test_the_entry_point_names_a_server_that_serves() -> None:
    entry_point = re.search(
        r'^\[project\.entry-points\.jupyter_lsp_spec_v1\]\n(\S+) = "(\S+):(\S+)"$',
        PROJECT.read_text("utf-8"),
        re.MULTILINE,
    )
    assert entry_point is not None
    [(key, spec)] = getattr(import_module(entry_point[2]), entry_point[3])(None).items()
    assert key == entry_point[1]
    assert spec["version"] == 2
    assert spec["languages"] == ["sql"]  # another server knows Python
    ended = subprocess.run(spec["argv"], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (1, b"")  # the input ended without a farewell


SQL = "ALTER TABLE t ADD PARTITION FIELD days(ts)"
CELLS = [
    f"%%iceberg_sql\n{SQL}",
    f"%%iceberg_sql orders --limit 5\nSELECT 'é🙂';\n{SQL}\n",
    f"\n  %%iceberg_sql --quiet\n\n{SQL}",
    f"%%time\n%%iceberg_sql\n{SQL}",
    f"%%iceberg_sql --plan\n{SQL}",
    f"%%iceberg_sql orders --check\n{SQL}",
    f"%%iceberg_sql -- plan\n{SQL}",
    f"%%iceberg_sqlite\n{SQL}",
    f"%%bash\n%iceberg_sql {SQL}",
    f"%%time\n%%html\n%iceberg_sql {SQL}",
    f"%%time\n%iceberg_sql {SQL}",
    f"%iceberg_sql {SQL}",
    f"a = 1\nrows = %iceberg_sql --quiet {SQL}\nb, ü = %iceberg_sql --limit 5 {SQL}; {SQL}\n",
    f"%iceberg_sql --check {SQL}\n%iceberg_sql --next 5 rows\nx %iceberg_sql {SQL}",
    f"print('%iceberg_sql {SQL}')",
    f"spark.sql('{SQL}')",
    "%%iceberg_sql",
    "",
]


@pytest.fixture(scope="module")
def extracted() -> dict[str, Any]:
    """What the extension finds in the cells."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run(
        [node, str(Path(__file__).parent / "jupyter_extractor.mjs"), str(EXTENSION)],
        input=json.dumps(CELLS).encode(), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    extraction: dict[str, Any] = json.loads(done.stdout)
    return extraction


def test_the_extension_finds_the_sql_that_the_server_finds_in_cells(extracted: dict[str, Any]) -> None:
    """The text, at its place in the cell, and ended there: the next cell's SQL follows in the same text."""
    assert (extracted["asked"], extracted["language"], extracted["of"]) == (True, "python", "sql")
    for cell, extractions in zip(CELLS, extracted["found"], strict=True):
        fragments = [(fragment.sql, fragment.starts[0]) for fragment in read_cell("a.ipynb", cell, "python").fragments]
        expected = [fragment for fragment in fragments if SQL in fragment[0] and "spark.sql" not in cell]
        assert [_placed(cell, extraction) for extraction in extractions if extraction["foreignCode"]] == expected, cell
        assert "".join(extraction["hostCode"] or "" for extraction in extractions) in ("", cell)


def _placed(cell: str, extracted: dict[str, Any]) -> tuple[str, int]:
    """The SQL, and the offset at which it begins. JavaScript counts UTF-16 units, as JupyterLab does."""
    lines = [line.encode("utf-16-le") for line in cell.split("\n")]

    def offset(position: dict[str, int]) -> int:
        before = [*lines[: position["line"]], lines[position["line"]][: 2 * position["column"]]]
        return len(b"\n\0".join(before).decode("utf-16-le"))

    start, end = (offset(extracted["range"][edge]) for edge in ("start", "end"))
    assert extracted["foreignCode"] == f"{cell[start:end]}\n-- COMMAND ----------"
    return cell[start:end], start


def test_statements_of_cells_are_apart_and_know_each_other(extracted: dict[str, Any]) -> None:
    """As JupyterLab joins them; without `;`, and after an open quote."""
    cells = ["CREATE TABLE t (id BIGINT, s STRING) USING iceberg", "SELECT 'open", SQL.replace("ts", "s")]
    [*_, end] = extracted["found"][0][1]["foreignCode"].partition("\n")
    text = "\n\n\n".join(f"{cell}\n{end}" for cell in cells)
    linter = Linter()
    [report] = linter.lint(linter.source("a.ipynb.python-sql.sql", text, Settings()), Settings())
    assert ("SIS202", 9) in [(d.code, d.span.row) for d in report], report


def test_the_wheel_has_the_extension_where_jupyterlab_looks() -> None:
    project = PROJECT.read_text("utf-8")
    assert '"editors/jupyterlab" = "share/jupyter/labextensions/spark-iceberg-sql"' in project
    package = json.loads((EXTENSION.parents[1] / "package.json").read_text("utf-8"))
    assert EXTENSION.parents[1] / package["jupyterlab"]["_build"]["load"] == EXTENSION
    assert package["name"] == "spark-iceberg-sql"
    assert f'\nversion = "{package["version"]}"\n' in project
