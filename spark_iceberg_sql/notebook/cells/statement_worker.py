"""Runs a cell in a worker thread, so that an interrupt never breaks a call between Python and the JVM.

The kernel's thread only waits; an interrupt there cancels the Spark jobs, and the session stays usable.
"""

from __future__ import annotations

import contextvars
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from IPython.display import display, update_display
from pyspark import InheritableThread

from spark_iceberg_sql import markup
from spark_iceberg_sql.notebook.cells.engines import Classic, Engine
from spark_iceberg_sql.quantities import duration, size
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.spark.bridge.jvm.jobs import JobProgress

T = TypeVar("T")
_PATIENCE = 1.0  # seconds before progress is shown
_EVERY = 0.4
_CANCEL_TIMEOUT = 20.0  # seconds in which a cancelled statement must end
# An output cannot be taken back: without HTML, front ends keep a blank line for it.
_CLEARED = {"text/html": "<div hidden></div>", "text/plain": ""}
_DISPLAY_PREFIX = "sis-progress"


class InterruptedStatement(KeyboardInterrupt):
    """An interrupt, raised after the statement's jobs were cancelled."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Output:
    """The output of one statement: its result replaces its progress, if that was shown."""

    def __init__(self, animated: bool) -> None:
        self._can_redraw = animated
        self._display_id: str | None = None
        self._lock = threading.Lock()
        self._final = False

    def progress(self, html: str, text: str) -> None:
        """Show progress, unless the result is already shown."""
        with self._lock:
            if self._can_redraw and not self._final:
                self._publish({"text/html": html, "text/plain": text}, keep=True)

    def result(self, bundle: dict[str, str] | None) -> None:
        """Show the result; None clears the output, with its progress."""
        with self._lock:
            self._final = True
            if bundle is not None or self._display_id is not None:
                self._publish(bundle or _CLEARED, keep=False)

    def _publish(self, bundle: dict[str, str], keep: bool) -> None:
        if self._display_id is not None:
            update_display(bundle, display_id=self._display_id, raw=True)
        elif keep:
            self._display_id = f"{_DISPLAY_PREFIX}-{uuid.uuid4().hex}"
            display(bundle, raw=True, display_id=self._display_id)
        else:
            display(bundle, raw=True)


class StatementWorker:
    """Runs a cell's statements in a worker thread.

    engine: of the session. animated: whether progress can be redrawn in place.
    """

    def __init__(self, engine: Engine, animated: bool) -> None:
        self._engine = engine
        self._can_redraw = animated
        self._group = f"iceberg_sql-{uuid.uuid4().hex}"
        self._title = ""
        self._started = time.monotonic()
        self.cancelled = False
        self.output = Output(False)

    def begin(self, title: str) -> Output:
        """Called in the worker thread before each statement. title: its name in the progress line."""
        self._title, self._started = title, time.monotonic()
        self.output = Output(self._can_redraw)
        self._engine.begin(self._group, title)
        return self.output

    def run(self, body: Callable[[], T]) -> T:
        """Run a function to its end, and return its result or raise its exception.

        Raises InterruptedStatement if the kernel is interrupted.
        """
        results: list[T] = []
        errors: list[BaseException] = []
        context = contextvars.copy_context()

        def work() -> None:
            try:
                results.append(context.run(body))
            except BaseException as error:
                errors.append(error)

        thread = InheritableThread if isinstance(self._engine, Classic) else threading.Thread
        worker = thread(target=work, daemon=True)
        worker.start()
        try:
            self._watch(worker)
        except KeyboardInterrupt:
            self._stop(worker)
            raise InterruptedStatement(self._interrupt_message(worker)) from None
        finally:
            self._engine.end()
        if errors:
            raise errors[0]
        return results[0]

    def _watch(self, worker: threading.Thread) -> None:
        _wait(worker, _PATIENCE)
        if not worker.is_alive():
            return
        threading.Thread(target=contextvars.copy_context().run, args=(self._report, worker), daemon=True).start()
        _wait(worker)

    def _report(self, worker: threading.Thread) -> None:
        while worker.is_alive():
            passed = time.monotonic() - self._started
            if passed >= _PATIENCE:
                try:
                    tasks = self._engine.progress(self._group)
                except Exception:  # the session has ended, and the statement reports that itself
                    return
                self.output.progress(*_progress_bundle(self._title, tasks, passed))
            worker.join(_EVERY)

    def _stop(self, worker: threading.Thread) -> None:
        self.cancelled = True
        threading.Thread(target=self._engine.cancel, args=(self._group,), daemon=True).start()
        with suppress(KeyboardInterrupt):  # a second interrupt: already cancelled, so do not wait
            _wait(worker, _CANCEL_TIMEOUT)

    def _interrupt_message(self, worker: threading.Thread) -> str:
        self.output.result(None)
        passed = duration(time.monotonic() - self._started)
        if worker.is_alive():
            return f"interrupted after {passed}: {self._title} has not ended yet; its jobs are cancelled in Spark"
        return f"interrupted after {passed}: {self._title} was cancelled in Spark"


def _wait(worker: threading.Thread, seconds: float = float("inf")) -> None:
    end = time.monotonic() + seconds
    while worker.is_alive() and time.monotonic() < end:
        worker.join(min(0.1, max(0.0, end - time.monotonic())))


def _progress_bundle(title: str, tasks: JobProgress | None, seconds: float) -> tuple[str, str]:
    done_share = 0 if tasks is None or not tasks.total else tasks.done / tasks.total
    count_text = "" if tasks is None else f" · {tasks.done:,} of {tasks.total:,} tasks, {tasks.running} running"
    if tasks is not None and tasks.written:
        count_text += f" · {size(tasks.written)}, {tasks.rows:,} rows written"
    text = f"{title} · {duration(seconds)}{count_text}"
    bar = (
        f'<svg width="320" height="8" role="img" aria-label="{100 * done_share:.0f} percent">'
        f'<rect width="320" height="8" rx="4" fill="{markup.NOTE}" fill-opacity=".25"/>'
        f'<rect width="{320 * done_share:.0f}" height="8" rx="4" fill="{markup.READ}"/></svg>'
    )
    return markup.box(markup.dim_line(markup.html_text(text)), bar), visible(text)


def can_redraw(shell: Any) -> bool:
    """True if a shell can redraw its outputs: a kernel can, a terminal cannot."""
    return hasattr(shell, "kernel")
