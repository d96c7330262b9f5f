"""Patterns of folders."""

from __future__ import annotations

import pytest

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
    assert [
        p
        for p in ("/a", "/a*", "/a?", "/[a]", "/{a}", "/a b", "/{a", "/b[k", "/a]}")
        if has_wildcards(p)
    ] == [
        *("/a*", "/a?", "/[a]", "/{a}"),
    ]
