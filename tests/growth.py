"""How time grows with the work: a ratio within one process, so that no machine is too slow."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def seconds(run: Callable[[], object]) -> float:
    """The CPU time of a call."""
    gc.disable()
    try:
        start = time.process_time()
        run()
        return time.process_time() - start
    finally:
        gc.enable()


def ratio(few: Callable[[], object], many: Callable[[], object], enough: float) -> float:
    """How many times the time of `few` `many` takes; the least of five, or the first below `enough`."""
    seconds(few)
    ratios: list[float] = []
    while not ratios or (min(ratios) >= enough and len(ratios) < 5):
        ratios.append(seconds(many) / max(seconds(few), 1e-4))
    return min(ratios)
