"""DataFrames from Arrow tables and back: Spark has methods for it since 4.0."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from spark_iceberg_sql.spark.bridge.jvm import shims


def table(frame: DataFrame) -> pa.Table:
    """The rows of a query."""
    if shims.SPARK_VERSION >= (4, 0):
        return frame.toArrow()
    batches = frame._collect_as_arrow()
    return pa.Table.from_batches(batches, None if batches else to_arrow_schema(frame.schema))


def frame(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """A local relation of columns of numbers, strings and binaries."""
    if shims.SPARK_VERSION >= (4, 0):
        return spark.createDataFrame(rows)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "rows.arrow")
        with pa.ipc.new_stream(file, rows.schema) as stream:
            stream.write_table(rows)
        batches = spark._jvm.PythonSQLUtils.readArrowStreamFromFile(file)
        schema = from_arrow_schema(rows.schema).json()
        java_frame = spark._jvm.PythonSQLUtils.toDataFrame(batches, schema, spark._jsparkSession)
        return DataFrame(java_frame, spark)
