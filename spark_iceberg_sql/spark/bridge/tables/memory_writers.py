"""Iceberg's own writers, writing into the driver's memory; and the settings with which a session writes a
table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import MemoryFile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_ICEBERG = "org.apache.iceberg"


def write_conf(spark: SparkSession, iceberg_table: Java) -> Java:
    """Iceberg's SparkWriteConf: the settings with which this session would write a table."""
    return shims.write_conf(java_class(f"{_ICEBERG}.spark.SparkWriteConf"), gateway.java_session(spark), iceberg_table)


def internal_rows(frame: DataFrame) -> Java:
    """A DataFrame's rows in the driver's memory, as a java.util.List of Spark's internal rows."""
    rows = frame._jdf.queryExecution().executedPlan().executeCollect()
    seq = shims.sequence(gateway.gateway(), gateway.scala_object, rows)
    return java_class("scala.collection.JavaConverters").seqAsJavaList(seq)


def rows_by_number(frame: DataFrame, position: int, count: int) -> list[Java]:
    """A DataFrame's rows in the driver's memory, those of each number apart, in their order.

    position: of the column with a number from 1. count: of numbers. Returns a java.util.List of internal rows for each.
    """
    rows = frame._jdf.queryExecution().executedPlan().executeCollect()
    return list(_memory_writer().byNumber(rows, position, count))


def artificial_row(spark: SparkSession, frame: DataFrame) -> Java:
    """One artificial row of a DataFrame's columns, as `internal_rows` returns rows; the DataFrame is not
    read.
    """
    # An aggregate without grouping has one row, even over no rows.
    single_row = spark.range(0).agg(fn.count(fn.lit(1)))
    values = (_any_value(field.dataType).alias(field.name) for field in frame.schema.fields)
    return internal_rows(single_row.select(*values))


def _any_value(data_type: DataType) -> Column:
    """A value of a type; null of a type without a literal."""
    if isinstance(data_type, StructType):
        return fn.struct(*(_any_value(field.dataType).alias(field.name) for field in data_type.fields))
    if isinstance(data_type, ArrayType):
        return fn.array(_any_value(data_type.elementType))
    if isinstance(data_type, MapType):
        return fn.create_map(_any_value(data_type.keyType), _any_value(data_type.valueType))
    if isinstance(data_type, (DateType, TimestampType, TimestampNTZType)):
        return fn.lit("2024-01-01").cast(data_type)
    if isinstance(data_type, (NumericType, BooleanType, StringType, BinaryType)):
        return fn.lit("0").cast(data_type)
    return fn.lit(None).cast(data_type)


def shuffled_bytes(spark: SparkSession, rows: Java) -> int:
    """The bytes that rows have in a shuffle file of the session. rows: from `internal_rows`."""
    codec = None
    if spark.sparkContext._conf.get("spark.shuffle.compress", "true") == "true":
        jconf = gateway.java_session(spark).sparkContext().conf()
        codec = gateway.scala_object("org.apache.spark.io.CompressionCodec").createCodec(jconf)
    return int(_memory_writer().shuffledBytes(rows, codec))


def write_in_memory(
    spark: SparkSession, iceberg_table: Java, rows: Java, frame: DataFrame, target: int, check_interval: int
) -> list[MemoryFile]:
    """Write rows with the table's own writers into memory, and discard the files.

    rows: from `internal_rows` or `rows_by_number`. frame: for their types. target: bytes at which the next file starts.
    check_interval: after how many rows a writer checks its length.
    """
    conf = write_conf(spark, iceberg_table)
    files = _memory_writer().write(iceberg_table, conf, frame._jdf.schema(), rows, target, check_interval)
    return list_from_json(MemoryFile, files)


def _memory_writer() -> Java:
    return compiler.shared_instance(__package__, "MemoryWriter", MemoryFile)
