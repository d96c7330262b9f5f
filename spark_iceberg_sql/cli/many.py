"""The files of `iceberg-sql check`: checked in several processes, with cached results and a progress line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.checker.many_files import ManyFiles, Work
from spark_iceberg_sql.cli.check_file import File, read
from spark_iceberg_sql.cli.progress import Progress
from spark_iceberg_sql.config.settings import Configuration
from spark_iceberg_sql.outgoing import say
from spark_iceberg_sql.rules.registry import ALL, OURS

if TYPE_CHECKING:
    from spark_iceberg_sql.checker.results import Results

_Item = tuple[str, File | Exception]

_MOST_JOBS = 1000
_MANY = 16  # files from which on a cache saves more time than it takes


def add_many(parser: argparse.ArgumentParser) -> None:
    """Declare the options about many files."""
    group = parser.add_argument_group("many files")
    group.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        help="number of processes; default: one for each processor if there is enough to check",
    )
    group.add_argument(
        "--no-cache", action="store_true", help="neither use nor keep results of earlier runs"
    )
    group.add_argument(
        "--cache-dir",
        metavar="DIR",
        type=Path,
        help=f"folder for results of earlier runs (default: in the user's cache folder, from {_MANY} files on)",
    )


def _jobs(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
    if not 0 <= number <= _MOST_JOBS:
        raise argparse.ArgumentTypeError(
            f"it must be a number of processes up to {_MOST_JOBS}, not `{text}`"
        )
    return number or None


@contextmanager
def many_files(
    given: argparse.Namespace, settings: Configuration, paths: Sequence[str], linter: Linter
) -> Iterator[tuple[ManyFiles, Iterator[_Item]]]:
    """The parallel linter, and the files in order, each as read or as the exception that prevented it."""
    results = _results(given, settings, len(paths))
    many = ManyFiles(linter, settings, results, given.jobs)
    progress = Progress(len(paths))

    def files() -> Iterator[_Item]:
        for item in many.ahead(((p, _read(p, given, settings)) for p in paths), _work):
            progress.step()
            yield item

    with closing(progress), closing(many):
        yield many, files()


def _read(path: str, given: argparse.Namespace, settings: Configuration) -> File | Exception:
    """A file, or the exception that prevents reading it, which is reported in the order of the files."""
    try:
        return read(path, given.stdin_filename, settings)
    except Exception as error:
        return error


def _work(item: _Item) -> Work | None:
    path, file = item
    if path == "-" or isinstance(file, Exception):
        return None
    return Work(file.name, file.text, file.settings)


def _results(given: argparse.Namespace, settings: Configuration, files: int) -> Results | None:
    """The results of earlier runs, where they are worth reading."""
    few = given.cache_dir is None and files < _MANY
    others = len(ALL) > len(OURS)  # rules of other packages may depend on anything
    if given.no_cache or few or others:
        return None
    from spark_iceberg_sql.checker.results import Results, user_folder, why_not_used

    try:
        folder = given.cache_dir or user_folder()
    except RuntimeError:  # a user without a home
        return None
    if reason := why_not_used(folder):
        say(f"warning: the cache `{folder}` is not used: {reason}")
        return None
    return Results(folder, settings.of(Path("any")).root)
