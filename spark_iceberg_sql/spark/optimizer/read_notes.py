"""Why the scans of a query read fewer files than its filters need, as the optimizer rules noted it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import compiler

if TYPE_CHECKING:
    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java


def reason(node: Java) -> str | None:
    """Such as `top 10 by ts`; None if there is none. node: a leaf of an optimized plan."""
    registry = compiler.rule_registry() if compiler.has_registry() else None
    text = None if registry is None else registry.readNotes(node)
    return None if text is None else str(text)
