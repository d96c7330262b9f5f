"""Rows of Python values as a logical plan in the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pyspark import SparkContext
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge import expressions, jvm

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"


def active_session() -> SparkSession:
    """The pyspark session whose statement is being analysed on this thread."""
    context = SparkContext._active_spark_context
    assert context is not None
    return SparkSession(context, jsparkSession=jvm.active_session())


def rows(ddl: str, values: Iterable[Sequence[str | int | None]]) -> jvm.Java:
    """The plan of some rows. ddl: the columns, `part string, bytes bigint`. values: one sequence per row."""
    schema = _columns(ddl)
    # py4j turns a small integer into an Integer, whatever the column's type: such columns are texts first.
    wide = [i for i, column in enumerate(schema.fields()) if column.dataType().sql() == "BIGINT"]
    types = jvm.scala_object("org.apache.spark.sql.catalyst.types.DataTypeUtils")
    narrow = _columns(re.sub(r"\bbigint\b", "string", ddl)) if wide else schema
    attributes = types.toAttributes(narrow)
    made = [_row(_as_texts(value, wide)) for value in values]
    relation = jvm.scala_object(f"{_LOGICAL}.LocalRelation").fromExternalRows(
        attributes, jvm.to_seq(made)
    )
    if not wide:
        return relation
    output = [
        expressions.alias(expressions.cast(one, "bigint"), str(one.name())) if i in wide else one
        for i, one in enumerate(jvm.from_seq(attributes))
    ]
    return jvm.java_class(f"{_LOGICAL}.Project")(jvm.to_seq(output), relation)


def _columns(ddl: str) -> jvm.Java:
    return jvm.java_class("org.apache.spark.sql.types.StructType").fromDDL(ddl)


def _as_texts(value: Sequence[str | int | None], places: Sequence[int]) -> list[str | int | None]:
    return [str(cell) if i in places and cell is not None else cell for i, cell in enumerate(value)]


def _row(values: Sequence[str | int | None]) -> jvm.Java:
    gateway = jvm.gateway()
    cells = gateway.new_array(gateway.jvm.java.lang.Object, len(values))
    for i, value in enumerate(values):
        cells[i] = value
    return jvm.java_class("org.apache.spark.sql.RowFactory").create(cells)
