"""Names say what a thing is: filler words and files of the same name are counted (CONTRIBUTING.md, Vocabulary)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "spark_iceberg_sql"
# Words that fit every value, so that they describe none; `_found` counts as `found`. (`words` are those of tokens.)
FILLER = frozenset(
    """
    alike arm arms asked beside each every found given gone got here hole holes known least like made maker makers meant
    most named nothing odd one others own piece pieces place places rest said seen shown spot spots taken there thing
    things told took wanted was what which whole
    """.split()  # noqa: SIM905 - a list of words reads best as text
)
# Where such a word is the term itself: public fields, keys of JSON or of a setting, a protocol's own name.
KEPT = frozenset(
    {
        ("checker/plan.py", "Change", "was"),  # a field of the public Plan
        ("api.py", "check", "known"),  # public arguments
        ("model/tables.py", "Tables", "known"),
        ("model/tables.py", "Tables", "others"),
        ("notebook/cells/magic.py", "IcebergSql", "kept"),
    }
)
# The two halves of a feature (pure and with a session) and a package's entry are named alike on purpose.
COUNTERPARTS = frozenset({"__init__", "model", "spark"})
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LARGEST_SHARE = 0.015
MOST_NAMESAKES = 60


@cache
def modules(folder: Path = PACKAGE) -> tuple[tuple[str, ast.Module], ...]:
    """A folder's files by their names in it, parsed."""
    paths = sorted(folder.rglob("*.py"))
    return tuple((p.relative_to(folder).as_posix(), ast.parse(p.read_text("utf-8"))) for p in paths)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in ast.walk(tree):
        if isinstance(node, _SCOPES):
            yield node


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a function or class binds itself, without those of functions and classes within it."""
    nodes = [*ast.iter_child_nodes(node)]
    if isinstance(node, ast.ClassDef):
        yield from (child.name for child in nodes if isinstance(child, _SCOPES))
    while nodes:
        match child := nodes.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
        nodes.extend(ast.iter_child_nodes(child))


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(PACKAGE, id="package", marks=pytest.mark.tier("quick")),
        pytest.param(TESTS, id="tests", marks=pytest.mark.tier("rest")),
    ],
)
def test_fillers_are_rare(folder: Path) -> None:
    total, bad = 0, []
    for file, tree in modules(folder):
        for node in functions(tree):
            total += not isinstance(node, ast.ClassDef)
            names = {
                name for name in bound_names(node) if name.lstrip("_") in FILLER and (file, node.name, name) not in KEPT
            }
            if names:
                bad.append(f"{file}:{node.lineno} {node.name}: {', '.join(sorted(names))}")
    help_ = "help: name the new ones for what they are; few are let pass, since some are a term now and then"
    assert len(bad) < LARGEST_SHARE * total, "\n".join([*bad, help_])


def test_the_kept_words_are_there() -> None:
    """An entry of KEPT that no longer applies is taken out."""
    trees = {file: ast.parse((PACKAGE / file).read_text("utf-8")) for file, _, _ in KEPT}
    bound = {(file, node.name, name) for file in trees for node in functions(trees[file]) for name in bound_names(node)}
    assert not KEPT - bound


def test_few_files_share_a_name() -> None:
    stems = Counter(path.stem for path in PACKAGE.rglob("*.py"))
    shared = {stem: n for stem, n in stems.items() if n > 1 and stem not in COUNTERPARTS}
    assert sum(shared.values()) < MOST_NAMESAKES, shared
