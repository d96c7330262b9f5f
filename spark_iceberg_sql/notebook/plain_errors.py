"""Spark's errors in cells without the magic: a sentence, the position and the help, without stacks."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

from IPython import get_ipython
from pyspark.sql import SparkSession

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.notebook import mistakes
from spark_iceberg_sql.notebook.cell import Cell, masked_line, masked_stack, painted
from spark_iceberg_sql.notebook.connect import is_remote
from spark_iceberg_sql.notebook.spark_errors import said
from spark_iceberg_sql.outgoing import visible, visible_lines
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS
from spark_iceberg_sql.syntax.script import statements

_HOOK = "_render_traceback_"  # IPython calls this method of an exception to render it
_THEIRS = re.compile(
    r"[/\\](?:pyspark|py4j|spark_iceberg_sql|IPython|ipykernel)[/\\]|<decorator-gen"
)


def install() -> None:
    """Show JVM errors in a few lines, in all cells."""
    for kind in JVM_ERRORS:
        setattr(kind, _HOOK, _rendered)


def install_remote() -> None:
    """Show the errors of Spark Connect in a few lines; its package needs gRPC."""
    from pyspark.errors.exceptions.connect import SparkConnectException

    setattr(SparkConnectException, _HOOK, _rendered)


def uninstall() -> None:
    """Show JVM errors as IPython does."""
    for kind in JVM_ERRORS:
        if _HOOK in vars(kind):
            delattr(kind, _HOOK)


def as_usual(error: Exception, text: str) -> Exception:
    """An error to be shown with its stack, without credentials. text: the SQL that led to it."""
    setattr(error, _HOOK, lambda: _stack(error, text))
    return error


def _stack(error: BaseException, text: str) -> list[str]:
    shell = get_ipython()
    frames = error.__traceback__
    if shell is None:
        lines = traceback.format_exception(error)
    else:
        lines = shell.InteractiveTB.structured_traceback(type(error), error, frames)
    lines_of_code = [frame.line or "" for frame in _own_frames(frames)]
    # IPython's own line for a magic: its SQL is masked already, and its name is not secret.
    own = [line for line in lines_of_code if "get_ipython().run_" not in line]
    _mask(error, text, own)
    stack = "\n".join(map(str, lines)).replace(str(error), visible_lines(str(error)))
    return masked_stack(stack, text, own).split("\n")


def _mask(error: BaseException, text: str, lines: Iterable[str]) -> None:
    """Let `str(error)`, which a notebook's file keeps beside the lines that are shown, have no credential."""
    masked = masked_stack(str(error), text, lines)
    if masked != str(error):
        kind = type(error)
        error.__class__ = type(kind.__name__, (kind,), {"__str__": lambda _: masked})


def _rendered(error: BaseException) -> list[str]:
    shell = get_ipython()
    magics = shell.magics_manager.registry.get("IcebergSql") if shell is not None else None
    if getattr(magics, "traceback", False):
        return _stack(error, _statement(error.__traceback__)[0])
    try:
        lines = [*map(visible, _frames(error.__traceback__)), *_words(error)]
        code = [frame.line or "" for frame in _own_frames(error.__traceback__)]
        _mask(error, _statement(error.__traceback__)[0], code)
        return lines
    except Exception:  # if the explanation fails, the error itself is still shown
        words = said(error)
        return [visible(f"{words.condition}: {words.sentence}")]


def _frames(frames: TracebackType | None) -> Iterator[str]:
    """The lines of the user's own code that led to the error."""
    statement = _statement(frames)[0]
    for frame in _own_frames(frames):
        cell = "ipykernel_" in frame.filename or frame.filename.startswith("<ipython")
        where = "cell" if cell else frame.filename
        yield f"{where}, line {frame.lineno}: {masked_line((frame.line or '').strip(), statement)}"


def _own_frames(frames: TracebackType | None) -> Iterator[traceback.FrameSummary]:
    for frame in traceback.extract_tb(frames):
        if not _THEIRS.search(frame.filename) or "ipykernel_" in frame.filename:
            yield frame


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
        said_lines = [f"{words.condition}: {words.sentence}", *([f"help: {help}"] if help else [])]
        return list(map(visible, said_lines))
    return painted(cell.report(diagnostics)).rstrip("\n").split("\n")


def _is_session(given: object) -> bool:
    return isinstance(given, SparkSession) or (is_remote(given) and hasattr(given, "sql"))


def _statement(frames: TracebackType | None) -> tuple[str, SparkSession | None]:
    """The text passed to `spark.sql`, and the session."""
    text, spark = "", None
    while frames is not None:
        known: dict[str, Any] = frames.tb_frame.f_locals
        # The parameter of pyspark's SparkSession.sql, in that function's frame.
        given = known.get("sqlQuery")
        if isinstance(given, str) and _is_session(known.get("self")):
            text, spark = given, known["self"]
        frames = frames.tb_next
    return (text, spark) if Lines(text).count < 10_000 else ("", None)
