"""The steps in which a large rewrite of data files is committed."""

from __future__ import annotations

# The data files of one step have at most so many bytes, unless it is a single file.
STEP_BYTES = 10 * 10**9
