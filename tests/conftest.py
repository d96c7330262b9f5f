"""Which tests run and in which order, Hypothesis' settings, and one switch for all goldens.

A test has one of TIERS: the one of its marker, or else `fast`, and with Spark `rest`. `pytest --fast` runs the first,
`pytest` without a path the first two, the quick set, `pytest --rest` the others, in a sweep those of the last one, too,
and `pytest --all` and `pytest PATH` all of them.
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
TIERS = ("fast", "quick", "rest", "sweep")

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
    for tier, which in {
        "fast": "the tests without Spark that are neither long nor many of a kind",
        "rest": "the tests that are not in the quick set",
        "all": "every test, not only the quick set",
    }.items():
        parser.addoption(f"--{tier}", action="store_const", const=tier, dest="tier", help=which)
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
    if config.option.tier not in {"fast", "quick"} or not of_spark:
        return None
    return 'tier("quick"' not in collection_path.read_text("utf-8") or None


def tier_of(item: pytest.Item) -> str:
    if (marker := item.get_closest_marker("tier")) is None:
        return "rest" if SPARK in item.path.parents else "fast"
    tier: str = marker.args[0]
    assert tier in TIERS, f"{item.nodeid}: help: tier is one of {TIERS}"
    return tier


def tiers_to_run(tier: str) -> tuple[str, ...]:
    if tier == "rest":
        return ("rest", "sweep") if samples.FULL else ("rest",)
    return {"fast": TIERS[:1], "quick": TIERS[:2], "all": TIERS}[tier]


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
    tiers = tiers_to_run(config.option.tier)
    config.hook.pytest_deselected(items=[item for item in items if tier_of(item) not in tiers])
    items[:] = [item for item in items if tier_of(item) in tiers]

    def place(item: pytest.Item) -> tuple[int, bool]:
        name = item.path.name
        longest = LONGEST.index(name) if name in LONGEST else len(LONGEST)
        return longest, "spark" not in item.path.parts

    items.sort(key=place)
