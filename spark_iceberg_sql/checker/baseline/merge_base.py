"""Findings of a project at the merge base, so that only new findings are reported (`--diff-from`)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from spark_iceberg_sql.checker.baseline.finding_fingerprints import fingerprint_findings
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.files.git import Snapshot

# The settings that a finding of the old files is judged by as they are now.
_CURRENT = ("select", "extend-select", "ignore", "per-file-ignores", "severity", "placeholders")


class MergeBaseChecker:
    """Checks files as they were at a commit: with its tables and migrations, but the current selection of rules.

    snapshot: the project at the commit. make_configuration: returns the settings for the current working directory.
    """

    def __init__(self, snapshot: Snapshot, configuration: Callable[[], Configuration]) -> None:
        self._snapshot = snapshot
        self._linter = Linter()
        self._settings: dict[tuple[int, int], tuple[Settings, Settings, Settings]] = {}
        self._digests: dict[str, Counter[str]] = {}
        self._configuration = cache(configuration)

    def digests_of(self, name: str, current: Settings) -> Counter[str]:
        """The number of findings with each digest (`FindingFingerprint.digest`) in a file; empty if it did not exist.

        name: the file's. current: its current settings. Raises IcebergSqlError if the old file cannot be checked.
        """
        if name not in self._digests:
            path = self._snapshot.path_of(name)
            self._digests[name] = Counter() if path is None else self._checked_digests(path, name, current)
        return self._digests[name]

    def _checked_digests(self, path: Path, name: str, current: Settings) -> Counter[str]:
        with self._in_snapshot():
            old_settings = self._with_current_rules(self._configuration().of(path), current)
            text, _, _ = decode(read_bytes(str(path)), str(path))
            source = self._linter.source(str(path), text, old_settings)
            reports = self._linter.lint(source, old_settings)
            return Counter(fingerprint.digest for _, _, fingerprint in fingerprint_findings(source, reports, name))

    def _with_current_rules(self, old: Settings, current: Settings) -> Settings:
        """The old settings with the current selection of rules, so that a rule enabled since then reports nothing as
        new.
        """
        key = id(old), id(current)
        if key not in self._settings:
            self._settings[key] = old, current, old.with_values_of(current, _CURRENT)
        return self._settings[key][2]

    @contextmanager
    def _in_snapshot(self) -> Iterator[None]:
        """Change to the snapshot's copy of the working directory."""
        working_directory = Path.cwd()
        folder = self._snapshot.folder / working_directory.resolve().relative_to(self._snapshot.top)
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(working_directory)
