"""How many of a test's many cases run: all with SIS_SWEEP=full, a sample otherwise, a smaller one with `make fast`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
FULL = os.environ.get("SIS_SWEEP") == "full"


def share(values: Iterable[T], every: int) -> list[T]:
    """All values in a sweep, every `every`-th otherwise."""
    return [*values][:: 1 if FULL else every]


def sampled(values: Iterable[Any], every: int) -> list[Any]:
    """All values as parameters of a test, those between each `every`-th marked as thorough."""
    rest = [pytest.mark.thorough]
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=rest if n % every else [])
        for n, value in enumerate(values)
    ]
