"""Why a query shuffles the rows of partitioned tables, as the rule `colocate` has decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ShuffleRow

if TYPE_CHECKING:
    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_RULE = "colocate"


def shuffles(optimized: Java) -> list[ShuffleRow]:
    """One for each join, group and window of partitioned tables that needs a shuffle; none without the rule.

    optimized: a plan after all rules, in a session that is active.
    """
    registry = compiler.rule_registry() if compiler.has_registry() else None
    if registry is None:
        return []
    try:
        return list_from_json(ShuffleRow, registry.described(_RULE, optimized))
    except JVM_ERRORS:  # what it explains is planned without it
        return []


def shuffle_text(row: ShuffleRow) -> str:
    """The reason, and the statement with which none is needed."""
    text = f"{row.tables}: shuffled, since {row.reason}"
    if row.statement is None:
        return text
    rest = "; then rewrite its files" if row.statement.startswith("ALTER") else ""
    return f"{text}; to avoid it: {row.statement}{rest}"
