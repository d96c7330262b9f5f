"""Checks a folder of clones of other repositories, and prints what changed against the last time.

python -m tests.clones FOLDER          each folder in it is a clone; its files are checked without settings
python -m tests.clones FOLDER --keep   do not remember this run's counts

Only names and counts are printed and remembered, never a repository's text. The counts of the last run are in
FOLDER/iceberg-sql-counts.json. The exit code is 1 if anything changed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.discovery import decode, find_files, read_bytes

_COUNTS = "iceberg-sql-counts.json"
_NAMED = 3  # files that are named for each code
# A clone: its commit, and for each file with a statement or a finding the counts by code and of statements.
Clone = dict[str, object]
Files = dict[str, dict[str, int]]


def main(arguments: list[str]) -> int:
    """Check the clones; returns the exit code."""
    folders = [word for word in arguments if not word.startswith("-")]
    if len(folders) != 1 or not Path(folders[0]).is_dir() or set(arguments) - {*folders, "--keep"}:
        print(__doc__, file=sys.stderr)
        return 2
    top = Path(folders[0])
    before = _read(top / _COUNTS)
    now: dict[str, Clone] = {}
    changed = False
    for folder in sorted(path for path in top.iterdir() if path.is_dir()):
        record: Clone = {"commit": _commit(folder), "files": _counts(folder)}
        now[folder.name] = record
        for line in _differences(before.get(folder.name), record):
            changed = True
            print(f"{folder.name}: {line}", flush=True)
    for name in before.keys() - now.keys():
        changed = True
        print(f"{name}: gone")
    totals = sum((_total(clone) for clone in now.values()), Counter[str]())
    totals_text = ", ".join(f"{code} {count}" for code, count in sorted(totals.items()))
    print(f"{len(now)} clones: {totals_text or 'nothing'}")
    if "--keep" not in arguments:
        (top / _COUNTS).write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
    return int(changed)


def _read(path: Path) -> dict[str, Clone]:
    if not path.exists():
        return {}
    clones: dict[str, Clone] = json.loads(path.read_text())
    return clones


def _commit(folder: Path) -> str:
    command = ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if (folder / ".git").exists() else ""


def _counts(folder: Path) -> Files:
    """The counts of each file: by code, `statements`, `unreadable` and `failed`."""
    linter, settings = Linter(), Configuration(isolated=True)
    files: Files = {}
    for path in find_files([str(folder)], lambda _: False):
        counts: Counter[str] = Counter()
        try:
            text, _, _ = decode(read_bytes(path), path)
            file_settings = settings.of(Path(path))
            for report in linter.lint(linter.source(path, text, file_settings), file_settings):
                counts.update(diagnostic.code for diagnostic in report)
                counts["statements"] += report.statements
        except IcebergSqlError:
            counts["unreadable"] += 1
        except Exception as fault:  # it is what this command is to find
            counts[f"failed: {type(fault).__name__}"] += 1
        if +counts:
            files[Path(path).relative_to(folder).as_posix()] = dict(sorted((+counts).items()))
    return files


def _files(clone: Clone | None) -> Files:
    files = clone["files"] if clone is not None else {}
    assert isinstance(files, dict)
    return files


def _total(clone: Clone | None) -> Counter[str]:
    return sum(map(Counter, _files(clone).values()), Counter[str]())


def _differences(before: Clone | None, now: Clone) -> Iterator[str]:
    """What changed: for each code its count, and the first files in which it did."""
    if before is None:
        yield "new"
    elif before["commit"] != now["commit"]:
        yield f"another commit, {now['commit']}: the files themselves may have changed"
    old, new = _total(before), _total(now)
    for code in sorted(old | new):
        old_files, other = _files(before), _files(now)
        names = [
            name
            for name in sorted({*old_files, *other})
            if old_files.get(name, {}).get(code, 0) != other.get(name, {}).get(code, 0)
        ]
        if not names:
            continue
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        where = f" ({', '.join(names[:_NAMED])}{more})" if before is not None else ""
        yield f"{code} {old[code]} -> {new[code]}{where}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
