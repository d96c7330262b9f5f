"""Every notebook runs from top to bottom, as an analyst would run it, and says what it should.

Each is a kernel of its own, and so a process and a Spark of its own.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
# What must stand in the output of each, beside that no cell fails.
SAYS = {
    "01_functions.ipynb": [
        "336776",
        "read 17 of 221 files",
        "read 13 of 221 files",
        "write iceberg_bucket(16, tailnum)",
        "Iceberg:     [0, 1, 3, 4, 5, 6, 7]",
    ],
    "03_read_by_path.ipynb": [
        "now:  3001",
        "then: 3000",
        "bucket[8]",
        "'rewritten_data_files': 3, 'added_data_files': 1",
        "Did you mean one of the following? [`snapshot_id`]",
    ],
}


def _text(cell: NotebookNode) -> str:
    return "\n".join(
        output.get("text", "") + output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
    )


@pytest.mark.parametrize("name", sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")))
@pytest.mark.filterwarnings("default::DeprecationWarning")  # jupyter_client's own
def test_the_notebook_runs(name: str, tmp_path: Path) -> None:
    book = nbformat.read(NOTEBOOKS / name, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()
    said = "\n".join(_text(cell) for cell in book.cells)
    assert [words for words in SAYS.get(name, []) if words not in said] == []
