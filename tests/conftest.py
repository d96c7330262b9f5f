"""Which tests run and in which order, Hypothesis' settings, and one switch for all goldens.

`pytest` without a path runs the quick set: every test without Spark but those marked `rest`, and of the tests with
Spark those marked `main`, the main path of each feature. `pytest --rest` runs the others, `pytest --all` both, and
`pytest PATH` every test of the path. Of those marked `swept`, `--rest` runs none but in a sweep.
"""

from __future__ import annotations

import os
from pathlib import Path

import goldens
import pytest
import samples
import spark_line
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
SPARK = HERE / "spark"

# The same examples each time, however loaded the machine is; a sweep draws its own.
settings.register_profile(
    "default", deadline=None, derandomize=not samples.FULL, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")

# As Spark has by default: several sessions of the tests run at once.
os.environ.setdefault("SPARK_DRIVER_MEMORY", "1g")
spark_line.use()  # before anything imports pyspark
collect_ignore = ["plugin_package"]  # test_plugin_package.py runs its tests


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_const", const="all", dest="tier", help="every test, not only the quick set")
    parser.addoption(
        "--rest", action="store_const", const="rest", dest="tier", help="the tests that are not in the quick set"
    )
    parser.addoption("--update-goldens", action="store_true", help="write the goldens anew, to read the difference")
    parser.addoption(
        "--every", type=int, default=1, metavar="N", help="one of N of the Spark tests, always the same ones"
    )


def pytest_configure(config: pytest.Config) -> None:
    goldens.UPDATE = config.getoption("--update-goldens")
    if config.option.tier is None:  # xdist's workers get the option as it is then
        has_arguments = config.args_source is pytest.Config.ArgsSource.ARGS
        config.option.tier = "all" if has_arguments else "quick"
    config.option.loadscopereorder = False  # xdist's own: those of the most tests first


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without a test of the quick set are not imported for it: some need packages of the extra `dev`."""
    of_spark = SPARK in collection_path.parents and collection_path.match("test_*.py")
    if config.option.tier != "quick" or not of_spark:
        return None
    return "pytest.mark.main" not in collection_path.read_text("utf-8") or None


def quick(item: pytest.Item) -> bool:
    if SPARK in item.path.parents:
        return item.get_closest_marker("main") is not None
    return item.get_closest_marker("rest") is None


def in_tier(item: pytest.Item, tier: str) -> bool:
    if tier == "quick":
        return quick(item)
    is_left_to_sweeps = item.get_closest_marker("swept") is not None and not samples.FULL
    return not quick(item) and not is_left_to_sweeps


# Begun last, one of these would keep one process at work while the others have nothing to do.
LONGEST = (
    "test_other_lines.py",
    "test_notebooks.py",
    "test_session.py",
    "test_oracle.py",
    "test_fast.py",
    "test_layouts.py",
    "test_doc_examples.py",
    "test_stores.py",
    "test_attack.py",
    "test_relations_secrets.py",
    "test_guard_life.py",
    "test_adversary.py",
    "test_script.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, then those that need Spark, then the others, which fill what time is left."""
    tier = config.option.tier
    if tier != "all":
        left_out = [item for item in items if not in_tier(item, tier)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if in_tier(item, tier)]

    def place(item: pytest.Item) -> tuple[int, bool]:
        name = item.path.name
        longest = LONGEST.index(name) if name in LONGEST else len(LONGEST)
        return longest, "spark" not in item.path.parts

    items.sort(key=place)
