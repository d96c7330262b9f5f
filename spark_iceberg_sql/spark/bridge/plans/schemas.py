"""The schema that a Spark table reads: columns that Spark cannot represent are skipped, or read as another type."""

from __future__ import annotations

import json
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS

# The class of the table that `with_schema` returns before Spark 4.1.
WITH_SCHEMA = "sparkicebergsql.TableColumns$SparkTable"

Json = dict[str, Any]  # a schema, or a type in it, as in Iceberg's metadata


def is_readable(table: Java) -> bool:
    """True if Spark can represent all columns of a Spark table."""
    try:
        table.schema()
    except JVM_ERRORS:
        return False
    return True


def is_readable_type(type_name: str) -> bool:
    """True if Spark can represent a primitive type, named as in Iceberg's metadata."""
    field = {"id": 1, "name": "c", "required": False, "type": type_name}
    parser = java_class("org.apache.iceberg.SchemaParser")
    schema = parser.fromJson(json.dumps({"type": "struct", "fields": [field]}))
    try:
        java_class("org.apache.iceberg.spark.SparkSchemaUtil").convert(schema)
    except JVM_ERRORS:
        return False
    return True


def schema_of(table: Java) -> Json:
    """The schema that a Spark table reads: the current one, or that of a snapshot."""
    schema: Json = json.loads(java_class("org.apache.iceberg.SchemaParser").toJson(_columns().of(table)))
    return schema


def with_schema(table: Java, schema: Json) -> Java:
    """The Spark table over the same snapshot, with different columns."""
    parsed = java_class("org.apache.iceberg.SchemaParser").fromJson(json.dumps(schema))
    return getattr(_columns(), "with")(table, parsed)


def _columns() -> Java:
    """TableColumns.java."""
    return compiler.shared_instance(__package__, "TableColumns")
