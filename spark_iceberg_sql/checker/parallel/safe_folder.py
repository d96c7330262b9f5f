"""Starts worker processes so that they import nothing from the working directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_safe_folder() -> Iterator[str | None]:
    """Start processes in Python's own folder; yields the working directory, None if it has been deleted.

    multiprocessing starts them, and those that serve them, with `python -c`, which looks for modules in the working
    directory first: a `multiprocessing.py` of a stranger's clone would run. Each process has to go back to the working
    directory by itself. PYTHONSAFEPATH would do the same from Python 3.11 on, but not under `-E`.
    """
    import multiprocessing.process  # noqa: F401  # the search path of the processes has the directory of its import

    try:
        folder = os.getcwd()
    except OSError:  # it has no modules
        yield None
        return
    os.chdir(sys.base_prefix)
    try:
        yield folder
    finally:
        os.chdir(folder)
