"""One switch for all goldens, and the order of the files."""

from __future__ import annotations

import os

import goldens
import pytest
import spark_line

# As Spark has by default: several sessions of the tests run at once.
os.environ.setdefault("SPARK_DRIVER_MEMORY", "1g")
spark_line.use()  # before anything imports pyspark
collect_ignore = ["plugin_package"]  # test_plugin_package.py runs its tests


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the goldens anew, to read the difference",
    )
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="one of N of the Spark tests, always the same ones",
    )


def pytest_configure(config: pytest.Config) -> None:
    goldens.UPDATE = config.getoption("--update-goldens")
    config.option.loadscopereorder = False  # xdist's own: those of the most tests first


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, then those that need Spark, then the others, which fill what time is left."""

    def place(item: pytest.Item) -> tuple[int, bool]:
        name = item.path.name
        longest = LONGEST.index(name) if name in LONGEST else len(LONGEST)
        return longest, "spark" not in item.path.parts

    items.sort(key=place)
