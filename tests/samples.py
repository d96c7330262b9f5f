"""How many of a test's many cases run: all with SIS_SWEEP=full, a sample otherwise, a smaller one with `make fast`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
FULL = os.environ.get("SIS_SWEEP") == "full"


def share(values: Iterable[T], stride: int) -> list[T]:
    """All values in a sweep, every `every`-th otherwise."""
    return [*values][:: 1 if FULL else stride]


def parameters(values: Iterable[Any], marks: Callable[[int], list[pytest.MarkDecorator]]) -> list[Any]:
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks(n))
        for n, value in enumerate(values)
    ]


def sampled(values: Iterable[Any], stride: int) -> list[Any]:
    """All values as parameters of a test, each `every`-th of them with `make fast`."""
    return parameters(values, lambda n: [pytest.mark.tier("quick")] if n % stride else [])


def swept(values: Iterable[Any], stride: int) -> list[Any]:
    """All values as parameters of a test; `--rest` runs each `every`-th of them, and a sweep all."""
    return parameters(values, lambda n: [pytest.mark.tier("sweep")] if n % stride else [])


def partly(mark: pytest.MarkDecorator, values: Iterable[Any], stride: int) -> list[Any]:
    """All values as parameters of a test, each `every`-th with a mark."""
    return parameters(values, lambda n: [] if n % stride else [mark])
