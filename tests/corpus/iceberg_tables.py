"""Opens the tables in duckdb/duckdb-iceberg by path, and compares the rows with what the tests there expect.

python -m tests.corpus.iceberg_tables            fetches the repository at a pinned commit into the cache
python -m tests.corpus.iceberg_tables FOLDER     uses a working copy

Prints a line for each table, and for each query whose rows differ, which may be a matter of the dialect. The exit code
is 1 if a table cannot be read and the reason is no sentence of this package.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import spark_iceberg_sql as sis
from spark_iceberg_sql.files.user_cache import cache_directory

REPOSITORY = "https://github.com/duckdb/duckdb-iceberg"
COMMIT = "68623ff99d4135074a6b8a405577f16bf3660c75"
FOLDERS = ("data/persistent", "test/sql/local")
_SECONDS = 300
_WIDTH = 300  # of a message
# A query of a sqllogictest file with its expected rows.
_QUERY = re.compile(r"^query [A-Z]+[^\n]*\n(.+?)\n----\n(.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
_SCAN = re.compile(
    r"(iceberg_scan\(')(?:\{WORKING_DIRECTORY\}/|__WORKING_DIRECTORY__/)?(data/persistent/)", re.IGNORECASE
)


def main(arguments: list[str]) -> int:
    """Open the tables; returns the exit code."""
    top = Path(arguments[0]).resolve() if arguments else fetched()
    with tempfile.TemporaryDirectory() as warehouse, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spark = sis.session(warehouse)
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        failures = 0
        for table in tables(top):
            try:
                rows = spark.sql(f"SELECT * FROM iceberg('{table}', columns => 'string')").collect()
                result = f"{len(rows)} rows"
            except Exception as error:
                failures += "Exception" in str(error) and "[" not in str(error)
                result = str(error).partition("\n")[0][:_WIDTH]
            print(f"{table.relative_to(top)}: {result}", flush=True)
        same = total = 0
        for file, query, expected in queries(top):
            total += 1
            try:
                answer = spark.sql(query).collect()
            except Exception as error:
                print(f"{file.name}: {query}: {str(error).partition(chr(10))[0][:_WIDTH]}", flush=True)
                continue
            texts = ["\t".join("NULL" if value is None else str(value) for value in row) for row in answer]
            if sorted(map(str.lower, texts)) == sorted(map(str.lower, expected)):
                same += 1
            else:
                print(f"{file.name}: {query}: {texts[:3]}, expected {expected[:3]}", flush=True)
        print(f"{same} of {total} queries have the expected rows")
        spark.stop()
    return int(failures > 0)


def fetched() -> Path:
    """The working copy in the cache, with these folders only."""
    folder = cache_directory() / "tests" / f"duckdb-iceberg-{COMMIT[:7]}"
    if not (folder / FOLDERS[0]).is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _git(folder, "init", "-q")
        _git(folder, "fetch", "-q", "--depth", "1", "--filter=blob:none", REPOSITORY, COMMIT)
        _git(folder, "sparse-checkout", "set", *FOLDERS)
        _git(folder, "-c", f"remote.origin.url={REPOSITORY}", "checkout", "-q", "FETCH_HEAD")
    return folder


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, timeout=_SECONDS)


def tables(top: Path) -> list[Path]:
    """The folders of the tables."""
    return sorted({path.parent.parent for path in (top / FOLDERS[0]).rglob("metadata/*metadata.json*")})


def queries(top: Path) -> Iterator[tuple[Path, str, list[str]]]:
    """The queries of these tables alone: their file, their text with full paths, and the rows."""
    for file in sorted((top / FOLDERS[1]).rglob("*.test")):
        for match in _QUERY.finditer(file.read_text("utf-8")):
            query = _SCAN.sub(lambda scan: f"{scan[1]}{top}/{scan[2]}", " ".join(match[1].split())).rstrip("; ")
            if f"{top}/" in query and query.lower().startswith("select") and "{" not in query:
                yield file, query, match[2].splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
