"""The matrix: which of the README's promises hold in which surroundings. `python -m tests.matrix --help`.

An axis is a module with one record for each of its parts; a cell takes one part of each axis.
"""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
# The modules of the tests, as pytest imports them.
for _folder in (_TESTS, _TESTS / "spark", _TESTS / "spark" / "stores"):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
