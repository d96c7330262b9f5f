"""The documentation on a session: every page's blocks in order, as a reader would type them, and their output.

`pytest --update-goldens tests/spark/test_doc_examples.py` writes new outputs into the pages.
"""

from __future__ import annotations

import io
import re
import shlex
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from doc_pages import (
    IN_A_SESSION,
    PAGES,
    ROOT,
    Block,
    Outputs,
    blocks,
    commands,
    created_tables,
    examples,
    lay_out,
    with_output,
)
from pyspark.sql import DataFrame, SparkSession
from scans import metrics

import spark_iceberg_sql as sis
from spark_iceberg_sql import demo
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.sessions import session as ways_in
from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION
from spark_iceberg_sql.syntax.script import statements

NEEDS_SPARK = {"python", "pycon", "sql"}
# A page's folders, which are elsewhere in the tests.
LAKE = re.compile(r"(?<![\w.])/lake\b")


def runs_here(block: Block) -> bool:
    """Whether a block runs in a session."""
    if block.not_run is not None or block.is_clients:
        return False
    if block.language == "console":
        return any(command.startswith(IN_A_SESSION) for command, _, _ in commands(block))
    return "demo" in block.marks or (block.language in NEEDS_SPARK and block.file is None)


_WRITERS = "this write keeps a writer"  # it warns once in a JVM, by the memory of the tests


class Reader:
    """A reader who types a page into one session."""

    def __init__(self, spark: SparkSession, page: Path, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.outputs = Outputs(page)
        self.names: dict[str, Any] = {"__name__": "__main__", "spark": spark, "sis": sis}

    def read(self, block: Block, output: Block | None) -> None:
        """Run a block, and compare its result with the one shown."""
        if block.file is not None:
            lay_out(block, self.folder)
        if not runs_here(block):
            return
        if block.language == "console":
            self._console(block)
        elif block.language == "pycon":
            self._session(block)
        elif block.language == "text":
            self._demo(block)
        else:
            actual = self._block(block)
            if output is not None:
                spaces = not block.fails
                self.outputs.compare(output, _here(output.text), self._shown(actual), spaces=spaces)

    def _block(self, block: Block) -> str:
        text, out, failed = self._here(block.text), io.StringIO(), False
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(out):
            warnings.simplefilter("always")
            try:
                if block.language == "sql":
                    self._sql(text)
                else:
                    exec(compile(text, block.where, "exec"), self.names)
            except Exception as error:
                failed = True
                kind = "" if isinstance(error, IcebergSqlError) else f"{type(error).__name__}: "
                out.write(f"{kind}{error}".rstrip("\n") + "\n")
        if failed is not block.fails:
            self.outputs.fault(block, f"fails: {failed}\n{out.getvalue()}")
        usual = (ResourceWarning, DeprecationWarning)
        messages = [
            f"{warning.category.__name__}: {warning.message}\n"
            for warning in warned
            if not issubclass(warning.category, usual) and _WRITERS not in str(warning.message)
        ]
        if bool(messages) is not block.warns:
            self.outputs.fault(block, f"warns: {messages}")
        return "".join(messages) + out.getvalue()

    def _sql(self, text: str) -> None:
        """All statements of a block; the result of the last one is shown."""
        rows: DataFrame | None = None
        for statement in statements(text):
            rows = self.spark.sql(statement.text)
        if rows is not None and rows.columns and rows.columns != ["key", "value"]:
            rows.show(1000, truncate=False)  # all of them

    def _session(self, block: Block) -> None:
        """A block of `>>>`, each example with its output."""
        for source, expected, at in examples(block):
            out = io.StringIO()
            with redirect_stdout(out):
                try:
                    exec(compile(self._here(source), block.where, "single"), self.names)
                except Exception as error:
                    [*_, last] = traceback.format_exception_only(error)
                    out.write(f"Traceback (most recent call last):\n  ...\n{last}")
            self.outputs.compare(block, expected, self._shown(out.getvalue()), at)

    def _console(self, block: Block) -> None:
        for command, expected, at in commands(block):
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(out):
                main(shlex.split(command)[1:])
            self.outputs.compare(block, expected, self._shown(out.getvalue()), at)

    def _demo(self, block: Block) -> None:
        out = io.StringIO()
        with redirect_stdout(out):
            assert demo.main() == 0
        self.outputs.compare(block, block.text, out.getvalue().partition("\n")[2])

    def _here(self, text: str) -> str:
        return LAKE.sub(str(self.folder / "lake"), text)

    def _shown(self, text: str) -> str:
        """An output as on the page: no trailing spaces, and without the empty line after `show`."""
        text = text.replace(str(self.folder / "lake"), "/lake")
        text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
        return text.rstrip("\n") + "\n" if text.strip() else ""


def _here(output: str) -> str:
    """An output with an error as pyspark shows it; before 4.0 it does not show the SQLSTATE."""
    return output if SPARK_VERSION >= (4, 0) else re.sub(r"\s+SQLSTATE: \w+(?=;|$)", "", output)


@pytest.fixture
def reader(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """A session for the page alone, returned by `sis.session()`."""
    monkeypatch.chdir(tmp_path)
    page_session = sis.install(spark.newSession())

    def session(*_: Any, **__: Any) -> SparkSession:
        return page_session

    monkeypatch.setattr(sis, "session", session)
    monkeypatch.setattr(ways_in, "session", session)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)  # the command and the demo stop their sessions
    return page_session


# Pages about what some lines of Spark lack.
NEEDS = {"connect.md": "connect"}
WITH_SPARK = [
    pytest.param(page, id=page.relative_to(ROOT).as_posix(), marks=marks)
    for page in PAGES
    if any(map(runs_here, blocks(page)))
    for marks in [[pytest.mark.needs(NEEDS[page.name])] if page.name in NEEDS else []]
]


@pytest.mark.parametrize("page", WITH_SPARK)
def test_a_page(page: Path, reader: SparkSession, tmp_path: Path) -> None:
    """Every block runs, in order, and prints what the page shows."""
    for table in created_tables(page):
        reader.sql(f"DROP TABLE IF EXISTS {table}")
    typed = Reader(reader, page, tmp_path)
    for block, output in with_output(blocks(page)):
        typed.read(block, output)
    for table, rows in PRUNING.findall(page.read_text("utf-8")):
        files_read(typed, table, rows)
    for namespace, rows in READS.findall(page.read_text("utf-8")):
        queries_read(typed, namespace, rows)
    typed.outputs.settle()


READS = re.compile(r"<!-- reads: (\S+) -->\n(.*?)<!-- /reads -->", re.DOTALL)
QUERY = re.compile(r"^\| `(SELECT .*?)` \| (\d+) \| (\d+) \| `(\w+)`", re.MULTILINE)


def queries_read(typed: Reader, namespace: str, rows: str) -> None:
    """The figures of a table of queries: data files read with all its rules off and on."""
    figures = QUERY.findall(rows)
    assert figures
    typed.spark.sql(f"USE {namespace}")
    rules = {rule for *_, rule in figures}
    for query, before, after, _ in figures:
        read = []
        for switch in ("false", "true"):
            for rule in rules:
                typed.spark.conf.set(f"spark.iceberg_sql.{rule}", switch)
            read.append(metrics(typed.spark.sql(query)).get("resultDataFiles", 0))
        if read != [int(before), int(after)]:
            typed.outputs.wrong.append(f"`{query}` reads {read}, not {before} and {after}")


PRUNING = re.compile(r"<!-- pruning: (\S+) -->\n(.*?)<!-- /pruning -->", re.DOTALL)
ROW = re.compile(r"^\| `(.*?)`.*\| (\d+) \| (\d+) \|$", re.MULTILINE)


def files_read(typed: Reader, table: str, rows: str) -> None:
    """The figures of a table of predicates: data files read with the rule off and on."""
    figures = ROW.findall(rows)
    assert figures
    for predicate, before, after in figures:
        if SPARK_VERSION < (4, 0) and "ts) IN ('" in predicate:
            continue  # Spark compares these as texts there: no row is found
        read = []
        for switch in ("false", "true"):
            typed.spark.conf.set("spark.iceberg_sql.prune", switch)
            frame = typed.spark.sql(f"SELECT * FROM {table} WHERE {predicate}")
            read.append(metrics(frame)["resultDataFiles"])
        if read != [int(before), int(after)]:
            typed.outputs.wrong.append(f"`{predicate}` reads {read}, not {before} and {after}")
