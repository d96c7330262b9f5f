"""Findings of a project at the merge base, so that only new findings are reported (`--diff-from`)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.checker.known_findings import marks
from spark_iceberg_sql.config.settings import Configuration, Settings
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.files.git import Snapshot


class Earlier:
    """Checks files as they were at a commit: with its tables and migrations, but the current selection of rules.

    snapshot: the project at the commit. make_configuration: returns the settings for the current working directory.
    """

    def __init__(self, snapshot: Snapshot, configuration: Callable[[], Configuration]) -> None:
        self._snapshot = snapshot
        self._linter = Linter()
        self._settings: dict[tuple[int, int], tuple[Settings, Settings, Settings]] = {}
        self._known: dict[str, Counter[str]] = {}
        self._make = configuration

    @cached_property
    def _configuration(self) -> Configuration:
        return self._make()

    def known(self, name: str, now: Settings) -> Counter[str]:
        """The number of findings with each digest (`FindingFingerprint.digest`) in a file; empty if it did not exist.

        name: the file's. current: its current settings. Raises IcebergSqlError if the old file cannot be checked.
        """
        if name not in self._known:
            path = self._snapshot.path_of(name)
            self._known[name] = Counter() if path is None else self._found(path, name, now)
        return self._known[name]

    def _found(self, path: Path, name: str, now: Settings) -> Counter[str]:
        with self._there():
            was = self._as_it_was(self._configuration.of(path), now)
            text, _, _ = decode(read_bytes(str(path)), str(path))
            found = self._linter.source(str(path), text, was)
            reports = self._linter.lint(found, was)
            return Counter(mark.digest for _, _, mark in marks(found, reports, name))

    def _as_it_was(self, was: Settings, now: Settings) -> Settings:
        """The old settings with the current selection of rules, so that a rule enabled since then reports nothing as
        new.
        """
        key = id(was), id(now)
        if key not in self._settings:
            chosen = replace(
                was,
                select=now.select,
                extend_select=now.extend_select,
                ignore=now.ignore,
                per_file_ignores=now.per_file_ignores,
                severity=now.severity,
                placeholders=now.placeholders,
            )
            self._settings[key] = was, now, chosen
        return self._settings[key][2]

    @contextmanager
    def _there(self) -> Iterator[None]:
        """Change to the snapshot's copy of the working directory."""
        here = Path.cwd()
        there = self._snapshot.folder / here.resolve().relative_to(self._snapshot.top)
        there.mkdir(parents=True, exist_ok=True)
        os.chdir(there)
        try:
            yield
        finally:
            os.chdir(here)
