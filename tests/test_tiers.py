"""The quick set, which `pytest` without a path runs: each feature of the Spark half has its main path in it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from spark_iceberg_sql.spark.optimizer.rule_records import RULES

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "spark_iceberg_sql"
# What a module or package is for; those that all features use have no main path of their own.
FEATURES = {
    "attach": ["attach"],
    "extension": ["jar"],
    "gate": ["gate", "plan"],
    "optimizer": [f"rule {rule.name}" for rule in RULES],
    "remote": ["servers"],
    "client_recognizers": ["servers"],
    "other_commit": ["servers"],
    "remote_commits": ["servers"],
    "remote_functions": ["servers"],
    "servers": ["servers"],
    "session": ["session"],
    "statement_functions": ["statement functions"],
    "tables": ["tables by path", "metadata functions", "discovery", "attach"],
    "transforms": ["functions"],
    "advise": ["advise"],
    "explain": ["explain"],
    "from_hive": ["from-hive"],
    "health": ["health"],
    "listing": ["listing"],
    "spj": ["spj"],
    "diagnosis": ["doctor"],
    "preview": ["preview"],
    "notebook": ["magics"],
}
SHARED = {
    "bridge", "dry_run_functions", "hypothetical", "modes", "runtime_jar", "self_tests", "session_settings", "untested",
    "versions",
}  # fmt: skip


def markers(folder: Path) -> Iterator[tuple[str, str | None, str]]:
    """Each marker `tier` of a folder's tests: the tier, the feature of which it is the main path, and the file."""
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.tier":
                named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords}
                yield ast.literal_eval(node.args[0]), named.get("of"), path.name


def test_each_feature_has_its_main_path_in_the_quick_set() -> None:
    files = defaultdict(set)
    for tier, feature, name in markers(HERE / "spark"):
        if tier == "quick":
            assert feature is not None, f'help: {name}: `tier("quick", of=FEATURE)` says whose main path it is'
            files[feature].add(name)
    features = {feature for names in FEATURES.values() for feature in names}
    assert features - set(files) == set(), (
        "help: mark a test of its main path with `@pytest.mark.tier('quick', of=FEATURE)`"
    )
    assert set(files) - features == set(), "help: a marker names a feature of FEATURES"


def test_each_part_of_the_spark_half_has_a_feature() -> None:
    parts = {
        path.stem
        for folder in ("spark", "sessions", "insight")
        for path in (PACKAGE / folder).iterdir()
        if path.name[0] != "_" and (path.is_dir() or (path.suffix == ".py" and folder != "insight"))
    }
    assert parts | {"notebook"} == set(FEATURES) | SHARED


def test_only_tests_with_spark_are_of_a_feature() -> None:
    assert {name for _, feature, name in markers(HERE) if feature is not None} == set()


def distributions_of(name: str, extras: frozenset[str]) -> set[str]:
    """An installed distribution and all that it requires with these extras, under their normalized names."""
    names, todo = set(), {(canonicalize_name(name), extras)}
    while todo:
        names |= {name for name, _ in todo}
        requirements = {
            (canonicalize_name(required.name), frozenset(required.extras))
            for name, extras in todo
            for required in map(Requirement, requires(name) or ())
            if required.marker is None or any(required.marker.evaluate({"extra": extra}) for extra in extras | {""})
        }
        todo = {(name, extras) for name, extras in requirements if extras or name not in names}
    return names


def imports_of(path: Path) -> set[str]:
    """The top-level modules that a file imports when it is imported itself."""
    names = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module).partition(".")[0])
    return names


def test_the_quick_set_imports_only_what_the_extra_test_installs() -> None:
    installed = distributions_of("spark-iceberg-sql", frozenset({"test"}))
    quick = {name for tier, _, name in markers(HERE / "spark") if tier == "quick"}
    distributions = packages_distributions()
    absent = {
        (path.name, module)
        for path in (*HERE.glob("*.py"), *(HERE / "spark").rglob("*.py"))
        if path.parent == HERE or not path.name.startswith("test_") or path.name in quick
        for module in imports_of(path)
        if module in distributions and installed.isdisjoint(map(canonicalize_name, distributions[module]))
    }
    assert absent == set()


def test_each_test_file_says_what_it_tests() -> None:
    files = (*HERE.glob("test_*.py"), *(HERE / "spark").glob("test_*.py"))
    assert [path.name for path in files if not re.match(r'(?:#.*\n)*"""', path.read_text("utf-8"))] == []
