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


def marked() -> Iterator[tuple[str, str]]:
    """Each feature and file with a marker `main`."""
    for path in sorted((HERE / "spark").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.main":
                yield ast.literal_eval(node.args[0]), path.name


def test_each_feature_has_its_main_path_in_the_quick_set() -> None:
    files = defaultdict(set)
    for feature, name in marked():
        files[feature].add(name)
    features = {feature for names in FEATURES.values() for feature in names}
    assert features - set(files) == set(), "help: mark a test of its main path with `@pytest.mark.main(FEATURE)`"
    assert set(files) - features == set(), "help: a marker names a feature of FEATURES"


def test_each_part_of_the_spark_half_has_a_feature() -> None:
    parts = {
        path.stem
        for folder in ("spark", "sessions", "insight")
        for path in (PACKAGE / folder).iterdir()
        if path.name[0] != "_" and (path.is_dir() or (path.suffix == ".py" and folder != "insight"))
    }
    assert parts | {"notebook"} == set(FEATURES) | SHARED


def test_a_test_s_folder_says_which_marker_decides() -> None:
    for path in sorted((HERE / "spark").rglob("test_*.py")):
        assert "pytest.mark.rest" not in path.read_text("utf-8"), path.name
    for path in sorted(HERE.glob("test_*.py")):
        if path != Path(__file__):
            assert "pytest.mark.main" not in path.read_text("utf-8"), path.name


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
    quick = {name for _, name in marked()}
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
