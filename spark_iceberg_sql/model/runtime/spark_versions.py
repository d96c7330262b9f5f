"""The versions of Spark whose grammar the checker knows, those before Iceberg has a runtime for them included.

A version is a minor one as numbers, (4, 2). None stands for one that is not known: the newest with a runtime.
tests/spark/test_next_grammar.py compares with each version's own parser.
"""

from __future__ import annotations

from spark_iceberg_sql.model.runtime.minor_version import Version

OLDEST: Version = (3, 5)
# The newest for which Iceberg has a runtime.
NEWEST: Version = (4, 1)
WITH_RUNTIME: tuple[Version, ...] = (OLDEST, (4, 0), NEWEST)
# Grammars of published Sparks without a runtime.
LATER: tuple[Version, ...] = ((4, 2), (4, 3))
