"""Every notebook runs from top to bottom, as an analyst would run it, and its outputs equal the committed ones.

They share a kernel, and so a JVM, in which each starts and stops its own Spark; variables are deleted in between.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path

import goldens
import nbformat
import pyspark
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode, v4
from samples import swept

from spark_iceberg_sql.spark.versions import SPARK_MINORS, spark_minor

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
_COLORS = re.compile(r"\x1b\[[\d;]*m")
# These differ from run to run: times, file sizes, object addresses, temporary folders.
_VARIES = (
    (re.compile(r"\b(?:\d+ h \d+ min|\d+ min \d+ s|\d+(?:\.\d)? s)\b"), "# s"),
    (re.compile(r"\b[\d.]+ (?:of [\d.]+ )?[kM]?B\b"), "# B"),
    (re.compile(r"/tmp/\w+|/var/folders/[\w/]+"), "/tmp"),
    (re.compile(r"-+  |-{2,}"), "--"),
    (re.compile(r" {2,}"), "  "),
    (re.compile(r"'(?:removed|rewritten|added)_\w*bytes\w*': \d+"), "'bytes': #"),
    (re.compile(r"#\d+"), "#"),
    (re.compile(r"snapshot_?id\S*? ?\d{6,}", re.IGNORECASE), "snapshot #"),
)

if spark_minor(pyspark.__version__) != SPARK_MINORS[0]:  # the committed outputs are of the newest line
    _VARIES += (
        (re.compile(r"\b(?:function|routine)\b"), "routine"),
        (re.compile(r"A column,? (?:variable, )?or"), "A column or"),
        (re.compile(r"== Physical Plan ==.*", re.DOTALL), "== Physical Plan =="),
        (re.compile(r"\bbytes=\d+"), "bytes=#"),
    )


def _cleaned(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs as committed: without the JVM's start-up messages, and the emptied ones of progress.

    Whether there was any progress to show depends on the time that a dry run took.
    """
    return [o for o in outputs if o.get("name") != "stderr" and o.get("data", {}).get("text/plain") != ""]


def _said(outputs: list[NotebookNode]) -> list[str]:
    """Each output's text, and its MIME types."""
    texts = []
    for output in outputs:
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        text = "\n".join(output["traceback"]) if output.output_type == "error" else text
        for varies, instead in ((_COLORS, ""), *_VARIES):
            text = varies.sub(instead, text)
        texts.append(f"{sorted(output.get('data', {}))} {text.strip()}")
    return texts


NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


@pytest.fixture(scope="module")
def kernel() -> Iterator[KernelManager]:
    manager = KernelManager(kernel_name="python3")
    yield manager
    manager.shutdown_kernel(now=True)


def _run(book: NotebookNode, kernel: KernelManager) -> None:
    client = NotebookClient(book, km=kernel, timeout=300, record_timing=False)
    client.execute()
    client.kc.stop_channels()


@pytest.mark.parametrize("name", swept(NAMES, 3))
@pytest.mark.filterwarnings("default::DeprecationWarning")  # jupyter_client's own
def test_the_notebook_runs(name: str, kernel: KernelManager, tmp_path: Path) -> None:
    """Its outputs equal the committed ones; `--update-goldens` updates these."""
    committed = nbformat.read(NOTEBOOKS / name, as_version=4)
    book = copy.deepcopy(committed)
    for cell in book.cells:
        cell.metadata.pop("execution", None)
    _run(v4.new_notebook(cells=[v4.new_code_cell(f"%reset -f\n%cd -q {tmp_path}")]), kernel)
    _run(book, kernel)
    for cell in book.cells:
        cell.outputs = _cleaned(cell.get("outputs", [])) if cell.cell_type == "code" else None
        if cell.outputs is None:
            del cell["outputs"]
    if goldens.UPDATE:
        code = (cell for cell in book.cells if cell.cell_type == "code")
        for number, cell in enumerate(code, 1):  # as in its own kernel
            for numbered in (cell, *(o for o in cell.outputs if "execution_count" in o)):
                numbered.execution_count = number
        book.metadata.language_info = {"name": "python"}
        nbformat.write(book, NOTEBOOKS / name)
    for before, now in zip(committed.cells, book.cells, strict=True):
        if now.cell_type == "code" and not goldens.UPDATE:
            assert _said(now.outputs) == _said(before.outputs), now.source
