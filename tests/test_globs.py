"""Patterns of folders, and globs of files."""

from __future__ import annotations

import glob
from pathlib import Path

import pytest

from spark_iceberg_sql.files.globs import expand_glob
from spark_iceberg_sql.model.globs import Pattern, has_wildcards, matcher, patterns


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/lake", [("/lake", ())]),
        ("/lake/", [("/lake", ())]),
        ("/", [("/", ())]),
        ("s3://lake/*", [("s3://lake", ("*",))]),
        ("/lake/s*/t?", [("/lake", ("s*", "t?"))]),
        ("/lake/db/o*", [("/lake/db", ("o*",))]),
        ("/*/x", [("/", ("*", "x"))]),
        ("/lake/{a,b}", [("/lake/a", ()), ("/lake/b", ())]),
        ("/lake/{a,b}/[xy]*", [("/lake/a", ("[xy]*",)), ("/lake/b", ("[xy]*",))]),
        ("/{a,b{1,2}}", [("/a", ()), ("/b1", ()), ("/a", ()), ("/b2", ())]),
        ("/lake/{a", [("/lake/{a", ())]),
        ("/lake/b[k/x*", [("/lake/b[k", ("x*",))]),
        ("/lake/[]x]/[!y]", [("/lake", ("[]x]", "[!y]"))]),
    ],
)
def test_patterns(path: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert list(patterns(path)) == [Pattern(root, parts) for root, parts in expected]


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("*", {"a", "ab", "b", "A", ".a"}),
        ("a*", {"a", "ab"}),
        ("?", {"a", "b", "A"}),
        ("[ab]", {"a", "b"}),
        ("[^a]", {"b", "A"}),
        ("a", {"a"}),
        ("*b", {"ab", "b"}),
    ],
)
def test_matcher(part: str, names: set[str]) -> None:
    assert {n for n in ("a", "ab", "b", "A", ".a") if matcher(part)(n)} == names


def test_wildcards() -> None:
    assert [p for p in ("/a", "/a*", "/a?", "/[a]", "/{a}", "/a b", "/{a", "/b[k", "/a]}") if has_wildcards(p)] == [
        *("/a*", "/a?", "/[a]", "/{a}")
    ]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in (".", "a", "a/b", "a/b/c", ".h", "d.e", "[x]/y"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name in ("1.sql", "2.py", ".3.sql"):
            (tmp_path / folder / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("above", ["", "./", "a/../", "/"])
@pytest.mark.parametrize(
    "pattern",
    [
        *("**/*.sql", "**", "*/**", "a/**", "a/**/*.sql", "**/**/*.sql", "**/b/**", "*/*.sql", "**/*/*.sql"),
        *("[[]x]/**/*.sql", "**/[[]x]/*.sql", "**/c/../*.sql", "a/**/", "a//**//*.sql", ".h/**/*", "**/.h/*"),
        *("*.sql", "?.sql", "nope/**/*", "1.sql/**/*"),
    ],
)  # fmt: skip
def test_files_are_those_that_python_finds(tree: Path, above: str, pattern: str) -> None:
    pattern = f"{tree}/{pattern}" if above == "/" else f"{above}{pattern}"
    paths = [name.rstrip("/") for name in expand_glob(pattern)]
    assert paths == sorted({name.rstrip("/") for name in glob.glob(pattern, recursive=True)})


def test_links_that_lead_round_in_circles(tree: Path) -> None:
    """Python's own follows each of the two at each of forty levels."""
    (tree / "a" / "loop").symlink_to(".")
    (tree / "a" / "up").symlink_to("..")
    assert expand_glob("**/1.sql") == ["1.sql", "[x]/y/1.sql", "a/1.sql", "a/b/1.sql", "a/b/c/1.sql", "d.e/1.sql"]
