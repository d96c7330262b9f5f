"""What the versions of Iceberg that people have differ in, as far as DDL and CALL go: since when there is what.

A version is a minor one as numbers, (1, 7). None stands for one that is not known, which has all that the newest has.
Measured with each runtime's own classes; tests/spark/test_iceberg_versions.py compares them with the runtimes.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.model.runtime.minor_version import Version, text

OLDEST: Version = (1, 5)
# Format version -> the first Iceberg that creates tables of it.
FORMAT_SINCE: Mapping[int, Version] = {3: (1, 7)}
# Since when a property of format version 3 is refused in an older table.
V3_KEYS_SINCE: Version = (1, 11)

# Properties that are read as longs since a version, and as ints before.
LONG_SINCE: Mapping[str, Version] = {
    "write.parquet.row-group-size-bytes": (1, 12),
    "write.delete.parquet.row-group-size-bytes": (1, 12),
}


def has(version: Version | None, since: Version) -> bool:
    """Whether a version has what there is since another."""
    return version is None or version >= since


def needs(version: Version, since: Version) -> str:
    """That something needs a later version: the predicate of a sentence."""
    return f"needs Iceberg {text(since)}; this is Iceberg {text(version)}"
