"""The progress of the Spark jobs of a preview or advice, in a line on a terminal or in a notebook."""

from __future__ import annotations

import shutil
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.quantities import duration
from spark_iceberg_sql.safe_output import raw_stream, visible, without_commands
from spark_iceberg_sql.spark.bridge.jvm import interrupts, jobs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATIENCE = 1.0  # seconds before the line is shown
_EVERY = 0.4


@dataclass
class _Steps:
    """The steps of some work: how many there will be, which one it is, and at which part of it."""

    total: int
    number: int = 0
    name: str = ""
    part: str = ""

    def __str__(self) -> str:
        step = f", step {self.number} of {max(self.number, self.total)}: {self.name}{self.part}"
        return step if self.number else ""


_steps: ContextVar[_Steps | None] = ContextVar("steps", default=None)


def begin_step(name: str) -> None:
    """The next step of the work whose progress this thread shows, if it does."""
    if (steps := _steps.get()) is not None:
        steps.number, steps.name, steps.part = steps.number + 1, name, ""


def count(number: int, total: int) -> None:
    """Which of the things the step is at. Ends the work if it is interrupted."""
    interrupts.check()
    if (steps := _steps.get()) is not None:
        steps.part = f", {number:,} of {total:,}"


@contextmanager
def show_progress(spark: SparkSession, description: str, steps: int = 0) -> Iterator[None]:
    """Show the progress of the jobs that this thread starts meanwhile, from the first second on.

    An interrupt ends them.

    spark: the session. description: of the work. steps: how often `begin_step` is expected. Jobs that already have a
    group, as in a notebook's SQL cell, are shown by the code that made the group.
    """
    if not jobs.is_watched() or jobs.current(spark) is not None:
        yield
        return
    group, done = f"iceberg-{uuid.uuid4().hex}", threading.Event()
    jobs.begin(spark, group, description)
    of_work = _Steps(steps)
    token = _steps.set(of_work)
    reporter = threading.Thread(target=_report, args=(spark, group, description, done, of_work), daemon=True)
    reporter.start()
    try:
        with interrupts.kept(partial(jobs.cancel, spark, group)):
            yield
    finally:
        _steps.reset(token)
        done.set()
        reporter.join()
        jobs.end(spark)


def _report(
    spark: SparkSession, group: str, description: str, done: threading.Event, steps: _Steps | None = None
) -> None:
    started, line = time.monotonic(), _line()
    wait = _PATIENCE
    while not done.wait(wait):
        wait = _EVERY
        try:
            progress = jobs.progress(spark, group)
        except Exception:  # the session has ended, and the caller reports that itself
            break
        text = f"{description}: {duration(time.monotonic() - started)}{steps or ''}"
        if progress is not None:  # without a total: Spark plans the next job when one has ended
            text += f", {progress.done:,} tasks done"
        line.show(without_commands(visible(text)))
    line.clear()


class _TerminalLine:
    """A line on the standard error: the cursor goes back, so that any other line takes this one's place."""

    def __init__(self) -> None:
        self._text = ""

    def show(self, text: str) -> None:
        """Replace the line: of two lines, the first would remain."""
        text = text[: shutil.get_terminal_size((200, 24)).columns - 1]
        raw_stream(sys.stderr).write(f"{text.ljust(len(self._text))}\r")
        sys.stderr.flush()
        self._text = text

    def clear(self) -> None:
        """Leave nothing."""
        if self._text:
            self.show("")


class _NotebookLine:
    """An output of a cell, which is emptied at the end: a notebook shows the standard error in red, and keeps it."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str) -> None:
        """Replace the text."""
        from IPython.display import display

        content = {"text/plain": text}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def clear(self) -> None:
        """Leave an empty output."""
        if self._handle is not None:
            self.show("")


def _line() -> _TerminalLine | _NotebookLine:
    """Where the progress is shown: in a notebook, or on a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return _NotebookLine() if hasattr(shell, "kernel") else _TerminalLine()
