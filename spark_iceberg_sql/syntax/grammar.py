"""The Spark whose grammar the parser follows where versions differ: that of the check that runs."""

from __future__ import annotations

from contextvars import ContextVar, Token

from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.model.runtime.spark_versions import NEWEST

_SPARK: ContextVar[Version] = ContextVar("spark", default=NEWEST)


def follow(spark: Version | None) -> Token[Version]:
    """Follow a version's grammar from now on in this thread; returns what `end` takes."""
    return _SPARK.set(spark or NEWEST)


def end(token: Token[Version]) -> None:
    """Follow the grammar from before `follow`."""
    _SPARK.reset(token)


def has(since: Version) -> bool:
    """Whether the grammar has what Spark has since a version."""
    return _SPARK.get() >= since
