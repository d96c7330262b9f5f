"""`iceberg-sql check --watch`: repeats the check whenever a file changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from spark_iceberg_sql.cli import COULD_NOT_RUN
from spark_iceberg_sql.config.configuration import OWN_FILE
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.safe_output import raw_stream, write_message

_SECONDS = 0.5
# Files above a checked one that its findings may depend on: settings, and what dbt has recorded.
_PARENT_FILES = (OWN_FILE, "pyproject.toml", "dbt_project.yml", "target/manifest.json", "target/catalog.json")


def watch(check: Callable[[], int], list_files: Callable[[], Iterable[str]]) -> int:
    """Check now and after each change, until the user interrupts; returns the last exit code.

    check: prints the findings and returns the exit code. list_files: returns the files to check, and others that the
    findings depend on.
    """
    code = COULD_NOT_RUN
    try:
        while True:
            old_state = _state(list_files)
            _clear()
            try:
                code = check()
            except IcebergSqlError as error:
                write_message(f"error: {error}")
                code = COULD_NOT_RUN
            sys.stdout.write("\nWatching for changes; Ctrl-C to stop.\n")
            sys.stdout.flush()
            while _state(list_files) == old_state:
                time.sleep(_SECONDS)
    except KeyboardInterrupt:
        return code


def _state(list_files: Callable[[], Iterable[str]]) -> dict[str, tuple[int, int] | None]:
    """The modification times and sizes of the files, and of some above them."""
    try:
        names = set(list_files())
    except IcebergSqlError as error:  # settings that are wrong for now
        names = {f"error: {error}"}
    folders = {parent for name in names for parent in Path(name).absolute().parents}
    folders |= {Path.cwd(), *Path.cwd().parents}
    names |= {str(folder / file_name) for folder in folders for file_name in _PARENT_FILES}
    return {name: _file_state(name) for name in names}


def _file_state(name: str) -> tuple[int, int] | None:
    try:
        status = os.stat(name)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _clear() -> None:
    if sys.stdout.isatty():
        raw_stream(sys.stdout).write("\x1b[2J\x1b[H")
