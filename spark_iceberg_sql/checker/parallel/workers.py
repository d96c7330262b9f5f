"""Checks many files: in worker processes, and only those that have changed since the last run.

The findings and their order are the same as without workers.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spark_iceberg_sql.checker.digests import digest
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.parallel.report_packing import PackedData, pack_reports, unpack_reports
from spark_iceberg_sql.checker.parallel.safe_folder import in_safe_folder
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.projects.project_readers import is_independent
from spark_iceberg_sql.files.source import SourceFile

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from spark_iceberg_sql.checker.parallel.result_cache import ResultCache

# Characters. A process starts in the time that this much SQL takes.
_POOL_THRESHOLD = 250_000
_PORTION_SIZE = 60_000
_MAX_PENDING = 8_000_000
_MAX_JOBS = 61 if os.name == "nt" else 1000  # for more processes Windows cannot wait

_T = TypeVar("_T")


class LintTask(NamedTuple):
    """A file to check: its name, text and settings."""

    name: str
    text: str
    settings: Settings


class ParallelLinter:
    """Checks files. linter: for those checked in this process. configuration: for the workers.

    results: of earlier runs. jobs: the number of processes; None for one per processor, if the files are worth it.
    """

    def __init__(
        self, linter: Linter, configuration: Configuration, results: ResultCache | None = None, jobs: int | None = 1
    ) -> None:
        self._linter = linter
        self._configuration = configuration
        self._results = results
        self._jobs = min(jobs or _processor_count(), _MAX_JOBS)
        self._pool_threshold = 1 if jobs else _POOL_THRESHOLD
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: dict[str, LintTask] = {}
        self._waiting_size = 0
        self._keys: dict[str, tuple[str | None, str | None]] = {}
        self._futures: dict[str, tuple[str, Future[list[PackedData | None]], int]] = {}

    def lint(self, task: LintTask) -> list[Report]:
        """The reports of a file's parts. Raises what `Linter.lint` does, and IcebergSqlError for a lost process."""
        key = self._key(task)
        packed_reports = self._worker_reports(task)
        if packed_reports is None and key is not None and self._results is not None:
            packed_reports = self._results.get(key)
        try:
            reports = unpack_reports(packed_reports, task.name, task.text) if packed_reports is not None else None
        except ValueError:
            reports = None
        if reports is None:
            reports = self._linter.lint(self.source(task), task.settings)
        is_storable = key is not None and not any(report.failed for report in reports)
        if self._results is not None and key is not None and is_storable and key not in self._results:
            self._results.put(key, packed_reports or pack_reports(reports, task.text))
        return reports

    def source(self, task: LintTask) -> SourceFile:
        """The source file of a task. Raises FileError for an invalid notebook."""
        return self._linter.source(task.name, task.text, task.settings)

    def prefetch(self, items: Iterable[_T], task_of: Callable[[_T], LintTask | None]) -> Iterator[_T]:
        """Yield the items in order, while workers check the next ones.

        task_of: an item's file, None if there is nothing to check.
        """
        pending: deque[tuple[_T, int]] = deque()
        size = 0
        for item in items:
            task = task_of(item) if self._jobs > 1 else None
            if task is not None:
                self._schedule(task)
            pending.append((item, len(task.text) if task is not None else 0))
            size += pending[-1][1]
            while pending and (size > _MAX_PENDING or self._jobs == 1):
                size -= pending[0][1]
                yield pending.popleft()[0]
        if self._pool is not None:
            self._submit()
        while pending:
            yield pending.popleft()[0]

    def close(self) -> None:
        """Keep the results, and end the processes."""
        try:
            if self._results is not None:
                self._results.save()
        finally:
            if self._pool is not None:
                # Python waits at its exit anyway, but until Python 3.13 it may wake up a pool that has just ended.
                self._pool.shutdown(wait=True, cancel_futures=True)

    def _key(self, task: LintTask) -> str | None:
        """A digest of everything that the result depends on; None if that is not known, or not needed."""
        if self._results is None:
            return None
        text, key = self._keys.pop(task.name, (None, None))
        # The key was computed when the file was scheduled.
        if text is task.text:
            return key
        if task.name == "-" or not is_independent(task.name, task.text):
            return None
        try:
            dependencies = self._linter.dependency_digest(task.name, task.settings)
        except IcebergSqlError:
            return None  # checking the file says so
        return digest(dependencies, os.path.abspath(task.name), task.text) if dependencies is not None else None

    def _schedule(self, task: LintTask) -> None:
        key = self._key(task)
        self._keys[task.name] = task.text, key
        if self._results is not None and key is not None and key in self._results:
            return
        self._waiting[task.name] = task
        self._waiting_size += len(task.text)
        if self._waiting_size >= (self._pool_threshold if self._pool is None else _PORTION_SIZE):
            self._submit()

    def _submit(self) -> None:
        """Give the waiting files to workers, in portions."""
        portion: list[LintTask] = []
        size = 0
        for number, task in enumerate(self._waiting.values(), 1):
            portion.append(task)
            size += len(task.text)
            if size >= _PORTION_SIZE or number == len(self._waiting):
                texts = [(portion_task.name, portion_task.text) for portion_task in portion]
                with _lost_process(), in_safe_folder() as folder:
                    future = self._process_pool(folder).submit(_check_portion, texts)
                for index, portion_task in enumerate(portion):
                    self._futures[portion_task.name] = portion_task.text, future, index
                portion, size = [], 0
        self._waiting, self._waiting_size = {}, 0

    def _process_pool(self, folder: str | None) -> ProcessPoolExecutor:
        """The pool, whose processes work in a folder."""
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(
                self._jobs, initializer=_initialize_worker, initargs=(self._configuration, folder)
            )
        return self._pool

    def _worker_reports(self, task: LintTask) -> PackedData | None:
        """A worker's reports; None if it did not get the file, or failed."""
        self._waiting.pop(task.name, None)
        text, future, index = self._futures.pop(task.name, (None, None, 0))
        if future is None or text is not task.text:
            return None
        with _lost_process():
            return future.result()[index]


@contextmanager
def _lost_process() -> Iterator[None]:
    """Report a process that has ended as the user's error: it was killed, or ran out of memory."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool:
        raise IcebergSqlError("a worker process died; `-j 1` checks the files in one process") from None


def _processor_count() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """The state of a worker process."""

    linter: Linter
    configuration: Configuration


def _initialize_worker(configuration: Configuration, folder: str | None) -> None:
    import signal

    if folder is not None:
        os.chdir(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command itself ends it
    _Worker.linter, _Worker.configuration = Linter(), configuration


def _check_portion(files: list[tuple[str, str]]) -> list[PackedData | None]:
    return [_check_file(name, text) for name, text in files]


def _check_file(name: str, text: str) -> PackedData | None:
    """A file's packed reports; None for any failure: the main process then checks the file itself and reports it."""
    from pathlib import Path

    try:
        settings = _Worker.configuration.of(Path(name))
        linter = _Worker.linter
        return pack_reports(linter.lint(linter.source(name, text, settings), settings), text)
    except Exception:
        return None
