"""Rows of Python values as a logical plan in the JVM."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from pyspark import SparkContext
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.plans import relations

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"


def active_session() -> SparkSession:
    """The pyspark session whose statement is being analysed on this thread."""
    context = SparkContext._active_spark_context
    assert context is not None
    return SparkSession(context, jsparkSession=jvm.active_session())


def rows(ddl: str, values: Iterable[Sequence[str | int | None]]) -> jvm.Java:
    """The plan of given rows. ddl: the columns, `part string, bytes bigint`. values: one sequence per row."""
    if "bigint" in ddl:  # py4j turns a small integer into an Integer, whatever the column's type
        names = [str(name) for name in _schema(ddl).fieldNames()]
        return typed_rows(ddl, [dict(zip(names, value, strict=True)) for value in values])
    return relation_of_rows(ddl, [_row(value) for value in values])


def relation_of_rows(ddl: str, rows: jvm.Java) -> jvm.Java:
    """A LocalRelation. ddl: as for `rows`. rows: a list of Spark rows, in Python or Java."""
    attributes = jvm.scala_object("org.apache.spark.sql.catalyst.types.DataTypeUtils").toAttributes(_schema(ddl))
    seq = jvm.java_class("org.apache.spark.api.python.PythonUtils").toSeq(rows)
    return jvm.scala_object(f"{_LOGICAL}.LocalRelation").fromExternalRows(attributes, seq)


def _schema(ddl: str) -> jvm.Java:
    return jvm.java_class("org.apache.spark.sql.types.StructType").fromDDL(ddl)


def typed_rows(ddl: str, records: Iterable[Mapping[str, object]]) -> jvm.Java:
    """A plan with one row per record. ddl: the columns, unlike in `rows` of any type that JSON can represent."""
    # JSON text instead of literals: it has values of any type, and plans do not show them.
    text = relations.text_frame([json.dumps(list(records), default=str)])
    expression = f"inline(from_json(value, 'array<struct<{ddl}>>'))"
    return text.selectExpr(jvm.to_seq([expression])).queryExecution().analyzed()


def _row(values: Sequence[str | int | None]) -> jvm.Java:
    gateway = jvm.gateway()
    cells = gateway.new_array(gateway.jvm.java.lang.Object, len(values))
    for i, value in enumerate(values):
        cells[i] = value
    return jvm.java_class("org.apache.spark.sql.RowFactory").create(cells)
