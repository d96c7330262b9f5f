"""Which of the many cases of a test run with `make fast`: a sample; the rest are `thorough`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(values: Iterable[Any], every: int) -> list[Any]:
    """All values as parameters of a test, those between each `every`-th marked as thorough."""
    rest = [pytest.mark.thorough]
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)), marks=rest if n % every else []
        )
        for n, value in enumerate(values)
    ]
