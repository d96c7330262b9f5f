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
from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.checker.packed import Packed, packed, unpacked
from spark_iceberg_sql.checker.safe_folder import in_safe_folder
from spark_iceberg_sql.config.settings import Configuration, Settings
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.projects.tools import stands_alone
from spark_iceberg_sql.files.source import Source

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from spark_iceberg_sql.checker.results import Results

# Characters. A process starts in the time that this much SQL takes.
_WORTH_A_PROCESS = 250_000
_PORTION = 60_000
_HELD = 8_000_000
_MOST = 61 if os.name == "nt" else 1000  # for more processes Windows cannot wait

_T = TypeVar("_T")


class Work(NamedTuple):
    """A file to check: its name, text and settings."""

    name: str
    text: str
    settings: Settings


class ManyFiles:
    """Checks files. linter: for those checked in this process. configuration: for the workers.

    results: of earlier runs. jobs: the number of processes; None for one per processor, if the files are worth it.
    """

    def __init__(
        self,
        linter: Linter,
        configuration: Configuration,
        results: Results | None = None,
        jobs: int | None = 1,
    ) -> None:
        self._linter = linter
        self._configuration = configuration
        self._results = results
        self._jobs = min(jobs or _processors(), _MOST)
        self._worth = 1 if jobs else _WORTH_A_PROCESS
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: dict[str, Work] = {}
        self._size = 0
        self._keys: dict[str, tuple[str | None, str | None]] = {}
        self._coming: dict[str, tuple[str, Future[list[Packed | None]], int]] = {}

    def lint(self, work: Work) -> list[Report]:
        """The reports of a file's parts. Raises what `Linter.lint` does, and IcebergSqlError for a lost process."""
        key = self._key(work)
        found = self._elsewhere(work)
        if found is None and key is not None and self._results is not None:
            found = self._results.get(key)
        try:
            reports = unpacked(found, work.name, work.text) if found is not None else None
        except ValueError:
            reports = None
        if reports is None:
            reports = self._linter.lint(self.source(work), work.settings)
        keeps = key is not None and not any(report.failed for report in reports)
        if self._results is not None and key is not None and keeps and key not in self._results:
            self._results.put(key, found or packed(reports, work.text))
        return reports

    def source(self, work: Work) -> Source:
        """The source file of a task. Raises FileError for an invalid notebook."""
        return self._linter.source(work.name, work.text, work.settings)

    def ahead(self, items: Iterable[_T], work_of: Callable[[_T], Work | None]) -> Iterator[_T]:
        """Yield the items in order, while workers check the next ones.

        task_of: an item's file, None if there is nothing to check.
        """
        held: deque[tuple[_T, int]] = deque()
        many = 0
        for item in items:
            work = work_of(item) if self._jobs > 1 else None
            if work is not None:
                self._plan(work)
            held.append((item, len(work.text) if work is not None else 0))
            many += held[-1][1]
            while held and (many > _HELD or self._jobs == 1):
                many -= held[0][1]
                yield held.popleft()[0]
        if self._pool is not None:
            self._submit()
        while held:
            yield held.popleft()[0]

    def close(self) -> None:
        """Keep the results, and end the processes."""
        try:
            if self._results is not None:
                self._results.save()
        finally:
            if self._pool is not None:
                # Python waits at its exit anyway, but until Python 3.13 it may wake up a pool that has just ended.
                self._pool.shutdown(wait=True, cancel_futures=True)

    def _key(self, work: Work) -> str | None:
        """A digest of everything that the result depends on; None if that is not known, or not needed."""
        if self._results is None:
            return None
        text, key = self._keys.pop(work.name, (None, None))
        # The key was computed when the file was scheduled.
        if text is work.text:
            return key
        if work.name == "-" or not stands_alone(work.name, work.text):
            return None
        try:
            basis = self._linter.basis(work.name, work.settings)
        except IcebergSqlError:
            return None  # checking the file says so
        return digest(basis, os.path.abspath(work.name), work.text) if basis is not None else None

    def _plan(self, work: Work) -> None:
        key = self._key(work)
        self._keys[work.name] = work.text, key
        if self._results is not None and key is not None and key in self._results:
            return
        self._waiting[work.name] = work
        self._size += len(work.text)
        if self._size >= (self._worth if self._pool is None else _PORTION):
            self._submit()

    def _submit(self) -> None:
        """Give the waiting files to workers, in portions."""
        portion: list[Work] = []
        size = 0
        for number, work in enumerate(self._waiting.values(), 1):
            portion.append(work)
            size += len(work.text)
            if size >= _PORTION or number == len(self._waiting):
                texts = [(each.name, each.text) for each in portion]
                with _lost_process(), in_safe_folder() as folder:
                    future = self._processes(folder).submit(_check, texts)
                for place, each in enumerate(portion):
                    self._coming[each.name] = each.text, future, place
                portion, size = [], 0
        self._waiting, self._size = {}, 0

    def _processes(self, folder: str | None) -> ProcessPoolExecutor:
        """The pool, whose processes work in a folder."""
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(
                self._jobs, initializer=_start, initargs=(self._configuration, folder)
            )
        return self._pool

    def _elsewhere(self, work: Work) -> Packed | None:
        """A worker's reports; None if it did not get the file, or failed."""
        self._waiting.pop(work.name, None)
        text, future, place = self._coming.pop(work.name, (None, None, 0))
        if future is None or text is not work.text:
            return None
        with _lost_process():
            return future.result()[place]


@contextmanager
def _lost_process() -> Iterator[None]:
    """Report a process that has ended as the user's error: it was killed, or ran out of memory."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool:
        raise IcebergSqlError(
            "a worker process died; `-j 1` checks the files in one process"
        ) from None


def _processors() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Here:
    """The state of a worker process."""

    linter: Linter
    configuration: Configuration


def _start(configuration: Configuration, folder: str | None) -> None:
    import signal

    if folder is not None:
        os.chdir(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command itself ends it
    _Here.linter, _Here.configuration = Linter(), configuration


def _check(files: list[tuple[str, str]]) -> list[Packed | None]:
    return [_checked(name, text) for name, text in files]


def _checked(name: str, text: str) -> Packed | None:
    """A file's packed reports; None for any failure: the main process then checks the file itself and reports it."""
    from pathlib import Path

    try:
        settings = _Here.configuration.of(Path(name))
        linter = _Here.linter
        return packed(linter.lint(linter.source(name, text, settings), settings), text)
    except Exception:
        return None
