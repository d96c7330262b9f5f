"""The files of `iceberg-sql check`: checked in several processes, with cached results and a progress line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.parallel.workers import LintTask, ParallelLinter
from spark_iceberg_sql.cli.check_file import File, read_file
from spark_iceberg_sql.cli.progress import FileProgress
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.rules.registry import ALL, OURS
from spark_iceberg_sql.safe_output import write_message

if TYPE_CHECKING:
    from spark_iceberg_sql.checker.parallel.result_cache import ResultCache

_Item = tuple[str, File | Exception]

_MAX_JOBS = 1000
_MIN_CACHED_FILES = 16  # files from which on a cache saves more time than it takes


def add_parallel_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options about many files."""
    group = parser.add_argument_group("many files")
    group.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        help="number of processes; default: one for each processor if there is enough to check",
    )
    group.add_argument("--no-cache", action="store_true", help="neither use nor keep results of earlier runs")
    group.add_argument(
        "--cache-dir",
        metavar="DIR",
        type=Path,
        help=(
            f"folder for results of earlier runs (default: in the user's cache folder, from "
            f"{_MIN_CACHED_FILES} files on)"
        ),
    )


def _jobs(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
    if not 0 <= number <= _MAX_JOBS:
        raise argparse.ArgumentTypeError(f"it must be a number of processes up to {_MAX_JOBS}, not `{text}`")
    return number or None


@contextmanager
def open_linter(
    args: argparse.Namespace, settings: Configuration, paths: Sequence[str], linter: Linter
) -> Iterator[tuple[ParallelLinter, Iterator[_Item]]]:
    """The parallel linter, and the files in order, each as read or as the exception that prevented it."""
    result_cache = _open_cache(args, settings, len(paths))
    parallel_linter = ParallelLinter(linter, settings, result_cache, args.jobs)
    progress = FileProgress(len(paths))

    def files() -> Iterator[_Item]:
        for item in parallel_linter.prefetch(((p, _read(p, args, settings)) for p in paths), _task_of):
            progress.advance()
            yield item

    with closing(progress), closing(parallel_linter):
        yield parallel_linter, files()


def _read(path: str, args: argparse.Namespace, settings: Configuration) -> File | Exception:
    """A file, or the exception that prevents reading it, which is reported in the order of the files."""
    try:
        return read_file(path, args.stdin_filename, settings)
    except Exception as error:
        return error


def _task_of(item: _Item) -> LintTask | None:
    path, file = item
    return LintTask(file.name, file.text, file.settings) if path != "-" and isinstance(file, File) else None


def _open_cache(args: argparse.Namespace, settings: Configuration, file_count: int) -> ResultCache | None:
    """The results of earlier runs, where they are worth reading."""
    is_small = args.cache_dir is None and file_count < _MIN_CACHED_FILES
    has_plugins = len(ALL) > len(OURS)  # rules of other packages may depend on anything
    if args.no_cache or is_small or has_plugins:
        return None
    from spark_iceberg_sql.checker.parallel.result_cache import ResultCache, distrust_reason, user_folder

    try:
        folder = args.cache_dir or user_folder()
    except RuntimeError:  # a user without a home
        return None
    if reason := distrust_reason(folder):
        write_message(f"warning: the cache `{folder}` is not used: {reason}")
        return None
    return ResultCache(folder, settings.of(Path("any")).root)
