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

from spark_iceberg_sql.spark.bridge import jvm, lines
from spark_iceberg_sql.spark.bridge.hypothetical import FOLDER, class_named
from spark_iceberg_sql.spark.bridge.jvm import Java, java_class

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_ICEBERG = "org.apache.iceberg"


def write_conf(spark: SparkSession, made: Java) -> Java:
    """Iceberg's SparkWriteConf: the settings with which this session would write a table."""
    kind = java_class(f"{_ICEBERG}.spark.SparkWriteConf")
    return lines.write_conf(kind, jvm.java_session(spark), made)


def internal_rows(frame: DataFrame) -> Java:
    """A DataFrame's rows in the driver's memory, as a java.util.List of Spark's internal rows."""
    rows = frame._jdf.queryExecution().executedPlan().executeCollect()
    seq = lines.sequence(jvm.gateway(), jvm.scala_object, rows)
    return java_class("scala.collection.JavaConverters").seqAsJavaList(seq)


def one_row(spark: SparkSession, frame: DataFrame) -> Java:
    """One artificial row of a DataFrame's columns, as `internal_rows` returns rows; the DataFrame is not
    read.
    """
    # An aggregate without grouping has one row, even over no rows.
    nothing = spark.range(0).agg(fn.count(fn.lit(1)))
    made = nothing.select(*(_any_value(f.dataType).alias(f.name) for f in frame.schema.fields))
    return internal_rows(made)


def _any_value(kind: DataType) -> Column:
    """A value of a type; null of a type without a literal."""
    if isinstance(kind, StructType):
        return fn.struct(*(_any_value(f.dataType).alias(f.name) for f in kind.fields))
    if isinstance(kind, ArrayType):
        return fn.array(_any_value(kind.elementType))
    if isinstance(kind, MapType):
        return fn.create_map(_any_value(kind.keyType), _any_value(kind.valueType))
    if isinstance(kind, (DateType, TimestampType, TimestampNTZType)):
        return fn.lit("2024-01-01").cast(kind)
    if isinstance(kind, (NumericType, BooleanType, StringType, BinaryType)):
        return fn.lit("0").cast(kind)
    return fn.lit(None).cast(kind)


def bytes_of_rows(rows: Java, count: int) -> list[bytes]:
    """The first rows, serialized as for a shuffle, without their lengths."""
    return [bytes(rows.get(i).getBytes()) for i in range(min(count, int(rows.size())))]


def compressed(spark: SparkSession, data: bytes) -> int:
    """The number of bytes after the session's shuffle compression."""
    conf = spark.sparkContext._conf
    if conf.get("spark.shuffle.compress", "true") != "true":
        return len(data)
    jconf = jvm.java_session(spark).sparkContext().conf()
    codec = jvm.scala_object("org.apache.spark.io.CompressionCodec").createCodec(jconf)
    buffer = java_class("java.io.ByteArrayOutputStream")()
    stream = codec.compressedOutputStream(buffer)
    stream.write(bytearray(data))
    stream.close()
    return int(buffer.size())


def write_in_memory(
    spark: SparkSession, made: Java, rows: Java, frame: DataFrame, target: int, step: int
) -> list[tuple[int, int, float]]:
    """Write rows with the table's own writers into memory, and discard the files.

    rows: from `internal_rows`. frame: for their types. target: bytes at which the next file starts.
    check_interval: after how many rows a writer checks its length. Returns, for each file, its rows, its
    bytes, and the number of rows at which it reached the target; 0.0 if it did not.
    """
    conf = write_conf(spark, made)
    io = java_class(f"{_ICEBERG}.inmemory.InMemoryFileIO")()
    internal = class_named("org.apache.spark.sql.catalyst.InternalRow")
    encrypted = java_class(f"{_ICEBERG}.encryption.EncryptedFiles")
    registry = java_class(f"{_ICEBERG}.formats.FormatModelRegistry")
    metrics = java_class(f"{_ICEBERG}.MetricsConfig").forTable(made)
    unpartitioned = java_class(f"{_ICEBERG}.PartitionSpec").unpartitioned()
    write_all = _write_all()
    found: list[tuple[int, int, float]] = []
    at, total = 0, int(rows.size())
    while at < total:
        place = f"{FOLDER}/{uuid.uuid4().hex}"
        output = encrypted.plainAsEncryptedOutput(io.newOutputFile(place))
        builder = registry.dataWriteBuilder(conf.dataFileFormat(), internal, output)
        builder = builder.schema(made.schema()).engineSchema(frame._jdf.schema())
        builder = builder.setAll(made.properties()).setAll(conf.writeProperties())
        writer = builder.metricsConfig(metrics).spec(unpartitioned).build()
        start, before, reached = at, 0, 0.0
        try:
            while at < total:
                end = min(total, at + step)
                write_all(writer, rows.subList(at, end))
                at = end
                length = int(writer.length())
                if (at - start) % step == 0 and length >= target:
                    # Linear between two checks: the length is only known at each of them.
                    share = (target - before) / max(1, length - before)
                    reached = at - start - step + step * share
                    break
                before = length
        finally:
            writer.close()
        found.append((at - start, int(writer.toDataFile().fileSizeInBytes()), reached))
        io.deleteFile(place)
    return found


def _write_all() -> Callable[[Java, Java], None]:
    """FileWriter.write(Iterable): py4j itself takes the overload for one row."""
    kinds = jvm.gateway().new_array(java_class("java.lang.Class"), 1)
    kinds[0] = class_named("java.lang.Iterable")
    method = class_named(f"{_ICEBERG}.io.FileWriter").getMethod("write", kinds)
    arguments = jvm.gateway().new_array(java_class("java.lang.Object"), 1)

    def write(writer: Java, rows: Java) -> None:
        arguments[0] = rows
        method.invoke(writer, arguments)

    return write
