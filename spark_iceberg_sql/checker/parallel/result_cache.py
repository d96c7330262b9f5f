"""A cache of reports of earlier runs, by a digest of everything that they depend on; one file for all.

A cache that is damaged, or that cannot be written, costs time and nothing else. Runs at the same time each write a
whole file: the last one stays, with what it read of the others.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spark_iceberg_sql.checker.digests import digest
from spark_iceberg_sql.checker.parallel.report_packing import PackedData
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.atomic_write import replace_file
from spark_iceberg_sql.files.git import has_tracked_files
from spark_iceberg_sql.files.user_cache import cache_directory, is_private, make_private_folder

_DAY = 86_400  # seconds
_KEPT = 30  # days after which a result that nobody asked for is dropped
_PACKAGE = Path(__file__).parents[2]


def user_folder() -> Path:
    """The folder for results in the user's cache: a cache inside a repository could come from a stranger."""
    return cache_directory() / "results"


def distrust_reason(folder: Path) -> str | None:
    """The reason not to trust results in a folder; None if they are trusted. folder: need not exist."""
    with suppress(OSError):  # there is nothing in it, or it cannot be read
        if not is_private(folder):
            return "other users may write to it"
        return "git tracks files in it" if has_tracked_files(folder) else None
    return None


class ResultCache:
    """A cache in a folder, which is created when there is something to store.

    project: the folder that relative file names of these results are relative to.
    """

    def __init__(self, folder: Path, project: Path) -> None:
        self._folder = folder
        # Findings depend on the code of this package, and on Python, whose parser is used.
        code_digest = digest(sys.version, *_source_files())
        self._path = folder / f"results-{digest(str(project.absolute()), code_digest)}.json"
        self._today = int(time.time() // _DAY)
        self._stored = _read_results(self._path)
        self._new: dict[str, tuple[int, PackedData]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._stored

    def get(self, key: str) -> PackedData | None:
        """The result of a key, if it is kept."""
        stored_item = self._stored.get(key)
        if stored_item is None:
            return None
        if stored_item[0] != self._today:
            self._new[key] = (self._today, stored_item[1])
        return stored_item[1]

    def put(self, key: str, result: PackedData) -> None:
        """Keep a result."""
        self._stored[key] = self._new[key] = (self._today, result)

    def save(self) -> None:
        """Write what is new."""
        if not self._new:
            return
        oldest = self._today - _KEPT
        # Read again: another run may have written the file meanwhile.
        all_results = {**_read_results(self._path), **self._new}
        recent = {key: item for key, item in all_results.items() if item[0] >= oldest}
        body = json.dumps(recent, separators=(",", ":")).encode()
        with suppress(OSError, FileError):
            make_private_folder(self._folder)
            ignored = self._folder / ".gitignore"
            if not ignored.exists():
                ignored.write_text("*\n", encoding="utf-8")
            replace_file(self._path, digest(body).encode() + b"\n" + body)
            for other in self._folder.glob("results-*.json"):
                if other.stat().st_mtime < (oldest * _DAY):
                    other.unlink()
        self._new = {}


def _read_results(path: Path) -> dict[str, tuple[int, PackedData]]:
    results: dict[str, tuple[int, PackedData]] = {}
    with suppress(OSError, ValueError):
        # The first line is a digest of the rest, so that a damaged file counts as empty.
        checksum, _, body = path.read_bytes().partition(b"\n")
        results = json.loads(body) if checksum == digest(body).encode() else {}
    return results


def _source_files() -> Iterator[str | bytes]:
    for file in sorted(_PACKAGE.rglob("*.py")):
        yield str(file)
        yield file.read_bytes()
