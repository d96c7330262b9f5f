"""The schema that a Spark table reads: columns that Spark cannot represent are skipped, or read as another type."""

from __future__ import annotations

import json
from typing import Any

from spark_iceberg_sql.spark.bridge import lines
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm import Java, gateway, java_class

Json = dict[str, Any]  # a schema, or a type in it, as in Iceberg's metadata


def is_readable(table: Java) -> bool:
    """Whether Spark can represent all columns of a Spark table."""
    try:
        table.schema()
    except JVM_ERRORS:
        return False
    return True


def is_readable_type(kind: str) -> bool:
    """Whether Spark can represent a primitive type, named as in Iceberg's metadata."""
    field = {"id": 1, "name": "c", "required": False, "type": kind}
    parser = java_class("org.apache.iceberg.SchemaParser")
    schema = parser.fromJson(json.dumps({"type": "struct", "fields": [field]}))
    try:
        java_class("org.apache.iceberg.spark.SparkSchemaUtil").convert(schema)
    except JVM_ERRORS:
        return False
    return True


def schema_of(table: Java) -> Json:
    """The schema that a Spark table reads: the current one, or that of a snapshot."""
    found: Json = json.loads(
        java_class("org.apache.iceberg.SchemaParser").toJson(_field(table, "schema"))
    )
    return found


def can_leave_out() -> bool:
    """Whether `with_schema` works: on older lines of Spark, Iceberg's SparkTable does not take a schema."""
    return lines.LINE >= (4, 1)


def with_schema(table: Java, schema: Json) -> Java:
    """The Spark table over the same snapshot, with different columns."""
    arguments = gateway().new_array(java_class("java.lang.Object"), 5)
    arguments[0] = table.table()
    arguments[1] = java_class("org.apache.iceberg.SchemaParser").fromJson(json.dumps(schema))
    for index, name in enumerate(("snapshot", "branch", "timeTravel"), 2):
        arguments[index] = _field(table, name)
    constructors = table.getClass().getDeclaredConstructors()
    (constructor,) = [c for c in constructors if c.getParameterCount() == len(arguments)]
    constructor.setAccessible(True)
    return constructor.newInstance(arguments)


def _field(table: Java, name: str) -> Java:
    """A private field of Iceberg's SparkTable, which has no public way to choose its columns."""
    field = table.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(table)
