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
from spark_iceberg_sql.notebook.cells.cell import Cell, mask_line, mask_stack, render_colored
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.notebook.errors import error_findings
from spark_iceberg_sql.notebook.errors.spark_errors import parse_error
from spark_iceberg_sql.safe_output import visible, visible_lines
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.syntax.script import statements

_HOOK = "_render_traceback_"  # IPython calls this method of an exception to render it
_LIBRARY_PATH = re.compile(r"[/\\](?:pyspark|py4j|spark_iceberg_sql|IPython|ipykernel)[/\\]|<decorator-gen")


def install() -> None:
    """Show JVM errors in a few lines, in all cells."""
    for error_class in JVM_ERRORS:
        setattr(error_class, _HOOK, _render)


def install_remote() -> None:
    """Show the errors of Spark Connect in a few lines; its package needs gRPC."""
    from pyspark.errors.exceptions.connect import SparkConnectException

    setattr(SparkConnectException, _HOOK, _render)


def uninstall() -> None:
    """Show JVM errors as IPython does."""
    for error_class in JVM_ERRORS:
        if _HOOK in vars(error_class):
            delattr(error_class, _HOOK)


def with_stack(error: Exception, text: str) -> Exception:
    """An error to be shown with its stack, without credentials. text: the SQL that led to it."""
    setattr(error, _HOOK, lambda: _stack(error, text))
    return error


def _stack(error: BaseException, text: str) -> list[str]:
    shell = get_ipython()
    frames = error.__traceback__
    structured = shell.InteractiveTB.structured_traceback if shell is not None else traceback.format_exception
    lines = structured(type(error), error, frames)
    lines_of_code = [frame.line or "" for frame in _own_frames(frames)]
    # IPython's own line for a magic: its SQL is masked already, and its name is not secret.
    user_lines = [line for line in lines_of_code if "get_ipython().run_" not in line]
    _mask(error, text, user_lines)
    stack = "\n".join(map(str, lines)).replace(str(error), visible_lines(str(error)))
    return mask_stack(stack, text, user_lines).split("\n")


def _mask(error: BaseException, text: str, lines: Iterable[str]) -> None:
    """Let `str(error)`, which a notebook's file keeps beside the lines that are shown, have no credential."""
    masked_text = mask_stack(str(error), text, lines)
    if masked_text != str(error):
        error_class = type(error)
        error.__class__ = type(error_class.__name__, (error_class,), {"__str__": lambda _: masked_text})


def _render(error: BaseException) -> list[str]:
    shell = get_ipython()
    magics = shell.magics_manager.registry.get("IcebergSql") if shell is not None else None
    if getattr(magics, "traceback", False):
        return _stack(error, _statement(error.__traceback__)[0])
    try:
        lines = [*map(visible, _frames(error.__traceback__)), *_explanation(error)]
        code = [frame.line or "" for frame in _own_frames(error.__traceback__)]
        _mask(error, _statement(error.__traceback__)[0], code)
        return lines
    except Exception:  # if the explanation fails, the error itself is still shown
        parsed_error = parse_error(error)
        return [visible(f"{parsed_error.condition}: {parsed_error.sentence}")]


def _frames(frames: TracebackType | None) -> Iterator[str]:
    """The lines of the user's own code that led to the error."""
    statement = _statement(frames)[0]
    for frame in _own_frames(frames):
        is_cell = "ipykernel_" in frame.filename or frame.filename.startswith("<ipython")
        location = "cell" if is_cell else frame.filename
        yield f"{location}, line {frame.lineno}: {mask_line((frame.line or '').strip(), statement)}"


def _own_frames(frames: TracebackType | None) -> Iterator[traceback.FrameSummary]:
    return (
        frame
        for frame in traceback.extract_tb(frames)
        if not _LIBRARY_PATH.search(frame.filename) or "ipykernel_" in frame.filename
    )


def _explanation(error: BaseException) -> list[str]:
    text, spark = _statement(error.__traceback__)
    script = statements(text) if text else []
    parsed_error = parse_error(error)
    if len(script) == 1 and spark is not None:
        cell = Cell(text, name="<sql>")
        diagnostics = error_findings.error_diagnostics(spark, error, cell, script[0], {})
    elif parsed_error.fragment:
        cell = Cell(parsed_error.fragment, name="<sql>")
        span = (0, len(parsed_error.fragment))
        diagnostics = [
            cell.diagnostic(
                parsed_error.condition, parsed_error.sentence, span, error_findings.help_without_statement(parsed_error)
            )
        ]
    else:
        help = error_findings.help_without_statement(parsed_error)
        lines = [f"{parsed_error.condition}: {parsed_error.sentence}", *([f"help: {help}"] if help else [])]
        return list(map(visible, lines))
    return render_colored(cell.report(diagnostics)).rstrip("\n").split("\n")


def _is_session(value: object) -> bool:
    return isinstance(value, SparkSession) or (is_remote(value) and hasattr(value, "sql"))


def _statement(frames: TracebackType | None) -> tuple[str, SparkSession | None]:
    """The text passed to `spark.sql`, `sis.explain` or `sis.spj`, and the session."""
    text, spark = "", None
    while frames is not None:
        frame_locals: dict[str, Any] = frames.tb_frame.f_locals
        is_insight = str(frames.tb_frame.f_globals.get("__name__")).startswith("spark_iceberg_sql.insight.")
        if is_insight and isinstance(frame_locals.get("statement"), str) and _is_session(frame_locals.get("spark")):
            text, spark = frame_locals["statement"], frame_locals["spark"]
        # The parameter of pyspark's SparkSession.sql, in that function's frame.
        sql = frame_locals.get("sqlQuery")
        if isinstance(sql, str) and _is_session(frame_locals.get("self")):
            text, spark = sql, frame_locals["self"]
        frames = frames.tb_next
    return (text, spark) if Lines(text).count < 10_000 else ("", None)
