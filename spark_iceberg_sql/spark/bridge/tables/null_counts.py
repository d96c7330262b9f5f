"""The columns of a table that have no null, by the counts that its metadata has of each data file."""

from __future__ import annotations

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS


def columns_without_nulls(table: Java) -> frozenset[int]:
    """The field ids of columns without a null in the current snapshot; none if that is not known.

    table: Iceberg's. Reads its manifests.
    """
    try:
        ids = str(compiler.shared_instance(__package__, "NullFreeColumns").of(table))
    except BRIDGE_ERRORS:
        return frozenset()
    return frozenset(map(int, filter(None, ids.split(","))))
