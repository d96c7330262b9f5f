"""Whether a query is Spark's for certain, for rules whose findings other engines accept."""

from __future__ import annotations

import re

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex

# Syntax of Spark alone.
_SPARK = regex(r"\busing\s+iceberg\b|\bpartition\s+field\b", re.IGNORECASE)


def may_be_spark_query(context: Context, *, with_changes: bool = False) -> bool:
    """True if a query is in a script: a program may send it to another engine. This costs less than reading it.

    with_changes: or a DELETE or a MERGE.
    """
    words = ("SELECT", "WITH", "DELETE", "MERGE") if with_changes else ("SELECT", "WITH")
    return not context.catalog.shared and context.statement.first in words


def is_spark_query(context: Context) -> bool:
    """True if a query of a script is Spark's: by the script's comment, a setting, or any of its syntax."""
    engine = context.catalog.engine
    return engine.is_spark if engine is not None else _SPARK.search(context.text) is not None
