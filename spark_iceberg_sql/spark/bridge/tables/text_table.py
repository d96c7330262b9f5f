"""A table in which columns of types that Spark does not have are text: TextTable.java, on executors too."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import compiler, executor_jars
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.plans import read_branches


def text_table(table: Java, schema: dict[str, Any], text_schema: dict[str, Any]) -> Java:
    """A table with the rows of Iceberg's SparkTable.

    schema: its columns, as in Iceberg's metadata. text_schema: the same with `string` for each type that
    Spark does not have.
    """
    loader, jar = _compiled(jvm.gateway())
    executor_jars.ship(jar)
    parsed = java_class("org.apache.iceberg.SchemaParser").fromJson(json.dumps(text_schema))
    struct = java_class("org.apache.iceberg.spark.SparkSchemaUtil").convert(parsed)
    snapshot = read_branches.snapshot_id(table)
    # py4j would pass a small number as an Integer.
    java_snapshot = None if snapshot is None else java_class("java.lang.Long").valueOf(str(snapshot))
    arguments = jvm.array("java.lang.Object", (table.table(), json.dumps(schema), struct, java_snapshot))
    return loader.loadClass("sparkicebergsql.TextTable").getConstructors()[0].newInstance(arguments)


@lru_cache(maxsize=1)
def _compiled(gateway: Java) -> tuple[Java, str]:
    """The class loader and the jar of the classes."""
    return executor_jars.compiled("text", compiler.sources(__package__, "TextTable"))
