"""Iceberg's own writers, writing into the driver's memory; and the settings with which a session writes a
table.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
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

from spark_iceberg_sql.spark.bridge.jvm import gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.plans.hypothetical_plans import FOLDER
from spark_iceberg_sql.spark.bridge.tables.hypothetical_tables import class_named

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


def bytes_of_rows(rows: Java, count: int) -> list[bytes]:
    """The first rows, serialized as for a shuffle, without their lengths."""
    return [bytes(rows.get(i).getBytes()) for i in range(min(count, int(rows.size())))]


def compressed(spark: SparkSession, data: bytes) -> int:
    """The number of bytes after the session's shuffle compression."""
    if spark.sparkContext._conf.get("spark.shuffle.compress", "true") != "true":
        return len(data)
    jconf = gateway.java_session(spark).sparkContext().conf()
    codec = gateway.scala_object("org.apache.spark.io.CompressionCodec").createCodec(jconf)
    buffer = java_class("java.io.ByteArrayOutputStream")()
    stream = codec.compressedOutputStream(buffer)
    stream.write(bytearray(data))
    stream.close()
    return int(buffer.size())


def write_in_memory(
    spark: SparkSession, iceberg_table: Java, rows: Java, frame: DataFrame, target: int, check_interval: int
) -> list[tuple[int, int, float]]:
    """Write rows with the table's own writers into memory, and discard the files.

    rows: from `internal_rows`. frame: for their types. target: bytes at which the next file starts.
    check_interval: after how many rows a writer checks its length. Returns, for each file, its rows, its
    bytes, and the number of rows at which it reached the target; 0.0 if it did not.
    """
    conf = write_conf(spark, iceberg_table)
    io = java_class(f"{_ICEBERG}.inmemory.InMemoryFileIO")()
    internal = class_named("org.apache.spark.sql.catalyst.InternalRow")
    encrypted_files = java_class(f"{_ICEBERG}.encryption.EncryptedFiles")
    registry = java_class(f"{_ICEBERG}.formats.FormatModelRegistry")
    metrics = java_class(f"{_ICEBERG}.MetricsConfig").forTable(iceberg_table)
    unpartitioned = java_class(f"{_ICEBERG}.PartitionSpec").unpartitioned()
    write_all = _write_all()
    files: list[tuple[int, int, float]] = []
    position, total = 0, int(rows.size())
    while position < total:
        output_path = f"{FOLDER}/{uuid.uuid4().hex}"
        output = encrypted_files.plainAsEncryptedOutput(io.newOutputFile(output_path))
        builder = registry.dataWriteBuilder(conf.dataFileFormat(), internal, output)
        builder = builder.schema(iceberg_table.schema()).engineSchema(frame._jdf.schema())
        builder = builder.setAll(iceberg_table.properties()).setAll(conf.writeProperties())
        writer = builder.metricsConfig(metrics).spec(unpartitioned).build()
        start, previous_length, rows_at_target = position, 0, 0.0
        try:
            while position < total:
                end = min(total, position + check_interval)
                write_all(writer, rows.subList(position, end))
                position = end
                length = int(writer.length())
                if (position - start) % check_interval == 0 and length >= target:
                    # Linear between two checks: the length is only known at each of them.
                    share = (target - previous_length) / max(1, length - previous_length)
                    rows_at_target = position - start - check_interval + check_interval * share
                    break
                previous_length = length
        finally:
            writer.close()
        files.append((position - start, int(writer.toDataFile().fileSizeInBytes()), rows_at_target))
        io.deleteFile(output_path)
    return files


def _write_all() -> Callable[[Java, Java], None]:
    """FileWriter.write(Iterable): py4j itself takes the overload for one row."""
    parameter_types = gateway.array("java.lang.Class", [class_named("java.lang.Iterable")])
    method = class_named(f"{_ICEBERG}.io.FileWriter").getMethod("write", parameter_types)
    arguments = gateway.gateway().new_array(java_class("java.lang.Object"), 1)

    def write(writer: Java, rows: Java) -> None:
        arguments[0] = rows
        method.invoke(writer, arguments)

    return write
