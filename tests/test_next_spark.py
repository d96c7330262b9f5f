"""The list of places to change for a new minor version of Spark."""

from __future__ import annotations

import re
from pathlib import Path

from spark_iceberg_sql.spark.versions import SPARK_MINORS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/next-spark.md"
SEARCHED = ("spark_iceberg_sql", "docs", ".github", "jars")
SUFFIXES = {".py", ".java", ".md", ".yml", ".json", ".toml"}
MEASURED = "docs/benchmarks.md"
PUBLISHED = ("docs/platforms.json", "docs/guide/platforms")  # versions of others


def listed() -> set[str]:
    paths = re.findall(r"^\| `([\w./-]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    return {re.sub("^spark/", "spark_iceberg_sql/spark/", path) for path in paths}


def test_each_place_exists() -> None:
    assert len(listed()) > 30
    assert [path for path in sorted(listed()) if not (ROOT / path).is_file()] == []


def test_each_file_that_names_the_newest_version_is_listed() -> None:
    newest = SPARK_MINORS[0]
    major, minor = newest.number
    version = re.compile(
        rf"(?:Spark |runtime-|~=|since |before ){re.escape(newest.spark)}\b"
        rf"|\"{re.escape(newest.spark)}\"|\({major}, {minor}\)|<{major}\.{minor + 1}\b"
    )
    files = [path for folder in SEARCHED for path in (ROOT / folder).rglob("*")]
    naming = {
        path.relative_to(ROOT).as_posix()
        for path in (*files, *ROOT.glob("*.md"), ROOT / "pyproject.toml")
        if path.suffix in SUFFIXES and version.search(path.read_text("utf-8"))
    }
    naming -= {MEASURED, "CHANGELOG.md", PAGE.relative_to(ROOT).as_posix()}
    naming = {path for path in naming if not path.startswith(PUBLISHED)}
    assert naming - listed() == set()
