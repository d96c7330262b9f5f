"""Starting other Python processes so that they import nothing from the working directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_safe_folder() -> Iterator[None]:
    """Start processes in Python's own folder.

    multiprocessing starts them with `python -c`, which looks for modules in the working directory first: a
    `multiprocessing.py` of a stranger's clone would run. Each goes back to the working directory by itself, once it
    has the search path of this process. PYTHONSAFEPATH would do the same from Python 3.11 on, but not under `-E`.
    """
    import multiprocessing.process  # noqa: F401  # it notes the working directory

    try:
        here = os.getcwd()
    except OSError:  # it has been deleted, and has no modules
        yield
        return
    os.chdir(sys.base_prefix)
    try:
        yield
    finally:
        os.chdir(here)
