"""Whether a query is Spark's for certain, for rules whose findings other engines accept."""

from __future__ import annotations

import re

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex

# Syntax of Spark alone.
_SPARK = regex(r"\busing\s+iceberg\b|\bpartition\s+field\b", re.IGNORECASE)


def is_spark_query(context: Context) -> bool:
    """True if a query is in a script that is Spark's: by its comment, a setting or its syntax. A program may send it to
    another engine.
    """
    if context.catalog.shared or context.statement.first not in ("SELECT", "WITH"):
        return False
    engine = context.catalog.engine
    return engine.is_spark if engine is not None else _SPARK.search(context.text) is not None
