"""Spark's errors in cells without the magic: a sentence, the position and the remedy, without stacks."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from IPython import get_ipython
from pyspark.sql import SparkSession

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.notebook import mistakes
from spark_iceberg_sql.notebook.cell import Cell
from spark_iceberg_sql.notebook.spark_errors import said
from spark_iceberg_sql.report import full
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS
from spark_iceberg_sql.syntax.script import statements

_HOOK = "_render_traceback_"  # IPython calls this method of an exception to render it
_AS_USUAL = "sis_as_usual"
_THEIRS = re.compile(
    r"[/\\](?:pyspark|py4j|spark_iceberg_sql|IPython|ipykernel)[/\\]|<decorator-gen"
)


def install() -> None:
    """Show JVM errors in a few lines, in all cells."""
    for kind in JVM_ERRORS:
        setattr(kind, _HOOK, _rendered)


def uninstall() -> None:
    """Show JVM errors as IPython does."""
    for kind in JVM_ERRORS:
        if _HOOK in vars(kind):
            delattr(kind, _HOOK)


def as_usual(error: Exception) -> Exception:
    """An error to be shown with its stack."""
    setattr(error, _AS_USUAL, True)
    return error


def _rendered(error: BaseException) -> list[str]:
    shell = get_ipython()
    magics = shell.magics_manager.registry.get("IcebergSql") if shell is not None else None
    wanted = getattr(error, _AS_USUAL, False) or getattr(magics, "traceback", False)
    if wanted and shell is not None:
        lines = shell.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
        return [str(line) for line in lines]
    try:
        return [*_frames(error.__traceback__), *_words(error)]
    except Exception:  # if the explanation fails, the error itself is still shown
        words = said(error)
        return [f"{words.condition}: {words.sentence}"]


def _frames(frames: TracebackType | None) -> Iterator[str]:
    """The lines of the user's own code that led to the error."""
    for frame in traceback.extract_tb(frames):
        if not _THEIRS.search(frame.filename) or "ipykernel_" in frame.filename:
            cell = "ipykernel_" in frame.filename or frame.filename.startswith("<ipython")
            where = "cell" if cell else frame.filename
            yield f"{where}, line {frame.lineno}: {(frame.line or '').strip()}"


def _words(error: BaseException) -> list[str]:
    text, spark = _statement(error.__traceback__)
    found = statements(text) if text else []
    words = said(error)
    if len(found) == 1 and spark is not None:
        cell = Cell(text, name="<sql>")
        diagnostics = mistakes.found(spark, error, cell, found[0], {})
    elif words.fragment:
        cell = Cell(words.fragment, name="<sql>")
        span = (0, len(words.fragment))
        diagnostics = [cell.finding(words.condition, words.sentence, span, mistakes.advice(words))]
    else:
        help = mistakes.advice(words)
        return [f"{words.condition}: {words.sentence}", *([f"help: {help}"] if help else [])]
    return full(cell.report(diagnostics), color=True).splitlines()


def _statement(frames: TracebackType | None) -> tuple[str, SparkSession | None]:
    """The text passed to `spark.sql`, and the session."""
    text, spark = "", None
    while frames is not None:
        known: dict[str, Any] = frames.tb_frame.f_locals
        given = known.get("sqlQuery")
        if isinstance(given, str) and isinstance(known.get("self"), SparkSession):
            text, spark = given, known["self"]
        frames = frames.tb_next
    return (text, spark) if Lines(text).count < 10_000 else ("", None)
