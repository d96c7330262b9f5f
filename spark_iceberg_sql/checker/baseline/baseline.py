"""A baseline: a file with the fingerprints of accepted findings, so that only new findings are reported."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.checker.baseline.finding_fingerprints import FindingFingerprint
from spark_iceberg_sql.diagnostics import INTERNAL
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.atomic_write import replace_file
from spark_iceberg_sql.safe_output import data_without_commands

_VERSION = 1


class Baseline:
    """The fingerprints in a baseline file. path: the file; the paths in it are relative to its folder."""

    def __init__(self, path: Path, entries: Mapping[FindingFingerprint, int] | None = None) -> None:
        self.path = path
        self._entries = Counter(entries or {})

    def name_of(self, file: str) -> str:
        """A file's path as the baseline writes it."""
        full = os.path.realpath(file)
        try:
            return Path(os.path.relpath(full, self.path.absolute().parent.resolve())).as_posix()
        except ValueError:  # on another drive
            return Path(full).as_posix()

    def digests_of(self, name: str) -> Counter[str]:
        """The number of entries for each digest of a file. name: the file, as the baseline names it."""
        return Counter(
            {fingerprint.digest: count for fingerprint, count in self._entries.items() if fingerprint.path == name}
        )

    def stale_entries(
        self,
        fingerprints: Iterable[FindingFingerprint],
        checked: Iterable[str],
        selected: Callable[[FindingFingerprint], bool],
    ) -> list[FindingFingerprint]:
        """Entries whose finding no longer exists.

        fingerprints: of all findings. checked: the files that were checked, as the baseline names them; files that no
        longer exist count as checked. selected: true if the rule of an entry was run on its file.
        """
        names = set(checked)
        unmatched = self._entries - Counter(fingerprints)
        folder = self.path.absolute().parent
        return sorted(
            fingerprint
            for fingerprint in unmatched.elements()
            if (fingerprint.path in names and selected(fingerprint)) or not (folder / fingerprint.path).exists()
        )

    def write(
        self,
        fingerprints: Iterable[FindingFingerprint],
        checked: Iterable[str],
        selected: Callable[[FindingFingerprint], bool],
    ) -> int:
        """Update the file; returns the number of findings it lists. Raises FileError.

        Entries of files and rules that were not checked are kept. The arguments are those of `stale_entries`.
        """
        fingerprints = [fingerprint for fingerprint in fingerprints if fingerprint.code != INTERNAL]
        stale = Counter(self.stale_entries(fingerprints, checked, selected))
        self._entries = (self._entries - stale) | Counter(fingerprints)
        replace_file(self.path, _baseline_text(self._entries).encode(errors="backslashreplace"))
        return self._entries.total()


def read_baseline(path: Path, *, may_be_missing: bool = False) -> Baseline:
    """Read a baseline. may_be_missing: a missing file is an empty baseline. Raises FileError."""
    if may_be_missing and not path.exists():
        return Baseline(path)
    try:
        tree = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FileError(f"the baseline `{path}` does not exist; --write-baseline creates it") from None
    except OSError as error:
        raise FileError(f"cannot read the baseline `{path}`: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"`{path}` is not a baseline: {error}") from None
    try:
        return Baseline(path, _entries(tree))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise FileError(f"`{path}` is not a baseline of this version of iceberg-sql") from None


def _entries(tree: Any) -> Counter[FindingFingerprint]:
    if tree["version"] != _VERSION:
        raise ValueError
    counts: Counter[FindingFingerprint] = Counter()
    for path, entries in tree["findings"].items():
        for entry in entries:
            values = (path, entry["code"], entry["message"], entry["digest"])
            count = entry.get("count", 1)
            if not all(isinstance(value, str) for value in values) or type(count) is not int:
                raise TypeError
            counts[FindingFingerprint(*values)] += max(count, 0)
    return counts


def _baseline_text(entries: Counter[FindingFingerprint]) -> str:
    """One line for each finding, sorted, for small diffs."""
    by_path: dict[str, list[str]] = {}
    for fingerprint, count in sorted(entries.items()):
        entry = {
            "code": fingerprint.code,
            "digest": fingerprint.digest,
            "message": fingerprint.message,
            **({"count": count} if count > 1 else {}),
        }
        by_path.setdefault(fingerprint.path, []).append(f"      {json.dumps(entry, ensure_ascii=False)}")
    files = [
        f"    {json.dumps(path, ensure_ascii=False)}: [\n" + ",\n".join(lines) + "\n    ]"
        for path, lines in by_path.items()
    ]
    body = "{\n" + ",\n".join(files) + "\n  }" if files else "{}"
    return data_without_commands(f'{{\n  "version": {_VERSION},\n  "findings": {body}\n}}\n')
