"""One switch for all goldens."""

from __future__ import annotations

import goldens
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the goldens anew, to read the difference",
    )


def pytest_configure(config: pytest.Config) -> None:
    goldens.UPDATE = config.getoption("--update-goldens")
